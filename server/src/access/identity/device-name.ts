// Names the device of a browser from its User-Agent header, so that a user recognizes a sign-in.

/** The browsers by a part of their User-Agent. Most browsers also name Chrome or Safari, so that the order decides. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const

/** The systems by a part of their User-Agent. Android also names Linux, so that the order decides. */
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
 * Returns the browser and the system of a User-Agent header, such as "Chrome, Android". If the header names neither, returns an
 * empty text. The client chooses the header, so that the result contains only names of the two lists.
 */
export function deviceName(user_agent: string | undefined): string {
  const text = user_agent ?? ''
  const named = (list: readonly (readonly [part: string, name: string])[]) =>
    list.find(([part]) => text.includes(part))?.[1]
  return [named(BROWSERS), named(SYSTEMS)].filter((name) => name !== undefined).join(', ')
}
