// One call of the API: sending it, and reading what came back.

import { MalipoError } from './error.ts'

/** How calls are made. `fetch` replaces the global one. */
export type ClientOptions = {
  base_url: string
  /** An API key; or a person's access token, for what only people may do. */
  api_key: string
  timeout_ms?: number
  fetch?: typeof fetch
}

/** Give your own `idempotency_key` when your order already has one; else each call makes a fresh one. */
export type CreateOptions = { idempotency_key?: string }

/** One call. */
export type Call = { method: 'GET' | 'POST'; path: string; body?: object; idempotency_key?: string }

const TIMEOUT_MS = 20_000

/** Filters as the query of a path. Those that are not set are left out. */
export function queryOf(filters: object): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, String(value))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

type Envelope<Data> =
  | { success: true; data: Data }
  | { success: false; error: { code: string; message: string; details: Record<string, unknown> | null } }

/** Makes a call and gives the data of its answer. Throws a `MalipoError` when it fails. */
export async function request<Data>(options: ClientOptions, call: Call): Promise<Data> {
  let answer: Response
  let text: string
  try {
    answer = await send(options, call, AbortSignal.timeout(options.timeout_ms ?? TIMEOUT_MS))
    text = await answer.text()
  } catch (cause) {
    throw noAnswer(0, null, call.idempotency_key, cause)
  }
  const envelope = parse<Data>(text)
  if (envelope?.success) return envelope.data
  throw failure(answer, envelope, call)
}

/**
 * Makes a call whose answer is a text of any length, and gives the text as it arrives. The time limit ends when it begins
 * to arrive.
 */
export async function requestStream(options: ClientOptions, call: Call): Promise<ReadableStream<Uint8Array>> {
  const waiting = new AbortController()
  const timer = setTimeout(() => waiting.abort(), options.timeout_ms ?? TIMEOUT_MS)
  try {
    const answer = await send(options, call, waiting.signal)
    if (answer.ok && answer.body !== null) return answer.body
    throw failure(answer, parse(await answer.text()), call)
  } catch (cause) {
    throw cause instanceof MalipoError ? cause : noAnswer(0, null, call.idempotency_key, cause)
  } finally {
    clearTimeout(timer)
  }
}

function send(options: ClientOptions, { method, path, body, idempotency_key }: Call, signal: AbortSignal) {
  const { base_url, api_key } = options
  return (options.fetch ?? fetch)(base_url.replace(/\/+$/, '') + path, {
    method,
    headers: {
      authorization: `Bearer ${api_key}`,
      accept: 'application/json, text/csv',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // The key must not follow a redirect to another host.
    redirect: 'error',
    signal,
  })
}

/** A refusal of the API; or, when something else answered, no answer of it. */
function failure(answer: Response, envelope: Envelope<unknown> | null, { idempotency_key }: Call): MalipoError {
  const request_id = answer.headers.get('x-request-id')
  if (envelope === null || envelope.success) return noAnswer(answer.status, request_id, idempotency_key)
  const facts = { request_id, status: answer.status, idempotency_key: idempotency_key ?? null }
  return new MalipoError({ ...envelope.error, ...facts })
}

function noAnswer(status: number, request_id: string | null, idempotency_key?: string, cause?: unknown): MalipoError {
  const message = 'No readable answer came. Repeat the call with the same idempotency_key: nothing happens twice.'
  return new MalipoError({
    code: 'no_answer',
    message,
    details: null,
    request_id,
    status,
    idempotency_key: idempotency_key ?? null,
    cause,
  })
}

/** The envelope, or null when something else answered: a proxy's error page, say. */
function parse<Data>(text: string): Envelope<Data> | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { success, data, error } = value as { success?: unknown; data?: unknown; error?: { code?: unknown } | null }
  if (success === true && data !== undefined) return value as Envelope<Data>
  return success === false && typeof error?.code === 'string' ? (value as Envelope<Data>) : null
}
