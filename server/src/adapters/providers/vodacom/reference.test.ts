// Tests that the adapter packs and unpacks references by computation, without a stored table.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { idToBase32, newId, seededRandom, settableClock, timeOfId } from '../../../kernel/lib/index.ts'
import { packReference, unpackReference } from './reference.ts'

const ON_THE_WIRE = /^[0-9a-zA-Z \w+]{1,20}$/
/** The time of the first reference. Two references within 2^38 ms of each other never have the same packed form. */
const START_MS = Date.UTC(2026, 0, 1)
const SPAN_MS = 2 ** 38

const ids = fc
  .record({
    at: fc.integer({ min: 0, max: SPAN_MS - 1 }),
    code: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    seed: fc.string(),
  })
  .map(({ at, code, seed }) => {
    const clock = settableClock(new Date(START_MS + at))
    return newId({ clock, random: seededRandom(seed) }, code)
  })

test('packReference packs a reference of 27 or 28 characters into 20 letters and digits, and unpackReference reverses the packing', () => {
  fc.assert(
    fc.property(ids, fc.integer({ min: 1, max: 99 }), (id, number) => {
      const made = timeOfId(id)
      for (const reference of [`${idToBase32(id)}${String(number).padStart(2, '0')}`, `W${idToBase32(id)}`]) {
        const packed = packReference(reference)
        assert.match(packed ?? '', /^[0-9A-Za-z]{20}$/)
        assert.match(packed ?? '', ON_THE_WIRE)
        assert.equal(unpackReference(packed ?? '', made), reference, 'unpacked immediately')
        const years_later = new Date(made.getTime() + SPAN_MS - 2 * 86_400_000)
        assert.equal(unpackReference(packed ?? '', years_later), reference, 'unpacked years later')
      }
    }),
    { numRuns: 300 },
  )
})

test('packReference packs the largest reference into 20 characters', () => {
  const last = `${idToBase32('ffffffff-ffff-8fff-bfff-ffffffffffff')}99`
  assert.match(packReference(last) ?? '', /^[0-9A-Za-z]{20}$/)
  assert.notEqual(packReference(last), packReference(`${last.slice(0, -2)}98`))
})

test('packReference keeps a reference of up to 19 characters and returns null for a text that is no reference', () => {
  assert.equal(packReference('CONTRACT1'), 'CONTRACT1')
  assert.equal(packReference('x'.repeat(19)), 'x'.repeat(19))
  const uuid4 = idToBase32('0190a0a0-0000-4000-8000-000000000000')
  for (const wrong of ['', 'x'.repeat(20), 'a b', 'a-b', `${uuid4}01`, `W${uuid4}`, 'Z'.repeat(28), `V${uuid4}`]) {
    assert.equal(packReference(wrong), null, wrong)
  }
})

test('unpackReference returns null for a text that is no packed reference', () => {
  const at = new Date('2026-01-05T07:00:00Z')
  for (const text of ['', 'ORDER 7', '0'.repeat(19), '0'.repeat(21), 'z'.repeat(20), `${'0'.repeat(19)}-`])
    assert.equal(unpackReference(text, at), null, text)
})
