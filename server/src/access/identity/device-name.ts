// Finds the names of browser and system in a User-Agent header, so that a user recognizes a sign-in.

/**
 * Browser names, each with the text that identifies the browser in a User-Agent header. The order matters, because most
 * browsers also name Chrome or Safari.
 */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const

/**
 * System names, each with the text that identifies the system in a User-Agent header. The order matters, because Android also
 * names Linux.
 */
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

/**
 * Returns browser and system, such as "Chrome, Android". If the header names neither, returns an empty text. The client chooses
 * the header, so the result contains only names from the two lists.
 */
export function deviceName(user_agent: string | undefined): string {
  const text = user_agent ?? ''
  const named = (list: readonly (readonly [part: string, name: string])[]) =>
    list.find(([part]) => text.includes(part))?.[1]
  return [named(BROWSERS), named(SYSTEMS)].filter((name) => name !== undefined).join(', ')
}
