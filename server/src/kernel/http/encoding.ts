// Compresses answers: a static text once for each encoding, and a large JSON answer each time.

import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Returns the best encoding that the Accept-Encoding header and the server both support. Null means that there is none.
 */
export function bestEncoding(accept: string | undefined): 'br' | 'gzip' | null {
  const taken = new Map(
    (accept ?? '').split(',').map((part) => {
      const [name = '', ...parameters] = part.trim().toLowerCase().split(';')
      const weight = parameters.find((one) => one.trim().startsWith('q='))
      return [name.trim(), weight === undefined || Number(weight.trim().slice(2)) > 0] as const
    }),
  )
  for (const encoding of ['br', 'gzip'] as const) if (taken.get(encoding) === true) return encoding
  return null
}

/** Sends a text that does not change while the process runs, in the best encoding for the request. */
export type StaticText = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

const packBrotli = promisify(brotliCompress)
const packGzip = promisify(gzip)
/** The quality of Brotli for static texts. Quality 11 would take many times as long and save only a few per cent. */
const QUALITY = 9

/**
 * Makes a static text. The first request calls `make`, and later requests get the stored text. `maxAge` returns the number of
 * seconds for which a browser may use its copy without a request.
 */
export function staticText(
  type: string,
  make: () => string,
  maxAge: (request: FastifyRequest) => number = () => 0,
): StaticText {
  let plain: Buffer | null = null
  let etag = ''
  const packed = new Map<'br' | 'gzip', Promise<Buffer>>()
  return async (request, reply) => {
    if (plain === null) {
      plain = Buffer.from(make())
      etag = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
    }
    const encoding = bestEncoding(request.headers['accept-encoding'])
    const tag = `"${etag}${encoding === null ? '' : `-${encoding}`}"`
    const max_age_s = maxAge(request)
    const cache_control = max_age_s === 0 ? 'no-cache' : `public, max-age=${max_age_s}, immutable`
    const vary = ['Accept-Encoding', reply.getHeader('vary')].filter(Boolean).join(', ')
    reply.headers({ vary, etag: tag, 'cache-control': cache_control })
    const cached_tags = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''))
    if (cached_tags?.some((one) => one === tag || one === '*')) return reply.code(304).send()
    reply.type(type)
    if (encoding === null) return reply.send(plain)
    const body = packed.get(encoding) ?? pack(plain, encoding)
    packed.set(encoding, body)
    return reply.header('content-encoding', encoding).send(await body)
  }
}

/**
 * The server does not compress an answer with fewer characters, so that a short answer does not wait for compression.
 */
const LARGE_CHARACTERS = 8_192

/**
 * Compresses a large JSON answer to a GET. The server does not compress answers to writes, because only they contain secrets.
 * The compressed length could reveal a secret next to text of an attacker.
 */
export function compressLarge(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
): void {
  if (typeof payload !== 'string' || payload.length < LARGE_CHARACTERS || request.method !== 'GET')
    return void done(null, payload)
  if (!String(reply.getHeader('content-type')).startsWith('application/json')) return void done(null, payload)
  reply.header('vary', 'Accept-Encoding')
  const encoding = bestEncoding(request.headers['accept-encoding'])
  if (encoding === null) return void done(null, payload)
  reply.header('content-encoding', encoding)
  reply.removeHeader('content-length')
  const finished = (error: Error | null, packed: Buffer) => done(error, packed)
  if (encoding === 'gzip') return void gzip(payload, { level: 5 }, finished)
  brotliCompress(payload, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }, finished)
}

function pack(plain: Buffer, encoding: 'br' | 'gzip'): Promise<Buffer> {
  if (encoding === 'gzip') return packGzip(plain, { level: 9 })
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
  }
  return packBrotli(plain, { params })
}
