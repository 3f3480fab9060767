// Tests the demo history. The calls of the product make 30 days of data, so the books verify.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { fund, insertWithdrawal } from '../../../test/payouts.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { newId, Refusal } from '../../kernel/lib/index.ts'
import { approveWithdrawals } from '../../money/withdrawals/index.ts'
import { compose } from '../../system.ts'
import { createDemoHistory, removeDemoHistory } from './demo-history.ts'
import { verify } from './verify.ts'

const DAY_MS = 86_400_000

let world: World
let data_dir: string
before(async () => {
  data_dir = await mkdtemp(join(tmpdir(), 'malipo-history-'))
  world = await createWorld({ env: { DATA_DIR: data_dir } })
})
after(async () => {
  await world.close()
  await rm(data_dir, { recursive: true, force: true })
})

const make = (of = world) =>
  createDemoHistory(
    of.deps,
    (deps) => compose(deps),
    () => {},
  )
const broken = async () => (await verify(world.url)).checks.filter(({ ok }) => !ok)
const counts = (table: string, merchant_id: string) =>
  world
    .rows<{ status: string; count: number }>(
      `select status, count(*)::int as count from ${table} where merchant_id = $1 group by 1`,
      [merchant_id],
    )
    .then((rows) => Object.fromEntries(rows.map(({ status, count }) => [status, count])))

/** Gives the other merchant an open payment, an approved payout, a queued message, and a delivery that failed once and waits for its retry. */
async function plantWaitingWork(of: World): Promise<void> {
  const { merchant, deps } = of
  const body = { amount: '1000.00', phone: '0754000009', reference: 'OTHER-1' }
  const reply = await of.post('/v1/collections/wallet-push', body)
  assert.ok(reply.status < 300, JSON.stringify(reply.body))
  await of.work()
  const now = deps.clock.now()
  const due = new Date(now.getTime() + 60_000)
  const id = () => newId(deps, merchant.routing_code)
  await fund(of, 5_000_000n)
  const payout = { merchant_id: merchant.id, id: (await insertWithdrawal(of, { amount_minor: 100_000n })).id }
  const act = { actor: { kind: 'operator', id: id(), name: 'operator@example.com' } } as const
  const providers = {
    canDispatch: () => false,
    find: () => ({ name: 'sandbox', capabilities: { payout_methods: ['MOBILE_MONEY'] } }) as never,
  }
  await inTransaction(deps.db, (tx) => approveWithdrawals(deps, tx, providers, [{ ...payout, act }], { send: false }))
  await of.rows(
    `insert into webhook_deliveries (merchant_id, id, environment, event, source_type, source_id, source_seq, body, status,
       attempts, due_at, created_at, updated_at)
     values ($1, $2, 'sandbox', 'collection.success', 'collection', $3, 7, '{}', 'pending', 1, $4, $5, $5)`,
    [merchant.id, id(), id(), due, now],
  )
  await of.rows(
    `insert into outbox_messages (merchant_id, id, kind, recipient, subject, body, created_at, due_at, status)
     values ($1, $2, 'receipt', 'mteja@example.com', 'Receipt', 'Asante', $3, $4, 'waiting')`,
    [merchant.id, id(), now, due],
  )
}

const waitingWork = (of: World) =>
  Promise.all(
    ['webhook_deliveries', 'collection_attempts', 'outbox_messages', 'payouts', 'withdrawals'].map((table) =>
      of.rows(`select * from ${table} where merchant_id = $1 order by 1, 2`, [of.merchant.id]),
    ),
  )

test('the demo history has records in every state over 30 days, its books are correct, and its removal archives the merchant', async () => {
  const now = world.deps.clock.now().getTime()
  const made = await make()
  const { merchant_id } = made
  const payments = await counts('collections', merchant_id)
  for (const status of ['successful', 'failed', 'reversed', 'pending_clearance']) {
    assert.ok((payments[status] ?? 0) > 0, `${status}: ${JSON.stringify(payments)}`)
  }
  assert.equal(payments.processing, undefined)
  assert.ok(made.payments > 300, String(made.payments))
  const payouts = await counts('withdrawals', merchant_id)
  for (const status of ['SUCCESS', 'FAILED', 'REVERSED', 'REJECTED', 'INFO_REQUESTED', 'PENDING_ADMIN_APPROVAL']) {
    assert.ok((payouts[status] ?? 0) > 0, `${status}: ${JSON.stringify(payouts)}`)
  }
  for (const [table, states] of [['payment_links', ['ACTIVE', 'PAID']]] as const) {
    const found = await counts(table, merchant_id)
    for (const state of states) assert.ok((found[state] ?? 0) > 0, `${table} ${JSON.stringify(found)}`)
  }
  assert.deepEqual(Object.keys(await counts('webhook_deliveries', merchant_id)), ['delivered'])
  const invoices = await world.rows('select paid from invoices where merchant_id = $1 group by 1', [merchant_id])
  assert.equal(invoices.length, 2, 'some invoices are paid, and some are not')
  const days = await world.rows<{ day: string; first: Date; last: Date }>(
    `select (created_at at time zone 'Africa/Dar_es_Salaam')::date::text as day, min(created_at) as first, max(created_at) as last
     from collections where merchant_id = $1 group by 1 order by 1`,
    [merchant_id],
  )
  assert.equal(days.length, 30)
  assert.ok(Number(days[0]?.first) > now - 30 * DAY_MS && Number(days.at(-1)?.last) < now)
  const refused = await world.rows('select 1 from webhook_attempts where merchant_id = $1 and status_code = 503', [
    merchant_id,
  ])
  assert.ok(refused.length > 0, 'some deliveries needed a second attempt')
  const [audit] = await world.rows<{ first: Date }>('select min(at) as first from audit_log where merchant_id = $1', [
    merchant_id,
  ])
  assert.ok(Number(audit?.first) >= now, 'no audit entry has a past time')
  const [member] = await world.rows<{ count: number }>(
    'select count(*)::int as count from members where merchant_id = $1',
    [merchant_id],
  )
  assert.equal(member?.count, 4)
  assert.deepEqual(await broken(), [])

  await assert.rejects(
    () => make(),
    (error) => error instanceof Refusal && error.code === 'invalid_state',
  )
  assert.deepEqual(await removeDemoHistory(world.deps), { archived: [merchant_id] })
  assert.deepEqual(await removeDemoHistory(world.deps), { archived: [] })
  const [left] = await world.rows('select status from merchants where id = $1', [merchant_id])
  assert.deepEqual(left, { status: 'SUSPENDED' })
  assert.deepEqual(await world.rows('select 1 from members where merchant_id = $1', [merchant_id]), [])
  assert.deepEqual(await broken(), [])
})

test('the key of the demo history no longer works after the command', async () => {
  const [key] = await world.rows<{ revoked: boolean }>(
    `select revoked_at is not null as revoked from api_keys where name = 'Demo history'`,
  )
  assert.deepEqual(key, { revoked: true })
  assert.equal(codeOf(await world.get('/v1/collections'))[0], 200)
})

test('the demo history changes no waiting work of another merchant', async () => {
  const other = await createWorld({ env: { DATA_DIR: data_dir } })
  try {
    await plantWaitingWork(other)
    const planted = await waitingWork(other)
    for (const rows of planted) assert.ok(rows.length > 0)
    await make(other)
    assert.deepEqual(await waitingWork(other), planted)
  } finally {
    await other.close()
  }
})
