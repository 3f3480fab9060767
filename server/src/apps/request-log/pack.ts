// Making rows of what was seen, and bodies into packs. What is secret is taken out here, before anything leaves the process.

import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { isId, mayHoldSecret, redactSecrets, redactText, withRoutingCode } from '../../kernel/lib/index.ts'
import type { Seen } from './seen.ts'

/** Characters that are kept of a body. */
export const BODY_MAX = 4_096
/** Read beyond it before it is cut, so that a secret on the edge is recognised whole. */
const BEYOND = 4_096
const WORD_MAX = 255
const URL_MAX = 2_048
/** A pack that is read for one request should be small. */
const PACK_ENTRIES_MAX = 200
/** Below this, compressing costs more than it spares. */
const COMPRESSED_FROM = 2_048
const ZSTD_MAGIC = 0x28b52ffd

/** What a row of `requests` holds of a request; `id` is that of its own. */
export type RequestRow = {
  merchant_id: string
  environment: string
  id: string
  key_id: string
  method: string
  path: string
  status: number
  duration_ms: number
  address: string
  request_id: string | null
  reference: string | null
  resource_id: string | null
  error_code: string | null
}

/** What a pack holds of a request: the texts as they are shown. */
export type Details = {
  query: string | null
  user_agent: string | null
  idempotency_key: string | null
  request_body: string | null
  request_body_cut: boolean
  response_body: string | null
  response_body_cut: boolean
  bodies_dropped: boolean
  ignored_fields: string | null
}

const ERROR_HEAD = '{"success":false,"error":{"code":"'
const MADE = /^\{"success":true,"data":\{"(?:collection_)?id":"([0-9a-f-]{36})"/
const NAMED = /\/([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})(?:\/|$)/

/** The row of a request. `newId(came_at)` makes an id for one whose own id says nothing about its time. */
export function rowOf(seen: Seen, newId: (routing_code: number, came_at: number) => string): RequestRow {
  const { answer, came_at, routing_code } = seen
  // A second try must find the row of the first.
  seen.row_id ??= came_at === null ? withRoutingCode(seen.id, routing_code) : newId(routing_code, came_at)
  const path = seen.url.split('?', 1)[0] as string
  return {
    merchant_id: seen.merchant_id,
    environment: seen.environment,
    id: seen.row_id,
    key_id: seen.key_id,
    method: seen.method,
    path: redactSecrets(oneLine(path.slice(0, URL_MAX))).slice(0, WORD_MAX),
    status: seen.status,
    duration_ms: Math.round(seen.duration_ms),
    address: oneLine(seen.address.slice(0, WORD_MAX)),
    request_id: came_at === null ? null : redactText(seen.id),
    reference: referenceOf(seen.reference),
    resource_id: (answer === null ? undefined : MADE.exec(answer)?.[1]) ?? namedIn(path),
    error_code: answer?.startsWith(ERROR_HEAD) ? wordAt(answer, ERROR_HEAD.length) : null,
  }
}

function referenceOf(reference: string | null): string | null {
  if (reference === null || reference === '' || reference.length > WORD_MAX) return null
  return redactSecrets(oneLine(reference))
}

function namedIn(path: string): string | null {
  const id = NAMED.exec(path)?.[1]?.toLowerCase()
  return id !== undefined && isId(id) ? id : null
}

function wordAt(text: string, begin: number): string {
  return text.slice(begin, text.indexOf('"', begin)).slice(0, WORD_MAX)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const CONTROLS = /[\u0000-\u001f\u007f]/g

/** A text that any column takes: no control characters, whole characters. */
function oneLine(text: string): string {
  return text.replace(CONTROLS, '\ufffd').toWellFormed()
}

type Entry = [
  query: string | null,
  user_agent: string | null,
  idempotency_key: string | null,
  request_body: string | null,
  request_body_cut: 0 | 1,
  response_body: string | null,
  response_body_cut: 0 | 1,
  stripped: 0 | 1,
  ignored?: string | null,
]

/** Splits the requests of one merchant into sets of one pack each. */
export function packsOf(entries: readonly Seen[]): Seen[][] {
  const packs: Seen[][] = []
  for (let at = 0; at < entries.length; at += PACK_ENTRIES_MAX) packs.push(entries.slice(at, at + PACK_ENTRIES_MAX))
  return packs
}

/** Packs what belongs to requests: no secret is in it. */
export async function pack(entries: readonly Seen[]): Promise<Buffer> {
  let text = JSON.stringify(entries.map((seen) => entryOf(seen, asItIs)))
  // Most sets hold nothing that even looks like a secret, and one look at the whole says so.
  if (mayHoldSecret(text)) text = JSON.stringify(entries.map((seen) => entryOf(seen, redactSecrets)))
  const bytes = Buffer.from(text)
  return bytes.length < COMPRESSED_FROM ? bytes : compress(bytes, FAST)
}

const compress = promisify(zstdCompress) as (bytes: Buffer, options: object) => Promise<Buffer>
const decompress = promisify(zstdDecompress) as (bytes: Buffer) => Promise<Buffer>
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const asItIs = (text: string) => text

function entryOf(seen: Seen, clean: (text: string) => string): Entry {
  const query = seen.url.indexOf('?')
  const sent = bodyOf(seen.sent, clean)
  const answer = bodyOf(seen.answer, clean)
  return [
    query < 0 ? null : wordOf(seen.url.slice(query + 1), URL_MAX, clean),
    wordOf(seen.agent, WORD_MAX, clean),
    wordOf(seen.idempotency_key, WORD_MAX, clean),
    sent.text,
    sent.cut,
    answer.text,
    answer.cut,
    seen.stripped ? 1 : 0,
    seen.ignored === null ? null : clean(seen.ignored),
  ]
}

function wordOf(text: string | undefined, most: number, clean: (text: string) => string): string | null {
  return text === undefined ? null : clean(text.slice(0, most)).toWellFormed()
}

function bodyOf(text: string | null, clean: (text: string) => string): { text: string | null; cut: 0 | 1 } {
  if (text === null) return { text, cut: 0 }
  if (text.length <= BODY_MAX) return { text: clean(text).toWellFormed(), cut: 0 }
  const cleaned = clean(text.slice(0, BODY_MAX + BEYOND))
  // A pair of surrogates is never cut in two.
  const end = isHigh(cleaned.charCodeAt(BODY_MAX - 1)) ? BODY_MAX - 1 : BODY_MAX
  return { text: cleaned.slice(0, end).toWellFormed(), cut: 1 }
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** Reads one entry of a pack. Null: there is none, or it cannot be read. */
export async function unpack(packed: Buffer, place: number): Promise<Details | null> {
  try {
    const bytes = packed.length > 4 && packed.readUInt32BE(0) === ZSTD_MAGIC ? await decompress(packed) : packed
    const entry = (JSON.parse(bytes.toString('utf8')) as Entry[])[place]
    if (!entry) return null
    const [
      query,
      user_agent,
      idempotency_key,
      request_body,
      request_cut,
      response_body,
      response_cut,
      stripped,
      ignored,
    ] = entry
    return {
      query,
      user_agent,
      idempotency_key,
      request_body,
      request_body_cut: request_cut === 1,
      response_body,
      response_body_cut: response_cut === 1,
      bodies_dropped: stripped === 1,
      // Packs of older versions hold none.
      ignored_fields: ignored ?? null,
    }
  } catch {
    return null
  }
}
