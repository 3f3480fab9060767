// Makes the key pair of the market, and decrypts bearers with its private key.

import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
} from 'node:crypto'

/** The RSA key pair of a market, with which callers encrypt their bearers. */
export type MarketKey = {
  /** The private key as PEM. A twin that starts with this private key keeps its public key. */
  private_pem: string
  /** The public key in base64, as the portal shows the key. */
  public_text: string
  /** Decrypts a bearer. If the caller did not encrypt the bearer with this key, returns null. */
  open(bearer: string): string | null
}

/** Makes a key pair of `bits` bits, or loads the private key `kept`. If `kept` is no RSA key in PEM, throws. */
export function createMarketKey(bits: number, kept: string | null = null): MarketKey {
  const privateKey =
    kept === null ? generateKeyPairSync('rsa', { modulusLength: bits }).privateKey : createPrivateKey(kept)
  const length = (privateKey.asymmetricKeyDetails?.modulusLength ?? 0) / 8
  if (privateKey.asymmetricKeyType !== 'rsa')
    throw new Error(
      'the file that TWIN_KEY_FILE names contains no RSA key; delete the file, so that the twin makes a new key',
    )
  const publicKey = createPublicKey(privateKey)
  return {
    private_pem: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    public_text: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    open: (bearer) => decrypt(privateKey, length, bearer),
  }
}

/**
 * Decrypts a bearer and removes the PKCS#1 v1.5 padding: 00 02, at least eight bytes that are not zero, 00, then the text. For
 * an invalid bearer, returns null. Node refuses to remove this padding, because a server that reveals why a decryption failed
 * helps attackers.
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
