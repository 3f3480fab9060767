// Calling the API: typed by its document, with the token of this tab. Whatever goes wrong is one of three errors, because
// each of them has its own way on.

import type { Calls } from './api-types.ts'
import type { Language } from './language.ts'
import { renew, token } from './session.ts'

/** Says a sentence of the API in a language: empty when its code says it, null when there are no words for it. */
type InWords = (said: string, language: Language) => string | null

/** The API refused: `code` says why, `request_id` is what support asks for. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly details: Record<string, unknown> | null
  readonly request_id: string | null
  readonly retry_after_s: number | null
  /** True once each field that is wrong says so itself. */
  placed = false
  readonly #in_words: InWords
  constructor(status: number, body: unknown, headers: Headers, in_words: InWords = () => null) {
    const { code, message, details } =
      (body as { error?: { code?: string; message?: string; details?: object } })?.error ?? {}
    super(message ?? `HTTP ${status}`)
    this.status = status
    this.code = code ?? 'internal_error'
    this.details = (details as Record<string, unknown> | undefined) ?? null
    this.request_id = headers.get('x-request-id')
    this.retry_after_s = Number(headers.get('retry-after')) || null
    this.#in_words = in_words
  }
  /** Why, in this language. Empty: `code` says it. Null: only `message`, which is English, does. */
  saidIn(language: Language): string | null {
    return this.#in_words(this.message, language)
  }
  /** What is wrong with each field that was sent, by its name: in this language, or else as the API says it. */
  fieldsIn(language: Language): Record<string, string> {
    const fields = this.details?.fields
    if (!Array.isArray(fields)) return {}
    return Object.fromEntries(
      fields.map(({ field, message }: { field: string; message: string }) => [
        field,
        this.#in_words(message, language) ?? message,
      ]),
    )
  }
}

/** No answer came: nobody knows whether the request arrived. */
export class Lost extends Error {}

/** The session is over: whoever signs in again goes on where they were. */
export class SessionOver extends Error {}

/** The name of a call: method and path. */
export type CallName = keyof Calls
/** What is sent with a call. `once`: the Idempotency-Key. */
export type Input<Name extends CallName> = {
  params?: Calls[Name]['params']
  query?: Calls[Name]['query'] & Record<string, unknown>
  body?: Calls[Name]['body']
  /** A file in place of a body. */
  file?: Blob
  once?: string
  signal?: AbortSignal
}

/** Calls the API and answers its data. Throws Refused, Lost or SessionOver. */
export async function call<Name extends CallName>(name: Name, input: Input<Name> = {}): Promise<Calls[Name]['data']> {
  const reply = await send(name, input)
  const body = await reply.json().catch(() => lost())
  return (body as { data: Calls[Name]['data'] }).data
}

/** Fetches a file, such as a CSV or a PDF, and hands it to the reader to keep. Throws as `call`. */
export async function download<Name extends CallName>(name: Name, input: Input<Name>, file: string): Promise<void> {
  const reply = await send(name, input)
  const address = URL.createObjectURL(await reply.blob().catch(() => lost()))
  const link = document.createElement('a')
  link.href = address
  link.download = /filename="?([^";]+)/.exec(reply.headers.get('content-disposition') ?? '')?.[1] ?? file
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

async function send<Name extends CallName>(name: Name, input: Input<Name>): Promise<Response> {
  const first = await request(name, input, await token().catch(() => lost()))
  if (first.status !== 401) return checked(first)
  const other = await renew().catch(() => lost())
  return checked(await request(name, input, other))
}

async function request<Name extends CallName>(
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
  const { signal = null } = input
  const body = input.file ?? (input.body === undefined ? null : JSON.stringify(input.body))
  try {
    return await fetch(addressOf(path, input), { method, headers, body, signal, cache: 'no-store' })
  } catch (error) {
    if (signal?.aborted) throw error
    return lost()
  }
}

async function checked(reply: Response): Promise<Response> {
  if (reply.ok) return reply
  if (reply.status === 401) throw new SessionOver()
  const body = await reply.json().catch(() => null)
  // Without them it is said as the API said it.
  const words = await import('./sayings.ts').catch(() => null)
  throw new Refused(reply.status, body, reply.headers, words?.inWords)
}

function lost(): never {
  throw new Lost()
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
