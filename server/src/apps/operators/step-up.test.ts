// Tests that an operator needs a recent sign-in to move money and to give access.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'
import { BODIES, createTestOperator, MONEY, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { consoleToken } from '../../../test/operator-sessions.ts'
import { unchanged } from '../../../test/withdrawals.ts'

const STEP_UP_S = 300

let world: World
let operator: TestOperator
let shop: ShopWithKeys
let waiting: string
before(async () => {
  world = await createWorld({ env: { STEP_UP_S: String(STEP_UP_S) } })
  operator = await createTestOperator(world)
  shop = await operator.shop(MONEY)
  waiting = await operator.submit(shop)
})
after(() => world.close())

const STALE: [number, string] = [403, 'step_up_required']
const ADJUSTMENT = {
  environment: 'live',
  direction: 'credit',
  against: 'provider_float',
  amount: '1.00',
  reason: 'A cent',
}

type Call = { method: 'POST' | 'PUT'; url: string; payload: object }

/** Returns calls of the operators' API that move money or give access, each with a valid body. */
const movers = (): Record<string, Call> => {
  const of = `/v1/operator/withdrawals/${waiting}`
  const merchant = `/v1/operator/merchants/${shop.merchant.id}`
  const batch = { withdrawal_ids: [waiting] }
  return {
    approve: { method: 'POST', url: `${of}/approve`, payload: {} },
    'approve-batch': { method: 'POST', url: '/v1/operator/withdrawals/approve-batch', payload: batch },
    resolve: { method: 'POST', url: `${of}/resolve`, payload: BODIES.resolve },
    retry: { method: 'POST', url: `${of}/retry`, payload: {} },
    recall: { method: 'POST', url: `${of}/recall`, payload: BODIES.recall },
    clear: {
      method: 'POST',
      url: `/v1/operator/collections/${randomUUID()}/clear`,
      payload: { decision: 'approve', reason: 'It is ours' },
    },
    adjustments: { method: 'POST', url: `${merchant}/adjustments`, payload: ADJUSTMENT },
    pricing: { method: 'PUT', url: `${merchant}/pricing`, payload: { rules: [{ flow: 'withdrawal' }] } },
    'approve-merchant': { method: 'POST', url: `${merchant}/approve`, payload: {} },
    'verify-merchant': { method: 'POST', url: `${merchant}/verify`, payload: {} },
    'reactivate-merchant': { method: 'POST', url: `${merchant}/reactivate`, payload: {} },
    'approve-address': { method: 'POST', url: `/v1/operator/ip-addresses/${waiting}/approve`, payload: {} },
  }
}

async function send(call: Call, age_s: number | null, at = world): Promise<Reply> {
  const key = await consoleToken(world, operator.user_id, { age_s })
  return at.call({ ...call, key, idempotency_key: randomUUID() })
}

const MOVERS = [
  'approve',
  'approve-batch',
  'resolve',
  'retry',
  'recall',
  'clear',
  'adjustments',
  'pricing',
  'approve-merchant',
  'verify-merchant',
  'reactivate-merchant',
  'approve-address',
]
for (const name of MOVERS) {
  test(`if the sign-in is at least STEP_UP_S seconds old, the server refuses ${name} and changes nothing`, async () => {
    const call = movers()[name] as Call
    await unchanged(world, async () => {
      for (const age_s of [STEP_UP_S, STEP_UP_S + 1, 40_000, null]) {
        const refused = await send(call, age_s)
        assert.deepEqual(codeOf(refused), STALE, `${age_s}`)
        const { step_up_s, auth_time } = refused.body.error.details
        const since = age_s === null ? null : new Date(world.deps.clock.now().getTime() - age_s * 1000).toISOString()
        assert.deepEqual({ step_up_s, auth_time }, { step_up_s: STEP_UP_S, auth_time: since })
      }
      // The server refuses an old sign-in before it validates the body. For a batch, the server reads the body first, because a
      // dry run moves no money.
      if (name !== 'approve-batch') {
        assert.deepEqual(codeOf(await send({ ...call, payload: { rules: 5, reason: 5 } }, STEP_UP_S)), STALE)
      }
    })
    assert.notEqual((await send({ ...call, url: call.url.replace(waiting, randomUUID()) }, STEP_UP_S - 1)).status, 403)
    await world.work()
  })
}

test('an operator with a recent sign-in can approve a withdrawal', async () => {
  const id = await operator.submit(shop)
  const approved = await send({ method: 'POST', url: `/v1/operator/withdrawals/${id}/approve`, payload: {} }, 0)
  assert.deepEqual([approved.status, approved.body.data?.status], [200, 'PROCESSING'])
})

test('an operator with an old sign-in can read, request information, reject, suspend a merchant and make a dry run', async () => {
  const id = await operator.submit(shop)
  const key = await consoleToken(world, operator.user_id, { age_s: 40_000 })
  const other = await operator.shop(MONEY)
  assert.equal((await world.post(`/v1/operator/merchants/${other.merchant.id}/suspend`, {}, { key })).status, 200)
  assert.equal((await world.get('/v1/operator/withdrawals', key)).status, 200)
  const batch = { withdrawal_ids: [id], dry_run: true }
  assert.equal((await world.post('/v1/operator/withdrawals/approve-batch', batch, { key })).status, 200)
  for (const verb of ['request-info', 'reject'] as const) {
    assert.equal((await world.post(`/v1/operator/withdrawals/${id}/${verb}`, BODIES[verb], { key })).status, 200)
  }
})

test('a token of the admin command still counts as a recent sign-in after 800 seconds', async () => {
  const token = await operator.session()
  world.deps.clock.advance(800_000)
  const id = await operator.submit(shop)
  const approved = await world.post(`/v1/operator/withdrawals/${id}/approve`, {}, { key: token })
  assert.equal(approved.status, 200, approved.text)
})

test('if STEP_UP_S is 0, the server accepts an adjustment after an old sign-in, and without a sign-in time', async () => {
  const off = await createWorld({ url: world.url, env: { STEP_UP_S: '0' }, clock: world.deps.clock })
  try {
    for (const age_s of [null, 40_000]) {
      assert.equal((await send(movers().adjustments as Call, age_s, off)).status, 201)
    }
  } finally {
    await off.close()
  }
})
