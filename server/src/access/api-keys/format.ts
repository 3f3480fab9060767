// Defines the format of a key: <prefix>_<environment>_, then 32 random characters, then a checksum of 6 characters.

import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Environment } from '../../kernel/http/index.ts'
import { BASE62, type Config, type Random, randomBase62 } from '../../kernel/lib/index.ts'

/** The number of random characters of a key. 32 characters of base62 have 190 bits. */
const BODY_LENGTH = 32
const CHECKSUM_LENGTH = 6

/** The markers of both key styles. The server accepts keys of both styles; API_KEY_STYLE determines the style of new keys. */
const MARKER = /^[a-z][a-z0-9]{1,19}_(?:live|sandbox|test)_/
const KEY = /^([a-z][a-z0-9]{1,19})_(live|sandbox|test)_([0-9A-Za-z]+)$/

/** Generates the plaintext of a key. The server shows the plaintext once and stores only its hash. */
export function newPlaintextKey(config: Config, random: Random, environment: Environment): string {
  const prefix =
    config.api_key_style === 'sk'
      ? `sk_${environment === 'live' ? 'live' : 'test'}_`
      : `${config.brand}_${environment}_`
  const body = prefix + randomBase62(random, BODY_LENGTH)
  return body + checksum(body)
}

/** Returns the part of a key that lists show: the marker and four characters. */
export function keyPrefix(plaintext: string): string {
  return plaintext.slice(0, plaintext.lastIndexOf('_') + 5)
}

/** Returns true if a credential begins with the marker of an API key. */
export function looksLikeKey(credential: string): boolean {
  return MARKER.test(credential)
}

/** Returns true if the length and the checksum of a key are right. A mistyped key thus causes no database query. */
export function isWellFormedKey(credential: string): boolean {
  const random = KEY.exec(credential)?.[3]
  if (random?.length !== BODY_LENGTH + CHECKSUM_LENGTH) return false
  return checksum(credential.slice(0, -CHECKSUM_LENGTH)) === credential.slice(-CHECKSUM_LENGTH)
}

/** Returns the SHA-256 of the whole key. The database stores only this hash and the part of the key that lists show. */
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
