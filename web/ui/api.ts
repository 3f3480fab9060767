// Calls the API for the consoles. openapi.json gives each call its type. A failed call throws one of three errors, because the
// user recovers from each error in a different way.

import type { Calls } from './api-types.ts'
import { askConfirmation } from './confirm-request.ts'
import type { Language } from './language.ts'
import { renew, token } from './session.ts'

/**
 * Translates a sentence of the API. An empty text means that the page has a text for the error code. Null means that the
 * sentence has no translation.
 */
type Translate = (sentence: string, language: Language) => string | null

/** The API refused the call. `code` is the reason. Support staff need `request_id` to find the request. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly details: Record<string, unknown> | null
  readonly request_id: string | null
  readonly retry_after_s: number | null
  /** True if the form shows a message at each wrong field, so that the alert does not repeat the messages. */
  shown_at_fields = false
  readonly #translate: Translate
  constructor(status: number, body: unknown, headers: Headers, translate: Translate = () => null) {
    const { code, message, details } =
      (body as { error?: { code?: string; message?: string; details?: object } })?.error ?? {}
    super(message ?? `HTTP ${status}`)
    this.status = status
    this.code = code ?? 'internal_error'
    this.details = (details as Record<string, unknown> | undefined) ?? null
    this.request_id = headers.get('x-request-id')
    this.retry_after_s = Number(headers.get('retry-after')) || null
    this.#translate = translate
  }
  /**
   * Returns the reason in this language. An empty text means that the page has a text for `code`. Null means that only the
   * English `message` exists.
   */
  reasonIn(language: Language): string | null {
    return this.#translate(this.message, language)
  }
  /**
   * Returns the message of each wrong field, by the field's name in the API. A message without a translation stays in English.
   */
  fieldsIn(language: Language): Record<string, string> {
    const fields = this.details?.fields
    if (!Array.isArray(fields)) return {}
    return Object.fromEntries(
      fields.map(({ field, message }: { field: string; message: string }) => [
        field,
        this.#translate(message, language) ?? message,
      ]),
    )
  }
}

/** The page got no response. The server may have executed the request or not. */
export class NoAnswer extends Error {}

/** The session has ended. After a new sign-in, the user returns to this page. */
export class SessionOver extends Error {}

/** The name of a call: its method and path. */
export type CallName = keyof Calls
/** The data that the page sends with a call. `once` is an Idempotency-Key. */
export type Input<Name extends CallName> = {
  params?: Calls[Name]['params']
  query?: Calls[Name]['query'] & Record<string, unknown>
  body?: Calls[Name]['body']
  /** A CSV file that the page sends in place of a JSON body. */
  file?: Blob
  once?: string
  signal?: AbortSignal
}

/**
 * Calls the API and returns the data of the response. If the API requires a recent sign-in, asks the user to confirm the
 * session and repeats the call. Throws Refused, NoAnswer or SessionOver. If `signal` aborts the request, throws the error of
 * `fetch`.
 */
export async function call<Name extends CallName>(name: Name, input: Input<Name> = {}): Promise<Calls[Name]['data']> {
  const reply = await sendAuthorized(name, input).catch(async (error: unknown) => {
    const confirms = error instanceof Refused && error.code === 'step_up_required' && name !== CONFIRM
    if (!confirms || !(await askConfirmation())) throw error
    return sendAuthorized(name, input)
  })
  const body = await reply.json().catch(() => throwNoAnswer())
  return (body as { data: Calls[Name]['data'] }).data
}

const CONFIRM: CallName = 'POST /v1/session/confirm'

/**
 * Downloads a file, such as a CSV or a PDF, and saves it in the browser. If the server sends no name, the file has the name
 * `file`. Throws Refused, NoAnswer or SessionOver.
 */
export async function download<Name extends CallName>(name: Name, input: Input<Name>, file: string): Promise<void> {
  const reply = await sendAuthorized(name, input)
  const address = URL.createObjectURL(await reply.blob().catch(() => throwNoAnswer()))
  const link = document.createElement('a')
  link.href = address
  link.download = /filename="?([^";]+)/.exec(reply.headers.get('content-disposition') ?? '')?.[1] ?? file
  link.click()
  // The browser reads the file within this time.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

async function sendAuthorized<Name extends CallName>(name: Name, input: Input<Name>): Promise<Response> {
  const first = await sendRequest(name, input, await token().catch(() => throwNoAnswer()))
  if (first.status !== 401) return checked(first)
  const other = await renew().catch(() => throwNoAnswer())
  return checked(await sendRequest(name, input, other))
}

/**
 * After this time in milliseconds without input, the page marks its requests as background requests. So an unused session ends
 * although the page reads data.
 */
const UNUSED_MS = 60_000

let used_at = Date.now()
for (const input of ['keydown', 'pointerdown']) {
  addEventListener(
    input,
    () => {
      used_at = Date.now()
    },
    { capture: true, passive: true },
  )
}

async function sendRequest<Name extends CallName>(
  name: Name,
  input: Input<Name>,
  bearer: string | null,
): Promise<Response> {
  if (bearer === null) throw new SessionOver()
  const [method = 'GET', path = ''] = name.split(' ')
  const headers: Record<string, string> = { authorization: `Bearer ${bearer}`, accept: 'application/json, */*' }
  if (input.body !== undefined) headers['content-type'] = 'application/json'
  if (input.file !== undefined) headers['content-type'] = 'text/csv'
  if (input.once !== undefined) headers['idempotency-key'] = input.once
  if (Date.now() - used_at > UNUSED_MS) headers['x-background'] = 'true'
  const { signal = null } = input
  const body = input.file ?? (input.body === undefined ? null : JSON.stringify(input.body))
  try {
    return await fetch(addressOf(path, input), { method, headers, body, signal, cache: 'no-store' })
  } catch (error) {
    if (signal?.aborted) throw error
    return throwNoAnswer()
  }
}

async function checked(reply: Response): Promise<Response> {
  if (reply.ok) return reply
  if (reply.status === 401) throw new SessionOver()
  const body = await reply.json().catch(() => null)
  // If the translations do not load, the user sees the English message.
  const translations = await import('./api-messages.ts').catch(() => null)
  throw new Refused(reply.status, body, reply.headers, translations?.translate)
}

function throwNoAnswer(): never {
  throw new NoAnswer()
}

function addressOf(path: string, { params = {}, query = {} }: { params?: object; query?: object }): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown>)[name] ?? '')),
  )
  const sent = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') sent.set(name, String(value))
  }
  const text = sent.toString()
  return text === '' ? filled : `${filled}?${text}`
}
