// Tests that only the gateway can decrypt the bearer of a request.

import assert from 'node:assert/strict'
import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto'
import { test } from 'node:test'
import { createMarketKey } from '../../../../twins/vodacom/keys.ts'
import { bearerOf, readPublicKey } from './bearer.ts'

const SECRETS = ['k', 'a-session-0123456789', 'Zaïna & Co', 'x'.repeat(245)]

/** Decrypts a bearer without the code of the adapter or of the twin. */
function opened(key: Parameters<typeof privateDecrypt>[0], bearer: string): string {
  const block = privateDecrypt({ key: key as never, padding: constants.RSA_NO_PADDING }, Buffer.from(bearer, 'base64'))
  assert.deepEqual([...block.subarray(0, 2)], [0, 2], 'the padding of encryption')
  const end = block.indexOf(0, 2)
  assert.ok(end >= 10, 'at least eight bytes of padding')
  return block.subarray(end + 1).toString('utf8')
}

test('the adapter encrypts the same secret differently each time, and the gateway decrypts the secret unchanged', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const text = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const key = readPublicKey(text)
  for (const secret of SECRETS) {
    const bearers = [bearerOf(key, secret), bearerOf(key, secret)]
    assert.notEqual(bearers[0], bearers[1])
    for (const bearer of bearers) assert.equal(opened(privateKey as never, bearer ?? ''), secret)
  }
  assert.equal(bearerOf(key, 'x'.repeat(246)), null, 'too long for the key')
  assert.equal(bearerOf(key, ''), null)
})

test('bearerOf makes a bearer of 684 characters for a key of 4096 bits, and the owner of the key can decrypt the bearer', () => {
  const market = createMarketKey(4096)
  const bearer = bearerOf(readPublicKey(market.public_text), 'the API key') ?? ''
  assert.equal(bearer.length, 684)
  assert.match(bearer, /^[A-Za-z0-9+/]+={0,2}$/)
  assert.equal(market.open(bearer), 'the API key')
})

test('readPublicKey reads a public key in base64 or PEM, and refuses any other text', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString()
  const lines = pem.split('\n').filter((line) => !line.startsWith('-----'))
  for (const text of [pem, lines.join(''), lines.join('\n')]) assert.ok(readPublicKey(text).equals(publicKey))
  const curve = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  for (const wrong of ['', 'no key', Buffer.from('no key').toString('base64'), curve]) {
    assert.throws(() => readPublicKey(wrong))
  }
})

test('the twin decrypts a bearer for its key, and no bearer for another key', () => {
  const [market, other] = [createMarketKey(1024), createMarketKey(1024)]
  const bearer = bearerOf(readPublicKey(market.public_text), 'secret') ?? ''
  assert.equal(market.open(bearer), 'secret')
  assert.equal(other.open(bearer), null)
  for (const wrong of ['', 'secret', `${bearer.slice(0, -4)}AAAA`, bearer.slice(4), `${bearer} `]) {
    assert.notEqual(market.open(wrong), 'secret', wrong)
  }
})
