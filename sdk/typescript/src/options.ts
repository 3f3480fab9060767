// Checks the options of a client. If an option is wrong, the SDK throws a TypeError whose message says what to correct.

/**
 * The key and the address of the server, and optional limits. If an option is wrong, `new Malipo(...)` throws a TypeError.
 */
export type MalipoOptions = {
  /**
   * The secret API key, such as service_sandbox_... or sk_test_.... Keep it on a server, never in a browser or an app.
   */
  apiKey: string
  /** The address of the server, such as https://api.example.com, without /v1. */
  baseUrl: string
  /**
   * The environment that the key must have. If the key has the other environment, the constructor throws a TypeError.
   */
  environment?: 'live' | 'sandbox'
  /** The milliseconds that each attempt may take. The default is 20,000. */
  timeout?: number
  /**
   * The number of times that the SDK repeats a failed call for which a retry is safe and useful, from 0 to 10. The default is
   * 2.
   */
  maxRetries?: number
  /**
   * The language of messages for people, such as `failure_reason_message`. By default, the server chooses the language.
   */
  language?: 'sw' | 'en'
  /** A function to use instead of the global `fetch`. */
  fetch?: typeof fetch
}

/** The options after the check, with default values. */
export type Settings = {
  api_key: string
  environment: 'live' | 'sandbox'
  address: string
  timeout: number
  max_retries: number
  language: string | undefined
  fetch: typeof fetch
}

const TIMEOUT_MS = 20_000
/** The longest delay in milliseconds that a timer of JavaScript allows. */
const TIMEOUT_MS_MAX = 2_147_483_647
const RETRIES = 2
const RETRIES_MAX = 10
const KEY = /^[a-z][a-z0-9]{1,19}_(live|sandbox|test)_[0-9A-Za-z]+$/

/**
 * Checks the options of a client and adds the default values. If an option is wrong, throws a TypeError with its name.
 */
export function checkedSettings(options: MalipoOptions): Settings {
  refuseBrowser()
  if (typeof options !== 'object' || options === null) {
    throw new TypeError("Pass an object: new Malipo({ apiKey, baseUrl: 'https://api.example.com' }).")
  }
  const { apiKey, baseUrl, timeout = TIMEOUT_MS, maxRetries = RETRIES, language } = options
  const key_environment = environmentOf(apiKey)
  if (options.environment !== undefined && options.environment !== key_environment) {
    throw new TypeError(
      `apiKey is a ${key_environment} key, and environment is '${options.environment}': use a key of that environment.`,
    )
  }
  if (!Number.isInteger(maxRetries) || maxRetries < 0 || maxRetries > RETRIES_MAX) {
    throw new TypeError(`maxRetries, the number of retries, must be an integer from 0 to ${RETRIES_MAX}.`)
  }
  if (language !== undefined && language !== 'sw' && language !== 'en') {
    throw new TypeError("language must be 'sw' or 'en'.")
  }
  const given_fetch = options.fetch ?? globalThis.fetch
  if (typeof given_fetch !== 'function') {
    throw new TypeError('This runtime has no fetch: use Node 18 or newer, or pass the option fetch.')
  }
  return {
    api_key: apiKey,
    environment: key_environment,
    address: checkedAddress(baseUrl),
    timeout: checkedTimeout(timeout),
    max_retries: maxRetries,
    language,
    // If a program calls `fetch` as the method of another object, some runtimes throw an error.
    fetch: (input, init) => given_fetch(input, init),
  }
}

/** Returns the timeout in milliseconds. If it is no number above 0, or too long for a timer, throws a TypeError. */
export function checkedTimeout(timeout: number): number {
  if (typeof timeout !== 'number' || !(timeout > 0) || timeout > TIMEOUT_MS_MAX) {
    throw new TypeError(
      `timeout must be a number of milliseconds above 0 and at most ${TIMEOUT_MS_MAX}, such as 20000.`,
    )
  }
  return timeout
}

/**
 * In a browser or a mobile app, throws a TypeError. Every user of a page or an app could read the key, and then move the
 * merchant's money.
 */
function refuseBrowser(): void {
  const { window, document, navigator } = globalThis as {
    window?: unknown
    document?: unknown
    navigator?: { product?: string }
  }
  if ((window !== undefined && document !== undefined) || navigator?.product === 'ReactNative') {
    throw new TypeError(
      'An API key in a browser or a mobile app is public. Call the API from your server, and send the payer to the hosted page: malipo.collections.create(...).payment_url.',
    )
  }
}

function environmentOf(key: string): 'live' | 'sandbox' {
  if (typeof key !== 'string' || key === '') {
    throw new TypeError(
      'apiKey is missing: create a key in the dashboard, and pass it, for example from process.env.MALIPO_API_KEY.',
    )
  }
  if (key.startsWith('pk_')) throw new TypeError('apiKey begins with pk_, a public identifier: pass a secret API key.')
  if (key.startsWith('whsec_')) {
    throw new TypeError('apiKey begins with whsec_, the secret of a webhook: pass an API key.')
  }
  if (/^bearer /i.test(key)) throw new TypeError('apiKey begins with the word Bearer: pass the key alone.')
  if (/[^\x21-\x7e]/.test(key)) {
    throw new TypeError('apiKey contains a space, a line break or another wrong character: copy the key again.')
  }
  const [, marker] = KEY.exec(key) ?? []
  if (marker === undefined) {
    throw new TypeError(
      'apiKey is no API key: keys contain _live_, _sandbox_ or _test_, such as service_sandbox_.... Copy the key of the dashboard.',
    )
  }
  return marker === 'live' ? 'live' : 'sandbox'
}

function checkedAddress(address: string): string {
  const advice = 'pass the address of your Malipo server, such as https://api.example.com.'
  if (typeof address !== 'string' || address === '') throw new TypeError(`baseUrl is missing: ${advice}`)
  let url: URL
  try {
    url = new URL(address)
  } catch {
    throw new TypeError(`baseUrl is no address: ${advice}`)
  }
  if (!/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new TypeError(`baseUrl must be an http(s) address without a query, fragment or password: ${advice}`)
  }
  const path = url.pathname.replace(/\/+$/, '')
  if (path.endsWith('/v1')) {
    throw new TypeError(`baseUrl must not end with /v1: pass ${url.origin}${path.slice(0, -'/v1'.length)}.`)
  }
  return url.origin + path
}
