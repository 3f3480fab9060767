// The key of the market, and what callers encrypted with its public half.

import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
} from 'node:crypto'

/** A market's key. */
export type MarketKey = {
  /** The private half as PEM, for a twin that is to keep its key. It opens nothing but a twin. */
  private_pem: string
  /** The public half as a portal shows it: base64. */
  public_text: string
  /** What a bearer holds; null when it was not encrypted with this key. */
  open(bearer: string): string | null
}

/** Makes a key, or takes up one that was kept. The real ones have 4096 bits. Throws on a text that is no RSA key. */
export function createMarketKey(bits: number, kept: string | null = null): MarketKey {
  const privateKey =
    kept === null ? generateKeyPairSync('rsa', { modulusLength: bits }).privateKey : createPrivateKey(kept)
  const length = (privateKey.asymmetricKeyDetails?.modulusLength ?? 0) / 8
  if (privateKey.asymmetricKeyType !== 'rsa') throw new Error('the kept key is no RSA key')
  const publicKey = createPublicKey(privateKey)
  return {
    private_pem: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    public_text: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    open: (bearer) => decrypt(privateKey, length, bearer),
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
