// Calls the API for the commands of the tool, and explains each failure in one sentence.

import { randomUUID } from 'node:crypto'
import { Problem } from './problem.ts'
import { type Login, refuseUnsafeKey } from './settings.ts'
import { sleep } from './sleep.ts'

const TIMEOUT_MS = 30_000
/** The pauses in milliseconds before the two retries of a change, if its answer was lost or the server failed. */
const PAUSES_MS = [500, 2_000]
/**
 * If the clocks of computer and server differ by more than this time, the tool warns. `verifyWebhook` refuses events that are
 * five minutes old.
 */
const CLOCK_MAX_MS = 240_000

/** The server refused the request. `status` is the HTTP status, and `code` is the error code of the API. */
export class Refused extends Problem {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** The merchant, the environment and the scopes of a key, as GET /v1/me returns them. */
export type Account = {
  merchant_id: string
  merchant_name: string
  environment: 'live' | 'sandbox'
  key_name: string
  scopes: string[]
}

/** The calls to the server with the key of the login. */
export type Api = Login & {
  get<T>(path: string): Promise<T>
  /**
   * Sends a change. If the answer is lost, or if the server fails, repeats the request with the same idempotency key. If no
   * retry succeeds, throws LostAnswer.
   */
  post<T>(path: string, body?: object, idempotency_key?: string): Promise<T>
  /** Sends a request as a payer does, without the key. */
  postPublic<T>(path: string, body: object): Promise<T>
  /** Opens a response and returns before its body ends, so that the caller reads the body as a stream. */
  open(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response>
  account(): Promise<Account>
}

/**
 * Makes the client of a login. `warn` gets at most one warning about the clock of this computer. If a live key would travel
 * without encryption, throws a Problem.
 */
export function createApi(login: Login, warn: (text: string) => void): Api {
  refuseUnsafeKey(login)
  const checkClock = createClockCheck(warn)
  const send = async (path: string, init: RequestInit, with_key = true): Promise<Response> => {
    const headers = { ...(with_key ? { authorization: `Bearer ${login.key}` } : {}), ...init.headers }
    let response: Response
    try {
      response = await fetch(`${login.base_url}${path}`, { redirect: 'error', ...init, headers })
    } catch (error) {
      if (init.signal?.aborted && !(init.signal.reason instanceof DOMException)) throw error
      throw unreachable(login.base_url, error)
    }
    checkClock(response.headers.get('date'))
    return response
  }
  const call = async <T>(path: string, init: RequestInit, with_key = true): Promise<T> => {
    const response = await send(path, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }, with_key)
    return (await readAnswer(response, login)) as T
  }
  const post = <T>(path: string, body: object | undefined, with_key: boolean, idempotency_key: string = randomUUID()) =>
    repeatIfLost(() =>
      call<T>(
        path,
        {
          method: 'POST',
          headers: {
            'idempotency-key': idempotency_key,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
        with_key,
      ),
    )
  return {
    ...login,
    get: (path) => call(path, {}),
    post: (path, body, idempotency_key) => post(path, body, true, idempotency_key),
    postPublic: (path, body) => post(path, body, false),
    async open(path, headers, signal) {
      const response = await send(path, { headers, signal })
      if (!response.ok) await readAnswer(response, login)
      return response
    },
    account: () => call<Account>('/v1/me', {}),
  }
}

/** The answer to a change was lost, so the server may have made the change. */
export class LostAnswer extends Problem {}

async function repeatIfLost<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await send()
    } catch (error) {
      // If the answer to an earlier attempt was lost, a later refusal does not say whether the server made the change.
      if (!(error instanceof Problem) || (attempt === 0 && !mayBeDone(error))) throw error
      const pause_ms = PAUSES_MS[attempt]
      if (pause_ms === undefined) throw new LostAnswer(`The outcome is unknown. ${error.message}`)
      await sleep(pause_ms)
    }
  }
}

function mayBeDone(error: Problem): boolean {
  if (error instanceof Refused) return error.status >= 500
  return !(error instanceof Unreachable) || error.may_be_sent
}

async function readAnswer(response: Response, { base_url }: Login): Promise<unknown> {
  const text = await response.text().catch((error) => {
    throw unreachable(base_url, error)
  })
  let answer: { success?: boolean; data?: unknown; error?: { code: string; message: string; details: unknown } }
  try {
    answer = JSON.parse(text)
  } catch {
    throw new Problem(
      `${base_url} answered, but not as a Malipo server does (status ${response.status}). Check the address: "malipo login --base-url".`,
    )
  }
  if (response.ok && answer.success === true) return answer.data
  const { code = 'unknown', message = text.slice(0, 200), details } = answer.error ?? {}
  throw new Refused(response.status, code, sentence(response, code, message, details))
}

const FIELDS_MAX = 5

function sentence(response: Response, code: string, message: string, details: unknown): string {
  switch (code) {
    case 'invalid_api_key':
    case 'authentication_required':
    case 'invalid_session':
      return 'The server does not know this key. Copy the whole key from the dashboard, and run "malipo login" again.'
    case 'api_key_revoked':
      return 'This key was revoked or has expired. Make a new key in the dashboard, and run "malipo login" again.'
    case 'insufficient_scope': {
      const { required_scope = 'of this call' } = (details ?? {}) as { required_scope?: string }
      return `This key lacks the scope ${required_scope}. Make a key with this scope in the dashboard, and run "malipo login" again.`
    }
    case 'rate_limited':
      return `${message} Retry-After: ${response.headers.get('retry-after') ?? '?'} s.`
  }
  const fields = (details as { fields?: { field: string; message: string }[] } | null)?.fields ?? []
  const named = fields.slice(0, FIELDS_MAX).map((one) => `${one.field} ${one.message}`)
  return [message, ...named].join(' ')
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there',
  ENOTFOUND: 'the name has no address',
  EAI_AGAIN: 'the name has no address',
  ETIMEDOUT: 'nothing answered in time',
  ECONNRESET: 'the connection broke',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  CERT_HAS_EXPIRED: 'its certificate has expired. If that is wrong, check the clock of this computer',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: check the clock of this computer',
}

/** The server did not answer. If the request certainly did not reach the server, `may_be_sent` is false. */
export class Unreachable extends Problem {
  readonly may_be_sent: boolean
  constructor(message: string, may_be_sent: boolean) {
    super(message)
    this.may_be_sent = may_be_sent
  }
}

/** The error codes of connections that never opened, so the tool sent nothing. */
const UNSENT = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
]

function unreachable(base_url: string, error: unknown): Unreachable {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause
  const is_late = (error as Error).name === 'TimeoutError'
  const code = is_late ? 'ETIMEDOUT' : (cause?.code ?? '')
  const reason = CAUSES[code] ?? cause?.message ?? (error as Error).message
  return new Unreachable(
    `No answer from ${base_url}: ${reason}. Start the server, or choose another with "malipo login --base-url".`,
    !UNSENT.includes(code),
  )
}

function createClockCheck(warn: (text: string) => void): (date: string | null) => void {
  let is_checked = false
  return (date) => {
    const server_ms = Date.parse(date ?? '')
    if (is_checked || Number.isNaN(server_ms)) return
    is_checked = true
    const off_ms = Date.now() - server_ms
    if (Math.abs(off_ms) < CLOCK_MAX_MS) return
    const minutes = Math.round(Math.abs(off_ms) / 60_000)
    const direction = off_ms > 0 ? 'ahead of' : 'behind'
    warn(
      `The clock of this computer is ${minutes} minutes ${direction} the clock of the server. Set this clock: a program that verifies webhooks refuses events whose time differs by 5 minutes.`,
    )
  }
}
