// Defines the format of an API key: <prefix>_<environment>_, 32 random characters, and a checksum of 6 characters.

import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Environment } from '../../kernel/http/index.ts'
import { BASE62, type Config, type Random, randomBase62 } from '../../kernel/lib/index.ts'

/** The number of random characters of a key: 190 bits in base62. */
const BODY_LENGTH = 32
const CHECKSUM_LENGTH = 6

/** The first part of a key, in both styles. API_KEY_STYLE determines the style of new keys. */
const MARKER = /^[a-z][a-z0-9]{1,19}_(?:live|sandbox|test)_/
const KEY = /^([a-z][a-z0-9]{1,19})_(live|sandbox|test)_([0-9A-Za-z]+)$/

/** Generates the plaintext of a new key. */
export function newPlaintextKey(config: Config, random: Random, environment: Environment): string {
  const prefix =
    config.api_key_style === 'sk'
      ? `sk_${environment === 'live' ? 'live' : 'test'}_`
      : `${config.brand}_${environment}_`
  const body = prefix + randomBase62(random, BODY_LENGTH)
  return body + checksum(body)
}

/** Returns the public part of a key for lists: the first part and four random characters. */
export function keyPrefix(plaintext: string): string {
  return plaintext.slice(0, plaintext.lastIndexOf('_') + 5)
}

/** Returns true if a credential begins like an API key. */
export function looksLikeKey(credential: string): boolean {
  return MARKER.test(credential)
}

/** Returns true if the length and the checksum of a key are right. So a mistyped key causes no database query. */
export function isWellFormedKey(credential: string): boolean {
  const random = KEY.exec(credential)?.[3]
  if (random?.length !== BODY_LENGTH + CHECKSUM_LENGTH) return false
  return checksum(credential.slice(0, -CHECKSUM_LENGTH)) === credential.slice(-CHECKSUM_LENGTH)
}

/** Returns the SHA-256 of the whole key, by which the database finds it. The database does not store the plaintext. */
export function keyHash(plaintext: string): Buffer {
  return hash('sha256', plaintext, 'buffer')
}

function checksum(body: string): string {
  let value = crc32(body)
  let text = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = BASE62[value % 62] + text
    value = Math.floor(value / 62)
  }
  return text
}
