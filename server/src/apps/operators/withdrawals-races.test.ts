// Tests simultaneous actions of operators, processes and the provider. The server reserves and sends money once, and never more
// than the balance.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import {
  booksHold,
  newPayoutScript,
  type PayoutScript,
  payoutAnswers,
  scriptedProvider,
} from '../../../test/payouts.ts'

let world: World
/** Another process of the same installation. */
let other: World
let operator: TestOperator
let script: PayoutScript
/** The number of transactions that the two processes rolled back since the last reset. */
let undone = 0
before(async () => {
  script = newPayoutScript()
  const options = {
    compose: { providers: [scriptedProvider(script)] },
    before(name: string) {
      if (name === 'rollback') undone += 1
    },
  }
  world = await createWorld(options)
  other = await createWorld({ ...options, url: world.url })
  operator = await createTestOperator(world)
})
after(async () => {
  await booksHold(world)
  await other.close()
  await world.close()
})
beforeEach(() => {
  script.payout = () => payoutAnswers.accepted
  script.status = ({ amount_minor }) => payoutAnswers.paid(amount_minor)
  script.sent.length = 0
})

const FREE = { rules: [{ flow: 'withdrawal' }] }

/** Runs all due work in both processes at the same time. */
async function workBoth(): Promise<void> {
  await Promise.all([world.work(), other.work()])
  await Promise.all([world.pass(3_000), other.pass(3_000)])
}

/** Checks that the provider received each payout exactly once. */
async function sentOnce(ids: readonly string[]): Promise<void> {
  const rows = await world.rows<{ provider_reference: string }>(
    'select provider_reference from payouts where withdrawal_id = any($1::uuid[])',
    [ids],
  )
  assert.equal(rows.length, ids.length)
  assert.deepEqual([...script.sent].sort(), rows.map(({ provider_reference }) => provider_reference).sort())
}

const available = async (shop: ShopWithKeys) => (await operator.book(shop)).available ?? 0n

/** Checks that the available balance was never below zero after any transfer of a live book. */
async function neverBelowZero(shop: ShopWithKeys): Promise<void> {
  const rows = await world.rows(
    `select 1 from ledger_transfers where merchant_id = $1 and environment = 'live'
       and ((debit_code = 'available' and debit_balance_minor < 0) or (credit_code = 'available' and credit_balance_minor < 0))`,
    [shop.merchant.id],
  )
  assert.equal(rows.length, 0)
}

test('when two operators approve the same withdrawal on two processes, the server sends one payout', async () => {
  const { token: second } = await world.newSession('SUPER_ADMIN')
  for (let round = 0; round < 8; round++) {
    script.sent.length = 0
    const shop = await operator.shop('100000.00', FREE)
    const id = await operator.submit(shop)
    const answers = await Promise.all([
      operator.act(id, 'approve'),
      operator.act(id, 'approve', {}, { world: other }),
      // The server approves requests with and without an Idempotency-Key in one batch.
      other.post(`/v1/operator/withdrawals/${id}/approve`, {}, { key: second, idempotency_key: randomUUID() }),
      world.post(`/v1/operator/withdrawals/${id}/approve`, {}, { key: second, idempotency_key: null }),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
    for (const answer of answers.filter(({ status }) => status === 409)) {
      assert.deepEqual(codeOf(answer), [409, 'invalid_state'])
      assert.match(answer.body.error.details.status, /^(PROCESSING|SUCCESS)$/)
    }
    await workBoth()
    await sentOnce([id])
    assert.equal(await available(shop), 9_000_000n)
    const { history, status } = await operator.show(id)
    assert.deepEqual([status, history.length], ['SUCCESS', 2])
  }
})

test('when operators approve twenty withdrawals at the same time, the server pays only those that the balance covers, each once', async () => {
  for (const amount of ['10000.00', '7000.00', '100000.00']) {
    script.sent.length = 0
    const shop = await operator.shop('100000.00', FREE)
    const fit = Math.floor(100_000 / Number(amount))
    const ids: string[] = []
    for (let i = 0; i < 20; i++) ids.push(await operator.submit(shop, { amount }))
    const answers = await Promise.all(
      ids.map((id, i) => operator.act(id, 'approve', {}, { world: i % 2 === 0 ? world : other })),
    )
    const approved = ids.filter((_, i) => answers[i]?.status === 200)
    assert.equal(approved.length, Math.min(fit, 20))
    for (const [i, answer] of answers.entries()) {
      if (answer.status === 200) continue
      assert.deepEqual(codeOf(answer), [409, 'insufficient_balance'])
      assert.equal((await operator.show(ids[i] as string)).status, 'PENDING_ADMIN_APPROVAL')
    }
    await workBoth()
    await sentOnce(approved)
    assert.equal(await available(shop), 10_000_000n - BigInt(approved.length) * BigInt(Number(amount) * 100))
    await neverBelowZero(shop)
  }
})

test('the server refuses only the withdrawals of a batch that exceed the balance', async () => {
  const shop = await operator.shop('10000.00', FREE)
  const large = await operator.submit(shop, { amount: '10000.00' })
  const small: string[] = []
  for (let i = 0; i < 5; i++) small.push(await operator.submit(shop, { amount: '2000.00' }))
  const debit = {
    environment: 'live',
    direction: 'debit',
    against: 'provider_float',
    amount: '0.01',
    reason: 'One cent',
  }
  await operator.adjust(shop, debit)
  const all = [...small.slice(0, 2), large, ...small.slice(2)]
  const answers = await Promise.all(all.map((id) => operator.act(id, 'approve')))
  const [refused] = answers.splice(2, 1)
  assert.equal(refused?.body.error.code, 'insufficient_balance')
  const codes = answers.map((answer) => codeOf(answer)[1]).sort()
  assert.deepEqual(codes, ['insufficient_balance', 'ok', 'ok', 'ok', 'ok'])
  await workBoth()
  assert.equal(await available(shop), 199_999n)
})

test('of simultaneous approve, reject and request-info calls, either the approval or the rejection succeeds, and only an approval moves money', async () => {
  let approvals = 0
  for (let round = 0; round < 12; round++) {
    script.sent.length = 0
    const shop = await operator.shop('100000.00', FREE)
    const id = await operator.submit(shop)
    const verbs = ['approve', 'reject', 'request-info'] as const
    const order = [0, 1, 2].map((i) => verbs[(i + round) % 3] as (typeof verbs)[number])
    const answers = await Promise.all(
      order.map((verb, i) => operator.act(id, verb, undefined, { world: i % 2 === 0 ? world : other })),
    )
    const ok = new Map(order.map((verb, i) => [verb, answers[i]?.status === 200]))
    assert.notEqual(ok.get('approve'), ok.get('reject'), 'one of approve and reject succeeds')
    const won = ok.get('approve') ? 'approve' : 'reject'
    if (won === 'approve') approvals++
    for (const answer of answers) if (answer.status !== 200) assert.deepEqual(codeOf(answer), [409, 'invalid_state'])
    await workBoth()
    const { status, history } = await operator.show(id)
    assert.equal(status, won === 'approve' ? 'SUCCESS' : 'REJECTED')
    assert.equal(history.length, (ok.get('request-info') ? 1 : 0) + (won === 'approve' ? 2 : 1))
    await sentOnce(won === 'approve' ? [id] : [])
    assert.equal(await available(shop), won === 'approve' ? 9_000_000n : 10_000_000n)
  }
  assert.ok(approvals > 0)
})

test('when two contrary resolutions and an answer of the provider come at the same time, the ledger has each posting at most once', async () => {
  for (let round = 0; round < 8; round++) {
    const shop = await operator.shop('100000.00', FREE)
    const id = await operator.submit(shop)
    script.payout = () => payoutAnswers.unknown
    script.status = () => payoutAnswers.unknown
    await operator.act(id, 'approve')
    await workBoth()
    assert.equal((await operator.show(id)).status, 'NEEDS_RECONCILIATION')
    const truth = round % 2 === 0 ? 'paid' : 'declined'
    script.status = ({ amount_minor }) => (truth === 'paid' ? payoutAnswers.paid(amount_minor) : payoutAnswers.declined)
    world.deps.clock.advance(60_000)
    other.deps.clock.advance(60_000)
    const [success, failed] = await Promise.all([
      operator.act(id, 'resolve', { outcome: 'SUCCESS', reason: 'They say it was paid' }),
      operator.act(id, 'resolve', { outcome: 'FAILED', reason: 'They say it was not' }, { world: other }),
      workBoth(),
    ])
    for (const answer of [success, failed])
      if (answer.status !== 200) assert.deepEqual(codeOf(answer), [409, 'invalid_state'])
    const { status, history } = await operator.show(id)
    const way = history.slice(2).map(({ to_status }: { to_status: string }) => to_status)
    // If the provider contradicted the first outcome, the history may contain a second outcome.
    const ends = way.filter((to: string) => to === 'SUCCESS' || to === 'FAILED').length
    const doubts = way.filter((to: string) => to === 'NEEDS_ADMIN_ATTENTION').length
    assert.ok(ends >= 1 && ends - doubts <= 1, way.join())
    const facts = await world.rows<{ posting: string }>(
      'select posting from ledger_transfers where source_id = $1 and leg = 0',
      [id],
    )
    assert.equal(
      new Set(facts.map(({ posting }) => posting)).size,
      facts.length,
      'the ledger has each posting at most once',
    )
    if (status === 'SUCCESS') assert.equal(await available(shop), 9_000_000n)
    if (status === 'FAILED') assert.equal(await available(shop), 10_000_000n)
    assert.equal((await operator.book(shop)).reserved, undefined)
    await neverBelowZero(shop)
  }
})

test('when two processes receive retries of one payout at the same time, the server sends the payout only one more time', async () => {
  for (let round = 0; round < 5; round++) {
    const shop = await operator.shop('100000.00', FREE)
    const id = await operator.submit(shop)
    script.payout = () => payoutAnswers.blocked
    await operator.act(id, 'approve')
    await workBoth()
    assert.equal((await operator.show(id)).status, 'BLOCKED_IP_WHITELIST')
    script.sent.length = 0
    script.payout = () => payoutAnswers.accepted
    const answers = await Promise.all([
      operator.act(id, 'retry'),
      operator.act(id, 'retry', {}, { world: other }),
      operator.act(id, 'retry', {}, { idempotency_key: randomUUID() }),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409])
    await workBoth()
    await sentOnce([id])
    assert.equal((await operator.show(id)).status, 'SUCCESS')
  }
})

test('approvals of many merchants on two processes never deadlock with settlements of payments and adjustments', async () => {
  const shops = await Promise.all(Array.from({ length: 4 }, () => operator.shop('100000.00', FREE)))
  const ids: { shop: ShopWithKeys; id: string }[] = []
  for (let i = 0; i < 40; i++) {
    const shop = shops[i % shops.length] as ShopWithKeys
    ids.push({ shop, id: await operator.submit(shop, { amount: '1000.00' }) })
  }
  const credit = { environment: 'live', direction: 'credit', against: 'fee_income', amount: '1.00', reason: 'A fee' }
  undone = 0
  const answers = await Promise.all([
    ...ids.map(({ id }, i) => operator.act(id, 'approve', {}, { world: i % 3 === 0 ? other : world })),
    ...shops.flatMap((shop) => [1, 2, 3].map(() => operator.adjust(shop, credit))),
    ...shops.map((shop) =>
      other.post('/v1/collections/wallet-push', { amount: '50', phone: '0754123001' }, { key: shop.live }),
    ),
  ])
  for (const answer of answers) assert.ok([200, 201, 202].includes(answer.status), answer.text)
  await workBoth()
  await sentOnce(ids.map(({ id }) => id))
  for (const shop of shops) assert.equal(await available(shop), 10_000_000n + 300n - 1_000_000n)
  assert.equal(undone, 0)
})
