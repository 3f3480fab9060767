// Tests that the server finds duplicate payments by the attempt that brought the money.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../adapters/providers/port.ts'
import { isDuplicatePayment, isPaidByOtherAttempt } from './duplicates.ts'
import type { LockedCollection } from './snapshot.ts'

const SUCCEEDED: Answer = { kind: 'succeeded', amount_minor: 100n, currency: 'TZS', provider_status: 'COMPLETED' }
const DECLINED: Answer = { kind: 'declined', reason: 'wrong_pin', provider_status: 'FAILED' }

const UNPAID: LockedCollection = {
  merchant_id: 'a',
  collection_id: 'b',
  environment: 'live',
  status: 'processing',
  version: 0,
  amount_minor: 100n,
  fee_minor: 0n,
  currency: 'TZS',
  amount_received_minor: null,
  customer_phone: null,
  foreign_amount_minor: null,
  foreign_currency: null,
  failure_reason_code: null,
  superseded: false,
  method: 'wallet_push',
  reference: null,
  attempts: 2,
  settled_attempt: null,
  payment_link_id: null,
  metadata: null,
  merchant_code: 'M',
  routing_code: 1,
  moved: false,
}
const PAID: LockedCollection = { ...UNPAID, status: 'successful', amount_received_minor: 100n }

test('a success of an attempt is a duplicate payment when another attempt has paid, in shillings or in another currency', () => {
  const foreign = { ...UNPAID, foreign_amount_minor: 5n, foreign_currency: 'USD' }
  for (const paid of [PAID, foreign]) {
    const by_second = { ...paid, settled_attempt: 2 }
    assert.deepEqual(
      [isDuplicatePayment(by_second, 1, SUCCEEDED), isDuplicatePayment(by_second, 2, SUCCEEDED)],
      [true, false],
    )
    assert.equal(isDuplicatePayment(by_second, 1, DECLINED), false)
    assert.equal(isPaidByOtherAttempt(by_second, 1), true)
  }
})

test('the first attempt counts as the paying attempt when a paid collection of an older release names no attempt', () => {
  assert.deepEqual([isDuplicatePayment(PAID, 1, SUCCEEDED), isDuplicatePayment(PAID, 2, SUCCEEDED)], [false, true])
})

test('no attempt is a duplicate payment while no money has arrived', () => {
  for (const number of [1, 2]) assert.equal(isDuplicatePayment(UNPAID, number, SUCCEEDED), false)
})
