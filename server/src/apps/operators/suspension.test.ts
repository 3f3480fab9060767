// Tests what a suspended merchant may still do, from the first request after the suspension.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { createTestOperator } from '../../../test/operator.ts'
import { unchanged } from '../../../test/withdrawals.ts'

let world: World
/** Another process of the same installation. */
let other: World
let operator_token: string
before(async () => {
  world = await createWorld()
  other = await createWorld({ url: world.url })
  operator_token = (await world.newSession('SUPER_ADMIN')).token
})
after(async () => {
  await other.close()
  await world.close()
})

async function newMerchant() {
  const merchant = await world.newMerchant()
  const [live, sandbox] = [
    await world.newKey({ merchant, environment: 'live' }),
    await world.newKey({ merchant, environment: 'sandbox' }),
  ]
  const decide = async (verb: 'suspend' | 'reactivate') => {
    const done = await world.post(`/v1/operator/merchants/${merchant.id}/${verb}`, {}, { key: operator_token })
    assert.equal(done.status, 200, done.text)
  }
  return { merchant, live, sandbox, decide }
}
const PUSH = '/v1/collections/wallet-push'
const PAYMENT = { amount: '1000', phone: '0754123001' }

test("after a suspension, another process refuses the merchant's live keys on the next request, and accepts them after the reactivation", async () => {
  const { live, decide } = await newMerchant()
  assert.equal((await other.get('/v1/collections', live)).status, 200)
  await decide('suspend')
  for (const answer of [await other.get('/v1/collections', live), await other.post(PUSH, PAYMENT, { key: live })]) {
    assert.deepEqual([answer.status, answer.body.error.code], [403, 'production_access_restricted'])
  }
  await decide('reactivate')
  assert.equal((await other.post(PUSH, PAYMENT, { key: live })).status, 202)
})

test('sandbox keys of a suspended merchant remain valid', async () => {
  const { sandbox, decide } = await newMerchant()
  await decide('suspend')
  assert.equal((await other.post(PUSH, PAYMENT, { key: sandbox })).status, 202)
  assert.equal((await other.get('/v1/balance', sandbox)).status, 200)
})

test('users of a suspended merchant can read live data and see the suspension', async () => {
  const { merchant, live, decide } = await newMerchant()
  const { token } = await world.newSession([{ role: 'VIEWER', merchant }])
  const made = await world.post(PUSH, PAYMENT, { key: live })
  const id = made.body.data.collection_id
  await decide('suspend')
  assert.equal((await other.get(`/v1/collections/${id}`, token)).body.data.collection_id, id)
  assert.equal((await other.get('/v1/me', token)).body.data.memberships[0].status, 'SUSPENDED')
})

test('a suspended merchant cannot create a live key', async () => {
  const { merchant, decide } = await newMerchant()
  await decide('suspend')
  await assert.rejects(world.newKey({ merchant, environment: 'live' }), { code: 'production_access_restricted' })
})

test('the server settles an open live payment of a suspended merchant', async () => {
  const { merchant, live, decide } = await newMerchant()
  // The payer of 008 pays, but the provider sends no callback. The worker queries the provider after the suspension.
  const made = await world.post(PUSH, { amount: '2500', phone: '0754123008' }, { key: live })
  assert.equal(made.status, 202)
  await decide('suspend')
  await world.pass(30_000)
  const { token } = await world.newSession([{ role: 'VIEWER', merchant }])
  const settled = await world.get(`/v1/collections/${made.body.data.collection_id}`, token)
  assert.equal(settled.body.data.status, 'successful')
  const [account] = await world.rows<{ balance_minor: bigint }>(
    "select balance_minor from ledger_accounts where merchant_id = $1 and environment = 'live' and code = 'available'",
    [merchant.id],
  )
  assert.equal(account?.balance_minor, 250_000n)
})

test('an operator can resolve, but not retry, a blocked live payout of a suspended or unverified merchant', async () => {
  const operator = await createTestOperator(world)
  for (const [halt, undo] of [
    ["status = 'SUSPENDED'", "status = 'ACTIVE'"],
    ['verified = false', 'verified = true'],
  ] as const) {
    const shop = await operator.shop('1000000')
    const blocked = await operator.submit(shop, { ending: '104' })
    const resolved = await operator.submit(shop, { ending: '104' })
    const played = await operator.submit(shop, { ending: '104', environment: 'sandbox' })
    for (const id of [blocked, resolved, played]) await operator.approve(id)
    const set = (change: string) => world.rows(`update merchants set ${change} where id = $1`, [shop.merchant.id])
    await set(halt)
    const refused = await unchanged(world, () => operator.act(blocked, 'retry'))
    assert.deepEqual(codeOf(refused), [409, 'withdrawal_restricted'])
    await world.pass(3_000)
    assert.equal((await operator.show(blocked)).status, 'BLOCKED_IP_WHITELIST')
    assert.equal((await operator.act(resolved, 'resolve', { outcome: 'FAILED', reason: 'Not sent' })).status, 200)
    // The sandbox moves no money, so the server accepts the retry.
    assert.equal((await operator.act(played, 'retry')).status, 200)
    await set(undo)
    assert.equal((await operator.act(blocked, 'retry')).status, 200)
  }
})

test('no operator can approve a live withdrawal of a suspended merchant, alone, in a batch, or as the first of two operators', async () => {
  const careful = await createWorld({ url: world.url, env: { FOUR_EYES_AMOUNT: '5000' } })
  try {
    const operator = await createTestOperator(careful)
    const shop = await operator.shop('1000000')
    const [small, large] = [await operator.submit(shop, { amount: '1000' }), await operator.submit(shop)]
    const suspended = await world.post(
      `/v1/operator/merchants/${shop.merchant.id}/suspend`,
      {},
      { key: operator_token },
    )
    assert.equal(suspended.status, 200)
    for (const id of [small, large]) {
      const refused = await unchanged(careful, () => operator.act(id, 'approve'))
      assert.deepEqual(codeOf(refused), [409, 'withdrawal_restricted'])
    }
    const batch = await careful.post(
      '/v1/operator/withdrawals/approve-batch',
      { withdrawal_ids: [small, large] },
      { key: await operator.session() },
    )
    assert.deepEqual(
      batch.body.data.items.map(({ code }: { code: string }) => code),
      ['withdrawal_restricted', 'withdrawal_restricted'],
    )
  } finally {
    await careful.close()
  }
})
