// The vault: what is sealed can be opened with the same key, unaltered, and in no other way.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { systemRandom } from './random.ts'
import { createVault, sameSecret } from './vault.ts'

const random = systemRandom()
const vault = createVault(Buffer.alloc(32, 1), random)

test('any text comes out as it went in', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => assert.equal(vault.open(vault.seal(text)), text)))
})

test('the same text is sealed differently every time, and never in the clear', () => {
  const sealed = [vault.seal('whsec_secret'), vault.seal('whsec_secret')]
  assert.notEqual(sealed[0], sealed[1])
  for (const text of sealed)
    assert.ok(!text.includes('whsec') && !Buffer.from(text.split(':')[3] as string, 'base64').includes('whsec'))
})

test('another key does not open it', () => {
  assert.throws(() => createVault(Buffer.alloc(32, 2), random).open(vault.seal('text')))
})

test('an altered text is refused, whichever part was altered', () => {
  const parts = vault.seal('a secret text').split(':')
  for (const place of [1, 2, 3]) {
    const altered = [...parts]
    const bytes = Buffer.from(altered[place] as string, 'base64')
    bytes[0] = (bytes[0] as number) ^ 1
    altered[place] = bytes.toString('base64')
    assert.throws(() => vault.open(altered.join(':')), `part ${place}`)
  }
  // A shortened tag would be easier to guess.
  const short = [...parts]
  short[2] = Buffer.from(parts[2] as string, 'base64')
    .subarray(0, 4)
    .toString('base64')
  assert.throws(() => vault.open(short.join(':')))
  for (const text of ['', 'v1', 'v2:a:b:c', 'v1:::']) assert.throws(() => vault.open(text))
})

test('a key that is not 32 bytes is refused', () => {
  for (const length of [0, 16, 31, 33]) assert.throws(() => createVault(Buffer.alloc(length), random))
})

test('two secrets are the same only when every character is', () => {
  assert.ok(sameSecret('abc', 'abc'))
  for (const other of ['', 'ab', 'abd', 'abcd', 'ABC']) assert.ok(!sameSecret('abc', other))
})
