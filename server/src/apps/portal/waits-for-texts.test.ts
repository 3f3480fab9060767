// What a payment waits for, from what is known of it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OpenTry, type WaitsForFacts, waitsFor } from './waits-for-texts.ts'

const NOW = new Date('2026-01-05T10:00:00Z')
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)
const OPEN: OpenTry = {
  provider: 'vodacom',
  state: 'asked',
  due_at: later(20),
  deadline_at: later(3_600),
  sent_at: later(-10),
  created_at: later(-11),
  leased: false,
}
const FACTS: WaitsForFacts = {
  now: NOW,
  status: 'processing',
  held_at: null,
  created_at: later(-12),
  expires_at: null,
  open: OPEN,
  circuit_until: null,
}

const CASES: [string, Partial<WaitsForFacts>, string | null][] = [
  ['a prompt that is open waits for its payer', {}, 'payer_approval'],
  ['a request that did not arrive waits to be sent', { open: { ...OPEN, state: 'to_send', sent_at: null } }, 'sending'],
  ['a step that is overdue waits for a worker', { open: { ...OPEN, due_at: later(-1) } }, 'worker'],
  ['a lease that has ended waits for a worker', { open: { ...OPEN, due_at: NOW, leased: true } }, 'worker'],
  ['a try under lease waits for the call', { open: { ...OPEN, leased: true } }, 'provider_call'],
  ['a try behind an open circuit waits for the circuit', { circuit_until: later(8) }, 'circuit'],
  ['a failed payment with an open try waits for a late answer', { status: 'failed' }, 'late_answer'],
  ['a paid payment with another open try waits for a late answer', { status: 'successful' }, 'late_answer'],
  ['held money waits for operators', { status: 'pending_clearance', held_at: later(-5) }, 'operator_review'],
  ['a page waits for its payer to choose', { status: 'created', open: null, expires_at: later(60) }, 'payer_choice'],
  ['a payment that was paid waits for nothing', { status: 'successful', open: null }, null],
  ['a payment that failed waits for nothing', { status: 'failed', open: null }, null],
]
for (const [name, facts, what] of CASES) {
  test(`${name}`, () => {
    const found = waitsFor({ ...FACTS, ...facts })
    assert.equal(found?.what ?? null, what)
    for (const time of [found?.next_at, found?.until])
      if (time && what !== 'late_answer') assert.ok(found?.text.includes(time.toISOString()), found?.text)
  })
}

test('no sentence says that a decided payment has failed or will fail', () => {
  for (const status of ['successful', 'failed', 'reversed'] as const) {
    for (const open of [OPEN, { ...OPEN, leased: true }, { ...OPEN, due_at: NOW }, { ...OPEN, state: 'to_send' }]) {
      for (const circuit_until of [null, later(8)]) {
        const text = waitsFor({ ...FACTS, status, open, circuit_until })?.text ?? ''
        assert.ok(!/fails/.test(text), text)
        if (status !== 'failed') assert.ok(!/failed/.test(text), text)
      }
    }
  }
  const text = waitsFor({ ...FACTS, status: 'successful' })?.text ?? ''
  assert.match(text, /^The payment is decided \(successful\); another attempt may still be answered\. vodacom is asked/)
})

test('the sentence names when an open circuit is tried again', () => {
  assert.ok(waitsFor({ ...FACTS, circuit_until: later(8) })?.text.includes(later(8).toISOString()))
})
