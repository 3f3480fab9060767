// Tests that a merchant can cancel a withdrawal until an operator has approved it. No money moves. Of a cancellation and an
// approval, exactly one takes effect.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { createTestOperator, MONEY, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { booksHold, newPayoutScript, payoutAnswers, scriptedProvider } from '../../../test/payouts.ts'
import { balanceOf, unchanged } from '../../../test/withdrawals.ts'

const script = newPayoutScript({ status: ({ amount_minor }) => payoutAnswers.paid(amount_minor) })
/** The process of the tests, and another process of the same installation. */
let world: World
let other: World
let operator: TestOperator
let shop: ShopWithKeys
let finance: string
/** The function that runs before each statement. A test can stop the process in this function. */
let onStatement: (name: string) => void = () => {}
before(async () => {
  const options = { compose: { providers: [scriptedProvider(script)] } }
  world = await createWorld({ ...options, before: (name) => onStatement(name) })
  other = await createWorld({ ...options, url: world.url })
  operator = await createTestOperator(world)
  shop = await operator.shop(MONEY)
  finance = (await world.newSession([{ role: 'FINANCE', merchant: shop.merchant }])).token
})
after(async () => {
  await booksHold(world)
  await other.close()
  await world.close()
})

type CancelOptions = { key?: string; idempotency_key?: string; body?: object; from?: World }

/** Cancels with a live key, as a merchant's server does. */
const byKey = (id: string, { key = shop.live, idempotency_key, body = {}, from = world }: CancelOptions = {}) =>
  from.post(`/v1/disbursements/${id}/cancel`, body, { key, idempotency_key: idempotency_key ?? null })
/** Cancels with a session, as a member in the dashboard does. */
const byMember = (id: string, { key = finance, body = {} }: CancelOptions = {}) =>
  world.post(`/v1/merchant/withdrawals/${id}/cancel`, body, { key, idempotency_key: null })

const auditOf = (id: string) =>
  world.rows<{ actor_kind: string; before: object; after: { status: string } }>(
    "select actor_kind, before, after from audit_log where target_id = $1 and action = 'withdrawal.cancel'",
    [id],
  )

test('a key and a member cancel a withdrawal that waits, no money moves, and a repetition returns the same record', async () => {
  const balance = await balanceOf(world, shop.live)
  for (const [kind, cancel] of [
    ['api_key', byKey],
    ['user', byMember],
  ] as const) {
    for (const before of ['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED']) {
      const id = await operator.submit(shop)
      if (before === 'INFO_REQUESTED') await operator.act(id, 'request-info')
      const reply = await cancel(id)
      assert.equal(reply.status, 200, reply.text)
      const { status, requires_approval, status_reason, provider_reference } = reply.body.data
      assert.deepEqual([status, requires_approval, status_reason, provider_reference], ['CANCELLED', false, null, null])
      const again = await unchanged(world, () => cancel(id))
      assert.deepEqual([again.status, again.body.data], [200, reply.body.data])
      assert.deepEqual(await auditOf(id), [
        { actor_kind: kind, before: { status: before }, after: (await auditOf(id))[0]?.after },
      ])
      const { history } = (await world.get(`/v1/disbursements/${id}`, shop.live)).body.data
      const { from_status, to_status, by } = history.at(-1)
      assert.deepEqual([from_status, to_status, by], [before, 'CANCELLED', 'merchant'])
      const listed = await world.get('/v1/disbursements?status=CANCELLED', shop.live)
      assert.ok(listed.body.data.items.some((item: { id: string }) => item.id === id))
    }
  }
  assert.deepEqual(await balanceOf(world, shop.live), balance)
})

test('the server refuses the approval, rejection, question, resolution, retry and answer of a cancelled withdrawal', async () => {
  const id = await operator.submit(shop)
  const bodiless = await world.call({ method: 'POST', url: `/v1/disbursements/${id}/cancel`, key: shop.live })
  assert.equal(bodiless.status, 200, bodiless.text)
  await unchanged(world, async () => {
    for (const verb of ['approve', 'reject', 'request-info', 'resolve', 'retry'] as const) {
      const refused = await operator.act(id, verb)
      assert.deepEqual([codeOf(refused), refused.body.error.details], [[409, 'invalid_state'], { status: 'CANCELLED' }])
    }
    const answer = { message: 'A supplier' }
    const refused = await world.post(`/v1/merchant/withdrawals/${id}/respond`, answer, {
      key: finance,
      idempotency_key: null,
    })
    assert.deepEqual(codeOf(refused), [409, 'invalid_state'])
  })
})

test('the server refuses to cancel a withdrawal that an operator has approved or rejected, names its status, and changes nothing', async () => {
  const paid = await operator.submit(shop)
  await operator.act(paid, 'approve')
  await world.work()
  await world.pass(3_000)
  const rejected = await operator.submit(shop)
  await operator.act(rejected, 'reject')
  const approved = await operator.submit(shop)
  await operator.act(approved, 'approve')
  await world.system.payouts.task.idle()
  for (const id of [approved, paid, rejected]) {
    const { status } = await operator.show(id)
    for (const cancel of [byKey, byMember]) {
      const refused = await unchanged(world, () => cancel(id))
      assert.deepEqual([codeOf(refused), refused.body.error.details], [[409, 'invalid_state'], { status }])
      assert.match(
        refused.body.error.message,
        new RegExp(`^This withdrawal is ${status}\\. The merchant can cancel only`),
      )
    }
  }
})

test('only members who may send money, and keys with the scope, cancel a withdrawal of their environment', async () => {
  const id = await operator.submit(shop)
  const sandbox = await operator.submit(shop, { environment: 'sandbox' })
  const { merchant } = shop
  for (const role of ['VIEWER', 'DEVELOPER'] as const) {
    const { token } = await world.newSession([{ role, merchant }])
    assert.deepEqual(codeOf(await unchanged(world, () => byMember(id, { key: token }))), [403, 'insufficient_role'])
  }
  assert.deepEqual(codeOf(await byMember(id, { key: shop.live })), [403, 'insufficient_role'])
  const reader = await world.newKey({ merchant, environment: 'live', scopes: ['disbursements:read'] })
  assert.deepEqual(codeOf(await byKey(id, { key: reader })), [403, 'insufficient_scope'])
  const foreign = [world.live_key, (await world.newSession('FINANCE')).token]
  for (const key of foreign) assert.deepEqual(codeOf(await byKey(id, { key })), [404, 'not_found'])
  assert.deepEqual(codeOf(await byKey(sandbox)), [404, 'not_found'])
  assert.deepEqual(codeOf(await byMember(sandbox)), [404, 'not_found'])
  for (const unknown of [randomUUID(), 'x']) assert.deepEqual(codeOf(await byKey(unknown)), [404, 'not_found'])
  assert.equal((await operator.show(id)).status, 'PENDING_ADMIN_APPROVAL')
  assert.equal((await byMember(sandbox, { body: { environment: 'sandbox' } })).body.data.status, 'CANCELLED')
  assert.equal((await byKey(id, { key: finance })).body.data.status, 'CANCELLED')
})

test('ten simultaneous cancellations, five of them with one Idempotency-Key, all succeed and make one move', async () => {
  const id = await operator.submit(shop)
  const idempotency_key = randomUUID()
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      byKey(id, { from: i % 2 === 0 ? world : other, ...(i < 5 ? { idempotency_key } : {}) }),
    ),
  )
  for (const reply of replies) assert.deepEqual([reply.status, reply.body.data?.status], [200, 'CANCELLED'], reply.text)
  assert.equal((await auditOf(id)).length, 1)
  assert.equal((await operator.show(id)).history.length, 1)
})

test('of a concurrent cancellation and approval exactly one takes effect, and only the approval moves money', async () => {
  const won = { approve: 0, cancel: 0 }
  // The lead of the approval in milliseconds. It moves to the time at which either request can win.
  let lead_ms = 0
  for (let round = 0; round < 16 || won.approve === 0 || won.cancel === 0; round++) {
    assert.ok(round < 64, JSON.stringify(won))
    script.sent.length = 0
    const racing = await operator.shop(MONEY, { rules: [{ flow: 'withdrawal' }] })
    const id = await operator.submit(racing)
    const [approval, cancellation] = await Promise.all([
      sleep(Math.max(0, -lead_ms)).then(() =>
        operator.act(id, 'approve', {}, { world: round % 2 === 0 ? world : other }),
      ),
      sleep(Math.max(0, lead_ms)).then(() => byKey(id, { key: racing.live, from: round % 4 < 2 ? world : other })),
    ])
    const winner = cancellation.status === 200 ? 'cancel' : 'approve'
    const loser = winner === 'cancel' ? approval : cancellation
    won[winner]++
    lead_ms += winner === 'cancel' ? 4 : -4
    assert.deepEqual(codeOf(loser), [409, 'invalid_state'], `${round} ${approval.text} ${cancellation.text}`)
    for (const one of [world, other]) {
      await one.work()
      await one.pass(3_000)
    }
    const { status, provider_reference } = await operator.show(id)
    assert.equal(status, winner === 'cancel' ? 'CANCELLED' : 'SUCCESS')
    assert.deepEqual(script.sent, winner === 'cancel' ? [] : [provider_reference])
    const available = (await operator.book(racing)).available
    assert.equal(available, winner === 'cancel' ? 10_000_000n : 9_000_000n)
  }
})

test('a process that dies before a statement of a cancellation changes nothing, and a repetition with the same key cancels', async () => {
  const id = await operator.submit(shop)
  const idempotency_key = randomUUID()
  const names: string[] = []
  const another = await operator.submit(shop)
  onStatement = (name) => void names.push(name)
  await byKey(another, { idempotency_key: randomUUID() })
  const statements = [...new Set(names)].filter((name) => /^(?:idempotency|withdrawals|audit|commit)/.test(name))
  assert.ok(statements.includes('withdrawals_write') && statements.includes('withdrawals_lock'), statements.join())
  for (const dies_at of statements) {
    onStatement = (name) => {
      if (name === dies_at) throw new Error('the process dies here')
    }
    const dead = await unchanged(world, () => byKey(id, { idempotency_key }), dies_at)
    onStatement = () => {}
    assert.equal(dead.status, 500, dies_at)
    // The lock of the interrupted request ends within 30 seconds, and its key is free again.
    world.deps.clock.advance(30_000)
  }
  const done = await byKey(id, { idempotency_key })
  assert.deepEqual([done.status, done.body.data?.status], [200, 'CANCELLED'], done.text)
  assert.equal((await auditOf(id)).length, 1)
})
