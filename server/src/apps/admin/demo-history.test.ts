// Tests the demo history. The calls of the product make 30 days of data, so the books verify.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { fund, insertWithdrawal } from '../../../test/payouts.ts'
import { startLiveWorld, until } from '../../../test/programs.ts'
import { moveMerchant } from '../../access/merchants/index.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { SCOPES } from '../../kernel/http/index.ts'
import { newId, Refusal, routingCodeOf } from '../../kernel/lib/index.ts'
import { approveWithdrawals, listRecipients, OPEN_STATUSES } from '../../money/withdrawals/index.ts'
import { compose } from '../../system.ts'
import { demo } from './demo.ts'
import { createDemoHistory } from './demo-history.ts'
import { removeDemoHistory } from './demo-removal.ts'
import { makeKey } from './merchants.ts'
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

// The command is a process of its own beside the server.
const make = (of = world) =>
  createDemoHistory(
    { ...of.deps, process_id: randomUUID() },
    (deps) => compose(deps),
    () => {},
  )
const broken = async (of = world) => (await verify(of.url)).checks.filter(({ ok }) => !ok)
const counts = (table: string, merchant_id: string, of: World = world) =>
  of
    .rows<{ status: string; count: number }>(
      `select status, count(*)::int as count from ${table} where merchant_id = $1 group by 1`,
      [merchant_id],
    )
    .then((rows) => Object.fromEntries(rows.map(({ status, count }) => [status, count])))

/**
 * Gives the other merchant an open payment, an approved payout, a queued message, and a delivery that failed once and waits for
 * its retry.
 */
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

test('the demo history has records in many states over 30 days, its books are correct, and its removal archives the merchant', async () => {
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
  await sideRecords(merchant_id, made.payments)
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
  const { slug } = await openPage(merchant_id)
  await plantOpenWork(merchant_id)
  const operator = (await world.newSession('SUPER_ADMIN')).token
  const before = await operatorLists(operator)
  assert.deepEqual(before.names.includes('Duka la Mfano: siku 30'), true)
  assert.ok(before.payments > 0 && before.hits > 0, JSON.stringify(before))
  const kinds = ['waiting', 'info_requested', 'needs_reconciliation', 'blocked'].map((kind) => `withdrawals_${kind}`)
  assert.deepEqual(before.waiting, {
    sandbox: [...kinds, 'collections_held', 'ip_addresses_pending'],
    live: ['collections_held', 'ip_addresses_pending'],
  })
  assert.deepEqual([before.open, before.held, before.addresses], [4, 3, 1])
  const transfers = 'select count(*)::int as count from ledger_transfers where merchant_id = $1'
  const [booked] = await world.rows<{ count: number }>(transfers, [merchant_id])

  await refusesRealProvider(merchant_id)
  await refusesWorkUnderWay(merchant_id)
  const { archived, kept } = await removeDemoHistory(world.deps)
  assert.deepEqual(archived, [merchant_id])
  assert.match(kept, /append-only/)
  assert.deepEqual((await removeDemoHistory(world.deps)).archived, [])
  const [left] = await world.rows('select status, archived_at is not null as archived from merchants where id = $1', [
    merchant_id,
  ])
  assert.deepEqual(left, { status: 'SUSPENDED', archived: true })
  const [rows] = await world.rows<{ count: number }>(transfers, [merchant_id])
  assert.ok((rows?.count ?? 0) >= (booked?.count ?? 1), 'the ledger keeps its rows')

  // The page of an open link takes no payment and says so in both languages.
  const body = { method: 'WALLET_PUSH', customer_phone: '0754123001' }
  const no_payment = await world.post(`/public/payment-links/${slug}/collect`, body, { key: null })
  assert.deepEqual(codeOf(no_payment), [409, 'payment_link_not_active'])
  for (const [lang, text] of [
    ['sw', 'Biashara hii haipokei malipo'],
    ['en', 'This business takes no payments'],
  ]) {
    const shown = await world.call({ method: 'GET', url: `/pay/${slug}?lang=${lang}`, key: null })
    assert.equal(shown.status, 200)
    assert.ok(shown.text.includes(text as string), shown.text)
    assert.doesNotMatch(shown.text, /<form/)
  }
  assert.deepEqual(await openWork(merchant_id), [])
  const after = await operatorLists(operator)
  assert.deepEqual(after, {
    ...{ names: after.names, waiting: { sandbox: [], live: [] }, payments: 0, withdrawals: 0, messages: 0, hits: 0 },
    ...{ open: 0, held: 0, addresses: 0 },
  })
  assert.equal(after.names.includes('Duka la Mfano: siku 30'), false)
  await setLateWork(merchant_id, true)
  assert.deepEqual(await operatorLists(operator), after, 'open work of an archived merchant stays out of the lists')
  await setLateWork(merchant_id, false)
  const asked = await world.get('/v1/operator/merchants?archived=true', operator)
  assert.deepEqual(
    asked.body.data.items.map(({ id }: { id: string }) => id),
    [merchant_id],
  )
  const own = await world.get(
    `/v1/operator/collections?status=successful&environment=sandbox&merchant_id=${merchant_id}`,
    operator,
  )
  assert.ok(own.body.data.pagination.total_items > 0, 'the list of one archived merchant shows its payments')
  const active_keys = 'select 1 from api_keys where merchant_id = $1 and revoked_at is null'
  assert.deepEqual(await world.rows(active_keys, [merchant_id]), [])
  assert.deepEqual(await world.rows('select 1 from members where merchant_id = $1', [merchant_id]), [])
  const [removed] = await world.rows(
    "select count(*)::int as count from audit_log where merchant_id = $1 and action = 'member.remove'",
    [merchant_id],
  )
  assert.deepEqual(removed, { count: 4 })
  assert.deepEqual(await broken(), [])
  await reactivates(merchant_id)
})

/** The records of a merchant that wait for the merchant or an operator. */
async function openWork(merchant_id: string): Promise<unknown[]> {
  return world.rows(
    `select 'withdrawal' as kind, status from withdrawals where merchant_id = $1 and status = any($2)
     union all select 'held', environment from held_collections where merchant_id = $1 and decided_at is null
     union all select 'invoice', status from invoices where merchant_id = $1 and not paid and status <> 'CANCELLED'
     union all select 'address', status from ip_addresses where merchant_id = $1 and status = 'PENDING'`,
    [merchant_id, OPEN_STATUSES],
  )
}

/** Gives an archived merchant open work, or takes the work back. */
async function setLateWork(merchant_id: string, open: boolean): Promise<void> {
  const [from, to] = open ? ['CANCELLED', 'PENDING_ADMIN_APPROVAL'] : ['PENDING_ADMIN_APPROVAL', 'CANCELLED']
  const moved = await world.rows(
    'update withdrawals set status = $3 where merchant_id = $1 and status = $2 returning 1 as moved',
    [merchant_id, from, to],
  )
  assert.equal(moved.length, 2)
  const decided_at = open ? null : world.deps.clock.now()
  const held = `update held_collections h set decided_at = $2 from collections c
     where h.merchant_id = $1 and c.merchant_id = $1 and c.id = h.collection_id returning 1 as held`
  assert.equal((await world.rows(held, [merchant_id, decided_at])).length, 3)
  await world.rows(
    `update ip_addresses set status = $2, decided_at = $3 where merchant_id = $1 returning 1 as changed`,
    [merchant_id, open ? 'PENDING' : 'REJECTED', decided_at],
  )
}

/** A process of the previous version leaves a reactivated merchant archived. A suspension and a reactivation end the archive. */
async function reactivates(merchant_id: string): Promise<void> {
  const state = async () =>
    (
      await world.rows('select status, archived_at is not null as archived from merchants where id = $1', [merchant_id])
    )[0]
  await world.rows("update merchants set status = 'ACTIVE' where id = $1 returning id", [merchant_id])
  assert.deepEqual(await state(), { status: 'ACTIVE', archived: true })
  const act = { actor: { kind: 'operator', id: newId(world.deps, 0), name: 'operator@example.com' } } as const
  for (const move of ['suspend', 'reactivate'] as const)
    await inTransaction(world.deps.db, (tx) =>
      moveMerchant(world.deps, tx, { ...act, request_id: null, address: null }, { merchant_id, move, reason: null }),
    )
  assert.deepEqual(await state(), { status: 'ACTIVE', archived: false })
}

/** Compares the records beside the money: the logged requests, the saved recipients, the messages, and the payers' numbers. */
async function sideRecords(merchant_id: string, payments: number): Promise<void> {
  const requests = await world.rows<{ kind: string; count: number; days: number }>(
    `select status / 100 || 'xx' as kind, count(*)::int as count, count(distinct left(id::text, 10))::int as days
     from requests where merchant_id = $1 and pack_id is not null and key_id is not null group by 1 order by 1`,
    [merchant_id],
  )
  const [answered, refused] = requests
  assert.deepEqual(
    requests.map(({ kind }) => kind),
    ['2xx', '4xx'],
  )
  assert.ok(answered && answered.count > payments * 0.95 && answered.days > 29, JSON.stringify(answered))
  assert.ok(refused && refused.count > 3 && refused.count < 20, JSON.stringify(refused))
  const { items, earlier } = await listRecipients(world.deps.db, { merchant_id, environment: 'sandbox' })
  const paid = items.map(({ label, paid_count, created_by }) => [label, paid_count, created_by])
  const expected = [
    ['Mchele wa Mbeya', 1, 'admin'],
    ['Usafiri wa mizigo', 0, 'admin'],
    ['Vitenge vya Kariakoo', 2, 'admin'],
  ]
  assert.deepEqual(paid, expected)
  assert.deepEqual(
    earlier.map(({ destination_name, paid_count }) => [destination_name, paid_count]),
    [['Rehema Said', 2]],
  )
  const messages = await world.rows<{ channel: string; kind: string }>(
    'select distinct channel, kind from outbox_messages where merchant_id = $1 and invoice_id is not null order by 1, 2',
    [merchant_id],
  )
  const kinds = ['email', 'sms'].flatMap((channel) => [`${channel} invoice.remind`, `${channel} invoice.send`])
  assert.deepEqual(
    messages.map(({ channel, kind }) => `${channel} ${kind}`),
    kinds,
  )
  const [same] = await world.rows<{ count: number }>(
    `select count(*)::int as count from collections where merchant_id = $1 and status = 'successful'
     group by right(customer_phone, 4) order by 1 desc limit 1`,
    [merchant_id],
  )
  assert.ok(same && same.count <= 5, `${same?.count} payers with the same last four digits`)
}

/** The open payment link of the merchant that was made last. */
async function openPage(merchant_id: string): Promise<{ slug: string }> {
  const [page] = await world.rows<{ slug: string }>(
    "select slug from payment_links where merchant_id = $1 and status = 'ACTIVE' and collection_id is null order by id desc limit 1",
    [merchant_id],
  )
  assert.ok(page)
  return page
}

/** The sandbox records that the operators' console lists and counts for all merchants. */
async function operatorLists(token: string) {
  const data = async (url: string) => {
    const reply = await world.get(url, token)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.data
  }
  const total = async (url: string): Promise<number> => (await data(url)).pagination.total_items
  const merchants: { name: string }[] = (await data('/v1/operator/merchants')).items
  const waitingIn = async (environment: string): Promise<string[]> => {
    const queue: { kind: string; count: number }[] = (await data(`/v1/operator/queue?environment=${environment}`)).items
    return queue.flatMap(({ kind, count }) => (count > 0 ? [kind] : []))
  }
  const open = OPEN_STATUSES.map((status) => total(`/v1/operator/withdrawals?status=${status}`))
  const groups: { items: { merchant_name: string | null }[] }[] = (await data('/v1/operator/search?q=ORDER-2')).groups
  return {
    names: merchants.map(({ name }) => name),
    waiting: { sandbox: await waitingIn('sandbox'), live: await waitingIn('live') },
    payments: await total('/v1/operator/collections?status=successful&environment=sandbox'),
    withdrawals: await total('/v1/operator/withdrawals?environment=sandbox'),
    messages: await total('/v1/operator/messages'),
    hits: groups.flatMap(({ items }) => items).length,
    open: (await Promise.all(open)).reduce((sum, count) => sum + count, 0),
    held: await total('/v1/operator/collections'),
    addresses: await total('/v1/operator/ip-addresses'),
  }
}

/** Gives the demo merchant a held payment of the live environment, two payouts in doubt, and an IP address that waits. */
async function plantOpenWork(merchant_id: string): Promise<void> {
  const key = async (environment: 'live' | 'sandbox') =>
    (await makeKey(world.deps, { merchant_id, environment, scopes: Object.keys(SCOPES), name: environment }, 0))
      .plaintext_key
  const post = async (url: string, body: object, of: string) => {
    const reply = await world.post(url, body, { key: of })
    assert.ok(reply.status < 300, reply.text)
    return reply.body.data
  }
  const [live, sandbox] = [await key('live'), await key('sandbox')]
  await post('/v1/collections/wallet-push', { amount: '900.00', phone: '0754123014', reference: 'LIVE-1' }, live)
  for (const outcome of ['NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST']) {
    const destination = { destination_code: 'MPESA', destination_identifier: '0754123400', destination_name: 'Asha' }
    const payout = await post('/v1/disbursements/mobile-money', { amount: '1000.00', ...destination }, sandbox)
    await post(`/v1/sandbox/disbursements/${payout.id}/simulate`, { outcome }, sandbox)
  }
  await world.work()
  const id = newId(world.deps, routingCodeOf(merchant_id))
  await world.rows(
    `insert into ip_addresses (merchant_id, id, label, address, environment, status, created_at)
     values ($1, $2, 'Office', '196.41.0.1/32', 'live', 'PENDING', $3)`,
    [merchant_id, id, world.deps.clock.now()],
  )
}

/** While a payment or payout is under way, the command changes nothing and says what to wait for. */
async function refusesWorkUnderWay(merchant_id: string): Promise<void> {
  for (const [table, settled, status, message] of [
    ['collections', 'successful', 'processing', /has 1 payments and 0 payouts under way\. Let the server run/],
    [
      'withdrawals',
      'NEEDS_RECONCILIATION',
      'PROCESSING',
      /has 0 payments and 1 payouts under way\. Let the server run/,
    ],
    [
      'withdrawals',
      'NEEDS_RECONCILIATION',
      'NEEDS_ADMIN_ATTENTION',
      /need the decision of an operator: 1\. Resolve them/,
    ],
  ] as const) {
    const [row] = await world.rows<{ id: string }>(
      `select id from ${table} where merchant_id = $1 and environment = 'sandbox' and status = $2 limit 1`,
      [merchant_id, settled],
    )
    const set = (to: string) =>
      world.rows(`update ${table} set status = $3 where merchant_id = $1 and id = $2`, [merchant_id, row?.id, to])
    await set(status)
    await assert.rejects(
      () => removeDemoHistory(world.deps),
      (error) => error instanceof Refusal && error.code === 'invalid_state' && message.test(error.message),
    )
    const [kept] = await world.rows('select status, archived_at from merchants where id = $1', [merchant_id])
    assert.deepEqual(kept, { status: 'ACTIVE', archived_at: null })
    await set(settled)
  }
}

/** If a held payment is at a provider that moves money, the command changes nothing and names the provider. */
async function refusesRealProvider(merchant_id: string): Promise<void> {
  const provide = (provider: string, of: string) =>
    world.rows(
      `update collection_attempts a set provider = $2 from collections c where c.merchant_id = $1 and c.reference = 'LIVE-1'
         and a.merchant_id = c.merchant_id and a.collection_id = c.id and a.provider = $3`,
      [merchant_id, provider, of],
    )
  // In the second run, the work arrives at the provider after the command's first look.
  let reads = 0
  const changing = new Proxy(world.deps.db, {
    get: (db, name) => {
      const value = Reflect.get(db, name)
      if (typeof value !== 'function') return value
      return async (...input: unknown[]) => {
        const result = await value.apply(db, input)
        if (name === 'query' && ++reads === 2) await provide('selcom', 'mock')
        return result
      }
    },
  })
  await provide('selcom', 'mock')
  for (const db of [world.deps.db, changing]) {
    await assert.rejects(
      () => removeDemoHistory({ ...world.deps, db }),
      (error) => error instanceof Refusal && error.code === 'invalid_state' && /wait at selcom/.test(error.message),
    )
    const [kept] = await world.rows('select status, archived_at from merchants where id = $1', [merchant_id])
    assert.deepEqual(kept, { status: 'ACTIVE', archived_at: null })
    if (db !== changing) await provide('mock', 'selcom')
  }
  assert.ok(reads >= 2)
  await provide('mock', 'selcom')
}

test('the command revokes the key of the demo history after the last use of the key, and another key still works', async () => {
  const [key] = await world.rows<{ revoked: boolean; uses: boolean }>(
    `select k.revoked_at is not null as revoked, u.last_used_at between k.created_at and k.revoked_at as uses
     from api_keys k left join api_key_usage u on u.merchant_id = k.merchant_id and u.key_id = k.id
     where k.name = 'Demo history'`,
  )
  assert.deepEqual(key, { revoked: true, uses: true })
  assert.equal(codeOf(await world.get('/v1/collections'))[0], 200)
})

test('the demo history changes no waiting work of another merchant', async () => {
  const other = await createWorld({ env: { DATA_DIR: data_dir } })
  try {
    await plantWaitingWork(other)
    const planted = await waitingWork(other)
    for (const rows of planted) assert.ok(rows.length > 0)
    const { merchant_id } = await make(other)
    assert.deepEqual(await waitingWork(other), planted)
    const orders = (of: World, id: string | undefined) =>
      of.rows(
        `select reference, customer_phone, amount_minor, status from collections
         where merchant_id = $1 and reference ~ '^ORDER-[0-9]' order by reference`,
        [id],
      )
    const [first] = await world.rows<{ id: string }>("select id from merchants where email = 'history@malipo.example'")
    assert.deepEqual(
      await orders(other, merchant_id),
      await orders(world, first?.id),
      'each run makes the same payments',
    )
  } finally {
    await other.close()
  }
})

/** The tables with records of a merchant, and their columns with the time of a change. */
const CHANGED_SINCE = [
  ['collections', 'updated_at'],
  ['collection_attempts', 'updated_at'],
  ['collection_history', 'at'],
  ['withdrawals', 'updated_at'],
  ['payouts', 'updated_at'],
  ['invoices', 'updated_at'],
  ['invoices', 'overdue_at'],
  ['payment_links', 'updated_at'],
  ['ledger_transfers', 'created_at'],
  ['webhook_deliveries', 'updated_at'],
  ['webhook_attempts', 'at'],
  ['unsent_events', 'created_at'],
  ['outbox_messages where invoice_id is not null', 'created_at'],
] as const

test('a worker that runs beside the command changes nothing of the history, whose events and webhooks have their own times', async () => {
  const live = await startLiveWorld({ DATA_DIR: data_dir })
  try {
    const begun = live.deps.clock.now()
    const making = make(live)
    /** Makes a payment of another merchant, and waits until the worker has settled the payment. */
    const pay = async () => {
      const push = { amount: '700', phone: '0754123001' }
      const { collection_id } = (await live.post('/v1/collections/wallet-push', push)).body.data
      await until(async () => (await live.get(`/v1/collections/${collection_id}`)).body.data.status === 'successful')
    }
    await pay()
    const { merchant_id } = await making
    const changed = async () => {
      const found: string[] = []
      for (const [table, column] of CHANGED_SINCE) {
        const own = `${table}${table.includes(' where ') ? ' and' : ' where'} merchant_id = $1`
        const rows = await live.rows(`select 1 from ${own} and ${column} >= $2`, [merchant_id, begun])
        if (rows.length > 0) found.push(`${rows.length} ${table} by ${column}`)
      }
      return found
    }
    assert.deepEqual(await changed(), [])
    await pay()
    assert.deepEqual(await changed(), [], 'no record of the history waits for the worker')

    const [webhooks] = await live.rows<{ days: number; late: number; other: number }>(
      `select count(distinct d.created_at::date)::int as days,
         count(*) filter (where a.at > d.created_at + case when a.number = 1 then interval '1 minute' else interval '1 day' end)::int as late,
         count(*) filter (where abs(extract(epoch from (d.body::json->>'timestamp')::timestamptz - d.created_at)) > 60)::int as other
       from webhook_deliveries d join webhook_attempts a on a.merchant_id = d.merchant_id and a.delivery_id = d.id
       where d.merchant_id = $1`,
      [merchant_id],
    )
    assert.ok((webhooks?.days ?? 0) >= 29, JSON.stringify(webhooks))
    assert.deepEqual([webhooks?.late, webhooks?.other], [0, 0])
    assert.deepEqual(Object.keys(await counts('webhook_deliveries', merchant_id, live)), ['delivered'])
    const [overdue] = await live.rows<{ count: number }>(
      `select count(*)::int as count from invoices where merchant_id = $1 and overdue_at < $2`,
      [merchant_id, begun],
    )
    assert.ok((overdue?.count ?? 0) > 0, 'an invoice became overdue in the history')
    assert.deepEqual(await broken(live), [])
  } finally {
    await live.close()
  }
})

test('a demo history that fails on the way leaves no merchant, and the books stay correct', async () => {
  const other = await createWorld({ env: { DATA_DIR: data_dir } })
  try {
    const merchants = async () => (await other.rows('select id from merchants')).length
    await demo(other.deps)
    const before_it = await merchants()
    const stopped = createDemoHistory(
      { ...other.deps, process_id: randomUUID() },
      (deps) => compose(deps),
      (line) => {
        if (line.startsWith('Made 10')) throw new Error('stopped after ten days')
      },
    )
    await assert.rejects(stopped, /stopped after ten days/)
    assert.equal(await merchants(), before_it)
    assert.deepEqual(await broken(other), [])
  } finally {
    await other.close()
  }
})
