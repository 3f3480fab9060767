// Tests every call of operators that changes the status of a withdrawal, in every status. If the status does not permit a call,
// the server refuses the call and changes nothing.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
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

/** The result of a call for one withdrawal: the HTTP status, the code of a refusal, and the status of the withdrawal. */
type CallResult = { http: number; code: string | undefined; details: { status: Status } }
type Call = (id: string, options: { idempotency_key?: string }) => Promise<CallResult>

const one =
  (verb: OperatorVerb, body: object = BODIES[verb]): Call =>
  async (id, options) => {
    const { status: http, body: answer } = await operator.act(id, verb, body, options)
    const { code, details } = answer.error ?? {}
    return { http, code, details: details ?? { status: answer.data.status } }
  }

/** The call for a batch names a refusal in the item of the withdrawal. */
const batch: Call = async (id, { idempotency_key = null }) => {
  const key = await operator.session()
  const body = { withdrawal_ids: [id] }
  const answer = await world.post('/v1/operator/withdrawals/approve-batch', body, { key, idempotency_key })
  const [{ code, status }] = answer.body.data.items
  return { http: answer.status, code: code ?? undefined, details: { status } }
}

/** The calls of operators that change the status of a withdrawal, each with its change and the HTTP status of a refusal. */
const CALLS: { name: string; call: Call; move: keyof typeof withdrawalMoves; refused?: number }[] = [
  { name: 'approve', call: one('approve'), move: 'approve' },
  { name: 'approve-batch', call: batch, move: 'approve', refused: 200 },
  { name: 'reject', call: one('reject'), move: 'reject' },
  { name: 'request-info', call: one('request-info'), move: 'request_info' },
  { name: 'resolve as SUCCESS', call: one('resolve'), move: 'resolve_paid' },
  { name: 'resolve as FAILED', call: one('resolve', { ...BODIES.resolve, outcome: 'FAILED' }), move: 'resolve_unpaid' },
  { name: 'retry', call: one('retry'), move: 'retry' },
  { name: 'recall', call: one('recall'), move: 'recall' },
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
    for (const { name, call, move, refused = 409 } of CALLS) {
      const { to } = withdrawalMoves[move]
      const make = async () => {
        const id = await WAYS[status](await operator.shop('100000.00'))
        assert.equal((await operator.show(id)).status, status)
        return id
      }
      if (may(move, status)) {
        test(`the call ${name} moves a withdrawal from ${status} to ${to}`, async () => {
          const id = await make()
          assert.deepEqual(await call(id, {}), { http: 200, code: undefined, details: { status: to } })
          assert.equal((await operator.show(id)).status, to)
        })
      } else {
        test(`the server refuses the call ${name} for a withdrawal with the status ${status}, and changes nothing`, async () => {
          const id = await make()
          for (const idempotency_key of [undefined, `${status} ${name}`.replaceAll(' ', '-')]) {
            const options = idempotency_key === undefined ? {} : { idempotency_key }
            const result = await unchanged(world, () => call(id, options))
            assert.deepEqual(result, { http: refused, code: 'invalid_state', details: { status } })
          }
        })
      }
    }
  })
}

test('the tests of this file make every move that an operator may make', () => {
  const moved = new Set(CALLS.map(({ move }) => move))
  const all = Object.entries(withdrawalMoves).filter(([, { by }]) => by === 'operator')
  assert.deepEqual(all.map(([name]) => name).sort(), [...moved].sort())
})
