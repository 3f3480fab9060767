// Sends a call to the API, and reads the answer. If a retry is safe and useful, repeats the call.

import { randomKey } from './crypto.ts'
import { type ErrorFacts, errorClass, type MalipoError, NoAnswerError } from './errors.ts'
import { checkedTimeout, type Settings } from './options.ts'
import { VERSION } from './version.ts'

/** The options of a call that only reads. */
export type ReadOptions = {
  /** A signal that ends the call when it is aborted. */
  signal?: AbortSignal
  /** The longest time in milliseconds of each attempt of this call. */
  timeout?: number
}

/** The options of a call that makes a change. */
export type ChangeOptions = ReadOptions & {
  /**
   * 1 to 255 visible ASCII characters, such as the number of your order and of the attempt. If you repeat a call with the same
   * key, the API makes the change only once. Without a key, the SDK makes one; the error of a failed call contains it.
   */
  idempotencyKey?: string
}

/** A call of the API. `path` begins with /v1/. */
type ApiCall = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  query?: object | undefined
  body?: object | undefined
  is_file?: boolean
  options: ChangeOptions
}

/** The functions that send a call, for the files that define the calls. */
export type Http = {
  get<Data>(path: string, query?: object, options?: ReadOptions): Promise<Data>
  file(path: string, query?: object, options?: ReadOptions): Promise<Response>
  change<Data>(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body: object | undefined,
    options?: ChangeOptions,
  ): Promise<Data>
}

/** A failed attempt. `effect` is the effect in the API: none, unknown, or none in this attempt. */
type Failure = Pick<ErrorFacts, 'code' | 'status' | 'message' | 'isRetryable'> &
  Partial<Pick<ErrorFacts, 'details' | 'requestId' | 'retryAfter' | 'cause'>> & {
    effect: 'none' | 'unknown' | 'none now'
    /** True means that the SDK may repeat the call by itself. */
    repeat: boolean
  }

type Envelope = { data?: unknown; error?: { code: string; message?: string; details?: Record<string, unknown> | null } }

/**
 * The greatest pause in seconds before a retry. If the pause would be longer, the call fails, so that no request of the
 * merchant's server hangs for long.
 */
const WAIT_S_MAX = 20
const FIRST_WAIT_S = 0.5
/** The statuses of proxies and gateways after which a later attempt can succeed. */
const PASSING = new Set([408, 429, 502, 503, 504])
/** Texts in the errors of the runtimes which mean that no connection opened, so that the SDK sent nothing. */
const NOT_SENT =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|CERT_|_CERT|UNABLE_TO_VERIFY|ConnectionRefused|client error \(Connect\)|bad port/

/** Makes the functions that send calls with the options of a client. */
export function createHttp(settings: Settings): Http {
  const data = async <Data>(call: ApiCall) => (await send(settings, call)).data as Data
  return {
    get: (path, query, options = {}) => data({ method: 'GET', path, query, options }),
    file: async (path, query, options = {}) =>
      (await send(settings, { method: 'GET', path, query, options, is_file: true })).response,
    change: (method, path, body, options = {}) => data({ method, path, body, options }),
  }
}

/** Builds a path. Each value stays one segment of the path. If a value is empty, `.` or `..`, throws a TypeError. */
export function path(parts: TemplateStringsArray, ...given: string[]): string {
  return parts.reduce((text, part, i) => {
    const value = given[i - 1]
    if (typeof value !== 'string' || value.trim() === '' || /^\.\.?$/.test(value)) {
      throw new TypeError('The id is missing: pass the id of a record, such as collection_id.')
    }
    return text + encodeURIComponent(value) + part
  })
}

async function send(settings: Settings, call: ApiCall): Promise<{ data: unknown; response: Response }> {
  const { signal, timeout } = call.options
  const limit = timeout === undefined ? settings.timeout : checkedTimeout(timeout)
  const key = call.method === 'GET' ? null : (checkedKey(call.options.idempotencyKey) ?? (await randomKey()))
  const url = settings.address + call.path + queryString(call.query ?? {})
  const init = requestInit(settings, call, key)
  let is_unknown = false
  for (let attempt = 0; ; attempt++) {
    const result = signal?.aborted ? aborted(signal, 'none now') : await tryOnce(settings, call, url, init, limit)
    if (!('effect' in result)) return result
    if (key !== null) is_unknown = result.effect === 'unknown' || (is_unknown && result.effect === 'none now')
    // The random part spreads the retries of many clients over time.
    const chance = Math.random() / 2
    const wait_s = result.retryAfter ?? FIRST_WAIT_S * 2 ** attempt * (0.5 + chance)
    if (!result.repeat || attempt >= settings.max_retries || wait_s > WAIT_S_MAX) {
      throw errorOf(result, key, is_unknown)
    }
    await sleep(result.retryAfter ? wait_s + chance / 2 : wait_s, signal)
  }
}

function requestInit(settings: Settings, { body, is_file }: ApiCall, key: string | null) {
  const headers: Record<string, string> = {
    authorization: `Bearer ${settings.api_key}`,
    accept: is_file ? '*/*' : 'application/json',
    'user-agent': `malipo-typescript/${VERSION}`,
  }
  if (settings.language !== undefined) headers['accept-language'] = settings.language
  if (key !== null) headers['idempotency-key'] = key
  if (key === null) return { headers }
  headers['content-type'] = 'application/json'
  return { headers, body: jsonOf(body ?? {}) }
}

async function tryOnce(
  settings: Settings,
  call: ApiCall,
  url: string,
  init: { headers: Record<string, string>; body?: string },
  timeout: number,
): Promise<{ data: unknown; response: Response } | Failure> {
  const { signal } = call.options
  const ending = new AbortController()
  const end = () => ending.abort()
  const timer = setTimeout(end, timeout)
  signal?.addEventListener('abort', end)
  let is_file = false
  try {
    // The SDK does not follow redirects, because a redirect could send the key to another host.
    const response = await settings.fetch(url, {
      ...init,
      method: call.method,
      redirect: 'manual',
      signal: ending.signal,
    })
    is_file = call.is_file === true && response.ok
    if (is_file) return { data: null, response }
    const envelope = parseEnvelope(await response.text())
    if (response.ok && envelope?.data !== undefined) return { data: envelope.data, response }
    return envelope?.error && !response.ok
      ? refusal(response, envelope.error, settings)
      : strangeAnswer(response, settings)
  } catch (cause) {
    if (signal?.aborted) return aborted(signal, 'unknown')
    return noAnswer(cause, settings, ending.signal.aborted ? timeout : null)
  } finally {
    clearTimeout(timer)
    // The program may still read a file, and may still abort its reading.
    if (!is_file) signal?.removeEventListener('abort', end)
  }
}

/** Makes the failure for an error of the API. The message contains advice. */
function refusal(response: Response, error: NonNullable<Envelope['error']>, settings: Settings): Failure {
  const { status } = response
  const { code, details = null } = error
  const is_running = code === 'idempotency_in_progress'
  const is_later = is_running || status === 408 || status === 429 || status >= 500
  const says_nothing = status === 401 || status === 403 || status === 408 || status === 429
  const requestId = response.headers.get('x-request-id')
  return {
    code,
    status,
    message: `${error.message ?? code}${advice(error, status, settings)} (${status} ${code}, request ${requestId ?? 'unknown'})`,
    details,
    requestId,
    retryAfter: retryAfterOf(response),
    isRetryable: is_later,
    repeat: is_running || status === 429 || status === 503,
    effect: is_running || status >= 500 ? 'unknown' : says_nothing ? 'none now' : 'none',
  }
}

/** Returns sentences that help the developer: the wrong fields, the missing scope, the key, or the environment. */
function advice({ details }: NonNullable<Envelope['error']>, status: number, settings: Settings): string {
  const { fields, required_scope } = (details ?? {}) as { fields?: unknown; required_scope?: unknown }
  const { api_key, environment } = settings
  let text = ''
  for (const one of Array.isArray(fields) ? fields : []) text += ` ${one?.field}: ${one?.message}.`
  if (typeof required_scope === 'string') text += ` Create a key with the scope ${required_scope}.`
  if (status === 401) {
    text += ` The key begins with ${api_key.slice(0, api_key.lastIndexOf('_') + 1)} and ends with ${api_key.slice(-4)}.`
  }
  if (status === 404) {
    text += ` The key is of the environment ${environment}: records of the other environment do not exist for it.`
  }
  return text
}

/** Makes the failure for an answer that is not from the API: a redirect, or a page of a proxy or of another program. */
function strangeAnswer(response: Response, { address }: Settings): Failure {
  const { status } = response
  const target = response.headers.get('location')
  const can_pass = PASSING.has(status)
  const facts = {
    code: 'no_answer',
    status,
    requestId: response.headers.get('x-request-id'),
    retryAfter: retryAfterOf(response),
    isRetryable: response.ok || can_pass || status >= 500,
    repeat: response.ok || can_pass,
  }
  // A browser hides the status of a redirect, but reports its type.
  if ((status >= 300 && status < 400) || response.type === 'opaqueredirect') {
    const message = `${address} redirects to ${target ?? 'another address'}, and the SDK does not follow with your key. Correct baseUrl.`
    return { ...facts, message, effect: 'none now' }
  }
  const is_ambiguous = response.ok || status === 408 || status >= 500
  return {
    ...facts,
    message: `${address} answered with status ${status}, but not as the API does. Check that baseUrl is the address of your Malipo server.`,
    effect: is_ambiguous ? 'unknown' : 'none now',
  }
}

/**
 * Makes the failure for an attempt without any answer. `timeout` is the passed time limit in milliseconds. Null means that the
 * attempt ended earlier.
 */
function noAnswer(cause: unknown, { address }: Settings, timeout: number | null): Failure {
  const facts = { code: 'no_answer', status: 0, isRetryable: true, repeat: true, cause }
  if (timeout !== null) {
    return {
      ...facts,
      message: `${address} did not answer within ${timeout} ms. Check the network and the server.`,
      effect: 'unknown',
    }
  }
  const reasons: string[] = []
  for (let error = cause; error instanceof Error && reasons.length < 5; error = error.cause) {
    reasons.push(String((error as { code?: unknown }).code ?? error.message), error.message)
  }
  const reason = reasons.at(-2) ?? String(cause)
  if (NOT_SENT.test(reasons.join(' '))) {
    const message = `${address} is unreachable (${reason}), so nothing was sent. Check baseUrl, and whether the server runs.`
    return { ...facts, message, effect: 'none now' }
  }
  const message = `The connection to ${address} ended without an answer (${reason}). Check the network and the server.`
  return { ...facts, message, effect: 'unknown' }
}

function aborted(signal: AbortSignal, effect: Failure['effect']): Failure {
  const message = 'The program aborted the call.'
  return { code: 'aborted', status: 0, message, isRetryable: true, repeat: false, effect, cause: signal.reason }
}

function errorOf(failure: Failure, key: string | null, outcomeUnknown: boolean): MalipoError {
  const { effect, repeat, ...facts } = failure
  let { message } = facts
  if (outcomeUnknown) {
    message += ` The API may have made the change: repeat the call with the idempotencyKey ${key}, and the API makes the change only once.`
  }
  const Kind = facts.code === 'no_answer' || facts.code === 'aborted' ? NoAnswerError : errorClass(facts.status)
  const missing = { details: null, requestId: null, retryAfter: null }
  return new Kind({ ...missing, ...facts, message, idempotencyKey: key, outcomeUnknown })
}

/** Waits for some seconds. If the signal is aborted, the wait ends early. */
export function sleep(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, seconds * 1000)
    signal?.addEventListener('abort', done)
    if (signal?.aborted) done()
  })
}

/** Parses the envelope of an answer. Null means that the answer is not from the API. */
function parseEnvelope(text: string): Envelope | null {
  try {
    const value = JSON.parse(text) as (Envelope & { success?: unknown }) | null
    if (value?.success === true) return value
    return value?.success === false && typeof value.error?.code === 'string' ? value : null
  } catch {
    return null
  }
}

function retryAfterOf(response: Response): number | null {
  const value = response.headers.get('retry-after')
  if (value === null) return null
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const time = Date.parse(value)
  return Number.isNaN(time) ? null : Math.max(0, (time - Date.now()) / 1000)
}

function queryString(query: object): string {
  const found = new URLSearchParams()
  const add = (name: string, value: unknown): void => {
    if (value === undefined || value === null) return
    if (value instanceof Date) found.set(name, value.toISOString())
    else if (typeof value === 'object') for (const [key, inner] of Object.entries(value)) add(`${name}[${key}]`, inner)
    else found.set(name, String(value))
  }
  for (const [name, value] of Object.entries(query)) add(name, value)
  const text = found.toString()
  return text === '' ? '' : `?${text}`
}

/**
 * Serialises an input. If the input is no object, or contains a BigInt or a number that is not finite, throws a TypeError
 * before the SDK sends anything.
 */
function jsonOf(body: object): string {
  if (typeof body !== 'object' || Array.isArray(body))
    throw new TypeError("Pass an object, such as { amount: '25000.00' }.")
  return JSON.stringify(body, (name, value: unknown) => {
    if (typeof value === 'bigint') throw new TypeError(`${name} is a BigInt: pass a decimal text, such as '25000.00'.`)
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new TypeError(`${name} is ${value}: pass a number or a decimal text, such as '25000.00'.`)
    }
    return value
  })
}

function checkedKey(key: string | undefined): string | undefined {
  if (key === undefined || (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key))) return key
  throw new TypeError(
    'idempotencyKey must have 1 to 255 visible ASCII characters without spaces, such as order-1042-attempt-1.',
  )
}
