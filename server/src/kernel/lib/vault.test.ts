// Tests that the vault decrypts a text only with the same key, and only if the text is unchanged.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { systemRandom } from './random.ts'
import { createVault, keyIdOf, parseSecretKeys, sameSecret } from './vault.ts'

const random = systemRandom()
const vault = createVault(Buffer.alloc(32, 1), random)

test('the vault decrypts any text that the vault encrypted', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => assert.equal(vault.open(vault.seal(text)), text)))
})

test('the vault encrypts the same text differently each time, and never as plain text', () => {
  const sealed = [vault.seal('whsec_secret'), vault.seal('whsec_secret')]
  assert.notEqual(sealed[0], sealed[1])
  for (const text of sealed)
    assert.ok(!text.includes('whsec') && !Buffer.from(text.split(':')[3] as string, 'base64').includes('whsec'))
})

test('a vault with another key cannot decrypt the text', () => {
  assert.throws(() => createVault(Buffer.alloc(32, 2), random).open(vault.seal('text')))
})

test('the vault refuses an encrypted text with any changed part', () => {
  const parts = vault.seal('a secret text').split(':')
  for (const place of [1, 2, 3]) {
    const altered = [...parts]
    const bytes = Buffer.from(altered[place] as string, 'base64')
    bytes[0] = (bytes[0] as number) ^ 1
    altered[place] = bytes.toString('base64')
    assert.throws(() => vault.open(altered.join(':')), `part ${place}`)
  }
  // An attacker could guess a shorter authentication tag more easily.
  const short = [...parts]
  short[2] = Buffer.from(parts[2] as string, 'base64')
    .subarray(0, 4)
    .toString('base64')
  assert.throws(() => vault.open(short.join(':')))
  for (const text of ['', 'v1', 'v2:a:b:c', 'v1:::']) assert.throws(() => vault.open(text))
})

test('a vault with several keys encrypts with the first key, names that key in the value, and decrypts with every key', () => {
  const [first, second] = [Buffer.alloc(32, 2), Buffer.alloc(32, 1)]
  const both = createVault([first, second], random)
  const sealed = both.seal('a new text')
  assert.equal(sealed.split(':')[1], keyIdOf(first))
  assert.ok(!sealed.includes(first.toString('base64')))
  assert.equal(createVault(first, random).open(sealed), 'a new text', 'a vault with one key reads the id')
  assert.throws(() => vault.open(sealed), /SECRET_KEY lacks the key/)
  assert.equal(both.open(vault.seal('an old text')), 'an old text')
  assert.equal(both.open(createVault(second, random, { writes_ids: true }).seal('x')), 'x')
  assert.deepEqual(both.key_ids, [keyIdOf(first), keyIdOf(second)])
  const [version, , ...rest] = sealed.split(':')
  assert.throws(() => both.open([version, keyIdOf(second), ...rest].join(':')), 'the id of another key')
})

test('a vault with one key writes values of version 1, which contain no key id', () => {
  assert.match(vault.seal('text'), /^v1:[^:]+:[^:]+:[^:]+$/)
})

test('the keyed hash of a text depends on the key of hashes only', () => {
  const mark_key = Buffer.alloc(32, 5)
  const marks = [1, 2].map((byte) =>
    createVault(Buffer.alloc(32, byte), random, { mark_key }).mark('0754').toString('hex'),
  )
  assert.equal(marks[0], marks[1])
  assert.notEqual(vault.mark('0754').toString('hex'), marks[0])
})

test('the parser of SECRET_KEY refuses a list with an empty, short or repeated key, and names the position of the key', () => {
  const [one, two] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'))
  assert.deepEqual(parseSecretKeys(''), [])
  assert.equal(parseSecretKeys(`${one}, ${two}`).length, 2)
  const short = Buffer.alloc(16, 3).toString('base64')
  for (const [text, problem] of [
    [`${one},`, /^has an empty key at position 2 of 2/],
    [`${one},,${two}`, /^has an empty key at position 2 of 3/],
    [`${one},${short}`, /key 2 of 2 has 16 bytes/],
    [`${one},${two},${one}`, /^holds the same key twice, at positions 1 and 3/],
    [short, /^must be 32 bytes in base64$/],
  ] as const) {
    assert.throws(
      () => parseSecretKeys(text),
      (error: Error) => problem.test(error.message) && !error.message.includes(short.slice(0, 6)),
    )
  }
})

test('createVault refuses a key that is not 32 bytes long', () => {
  for (const length of [0, 16, 31, 33]) assert.throws(() => createVault(Buffer.alloc(length), random))
})

test('sameSecret is true only for equal secrets', () => {
  assert.ok(sameSecret('abc', 'abc'))
  for (const other of ['', 'ab', 'abd', 'abcd', 'ABC']) assert.ok(!sameSecret('abc', other))
})
