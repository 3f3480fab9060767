// Tests the kind and the text of the next step of a payment.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OpenAttempt, type WaitsForFacts, waitsFor } from './waits-for-texts.ts'

const NOW = new Date('2026-01-05T10:00:00Z')
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)
const OPEN: OpenAttempt = {
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
  ['a sent prompt', {}, 'payer_approval'],
  ['a request that the provider may not have', { open: { ...OPEN, state: 'to_send', sent_at: null } }, 'sending'],
  ['an overdue step', { open: { ...OPEN, due_at: later(-1) } }, 'worker'],
  ['an attempt whose lease has ended', { open: { ...OPEN, due_at: NOW, leased: true } }, 'worker'],
  ['an attempt under lease', { open: { ...OPEN, leased: true } }, 'provider_call'],
  ['an attempt with an open circuit', { circuit_until: later(8) }, 'circuit'],
  ['a failed payment with an open attempt', { status: 'failed' }, 'late_answer'],
  ['a paid payment with another open attempt', { status: 'successful' }, 'late_answer'],
  ['a held payment', { status: 'pending_clearance', held_at: later(-5) }, 'operator_review'],
  ['a page without an attempt', { status: 'created', open: null, expires_at: later(60) }, 'payer_choice'],
  ['a paid payment', { status: 'successful', open: null }, null],
  ['a failed payment', { status: 'failed', open: null }, null],
]
for (const [subject, facts, what] of CASES) {
  test(`${subject} waits for ${what ?? 'nothing'}`, () => {
    const found = waitsFor({ ...FACTS, ...facts })
    assert.equal(found?.what ?? null, what)
    for (const time of [found?.next_at, found?.until])
      if (time && what !== 'late_answer') assert.ok(found?.text.includes(time.toISOString()), found?.text)
  })
}

test('the text of a next step never states that a payment with a decision fails at the deadline', () => {
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
  assert.match(
    text,
    /^The payment is decided \(successful\), but vodacom may still answer another attempt\. The server queries vodacom/,
  )
})

test('the text of a next step states until when the circuit of the provider is open', () => {
  assert.ok(waitsFor({ ...FACTS, circuit_until: later(8) })?.text.includes(later(8).toISOString()))
})
