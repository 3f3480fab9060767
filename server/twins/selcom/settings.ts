// Settings of the twin, at its start and while it runs. The environment, the control API and the help text come from one
// table. Many settings exist because the gateway's documentation does not describe its real behaviour.

type Setting<T> = {
  default: T
  help: string
  /** The parsed value, or undefined if it is invalid. */
  read(value: unknown): T | undefined
  /** The value of a text from the environment. */
  ofText(text: string): unknown
}

const WHOLE_MAX = 1e12
const isWhole = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= WHOLE_MAX
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '')
const splitList = (text: string) => (text === '' ? [] : text.split(',').map((item) => item.trim()))

const whole = (fallback: number, help: string): Setting<number> => ({
  default: fallback,
  help,
  read: (value) => (isWhole(value) ? value : undefined),
  ofText: (text) => (/^\d+$/.test(text) ? Number(text) : text),
})
const wholeOrNone = (help: string): Setting<number | null> => ({
  default: null,
  help,
  read: (value) => (value === null || isWhole(value) ? value : undefined),
  ofText: (text) => (text === '' ? null : /^\d+$/.test(text) ? Number(text) : text),
})
const list = (help: string): Setting<readonly string[]> => ({
  default: [],
  help,
  read: (value) => (isTexts(value) ? value : undefined),
  ofText: splitList,
})
const listOrAny = (help: string): Setting<readonly string[] | null> => ({
  default: null,
  help,
  read: (value) =>
    value === null || (isTexts(value) && value.length === 0) ? null : isTexts(value) ? value : undefined,
  ofText: splitList,
})
const code = (fallback: string, help: string): Setting<string> => ({
  default: fallback,
  help,
  read: (value) => (typeof value === 'string' && /^\d{3}$/.test(value) ? value : undefined),
  ofText: (text) => text,
})
const oneOf = <T extends string>(allowed: readonly [T, ...T[]], help: string): Setting<T> => ({
  default: allowed[0],
  help: `${help} ${allowed.join(', ')}.`,
  read: (value) => allowed.find((item) => item === value),
  ofText: (text) => text,
})

/** Every setting. The first value of a choice is its default. */
export const SETTINGS = {
  timestamp_window_s: whole(300, 'Seconds that the Timestamp of a request may be off.'),
  source_ips: listOrAny('Addresses that may call; others get 403 (4032). Empty: every address.'),
  disabled_paths: list('Paths, such as /qwiksend/process, that are not enabled: 403 (4035).'),
  minimum_payout: whole(1000, 'Least payout in shillings; less is refused with 013.'),
  pay_after_ms: whole(1500, 'Pause before each thing that a payer does.'),
  scan_after_ms: wholeOrNone(
    'Pause before a code without a push is scanned and paid. Empty: the code is never scanned.',
  ),
  settle_after_ms: whole(1500, 'Pause before each change of a payout that was not final at once.'),
  order_expiry_min: wholeOrNone('Minutes until an order without its own expiry is cancelled. Empty: never.'),
  duplicate_order: oneOf(['fail', 'replay', 'ambiguous'], 'Answer to an order_id that was used:'),
  duplicate_transid: oneOf(
    ['fail', 'replay', 'ambiguous', 'execute'],
    'Answer to a transid that its rail has seen; execute moves money again:',
  ),
  duplicate_code: code('400', 'Result code of a refused duplicate.'),
  unknown_order: oneOf(['ambiguous', 'fail'], 'Answer to a query of an order that was never made, 999 or 651:'),
  unknown_transid: oneOf(
    ['ambiguous', 'fail', 'mixed'],
    'Answer to a query of a transid that the rail never saw, 999, 404, or by chance one of many failures in other words:',
  ),
  texts: oneOf(
    ['first', 'second', 'mixed'],
    'Spelling: PENDING 111 / AMBIGOUS / USERCANCELLED / phone, or INPROGRESS 927 / AMBIGUOUS / USERCANCELED / msisdn, or either by chance:',
  ),
  fault_delay_ms: whole(1000, 'How late a delayed answer is.'),
  callback_on: oneOf(['success', 'final', 'all'], 'What is called back: paid orders, every final word, pending too:'),
  callback_late_ms: whole(30_000, 'How late a late callback is.'),
  callback_timeout_ms: whole(5000, 'How long a callback waits for its answer.'),
  callback_retries: whole(0, 'How often a callback that was not answered with 2xx is sent again.'),
  callback_retry_pause_ms: whole(5000, 'Pause before a callback is sent again.'),
}

/** The current settings. */
export type Settings = { -readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K]['default'] }

/** The environment variable of a setting. */
export function variableOf(name: string): string {
  return `SIMULATOR_${name.toUpperCase()}`
}

/** Every setting with its default. */
export function defaultSettings(): Settings {
  return Object.fromEntries(Object.entries(SETTINGS).map(([name, { default: value }]) => [name, value])) as Settings
}

/** Settings from JSON, or the name of the first unknown or invalid one. */
export function settingsOf(content: unknown): { read: Partial<Settings> } | { problem: string } {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return { problem: 'the body' }
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(content)) {
    const found = Object.hasOwn(SETTINGS, name) ? SETTINGS[name as keyof Settings].read(value) : undefined
    if (found === undefined) return { problem: name }
    read[name] = found
  }
  return { read: read as Partial<Settings> }
}

/** The settings from the environment. Throws with the variable's name if a value is invalid. */
export function settingsOfEnvironment(env: Readonly<Record<string, string | undefined>>): Partial<Settings> {
  const read: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const text = env[variableOf(name)]
    if (text === undefined) continue
    const value = setting.read(setting.ofText(text))
    if (value === undefined) throw new Error(`${variableOf(name)} cannot be ${JSON.stringify(text)}. ${setting.help}`)
    read[name] = value
  }
  return read as Partial<Settings>
}
