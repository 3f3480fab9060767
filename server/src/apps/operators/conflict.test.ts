// Tests conflicts of interest. A present or former member of a merchant may not decide about the merchant. The operator who made
// an API key may not decide about its withdrawals.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { consoleToken, newOperator, type Operator } from '../../../test/operator-sessions.ts'
import { booksHold } from '../../../test/payouts.ts'
import { contentOf, unchanged } from '../../../test/withdrawals.ts'

const CONFLICT = [403, 'conflict_of_interest'] as const
const FREE = { rules: [{ flow: 'withdrawal' }] }

let world: World
let operator: TestOperator
before(async () => {
  world = await createWorld()
  operator = await createTestOperator(world)
})
after(async () => {
  await booksHold(world)
  await world.close()
})

const newShop = () => operator.shop('100000.00', FREE)

/** Ends the operator's membership in the merchant through the API, as an administrator of the merchant does. */
async function removeFrom(shop: ShopWithKeys, { email }: Operator): Promise<void> {
  const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant: shop.merchant }])
  const { items } = (await world.get('/v1/merchant/members', token)).body.data
  const { id } = items.find((member: { email: string }) => member.email === email)
  const removed = await world.call({ method: 'DELETE', url: `/v1/merchant/members/${id}`, key: token })
  assert.equal(removed.status, 200, removed.text)
}

/** Makes or rotates a live key with the operator's session in the merchants' dashboard. Returns the id and the key. */
async function makeKey({ user_id }: Operator, rotate?: string): Promise<{ id: string; key: string }> {
  const key = await consoleToken(world, user_id, { client: 'dashboard' })
  const made =
    rotate === undefined
      ? await world.post('/v1/merchant/api-keys', { name: 'Mine', environment: 'live', scopes: SCOPES }, { key })
      : await world.post(`/v1/merchant/api-keys/${rotate}/rotate`, {}, { key })
  assert.equal(made.status, 201, made.text)
  return { id: made.body.data.id, key: made.body.data.plaintext_key }
}
const SCOPES = ['disbursements:write', 'disbursements:read']

/** Inserts a membership without a history row, as earlier versions did. Runs `work`, then deletes the membership. */
async function asForgottenMember<Result>(shop: ShopWithKeys, { user_id }: Operator, work: () => Promise<Result>) {
  await world.rows(
    `insert into members (merchant_id, id, user_id, role, name, created_at, updated_at)
     values ($1, $2, $3, 'DEVELOPER', null, now(), now())`,
    [shop.merchant.id, randomUUID(), user_id],
  )
  const result = await work()
  await world.rows('delete from members where merchant_id = $1 and user_id = $2', [shop.merchant.id, user_id])
  return result
}

const approve = async (who: Operator, id: string): Promise<Reply> =>
  world.post(`/v1/operator/withdrawals/${id}/approve`, {}, { key: await who.token(), idempotency_key: null })

async function refused(work: () => Promise<Reply>, what = ''): Promise<void> {
  const reply = await unchanged(world, work, what)
  assert.deepEqual(codeOf(reply), CONFLICT, `${what}: ${reply.text}`)
  assert.match(reply.body.error.message, /Another operator must decide/)
}

describe('an operator with a conflict of interest', () => {
  test('the server refuses the approval of an operator who made the API key that submitted the withdrawal', async () => {
    const shop = await newShop()
    const asha = await newOperator(world)
    const { id, key } = await asForgottenMember(shop, asha, () => makeKey(asha))
    const submitted = await operator.submit({ ...shop, live: key })
    await refused(() => approve(asha, submitted), 'the maker of the key')

    const juma = await newOperator(world)
    await refusedAfterRotation(shop, juma, id)
    const other = await newOperator(world)
    assert.equal((await approve(other, submitted)).body.data.status, 'PROCESSING')
  })

  async function refusedAfterRotation(shop: ShopWithKeys, who: Operator, key_id: string): Promise<void> {
    const { key } = await asForgottenMember(shop, who, () => makeKey(who, key_id))
    const submitted = await operator.submit({ ...shop, live: key })
    await refused(() => approve(who, submitted), 'the person who rotated the key')
  }

  test("the server refuses approvals of a present or former member, also during another operator's approval, and of a former member in a batch", async () => {
    const shop = await newShop()
    const member = await newOperator(world, [{ role: 'VIEWER', merchant: shop.merchant }])
    const former = await newOperator(world, [{ role: 'VIEWER', merchant: shop.merchant }])
    await removeFrom(shop, former)
    const other = await newOperator(world)
    const [one, two, theirs] = [
      await operator.submit(shop, { amount: '100.00' }),
      await operator.submit(shop, { amount: '200.00' }),
      await operator.submit(await newShop(), { amount: '300.00' }),
    ]
    for (const who of [member, former]) {
      await refused(() => approve(who, one))
      const shown = await world.get(`/v1/operator/withdrawals/${one}/case`, await who.token())
      assert.equal(shown.body.data.conflict_of_interest, true)
    }
    const batch = await world.post(
      '/v1/operator/withdrawals/approve-batch',
      { withdrawal_ids: [one, theirs] },
      { key: await former.token(), idempotency_key: null },
    )
    assert.deepEqual(
      batch.body.data.items.map((item: { code: string | null; status: string }) => [item.code, item.status]),
      [
        ['conflict_of_interest', 'PENDING_ADMIN_APPROVAL'],
        [null, 'PROCESSING'],
      ],
    )
    const gathered = await Promise.all([approve(member, one), approve(other, two), approve(former, one)])
    assert.deepEqual(
      gathered.map(({ status }) => status),
      [403, 200, 403],
    )
    const seen = await world.get(`/v1/operator/withdrawals/${one}/case`, await other.token())
    assert.equal(seen.body.data.conflict_of_interest, false)
    assert.equal((await approve(other, one)).body.data.status, 'PROCESSING')
  })

  test('the server refuses decisions of a member that move money or give access, and permits rejections, a payout pause and a suspension', async () => {
    const shop = await newShop()
    const { merchant } = shop
    const asha = await newOperator(world, [{ role: 'FINANCE', merchant }])
    const { token: developer } = await world.newSession([{ role: 'DEVELOPER', merchant }])
    const address = await world.post(
      '/v1/merchant/ip-addresses',
      { label: 'Office', address: '203.0.113.9', environment: 'live' },
      { key: developer },
    )
    const held = await world.post(
      '/v1/collections/wallet-push',
      { amount: '1000', phone: '0754123014' },
      { key: shop.sandbox },
    )
    const [blocked, open] = [await operator.submit(shop, { ending: '104' }), await operator.submit(shop)]
    await operator.act(blocked, 'approve')
    await world.work()
    await world.pass(3_000)
    const withdrawal = `/v1/operator/withdrawals/${blocked}`
    const home = `/v1/operator/merchants/${merchant.id}`
    const entry = `/v1/operator/ip-addresses/${address.body.data.id}`
    const adjustment = {
      environment: 'live',
      direction: 'credit',
      against: 'provider_float',
      amount: '5.00',
      reason: 'Mine',
    }
    const post = async (path: string, body: object, who: Operator = asha) =>
      world.post(path, body, { key: await who.token() })
    const price = async () =>
      world.call({ method: 'PUT', url: `${home}/pricing`, payload: FREE, key: await asha.token() })
    const tables = ['merchants', 'pricing_rules', 'ip_addresses', 'collections', 'adjustments']
    const before = await contentOf(world, tables)
    await refused(() => post(`${home}/adjustments`, adjustment), 'adjustment')
    const decision = { decision: 'approve', reason: 'Mine' }
    await refused(() => post(`/v1/operator/collections/${held.body.data.collection_id}/clear`, decision), 'clear')
    await refused(() => post(`${withdrawal}/resolve`, { outcome: 'FAILED', reason: 'Mine' }), 'resolve')
    await refused(() => post(`${withdrawal}/retry`, {}), 'retry')
    await refused(price, 'price')
    const limits = { daily_limit: null, daily_limit_per_destination: null }
    const setLimits = async () =>
      world.call({ method: 'PUT', url: `${home}/payout-limits`, payload: limits, key: await asha.token() })
    await refused(setLimits, 'payout limits')
    const pause = { scope: 'merchant', target: merchant.id, reason: 'Mine' }
    const paused = await world.post('/v1/operator/payout-pauses', pause, { key: await asha.token() })
    assert.equal(paused.status, 201, 'a pause only stops something')
    const end = `/v1/operator/payout-pauses/${paused.body.data.id}/end`
    await refused(() => post(end, { reason: 'Mine' }), 'end of a pause')
    for (const move of ['approve', 'verify', 'reactivate']) await refused(() => post(`${home}/${move}`, {}), move)
    await refused(() => post(`${entry}/approve`, {}), 'approval of an address')
    assert.deepEqual(await contentOf(world, tables), before)

    for (const [path, body] of [
      [`/v1/operator/withdrawals/${open}/reject`, { reason: 'Unknown recipient' }],
      [`${entry}/reject`, { reason: 'Unknown network' }],
      [`${home}/suspend`, {}],
    ] as const) {
      assert.equal((await post(path, body)).status, 200, `${path} only stops something`)
    }
    const other = await newOperator(world)
    assert.equal((await post(end, { reason: 'Seen' }, other)).status, 200)
    assert.equal((await post(`${home}/reactivate`, {}, other)).status, 200)
    assert.equal((await post(`${withdrawal}/resolve`, { outcome: 'FAILED', reason: 'Seen' }, other)).status, 200)
  })
})
