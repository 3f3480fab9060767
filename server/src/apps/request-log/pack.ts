// Makes rows and packs from captured requests. Before the texts reach the database, the functions redact the secrets.

import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { isId, mayHoldSecret, redactSecrets, redactText, withRoutingCode } from '../../kernel/lib/index.ts'
import type { CapturedRequest } from './captured.ts'

/** The highest number of characters of a body that the log stores. */
export const BODY_MAX = 4_096
/**
 * The number of characters after the cut in which the log also looks for secrets. Otherwise a secret at the cut would be
 * incomplete, and the log would not find it.
 */
const REDACT_AHEAD = 4_096
const TEXT_MAX = 255
const URL_MAX = 2_048
/**
 * The highest number of requests in a pack. Packs are small, because the server reads a whole pack to show one request.
 */
const PACK_ENTRIES_MAX = 200
/** The log does not compress a pack with fewer bytes. */
const COMPRESS_MIN_BYTES = 2_048
const ZSTD_MAGIC = 0x28b52ffd

/** A row of the table `requests`, without the place of its texts in a pack. */
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

/** The texts of a request in a pack, as the API shows them. */
export type RequestDetails = {
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
const CREATED_ID = /^\{"success":true,"data":\{"(?:collection_)?id":"([0-9a-f-]{36})"/
const PATH_ID = /\/([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})(?:\/|$)/

/**
 * Returns the row of a request. If the merchant's server chose the request id, `newId(arrived_at)` makes the id of the row.
 */
export function rowOf(
  request: CapturedRequest,
  newId: (routing_code: number, arrived_at: number) => string,
): RequestRow {
  const { answer, arrived_at, routing_code } = request
  // If the recorder writes the request again, it must use the same id.
  request.row_id ??= arrived_at === null ? withRoutingCode(request.id, routing_code) : newId(routing_code, arrived_at)
  const path = request.url.split('?', 1)[0] as string
  return {
    merchant_id: request.merchant_id,
    environment: request.environment,
    id: request.row_id,
    key_id: request.key_id,
    method: request.method,
    path: redactSecrets(oneLine(path.slice(0, URL_MAX))).slice(0, TEXT_MAX),
    status: request.status,
    duration_ms: Math.round(request.duration_ms),
    address: oneLine(request.address.slice(0, TEXT_MAX)),
    request_id: arrived_at === null ? null : redactText(request.id),
    reference: referenceOf(request.reference),
    resource_id: (answer === null ? undefined : CREATED_ID.exec(answer)?.[1]) ?? idInPath(path),
    error_code: answer?.startsWith(ERROR_HEAD) ? textToQuote(answer, ERROR_HEAD.length) : null,
  }
}

function referenceOf(reference: string | null): string | null {
  if (reference === null || reference === '' || reference.length > TEXT_MAX) return null
  return redactSecrets(oneLine(reference))
}

function idInPath(path: string): string | null {
  const id = PATH_ID.exec(path)?.[1]?.toLowerCase()
  return id !== undefined && isId(id) ? id : null
}

function textToQuote(text: string, begin: number): string {
  return text.slice(begin, text.indexOf('"', begin)).slice(0, TEXT_MAX)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the server replaces control characters
const CONTROLS = /[\u0000-\u001f\u007f]/g

/** Replaces control characters and lone surrogates, so that every text column accepts the text. */
function oneLine(text: string): string {
  return text.replace(CONTROLS, '\ufffd').toWellFormed()
}

type PackEntry = [
  query: string | null,
  user_agent: string | null,
  idempotency_key: string | null,
  request_body: string | null,
  request_body_cut: 0 | 1,
  response_body: string | null,
  response_body_cut: 0 | 1,
  bodies_dropped: 0 | 1,
  ignored?: string | null,
]

/** Splits the requests of one merchant into packs of at most `PACK_ENTRIES_MAX` requests. */
export function splitIntoPacks(entries: readonly CapturedRequest[]): CapturedRequest[][] {
  const packs: CapturedRequest[][] = []
  for (let at = 0; at < entries.length; at += PACK_ENTRIES_MAX) packs.push(entries.slice(at, at + PACK_ENTRIES_MAX))
  return packs
}

/** Redacts the secrets of requests, packs their texts into one value, and compresses a large pack with zstd. */
export async function packRequests(entries: readonly CapturedRequest[]): Promise<Buffer> {
  let text = JSON.stringify(entries.map((request) => packEntry(request, unchanged)))
  // Most packs contain no text that looks like a secret. One check of the whole text then replaces the check of each field.
  if (mayHoldSecret(text)) text = JSON.stringify(entries.map((request) => packEntry(request, redactSecrets)))
  const bytes = Buffer.from(text)
  return bytes.length < COMPRESS_MIN_BYTES ? bytes : compress(bytes, FAST)
}

const compress = promisify(zstdCompress) as (bytes: Buffer, options: object) => Promise<Buffer>
const decompress = promisify(zstdDecompress) as (bytes: Buffer) => Promise<Buffer>
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const unchanged = (text: string) => text

function packEntry(request: CapturedRequest, clean: (text: string) => string): PackEntry {
  const query = request.url.indexOf('?')
  const sent = bodyOf(request.sent, clean)
  const answer = bodyOf(request.answer, clean)
  return [
    query < 0 ? null : cleanText(request.url.slice(query + 1), URL_MAX, clean),
    cleanText(request.agent, TEXT_MAX, clean),
    cleanText(request.idempotency_key, TEXT_MAX, clean),
    sent.text,
    sent.cut,
    answer.text,
    answer.cut,
    request.bodies_dropped ? 1 : 0,
    request.ignored === null ? null : clean(request.ignored),
  ]
}

function cleanText(text: string | undefined, most: number, clean: (text: string) => string): string | null {
  return text === undefined ? null : clean(text.slice(0, most)).toWellFormed()
}

function bodyOf(text: string | null, clean: (text: string) => string): { text: string | null; cut: 0 | 1 } {
  if (text === null) return { text, cut: 0 }
  if (text.length <= BODY_MAX) return { text: clean(text).toWellFormed(), cut: 0 }
  const cleaned = clean(text.slice(0, BODY_MAX + REDACT_AHEAD))
  // The cut must not split a surrogate pair.
  const end = isHighSurrogate(cleaned.charCodeAt(BODY_MAX - 1)) ? BODY_MAX - 1 : BODY_MAX
  return { text: cleaned.slice(0, end).toWellFormed(), cut: 1 }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** Reads one entry of a pack. If the pack has no such entry or is unreadable, returns null. */
export async function unpack(packed: Buffer, place: number): Promise<RequestDetails | null> {
  try {
    const bytes = packed.length > 4 && packed.readUInt32BE(0) === ZSTD_MAGIC ? await decompress(packed) : packed
    const entry = (JSON.parse(bytes.toString('utf8')) as PackEntry[])[place]
    if (!entry) return null
    const [
      query,
      user_agent,
      idempotency_key,
      request_body,
      request_cut,
      response_body,
      response_cut,
      bodies_dropped,
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
      bodies_dropped: bodies_dropped === 1,
      // Packs from older releases do not contain the list of ignored fields.
      ignored_fields: ignored ?? null,
    }
  } catch {
    return null
  }
}
