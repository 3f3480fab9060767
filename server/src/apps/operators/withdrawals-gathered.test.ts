// Tests simultaneous approvals with an Idempotency-Key. One transaction approves the batch, and each key has one effect and one
// response.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator, UNTOUCHED } from '../../../test/operator.ts'
import { newOperator, type Operator } from '../../../test/operator-sessions.ts'
import { booksHold, forgetSums, newPayoutScript, payoutAnswers, scriptedProvider } from '../../../test/payouts.ts'
import { unchanged } from '../../../test/withdrawals.ts'

/**
 * Two operators must approve a withdrawal of this amount. All small withdrawals of a test together stay below the amount.
 */
const FOUR_EYES_AMOUNT = '200000'
const LARGE = '200000.00'
const SMALL = '1000.00'

const script = newPayoutScript({ payout: ({ amount_minor }) => payoutAnswers.paid(amount_minor) })
const scripted = scriptedProvider(script)
const provider = { ...scripted, capabilities: { ...scripted.capabilities, destinations: ['MPESA'] } }

let world: World
/** Another process of the same installation. */
let other: World
let operator: TestOperator
let asha: Operator
let juma: Operator
/** The names of the queries that `world` began, in order. Each test starts with an empty list. */
const statements: string[] = []
/** The name of the query before which `world` dies in the next transaction. Null means that `world` does not die. */
let dies_before: string | null = null
let begun = false
let dead = false
let dies_at: string | null = null

/** Records the name of a query. After `world` has died, throws, so that every later query fails. */
function recordStatement(name: string): void {
  statements.push(name)
  if (dies_before === null) return
  begun ||= name === 'begin'
  dead ||= begun && name === dies_before
  if (dead) throw new Error('the process has died')
}

before(async () => {
  // A process that only serves HTTP sends no payout, so the test records only the queries of requests.
  const options = { env: { FOUR_EYES_AMOUNT, PROCESS: 'api' }, compose: { providers: [provider] } }
  const point = (name: string) => {
    if (name === dies_at) throw new Error('the process dies here')
  }
  world = await createWorld({ ...options, before: recordStatement, point })
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
  await forgetSums(other)
  statements.length = 0
  dies_before = null
  dies_at = null
})

type ApproveOptions = { by?: Operator; key?: string; at?: World; body?: object }

async function approve(id: string, { by = asha, key = randomUUID(), at = world, body = {} }: ApproveOptions = {}) {
  return at.post(`/v1/operator/withdrawals/${id}/approve`, body, { key: await by.token(), idempotency_key: key })
}

async function submitMany(shop: ShopWithKeys, count: number, amount = SMALL): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push(await operator.submit(shop, { amount }))
  return ids
}

const countOf = (name: string) => statements.filter((statement) => statement === name).length
const isReplay = ({ headers }: Reply) => headers['idempotency-replayed'] === 'true'

/** Returns the stored status code of each key. Null means that the row of the key has no response. */
async function storedUnder(keys: readonly string[]): Promise<Record<string, number | null>> {
  const rows = await other.rows<{ key: string; status_code: number | null }>(
    'select key, status_code from idempotency_keys where key = any($1)',
    [keys],
  )
  return Object.fromEntries(rows.map(({ key, status_code }) => [key, status_code]))
}

describe('simultaneous approvals with different keys', () => {
  test('64 simultaneous approvals with different keys take at most 12 transactions', async () => {
    const shop = await operator.shop('1000000.00')
    const ids = await submitMany(shop, 64)
    statements.length = 0
    const answers = await Promise.all(ids.map((id) => approve(id)))
    for (const [i, answer] of answers.entries()) {
      assert.deepEqual([answer.status, answer.body.data.id, answer.body.data.status], [200, ids[i], 'PROCESSING'])
      assert.equal(isReplay(answer), false)
    }
    for (const name of ['idempotency_find', 'idempotency_claim', 'idempotency_finish', 'payouts_insert', 'commit']) {
      assert.ok(countOf(name) >= 1 && countOf(name) <= 12, `${name}: ${countOf(name)}`)
    }
    const rows = await world.rows('select 1 from payouts where withdrawal_id = any($1::uuid[])', [ids])
    assert.equal(rows.length, 64)
  })

  test('20 simultaneous approvals with and without a key take at most 8 batches', async () => {
    const shop = await operator.shop('1000000.00')
    const ids = await submitMany(shop, 20)
    statements.length = 0
    const answers = await Promise.all(ids.map((id, i) => (i % 2 === 0 ? approve(id) : operator.act(id, 'approve'))))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.ok(countOf('payouts_insert') <= 8, `${countOf('payouts_insert')}`)
  })

  test('the server refuses each wrong approval of a batch separately, and of these refusals stores only those with 409 under their keys', async () => {
    const [shop, poor] = [await operator.shop('10000000.00'), await operator.shop('1000.00')]
    const [first, second, submitted] = await submitMany(shop, 3, LARGE)
    const [small, more, rejected, unreachable] = await submitMany(shop, 4)
    const lacking = await operator.submit(poor, { amount: '10.00' })
    await approve(second as string)
    await operator.act(rejected as string, 'reject')
    await world.rows("update withdrawals set destination_code = 'AIRTEL' where id = $1", [unreachable])
    await world.rows("update withdrawals set requested_by_kind = 'user', requested_by_id = $2 where id = $1", [
      submitted,
      asha.user_id,
    ])
    const debit = {
      environment: 'live',
      direction: 'debit',
      against: 'provider_float',
      amount: '400.00',
      reason: 'Out',
    }
    await operator.adjust(poor, debit)
    type Case = { id: string; code: string; status: number; stored: boolean }
    const cases: Case[] = [
      { id: small as string, code: 'ok', status: 200, stored: true },
      { id: second as string, code: 'second_operator_required', status: 409, stored: true },
      { id: submitted as string, code: 'forbidden', status: 403, stored: false },
      { id: rejected as string, code: 'invalid_state', status: 409, stored: true },
      { id: randomUUID(), code: 'not_found', status: 404, stored: false },
      { id: lacking, code: 'insufficient_balance', status: 409, stored: true },
      { id: unreachable as string, code: 'provider_unavailable', status: 503, stored: false },
      { id: first as string, code: 'ok', status: 200, stored: true },
      { id: more as string, code: 'ok', status: 200, stored: true },
    ]
    const keys = cases.map(() => randomUUID())
    const send = () => Promise.all(cases.map(({ id }, i) => approve(id, { key: keys[i] as string })))
    const answers = await send()
    assert.deepEqual(
      answers.map(codeOf),
      cases.map(({ status, code }) => [status, code]),
    )
    const stored = cases.flatMap((item, i) => (item.stored ? [[keys[i], item.status] as const] : []))
    assert.deepEqual(await storedUnder(keys), Object.fromEntries(stored))
    const again = await unchanged(world, send)
    for (const [i, item] of cases.entries()) {
      assert.equal(again[i]?.text, answers[i]?.text)
      assert.equal(isReplay(again[i] as Reply), item.stored, item.code)
    }
    // If the server stores no response for a key, a later request can use the key.
    const free = keys.filter((_, i) => !cases[i]?.stored)
    const fresh = await submitMany(shop, free.length)
    const taken = await Promise.all(fresh.map((id, i) => approve(id, { key: free[i] as string })))
    assert.deepEqual(
      taken.map(({ status }) => status),
      free.map(() => 200),
    )
  })
})

describe('simultaneous approvals with the same key', () => {
  test('20 identical simultaneous approvals make one approval and 20 equal responses, on one or two processes', async () => {
    for (const at of [world, other]) {
      const shop = await operator.shop('100000.00')
      const [id] = (await submitMany(shop, 1)) as [string]
      const key = randomUUID()
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => approve(id, { key, at: i % 2 === 0 ? world : at })),
      )
      assert.deepEqual([...new Set(answers.map(({ status, text }) => `${status} ${text}`))].length, 1)
      assert.equal(answers[0]?.body.data.status, 'PROCESSING')
      assert.equal(answers.filter((answer) => !isReplay(answer)).length, 1)
      const { history, approvals } = await operator.show(id)
      assert.deepEqual([history.length, approvals.length], [1, 1])
      const audits = await world.rows("select 1 from audit_log where target_id = $1 and action like '%approve'", [id])
      assert.equal(audits.length, 1)
    }
  })

  test('20 identical simultaneous first approvals make one of two approvals and 20 equal responses', async () => {
    const id = await operator.submit(await operator.shop('1000000.00'), { amount: LARGE })
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 20 }, () => approve(id, { key })))
    assert.deepEqual([...new Set(answers.map(({ status, text }) => `${status} ${text}`))].length, 1)
    assert.deepEqual((await operator.show(id)).approvals.length, 1)
    assert.equal(
      (await approve(id, { by: juma, key })).body.data.status,
      'PROCESSING',
      'another operator has other keys',
    )
  })

  test('if the server does not store a refusal, every request with the same key gets that refusal', async () => {
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 5 }, () => approve(randomUUID(), { key })))
    for (const answer of answers) assert.deepEqual([codeOf(answer), isReplay(answer)], [[404, 'not_found'], false])
    assert.deepEqual(await storedUnder([key]), {})
  })

  test('the server refuses a request with the same key and another body, and keeps the approval', async () => {
    const shop = await operator.shop('100000.00')
    const [id, later] = (await submitMany(shop, 2)) as [string, string]
    const key = randomUUID()
    const bodies = [{}, { reason: 'Seen' }]
    const answers = await Promise.all(bodies.map((body) => approve(id, { key, body })))
    assert.deepEqual(answers.map(codeOf).sort(), [
      [200, 'ok'],
      [422, 'idempotency_key_reused'],
    ])
    await unchanged(world, async () => {
      const again = await Promise.all(bodies.map((body) => approve(id, { key, body })))
      for (const [i, answer] of again.entries()) assert.equal(answer.text, answers[i]?.text)
      assert.deepEqual(codeOf(await approve(later, { key })), [422, 'idempotency_key_reused'])
    })
  })

  test('approvals of one withdrawal with two keys approve once, and each key keeps its response', async () => {
    const [id] = (await submitMany(await operator.shop('100000.00'), 1)) as [string]
    const keys = [randomUUID(), randomUUID()]
    const send = () => Promise.all(keys.map((key) => approve(id, { key })))
    const answers = await send()
    assert.deepEqual(answers.map(codeOf).sort(), [
      [200, 'ok'],
      [409, 'invalid_state'],
    ])
    const again = await send()
    for (const [i, answer] of again.entries()) {
      assert.deepEqual([answer.status, answer.text, isReplay(answer)], [answers[i]?.status, answers[i]?.text, true])
    }
  })
})

describe('processes that die during two approvals with different keys', () => {
  test('if the process dies before a query of a transaction of approvals, the approvals of that transaction have no effect', async () => {
    const shop = await operator.shop('1000000.00')
    const newPair = async () => {
      const ids = await submitMany(shop, 2)
      return { ids, keys: [randomUUID(), randomUUID()] }
    }
    const send = ({ ids, keys }: { ids: string[]; keys: string[] }) =>
      Promise.all(ids.map((id, i) => approve(id, { key: keys[i] as string })))
    const first = await newPair()
    statements.length = 0
    for (const { status } of await send(first)) assert.equal(status, 200)
    // If the requests formed two batches, the reads of the second batch may run during the first transaction.
    const reads = new Set(statements.slice(0, statements.indexOf('begin')))
    const between = statements.slice(statements.indexOf('begin'), statements.lastIndexOf('commit') + 1)
    const names = new Set(between.filter((name) => !reads.has(name)))
    assert.ok(names.size > 12, [...names].join())
    for (const name of ['begin', 'idempotency_finish', 'commit']) assert.ok(names.has(name), `${name} in ${[...names]}`)
    for (const name of names) {
      const next = await newPair()
      const before = await operator.book(shop)
      begun = false
      dead = false
      dies_before = name
      const answers = await send(next)
      dies_before = null
      const where = `before ${name}`
      // If the requests formed two batches, `world` may have committed the first batch before it died.
      const failed = next.ids.filter((_, i) => answers[i]?.status === 500)
      assert.ok(failed.length > 0, where)
      if (failed.length === 2) assert.deepEqual(await operator.book(shop), before, where)
      for (const [i, id] of next.ids.entries()) {
        const is_failed = failed.includes(id)
        assert.equal(answers[i]?.status, is_failed ? 500 : 200, where)
        assert.equal(Object.keys(await storedUnder([next.keys[i] as string])).length, is_failed ? 0 : 1, where)
        const { status, history, approvals, payout } = await operator.show(id)
        if (!is_failed) assert.equal(status, 'PROCESSING', where)
        else
          assert.deepEqual([status, history.length, approvals, payout], ['PENDING_ADMIN_APPROVAL', 0, [], null], where)
      }
      assert.deepEqual(
        (await send(next)).map((answer) => [answer.status, isReplay(answer)]),
        next.ids.map((id) => [200, !failed.includes(id)]),
        where,
      )
    }
  })

  test('if the process dies at approve.before_commit, no withdrawal is approved', async () => {
    const shop = await operator.shop('100000.00')
    const [id] = (await submitMany(shop, 1)) as [string]
    const key = randomUUID()
    dies_at = 'approve.before_commit'
    assert.equal((await approve(id, { key })).status, 500)
    assert.deepEqual([await storedUnder([key]), await operator.book(shop)], [{}, { ...UNTOUCHED }])
  })

  test('if the process dies at approve.after_commit, the database contains the approvals and their responses', async () => {
    const ids = await submitMany(await operator.shop('100000.00'), 3)
    const keys = ids.map(() => randomUUID())
    const send = () => Promise.all(ids.map((id, i) => approve(id, { key: keys[i] as string })))
    dies_at = 'approve.after_commit'
    assert.deepEqual(
      (await send()).map(({ status }) => status),
      [500, 500, 500],
    )
    dies_at = null
    assert.deepEqual(await storedUnder(keys), Object.fromEntries(keys.map((key) => [key, 200])))
    const replayed = await unchanged(world, send)
    for (const [i, answer] of replayed.entries()) {
      const { id, status } = answer.body.data
      assert.deepEqual([answer.status, isReplay(answer), id, status], [200, true, ids[i], 'PROCESSING'])
    }
  })
})
