// Encrypts stored secrets that the server must read again, such as webhook signing secrets.

import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import type { Random } from './random.ts'

/** Encrypts and decrypts short texts with a key that is not in the database. */
export type Vault = {
  seal(text: string): string
  open(sealed: string): string
  /**
   * Returns a keyed hash of 32 bytes, the same for the same text. So the server can count and compare texts that it cannot
   * read.
   */
  mark(text: string): Buffer
}

const VERSION = 'v1'

/** Makes a vault with AES-256-GCM. `key` has 32 bytes. If the text has changed or the key is wrong, `open` throws. */
export function createVault(key: Uint8Array, random: Random): Vault {
  if (key.length !== 32) throw new Error('the vault needs a key of 32 bytes')
  return {
    mark: (text) => createHmac('sha256', key).update(text).digest(),
    seal(text) {
      const nonce = random.bytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return [
        VERSION,
        Buffer.from(nonce).toString('base64'),
        cipher.getAuthTag().toString('base64'),
        body.toString('base64'),
      ].join(':')
    },
    open(sealed) {
      const [version, nonce, tag, body] = sealed.split(':')
      if (version !== VERSION || !nonce || !tag || body === undefined) throw new Error('not a sealed text')
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64'), { authTagLength: 16 })
      decipher.setAuthTag(Buffer.from(tag, 'base64'))
      return Buffer.concat([decipher.update(Buffer.from(body, 'base64')), decipher.final()]).toString('utf8')
    },
  }
}

/** Compares two secrets. The duration does not depend on where the secrets differ. */
export function sameSecret(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
