// One reference, one packed reference: in both directions, without a table.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { idToBase32, newId, seededRandom, settableClock } from '../../lib/index.ts'
import { packReference } from './reference.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ON_THE_WIRE = /^[0-9a-zA-Z \w+]{1,20}$/
/** 2026-01-01. Two references within 2^38 ms of each other are never packed alike. */
const START_MS = Date.UTC(2026, 0, 1)
const SPAN_MS = 2 ** 38

/** Undoes the packing of a reference from the span that begins at START_MS. */
function unpacked(packed: string): string {
  let value = 0n
  for (const char of packed) value = value * 62n + BigInt(BASE62.indexOf(char))
  const number = Number(value % 100n)
  const bits = value / 100n
  const low = bits >> 74n
  const start = BigInt(START_MS)
  const time = start + BigInt.asUintN(38, low - start)
  const hex = [
    time.toString(16).padStart(12, '0'),
    `8${BigInt.asUintN(12, bits >> 62n)
      .toString(16)
      .padStart(3, '0')}`,
    ((2n << 62n) | BigInt.asUintN(62, bits)).toString(16).padStart(16, '0'),
  ].join('')
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return number === 0 ? `W${idToBase32(id)}` : `${idToBase32(id)}${String(number).padStart(2, '0')}`
}

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

test('a reference of 27 or 28 characters is packed into 20 letters and digits, from which it can be computed again', () => {
  fc.assert(
    fc.property(ids, fc.integer({ min: 1, max: 99 }), (id, number) => {
      for (const reference of [`${idToBase32(id)}${String(number).padStart(2, '0')}`, `W${idToBase32(id)}`]) {
        const packed = packReference(reference)
        assert.match(packed ?? '', /^[0-9A-Za-z]{20}$/)
        assert.match(packed ?? '', ON_THE_WIRE)
        assert.equal(unpacked(packed ?? ''), reference)
      }
    }),
    { numRuns: 300 },
  )
})

test('the largest of all fits as well', () => {
  const last = `${idToBase32('ffffffff-ffff-8fff-bfff-ffffffffffff')}99`
  assert.match(packReference(last) ?? '', /^[0-9A-Za-z]{20}$/)
  assert.notEqual(packReference(last), packReference(`${last.slice(0, -2)}98`))
})

test('a short one is taken as it is, and can be no packed one; what is none of ours is refused', () => {
  assert.equal(packReference('CONTRACT1'), 'CONTRACT1')
  assert.equal(packReference('x'.repeat(19)), 'x'.repeat(19))
  const uuid4 = idToBase32('0190a0a0-0000-4000-8000-000000000000')
  for (const wrong of ['', 'x'.repeat(20), 'a b', 'a-b', `${uuid4}01`, `W${uuid4}`, 'Z'.repeat(28), `V${uuid4}`]) {
    assert.equal(packReference(wrong), null, wrong)
  }
})
