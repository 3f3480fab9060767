// Tests every call of operators that changes the status of a withdrawal, in every status. If the status does not permit a call,
// the server refuses the call and changes nothing.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import {
  BODIES,
  createTestOperator,
  type OperatorVerb,
  type ShopWithKeys,
  type TestOperator,
} from '../../../test/operator.ts'
import { booksHold, payoutAnswers } from '../../../test/payouts.ts'
import { unchanged } from '../../../test/withdrawals.ts'
import type { PayoutAnswer } from '../../adapters/providers/port.ts'
import { settlePayouts, WITHDRAWAL_STATUSES, withdrawalMoves } from '../../money/withdrawals/index.ts'

let world: World
let operator: TestOperator
before(async () => {
  // The worker runs only when a test calls it.
  world = await createWorld({ env: { PROCESS: 'api' } })
  operator = await createTestOperator(world)
})
after(async () => {
  await booksHold(world)
  await world.close()
})

type Status = (typeof WITHDRAWAL_STATUSES)[number]

/** The calls of operators that change the status of a withdrawal, each with its change. */
const CALLS: { name: string; verb: OperatorVerb; body: object; move: keyof typeof withdrawalMoves }[] = [
  { name: 'approve', verb: 'approve', body: BODIES.approve, move: 'approve' },
  { name: 'reject', verb: 'reject', body: BODIES.reject, move: 'reject' },
  { name: 'request-info', verb: 'request-info', body: BODIES['request-info'], move: 'request_info' },
  { name: 'resolve as SUCCESS', verb: 'resolve', body: BODIES.resolve, move: 'resolve_paid' },
  {
    name: 'resolve as FAILED',
    verb: 'resolve',
    body: { ...BODIES.resolve, outcome: 'FAILED' },
    move: 'resolve_unpaid',
  },
  { name: 'retry', verb: 'retry', body: BODIES.retry, move: 'retry' },
  { name: 'recall', verb: 'recall', body: BODIES.recall, move: 'recall' },
]

const AMOUNT = 1_000_000n

/** The calls and worker runs that bring a withdrawal to each status. */
const WAYS: Record<Status, (shop: ShopWithKeys) => Promise<string>> = {
  PENDING_ADMIN_APPROVAL: (shop) => operator.submit(shop),
  INFO_REQUESTED: (shop) => decided(shop, 'request-info'),
  REJECTED: (shop) => decided(shop, 'reject'),
  CANCELLED: async (shop) => {
    const id = await operator.submit(shop)
    const done = await world.post(`/v1/disbursements/${id}/cancel`, {}, { key: shop.live })
    assert.equal(done.status, 200, done.text)
    return id
  },
  PROCESSING: (shop) => decided(shop, 'approve'),
  SUCCESS: (shop) => settledWith(shop, payoutAnswers.paid(AMOUNT)),
  FAILED: (shop) => settledWith(shop, payoutAnswers.declined),
  REVERSED: (shop) => settledWith(shop, payoutAnswers.paid(AMOUNT), payoutAnswers.reversed(AMOUNT)),
  NEEDS_ADMIN_ATTENTION: (shop) => settledWith(shop, payoutAnswers.paid(AMOUNT - 1n)),
  NEEDS_RECONCILIATION: (shop) => worked(shop, '103'),
  BLOCKED_IP_WHITELIST: (shop) => worked(shop, '104'),
}

async function decided(shop: ShopWithKeys, verb: OperatorVerb, ending = '001'): Promise<string> {
  const id = await operator.submit(shop, { ending })
  const done = await operator.act(id, verb)
  assert.equal(done.status, 200, done.text)
  return id
}

async function settledWith(shop: ShopWithKeys, ...answers: PayoutAnswer[]): Promise<string> {
  const id = await decided(shop, 'approve')
  for (const answer of answers)
    await settlePayouts(world.deps, [{ merchant_id: shop.merchant.id, id, answer, holds_lease: false }], () => false)
  return id
}

async function worked(shop: ShopWithKeys, ending: string): Promise<string> {
  const id = await decided(shop, 'approve', ending)
  await world.work()
  return id
}

const may = (move: keyof typeof withdrawalMoves, from: Status) =>
  (withdrawalMoves[move].from as readonly Status[]).includes(from)

for (const status of WITHDRAWAL_STATUSES) {
  describe(`withdrawals with the status ${status}`, () => {
    for (const { name, verb, body, move } of CALLS) {
      const { to } = withdrawalMoves[move]
      const make = async () => {
        const id = await WAYS[status](await operator.shop('100000.00'))
        assert.equal((await operator.show(id)).status, status)
        return id
      }
      if (may(move, status)) {
        test(`the call ${name} moves a withdrawal from ${status} to ${to}`, async () => {
          const id = await make()
          const done = await operator.act(id, verb, body)
          assert.deepEqual([done.status, done.body.data?.status], [200, to], done.text)
          assert.equal((await operator.show(id)).status, to)
        })
      } else {
        test(`the server refuses the call ${name} for a withdrawal with the status ${status}, and changes nothing`, async () => {
          const id = await make()
          for (const idempotency_key of [undefined, `${status} ${name}`.replaceAll(' ', '-')]) {
            const options = idempotency_key === undefined ? {} : { idempotency_key }
            const refused = await unchanged(world, () => operator.act(id, verb, body, options))
            assert.deepEqual(codeOf(refused), [409, 'invalid_state'])
            assert.deepEqual(refused.body.error.details, { status })
          }
        })
      }
    }
  })
}

test('the tests of this file make every move that an operator may make', () => {
  const moved = CALLS.map(({ move }) => move)
  const all = Object.entries(withdrawalMoves).filter(([, { by }]) => by === 'operator')
  assert.deepEqual(all.map(([name]) => name).sort(), [...moved].sort())
})
