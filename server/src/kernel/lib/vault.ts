// Encrypts stored secrets that the server must read again, such as webhook signing secrets.

import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import type { Random } from './random.ts'

/** Encrypts and decrypts short texts with keys that are not in the database. */
export type Vault = {
  /** The ids of the keys in the order of SECRET_KEY. The first key encrypts, and every key decrypts. */
  readonly key_ids: readonly string[]
  /** True if `seal` writes the id of the key into each value. */
  readonly writes_ids: boolean
  seal(text: string): string
  open(sealed: string): string
  /**
   * Returns a keyed hash of 32 bytes, the same for the same text, also after a rotation of the keys. So the server can count
   * and compare texts that it cannot read.
   */
  mark(text: string): Buffer
}

type VaultOptions = {
  /** True if `seal` writes the id of the key into each value. The default is true for several keys. */
  writes_ids?: boolean
  /** The key of `mark`. By default, the vault derives this key from the first key. */
  mark_key?: Uint8Array
}

/** The length of each key in SECRET_KEY. AES-256 needs 32 bytes. */
export const SECRET_KEY_BYTES = 32
/** The first part of an encrypted value without the id of its key. */
export const WITHOUT_KEY_ID = 'v1'
/** The first part of an encrypted value whose second part is the id of its key. */
export const WITH_KEY_ID = 'v2'
const KEY_ID_CHARS = 8

/** Returns the public id of a key: 8 hexadecimal digits that do not reveal the key. */
export function keyIdOf(key: Uint8Array): string {
  return createHmac('sha256', key).update('malipo key id').digest('hex').slice(0, KEY_ID_CHARS)
}

/** Returns the id of the key that encrypted a value. Null means that the value contains no key id. */
export function keyIdOfSealed(sealed: string): string | null {
  const [version, key_id = ''] = sealed.split(':', 2)
  return version === WITH_KEY_ID ? key_id : null
}

/** Derives the key of keyed hashes from a secret key. The result does not reveal the secret key. */
export function markKeyOf(key: Uint8Array): Buffer {
  return createHmac('sha256', key).update('malipo keyed hashes').digest()
}

/**
 * Parses SECRET_KEY: one key, or several keys separated by commas. An empty text has no keys. If a key is wrong, throws an
 * error that does not contain the key. With several keys, the error names the position of the wrong key.
 */
export function parseSecretKeys(text: string): Buffer[] {
  if (text === '') return []
  const parts = text.split(',').map((part) => part.trim())
  const keys = parts.map((part) => Buffer.from(part, 'base64'))
  for (const [i, key] of keys.entries()) {
    if (parts.length > 1 && parts[i] === '')
      throw new Error(`has an empty key at position ${i + 1} of ${parts.length}: remove the comma or add the key`)
    if (key.length !== SECRET_KEY_BYTES) {
      const which = `must hold keys of 32 bytes in base64, but key ${i + 1} of ${parts.length} has ${key.length} bytes`
      throw new Error(parts.length === 1 ? 'must be 32 bytes in base64' : which)
    }
    const first = keys.findIndex((other) => other.equals(key))
    if (first < i)
      throw new Error(`holds the same key twice, at positions ${first + 1} and ${i + 1}: remove one of them`)
  }
  return keys
}

/**
 * Makes a vault with AES-256-GCM. Each key has 32 bytes; the first key encrypts, and every key decrypts. If the text has
 * changed or no key fits, `open` throws.
 */
export function createVault(
  keys: Uint8Array | readonly Uint8Array[],
  random: Random,
  options: VaultOptions = {},
): Vault {
  const all = keys instanceof Uint8Array ? [keys] : keys
  const [first] = all
  if (first === undefined || all.some((key) => key.length !== SECRET_KEY_BYTES))
    throw new Error('the vault needs keys of 32 bytes')
  const by_id = new Map(all.map((key) => [keyIdOf(key), key]))
  const key_ids = [...by_id.keys()]
  const { writes_ids = all.length > 1, mark_key = markKeyOf(first) } = options
  const head = writes_ids ? [WITH_KEY_ID, key_ids[0]] : [WITHOUT_KEY_ID]
  return {
    key_ids,
    writes_ids,
    mark: (text) => createHmac('sha256', mark_key).update(text).digest(),
    seal: (text) => [...head, ...encrypt(text, first, random)].join(':'),
    open(sealed) {
      const [version, ...parts] = sealed.split(':')
      if (version === WITHOUT_KEY_ID) return decryptWithAny(parts, all)
      const [id = '', ...rest] = version === WITH_KEY_ID ? parts : []
      const key = by_id.get(id)
      if (key === undefined)
        throw new Error('this is no sealed text, or SECRET_KEY lacks the key of the text: add that key to SECRET_KEY')
      return decrypt(rest, key)
    },
  }
}

function encrypt(text: string, key: Uint8Array, random: Random): string[] {
  const nonce = random.bytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return [Buffer.from(nonce), cipher.getAuthTag(), body].map((bytes) => bytes.toString('base64'))
}

function decrypt([nonce, tag, body]: readonly string[], key: Uint8Array): string {
  if (!nonce || !tag || body === undefined) throw new Error('not a sealed text')
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64'), { authTagLength: 16 })
  decipher.setAuthTag(Buffer.from(tag, 'base64'))
  return Buffer.concat([decipher.update(Buffer.from(body, 'base64')), decipher.final()]).toString('utf8')
}

/**
 * Decrypts a text without the id of its key: tries the keys in turn. If no key fits, throws the error of the last key.
 */
function decryptWithAny(parts: readonly string[], keys: readonly Uint8Array[]): string {
  let problem: unknown
  for (const key of keys) {
    try {
      return decrypt(parts, key)
    } catch (error) {
      problem = error
    }
  }
  throw problem
}

/** Compares two secrets. The duration does not depend on where the secrets differ. */
export function sameSecret(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
