// Pages as they travel: compressed anew for each payer, because each page differs.

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/** A body, and the encoding that it is in. Null: as it was. */
export type Encoded = { body: Buffer; encoding: 'br' | 'gzip' | null }

/** Below this, headers weigh more than what is saved. */
const WORTH_BYTES = 600

/** A page is some 20 KB: a window larger than that only costs memory for each of thousands of pages. */
const WINDOW_BITS = 16

/** Encodes a page for an Accept-Encoding header: brotli if it is accepted, else gzip, else as it is. */
export async function encode(page: string, accept: string | undefined): Promise<Encoded> {
  const body = Buffer.from(page)
  const encoding = body.length < WORTH_BYTES ? null : bestEncoding(accept)
  if (encoding === 'br') {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    }
    return { body: await brotli(body, { params }), encoding }
  }
  if (encoding === 'gzip') return { body: await gzipped(body), encoding }
  return { body, encoding }
}

/** The best of ours that an Accept-Encoding header takes. */
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
