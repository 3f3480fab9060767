// What a key looks like: <prefix>_<environment>_ + 32 random characters + 6 of checksum.

import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Environment } from '../../kernel/http/index.ts'
import { BASE62, type Config, type Random, randomBase62 } from '../../kernel/lib/index.ts'

/** 32 characters of base62: 190 bits. */
const BODY_LENGTH = 32
const CHECKSUM_LENGTH = 6

/** Live and sandbox markers of both styles: whatever is issued now, a key of either style authenticates. */
const MARKER = /^[a-z][a-z0-9]{1,19}_(?:live|sandbox|test)_/
const KEY = /^([a-z][a-z0-9]{1,19})_(live|sandbox|test)_([0-9A-Za-z]+)$/

/** A fresh plaintext key. Shown once, then only its hash remains. */
export function newPlaintextKey(config: Config, random: Random, environment: Environment): string {
  const prefix =
    config.api_key_style === 'sk'
      ? `sk_${environment === 'live' ? 'live' : 'test'}_`
      : `${config.brand}_${environment}_`
  const body = prefix + randomBase62(random, BODY_LENGTH)
  return body + checksum(body)
}

/** The visible leading part of a key: its marker and four characters. */
export function keyPrefix(plaintext: string): string {
  return plaintext.slice(0, plaintext.lastIndexOf('_') + 5)
}

/** True when a credential begins as API keys do, whatever follows; anything else is a session token. */
export function looksLikeKey(credential: string): boolean {
  return MARKER.test(credential)
}

/** True when the checksum fits: a mistyped key is recognised without asking the database. */
export function isWellFormedKey(credential: string): boolean {
  const random = KEY.exec(credential)?.[3]
  if (random?.length !== BODY_LENGTH + CHECKSUM_LENGTH) return false
  return checksum(credential.slice(0, -CHECKSUM_LENGTH)) === credential.slice(-CHECKSUM_LENGTH)
}

/** SHA-256 of the whole key: all that is stored of it. */
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
