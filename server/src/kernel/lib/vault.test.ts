// Tests that only the same key opens an encrypted text, and only an unchanged text.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { systemRandom } from './random.ts'
import { createVault, sameSecret } from './vault.ts'

const random = systemRandom()
const vault = createVault(Buffer.alloc(32, 1), random)

test('the vault opens any text that the vault encrypted', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => assert.equal(vault.open(vault.seal(text)), text)))
})

test('the vault encrypts the same text differently each time, and never as plain text', () => {
  const sealed = [vault.seal('whsec_secret'), vault.seal('whsec_secret')]
  assert.notEqual(sealed[0], sealed[1])
  for (const text of sealed)
    assert.ok(!text.includes('whsec') && !Buffer.from(text.split(':')[3] as string, 'base64').includes('whsec'))
})

test('a vault with another key does not open the text', () => {
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

test('createVault refuses a key that is not 32 bytes long', () => {
  for (const length of [0, 16, 31, 33]) assert.throws(() => createVault(Buffer.alloc(length), random))
})

test('sameSecret is true only for equal secrets', () => {
  assert.ok(sameSecret('abc', 'abc'))
  for (const other of ['', 'ab', 'abd', 'abcd', 'ABC']) assert.ok(!sameSecret('abc', other))
})
