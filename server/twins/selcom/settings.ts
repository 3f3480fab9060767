// Defines the settings of the twin. Environment, control API and help text use one table. Many settings exist because the
// gateway's documentation leaves its real behaviour open.

type Setting<T> = {
  default: T
  help: string
  /** Returns the parsed value. If the value is invalid, returns undefined. */
  read(value: unknown): T | undefined
  /** Returns the value of a text from the environment, for `read` to check. */
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

/** The settings by name. If a setting is a choice, its first value is the default. */
export const SETTINGS = {
  timestamp_window_s: whole(300, 'Greatest difference in seconds between the Timestamp of a request and the clock.'),
  source_ips: listOrAny('Addresses that may call. Other addresses get 403 (4032). Empty: every address.'),
  disabled_paths: list('Paths, such as /qwiksend/process, that the gateway has not enabled: 403 (4035).'),
  minimum_payout: whole(1000, 'Minimum payout in shillings. A smaller payout gets 013.'),
  pay_after_ms: whole(1500, 'Milliseconds before each step of a payer.'),
  scan_after_ms: wholeOrNone(
    'Milliseconds before a payer scans and pays a code without a push. Empty: no payer scans the code.',
  ),
  settle_after_ms: whole(1500, 'Milliseconds before each change of a payout that was not final immediately.'),
  order_expiry_min: wholeOrNone('Minutes until the gateway cancels an order without its own expiry. Empty: never.'),
  duplicate_order: oneOf(['fail', 'replay', 'ambiguous'], 'Answer to a used order_id:'),
  duplicate_transid: oneOf(
    ['fail', 'replay', 'ambiguous', 'execute'],
    'Answer to a used transid of the same rail; execute moves money again:',
  ),
  duplicate_code: code('400', 'Result code of a refused duplicate.'),
  unknown_order: oneOf(['ambiguous', 'fail'], 'Answer to a query of an unknown order, 999 or 651:'),
  unknown_transid: oneOf(
    ['ambiguous', 'fail', 'mixed'],
    'Answer to a query of an unknown transid: 999, 404, or by chance one of many failures:',
  ),
  texts: oneOf(
    ['first', 'second', 'mixed'],
    'Spelling: PENDING 111 / AMBIGOUS / USERCANCELLED / phone, or INPROGRESS 927 / AMBIGUOUS / USERCANCELED / msisdn, or either by chance:',
  ),
  fault_delay_ms: whole(1000, 'Delay of a late answer in milliseconds.'),
  callback_on: oneOf(
    ['success', 'final', 'all'],
    'Orders with callbacks: paid orders, every final status, or every status:',
  ),
  callback_late_ms: whole(30_000, 'Delay of a late callback in milliseconds.'),
  callback_timeout_ms: whole(5000, 'Timeout of a callback in milliseconds.'),
  callback_retries: whole(0, 'Number of retries of a callback without an answer 2xx.'),
  callback_retry_pause_ms: whole(5000, 'Milliseconds before a retry of a callback.'),
}

/** The current value of each setting, which a test can change while the twin runs. */
export type Settings = { -readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K]['default'] }

/** Returns the name of the environment variable of a setting. */
export function variableOf(name: string): string {
  return `SIMULATOR_${name.toUpperCase()}`
}

/** Returns a new object with the default of every setting. */
export function defaultSettings(): Settings {
  return Object.fromEntries(Object.entries(SETTINGS).map(([name, { default: value }]) => [name, value])) as Settings
}

/**
 * Reads settings from parsed JSON. If a setting is unknown or invalid, returns the name of the first such setting as the
 * problem.
 */
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

/** Reads the settings from the environment. If a value is invalid, throws an error with the name of the variable. */
export function settingsOfEnvironment(env: Readonly<Record<string, string | undefined>>): Partial<Settings> {
  const read: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const text = env[variableOf(name)]
    if (text === undefined) continue
    const value = setting.read(setting.ofText(text))
    if (value === undefined)
      throw new Error(`${variableOf(name)} has the invalid value ${JSON.stringify(text)}. ${setting.help}`)
    read[name] = value
  }
  return read as Partial<Settings>
}
