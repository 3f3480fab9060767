// Tests the approval of many withdrawals. The server checks each withdrawal separately, in order, and a dry run returns the
// same result.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'
import { createTestOperator, type TestOperator } from '../../../test/operator.ts'
import { newOperator, type Operator } from '../../../test/operator-sessions.ts'
import {
  booksHold,
  forgetSums,
  newPayoutScript,
  type PayoutScript,
  payoutAnswers,
  scriptedProvider,
} from '../../../test/payouts.ts'
import { unchanged } from '../../../test/withdrawals.ts'

const FREE = { rules: [{ flow: 'withdrawal' }] }

let world: World
let other: World
let operator: TestOperator
let script: PayoutScript
let asha: Operator
let juma: Operator
let died_at: string | null = null
before(async () => {
  script = newPayoutScript()
  const options = {
    env: { FOUR_EYES_AMOUNT: '50000.00' },
    compose: { providers: [scriptedProvider(script)] },
    point(name: string) {
      if (name === died_at) throw new Error('the process dies here')
    },
  }
  world = await createWorld(options)
  other = await createWorld({ ...options, url: world.url })
  operator = await createTestOperator(world)
  asha = await newOperator(world)
  juma = await newOperator(world)
})
after(async () => {
  await booksHold(world)
  await other.close()
  await world.close()
})
beforeEach(async () => {
  await forgetSums(world)
  script.payout = ({ amount_minor }) => payoutAnswers.paid(amount_minor)
  script.sent.length = 0
  died_at = null
})
// The workers settle each approved withdrawal before the next test starts.
afterEach(() => settle())

type Options = { who?: Operator; dry_run?: boolean; at?: World; idempotency_key?: string | null }

async function batch(withdrawal_ids: readonly string[], options: Options = {}): Promise<Reply> {
  const { who = asha, dry_run, at = world, idempotency_key = null } = options
  const body = { withdrawal_ids, ...(dry_run === undefined ? {} : { dry_run }) }
  return at.post('/v1/operator/withdrawals/approve-batch', body, { key: await who.token(), idempotency_key })
}

/** Describes the result of each id in one line. */
const resultsOf = (reply: Reply): string[] =>
  reply.body.data.items.map((item: { ok: boolean; code: string | null; status: string | null }) =>
    item.ok ? item.status : `${item.code} ${item.status}`,
  )

async function settle(): Promise<void> {
  await Promise.all([world.work(), other.work()])
}

/**
 * Makes withdrawals of one merchant with a balance of 100000.00. The server approves some of the withdrawals and refuses the
 * others for different reasons.
 */
async function mixed(): Promise<{ ids: string[]; expected: string[] }> {
  const shop = await operator.shop('100000.00', FREE)
  const submit = (amount: string) => operator.submit(shop, { amount })
  const [rejected, first, large, second, tight] = [
    await submit('10000.00'),
    await submit('40000.00'),
    await submit('50000.00'),
    await submit('60000.00'),
    await submit('50000.01'),
  ]
  await operator.act(rejected, 'reject')
  const approved = await world.post(`/v1/operator/withdrawals/${second}/approve`, {}, { key: await juma.token() })
  assert.equal(approved.body.data.status, 'PENDING_ADMIN_APPROVAL')
  const mine = await submit('50000.00')
  assert.equal((await batch([mine])).body.data.awaiting_second.count, 1)
  return {
    // The server has reserved 40000 and 60000, so the balance does not suffice for the last withdrawal.
    ids: [rejected, first, large, second, tight, mine, randomUUID(), 'nonsense', await submit('1.00')],
    expected: [
      'invalid_state REJECTED',
      'PROCESSING',
      'PENDING_ADMIN_APPROVAL',
      'PROCESSING',
      'insufficient_balance PENDING_ADMIN_APPROVAL',
      'second_operator_required PENDING_ADMIN_APPROVAL',
      'not_found null',
      'not_found null',
      'insufficient_balance PENDING_ADMIN_APPROVAL',
    ],
  }
}

test('the server checks each withdrawal of a batch separately, in order, and a refusal does not affect the other withdrawals', async () => {
  const { ids, expected } = await mixed()
  const reply = await batch(ids)
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(resultsOf(reply), expected)
  const { dry_run, approved, awaiting_second, items } = reply.body.data
  assert.equal(dry_run, false)
  assert.deepEqual(approved, { count: 2, amount: '100000.00', total_reserved_amount: '100000.00' })
  assert.deepEqual(awaiting_second, { count: 1, amount: '50000.00', total_reserved_amount: '50000.00' })
  assert.deepEqual(
    items.map(({ withdrawal_id }: { withdrawal_id: string }) => withdrawal_id),
    ids,
  )
  assert.match(items[4].message, /^The available balance is 0\.00/)
  await settle()
  assert.equal(script.sent.length, 2)
  for (const [i, status] of ['REJECTED', 'SUCCESS', 'PENDING_ADMIN_APPROVAL', 'SUCCESS'].entries()) {
    assert.equal((await operator.show(ids[i] as string)).status, status)
  }
  const entries = await world.rows<{ action: string; target_id: string }>(
    `select action, target_id from audit_log where actor_id = $1 and target_id = any($2) and action like 'withdrawal.%approve'
     order by target_id`,
    [asha.user_id, ids.slice(0, 5)],
  )
  assert.deepEqual(
    entries,
    [
      { action: 'withdrawal.approve', target_id: ids[1] },
      { action: 'withdrawal.first_approve', target_id: ids[2] },
      { action: 'withdrawal.approve', target_id: ids[3] },
    ].sort((a, b) => ((a.target_id as string) < (b.target_id as string) ? -1 : 1)),
  )
})

test('a dry run of a batch returns the same results as the real run, and changes nothing', async () => {
  const { ids, expected } = await mixed()
  const tried = await unchanged(world, () => batch(ids, { dry_run: true }))
  assert.deepEqual(resultsOf(tried), expected)
  await settle()
  assert.deepEqual(script.sent, [])
  for (const id of ids.slice(1, 3)) assert.deepEqual((await operator.show(id)).approvals, [])
  const { dry_run, ...would } = tried.body.data
  const { dry_run: _, ...did } = (await batch(ids, { dry_run: false })).body.data
  assert.deepEqual([dry_run, would], [true, did])
})

test('the server refuses a batch with a repeated id, without ids, or with more than a hundred ids', async () => {
  const shop = await operator.shop('100000.00', FREE)
  const id = await operator.submit(shop, { amount: '10.00' })
  await unchanged(world, async () => {
    for (const ids of [[id, id], [id, id.toUpperCase()], [], Array.from({ length: 101 }, () => randomUUID())]) {
      const refused = await batch(ids)
      assert.deepEqual(codeOf(refused), [400, 'validation_failed'])
      assert.equal(refused.body.error.details.fields[0].field, 'withdrawal_ids')
    }
  })
})

test('the server sends one payout for each of a hundred withdrawals of many merchants in one batch', async () => {
  const ids: string[] = []
  for (let i = 0; i < 4; i++) {
    const shop = await operator.shop('100000.00', FREE)
    for (let j = 0; j < 25; j++) ids.push(await operator.submit(shop, { amount: '400.00' }))
  }
  const reply = await batch(ids)
  assert.deepEqual(reply.body.data.approved, { count: 100, amount: '40000.00', total_reserved_amount: '40000.00' })
  await settle()
  assert.equal(new Set(script.sent).size, 100)
  assert.equal(script.sent.length, 100)
})

test('a repeated Idempotency-Key of a batch returns the first response and approves nothing', async () => {
  const shop = await operator.shop('100000.00', FREE)
  const ids = [await operator.submit(shop, { amount: '60000.00' }), await operator.submit(shop, { amount: '10.00' })]
  const idempotency_key = randomUUID()
  const first = await batch(ids, { idempotency_key })
  assert.deepEqual(resultsOf(first), ['PENDING_ADMIN_APPROVAL', 'PROCESSING'])
  await settle()
  const again = await unchanged(world, () => batch(ids, { idempotency_key }))
  assert.deepEqual([again.status, again.text], [200, first.text])
  assert.deepEqual(codeOf(await batch([...ids].reverse(), { idempotency_key })), [422, 'idempotency_key_reused'])
  await settle()
  assert.equal(script.sent.length, 1)
})

test('when two operators approve the same batch at the same time, the server sends one payout for each withdrawal', async () => {
  for (let round = 0; round < 3; round++) {
    script.sent.length = 0
    const shop = await operator.shop('100000.00', FREE)
    const ids = [await operator.submit(shop, { amount: '60000.00' }), await operator.submit(shop, { amount: '10.00' })]
    const answers = await Promise.all([
      batch(ids),
      batch([...ids].reverse(), { who: juma, at: other }),
      batch(ids, { idempotency_key: randomUUID() }),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    const approved = answers.map(({ body }) => body.data.approved.count).reduce((a: number, b: number) => a + b)
    assert.equal(approved, 2)
    await settle()
    assert.equal(script.sent.length, 2)
    const { approvals } = await operator.show(ids[0] as string)
    assert.deepEqual(
      new Set(approvals.map(({ operator }: { operator: string }) => operator)),
      new Set([asha.email, juma.email]),
    )
  }
})

for (const when of ['before', 'after'] as const) {
  test(`a process that dies ${when} the commit of a batch stores ${when === 'before' ? 'no payout' : 'payouts that a worker sends'}`, async () => {
    const shop = await operator.shop('100000.00', FREE)
    const ids = [await operator.submit(shop, { amount: '10.00' }), await operator.submit(shop, { amount: '20.00' })]
    const dying = async () => {
      died_at = `approve.${when}_commit`
      assert.equal((await batch(ids)).status, 500)
      died_at = null
    }
    await (when === 'before' ? unchanged(world, dying) : dying())
    for (let i = 0; i < 30; i++) await world.pass(1_000)
    assert.equal(script.sent.length, when === 'before' ? 0 : 2)
  })
}
