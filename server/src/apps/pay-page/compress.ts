// Compresses pages. Every page is different, so the server compresses each page for its response.

import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { bestEncoding } from '../../kernel/http/index.ts'

/** A body and its content encoding. Null means that the body is not compressed. */
export type CompressedPage = { body: Buffer; encoding: 'br' | 'gzip' | null }

/** Below this size in bytes, compression saves less than its header costs. */
const WORTH_BYTES = 600

/** The window of brotli is 2^16 bytes. A page has about 20 KB, so a larger window costs memory and saves nothing. */
const WINDOW_BITS = 16

/** The brotli quality. Compared with quality 5, a page is about 500 bytes larger and takes half the time. */
const QUALITY = 3

/**
 * If the page is large enough, compresses it with the best encoding of the Accept-Encoding header: brotli, gzip or none. The
 * call blocks the thread for about 0.1 ms. A worker thread would cost more.
 */
export function compressPage(page: string, accept: string | undefined): CompressedPage {
  const body = Buffer.from(page)
  const encoding = body.length < WORTH_BYTES ? null : bestEncoding(accept)
  if (encoding === 'br') {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    }
    return { body: brotliCompressSync(body, { params }), encoding }
  }
  if (encoding === 'gzip') return { body: gzipSync(body, { level: 5 }), encoding }
  return { body, encoding }
}
