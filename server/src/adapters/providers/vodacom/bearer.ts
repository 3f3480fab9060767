// Makes the bearer of a request: the API key or a session id, encrypted with the market's public key.

import { constants, createPublicKey, type KeyObject, publicEncrypt } from 'node:crypto'

/** The smallest number of bytes that the PKCS#1 v1.5 padding takes. */
const PADDING_BYTES = 11

/** Reads the market's public key in base64, as the portal shows the key, or in PEM. If the text is no RSA key, throws. */
export function readPublicKey(text: string): KeyObject {
  const key = text.includes('-----BEGIN')
    ? createPublicKey(text)
    : createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
  if (key.asymmetricKeyType !== 'rsa') throw new Error('the public key is no RSA key')
  return key
}

/**
 * Encrypts a secret for the gateway. The result is base64 and differs each time. If the secret is empty or too long for the
 * key, returns null.
 */
export function bearerOf(key: KeyObject, secret: string): string | null {
  const bytes = Buffer.from(secret, 'utf8')
  const room = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8) - PADDING_BYTES
  if (bytes.length === 0 || bytes.length > room) return null
  return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, bytes).toString('base64')
}
