// The key of the market, and what callers encrypted with its public half.

import { constants, generateKeyPairSync, type KeyObject, privateDecrypt } from 'node:crypto'

/** A market's key. */
export type MarketKey = {
  /** The public half as a portal shows it: base64. */
  public_text: string
  /** What a bearer holds; null when it was not encrypted with this key. */
  open(bearer: string): string | null
}

/** Makes a key. The real ones have 4096 bits. */
export function createMarketKey(bits: number): MarketKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  return {
    public_text: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    open: (bearer) => decrypt(privateKey, bits / 8, bearer),
  }
}

/**
 * Undoes PKCS#1 v1.5 by hand: 00 02, at least eight bytes that are not zero, 00, then the text. The library refuses this
 * padding when it decrypts, because a server that tells why it failed can be made to decrypt for strangers.
 */
function decrypt(key: KeyObject, length: number, bearer: string): string | null {
  const sealed = Buffer.from(bearer, 'base64')
  if (sealed.length !== length || sealed.toString('base64') !== bearer) return null
  let block: Buffer
  try {
    block = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, sealed)
  } catch {
    return null
  }
  const end = block.indexOf(0, 2)
  if (block[0] !== 0 || block[1] !== 2 || end < 10) return null
  return block.subarray(end + 1).toString('utf8')
}
