// Sends a call to the API and reads the response.

import { MalipoError } from './error.ts'

/** The options of a client. `fetch` replaces the global function. */
export type ClientOptions = {
  base_url: string
  /** An API key, or an access token of a user for the calls that only users may make. */
  api_key: string
  timeout_ms?: number
  fetch?: typeof fetch
}

/** The options of a call that creates a record. Without `idempotency_key`, each call gets a new key. */
export type CreateOptions = { idempotency_key?: string }

/** A call of the API. */
export type ApiCall = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  body?: object
  idempotency_key?: string
}

const TIMEOUT_MS = 20_000

/** Formats filters as a query string. Omits the filters that are undefined. */
export function queryString(filters: object): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, String(value))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

type ApiEnvelope<Data> =
  | { success: true; data: Data }
  | { success: false; error: { code: string; message: string; details: Record<string, unknown> | null } }

/** Sends a call and returns the data of the response. If the call fails, throws a `MalipoError`. */
export async function requestData<Data>(options: ClientOptions, call: ApiCall): Promise<Data> {
  let answer: Response
  let text: string
  try {
    answer = await sendCall(options, call, AbortSignal.timeout(options.timeout_ms ?? TIMEOUT_MS))
    text = await answer.text()
  } catch (cause) {
    throw noAnswerError(0, null, call.idempotency_key, cause)
  }
  const envelope = parseEnvelope<Data>(text)
  if (envelope?.success) return envelope.data
  throw refusalError(answer, envelope, call)
}

/** Sends a call whose response is a text of any length. Returns a stream. The timeout ends when the stream starts. */
export async function requestStream(options: ClientOptions, call: ApiCall): Promise<ReadableStream<Uint8Array>> {
  const waiting = new AbortController()
  const timer = setTimeout(() => waiting.abort(), options.timeout_ms ?? TIMEOUT_MS)
  try {
    const answer = await sendCall(options, call, waiting.signal)
    if (answer.ok && answer.body !== null) return answer.body
    throw refusalError(answer, parseEnvelope(await answer.text()), call)
  } catch (cause) {
    throw cause instanceof MalipoError ? cause : noAnswerError(0, null, call.idempotency_key, cause)
  } finally {
    clearTimeout(timer)
  }
}

function sendCall(options: ClientOptions, { method, path, body, idempotency_key }: ApiCall, signal: AbortSignal) {
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
    // A redirect could send the API key to another host.
    redirect: 'error',
    signal,
  })
}

/** Makes the error for a refusal, or for a response that is not from the API. */
function refusalError(
  answer: Response,
  envelope: ApiEnvelope<unknown> | null,
  { idempotency_key }: ApiCall,
): MalipoError {
  const request_id = answer.headers.get('x-request-id')
  if (envelope === null || envelope.success) return noAnswerError(answer.status, request_id, idempotency_key)
  const facts = { request_id, status: answer.status, idempotency_key: idempotency_key ?? null }
  return new MalipoError({ ...envelope.error, ...facts })
}

function noAnswerError(
  status: number,
  request_id: string | null,
  idempotency_key?: string,
  cause?: unknown,
): MalipoError {
  const message =
    'No readable response arrived. Repeat the call with the same idempotency_key: the repeated call has no second effect.'
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

/** Parses the response envelope. Null means that the response is not from the API, such as the error page of a proxy. */
function parseEnvelope<Data>(text: string): ApiEnvelope<Data> | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { success, data, error } = value as { success?: unknown; data?: unknown; error?: { code?: unknown } | null }
  if (success === true && data !== undefined) return value as ApiEnvelope<Data>
  return success === false && typeof error?.code === 'string' ? (value as ApiEnvelope<Data>) : null
}
