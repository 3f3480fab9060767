// Tests that ids sort by time, contain the routing code of their merchant, and have a form that people can read aloud.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { settableClock } from './clock.ts'
import {
  base32ToId,
  firstIdAt,
  idToBase32,
  isId,
  merchantCode,
  newId,
  newRoutingCode,
  routingCodeOf,
  timeOfId,
  withRoutingCode,
  ZERO_ID,
} from './ids.ts'
import { seededRandom, systemRandom } from './random.ts'

const seams = { clock: settableClock(new Date('2026-01-05T09:00:00.000Z')), random: systemRandom() }
const uint32 = fc.integer({ min: 0, max: 0xffffffff })

test('an id is a UUID of version 8 with the standard variant for three patterns of random bytes', () => {
  for (const byte of [0x00, 0xff, 0x5a]) {
    for (const code of [0, 0xffffffff]) {
      const id = newId({ ...seams, random: { bytes: (length) => new Uint8Array(length).fill(byte) } }, code)
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.ok(isId(id))
    }
  }
})

test('an id contains the routing code of its merchant, from 0 to the largest 32-bit code', () => {
  const edges = [0, 1, 2, 3, 4, 0x3ffffff, 0x4000000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]
  for (const code of edges) assert.equal(routingCodeOf(newId(seams, code)), code)
  for (let bit = 0; bit < 32; bit++) assert.equal(routingCodeOf(newId(seams, 2 ** bit)), 2 ** bit)
  fc.assert(fc.property(uint32, (code) => assert.equal(routingCodeOf(newId(seams, code)), code)))
})

test('a later id sorts after an earlier id', () => {
  const clock = settableClock(new Date('2026-01-05T09:00:00.000Z'))
  let before = newId({ ...seams, clock }, 0xffffffff)
  for (const ms of [1, 1, 255, 65_536, 86_400_000, 31_536_000_000]) {
    clock.advance(ms)
    const after = newId({ ...seams, clock }, 0)
    assert.ok(after > before, `${after} after ${before}`)
    before = after
  }
})

test('an id contains its time, and does not sort before the first id of that time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), uint32, (ms, code) => {
      const id = newId({ ...seams, clock: settableClock(new Date(ms)) }, code)
      assert.equal(timeOfId(id).getTime(), ms)
      assert.ok(id >= firstIdAt(new Date(ms)))
    }),
  )
})

test('20,000 ids of one millisecond and one merchant are all different', () => {
  assert.equal(new Set(Array.from({ length: 20_000 }, () => newId(seams, 7))).size, 20_000)
})

test('base32ToId reads any id from its 26 characters', () => {
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      const text = idToBase32(id)
      assert.match(text, /^[0-9A-HJKMNP-TV-Z]{26}$/)
      assert.equal(base32ToId(text), id)
    }),
  )
  for (const id of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
    assert.equal(base32ToId(idToBase32(id)), id)
  }
})

test('base32ToId returns null for a text that is no id', () => {
  const good = idToBase32('ffffffff-ffff-ffff-ffff-ffffffffffff')
  for (const text of [
    '',
    good.slice(1),
    `${good}0`,
    good.toLowerCase(),
    `I${good.slice(1)}`,
    `8${good.slice(1)}`,
    `U${good.slice(1)}`,
  ]) {
    assert.equal(base32ToId(text), null, text)
  }
})

test('the first id of a moment sorts before all ids of that moment or later, and after all earlier ids', () => {
  const at = new Date('2026-01-05T09:00:00.123Z')
  const bound = firstIdAt(at)
  assert.ok(isId(bound) && isId(ZERO_ID) && ZERO_ID < bound)
  const idAt = (ms: number) =>
    newId({ clock: settableClock(new Date(at.getTime() + ms)), random: seededRandom('bound') }, 0)
  assert.ok(idAt(-1) < bound)
  assert.ok(bound < idAt(0))
  assert.equal(firstIdAt(new Date(-1)), ZERO_ID)
})

test('withRoutingCode changes only the routing code of an id', () => {
  fc.assert(
    fc.property(
      uint32,
      uint32,
      fc.date({ min: new Date(0), max: new Date('9000-01-01'), noInvalidDate: true }),
      (code, other, at) => {
        const id = newId({ clock: settableClock(at), random: seededRandom('code') }, code)
        const moved = withRoutingCode(id, other)
        assert.ok(isId(moved))
        assert.equal(routingCodeOf(moved), other)
        assert.equal(timeOfId(moved).getTime(), timeOfId(id).getTime())
        assert.equal(withRoutingCode(moved, code), id)
        assert.equal(newId({ clock: settableClock(at), random: seededRandom('code') }, other), moved)
      },
    ),
  )
})

test('isId accepts only the lower-case text of a UUID', () => {
  assert.ok(isId('019b8d62-7a80-8fcd-b985-e7aff1551b15'))
  for (const text of [
    '',
    '019B8D62-7A80-8FCD-B985-E7AFF1551B15',
    '019b8d627a808fcdb985e7aff1551b15',
    '019b8d62-7a80-8fcd-b985-e7aff1551b15\n',
  ]) {
    assert.ok(!isId(text), text)
  }
})

test('merchantCode returns different merchant codes for different routing codes', () => {
  fc.assert(fc.property(uint32, uint32, (a, b) => assert.equal(merchantCode(a) === merchantCode(b), a === b)))
  assert.equal(merchantCode(0), 'M0000000')
  assert.equal(merchantCode(0xffffffff), 'M3ZZZZZZ')
})

test('newRoutingCode returns a whole number of 32 bits', () => {
  const random = seededRandom('codes')
  for (let i = 0; i < 1000; i++) {
    const code = newRoutingCode(random)
    assert.ok(Number.isInteger(code) && code >= 0 && code <= 0xffffffff)
  }
})
