// Tests that verify finds a payment, a paid link and a paid invoice whose event is missing.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { invoicesOf } from '../../../test/invoices.ts'
import { runChecks } from './verify.ts'
import { EVENTS_HOLD, findLostEvents } from './verify-events.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let world: World
before(async () => {
  world = await createWorld({ env: { PROMPTS_PER_PHONE: '0', TRIES_PER_ADDRESS: '0' } })
  // The test deletes deliveries, so the owner of the database grants the revoked privilege to itself.
  await world.rows('grant delete on webhook_deliveries to current_user')
})
after(() => world.close())

type PaidShop = { id: string; key: string; invoice_payment: string; collections: string[] }

/** Makes a merchant with payments by a prompt, a link and an invoice, and with a failed and a reversed payment. */
async function paidShop(events: string[] | null, more: string[] = []): Promise<PaidShop> {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  const webhook_url = 'http://127.0.0.1:9/hook'
  if (events !== null) {
    const payload = { webhook_url, events }
    const saved = await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload, key })
    assert.equal(saved.status, 200, saved.text)
  }
  for (const event of more)
    assert.equal(
      (await world.post('/v1/merchant/webhook-endpoints', { webhook_url, events: [event] }, { key })).status,
      201,
    )
  world.deps.clock.advance(HOUR_MS)
  const collections: string[] = []
  for (const simulate_status of ['successful', 'failed', 'reversed']) {
    const body = { amount: '500', phone: '0754123001', simulate_status }
    collections.push((await world.post('/v1/collections/wallet-push', body, { key })).body.data.collection_id)
    await world.work()
  }
  await world.pass(1_000)
  const invoices = invoicesOf(world)
  const { id } = await invoices.draft({ due_date: '2027-01-01' }, key)
  assert.equal((await invoices.act(id, 'send', key)).status, 200)
  const paid = await invoices.pay(await invoices.show(id, key))
  assert.equal(paid.status, 202, paid.text)
  await world.work()
  return { id: merchant.id, key, invoice_payment: paid.body.data.collection_id, collections }
}

/** Deletes the rows of a condition, runs a check, and restores the rows. Returns the number of these rows. */
async function without(table: string, condition: string, check: () => Promise<void>): Promise<number> {
  const rows = await world.rows<object>(`delete from ${table} where ${condition} returning *`)
  await check()
  const columns = `(json_populate_recordset(null::${table}, $1)).*`
  await world.rows(`insert into ${table} select ${columns}`, [JSON.stringify(rows)])
  assert.equal((await lost()).total, 0)
  return rows.length
}

const lost = () => findLostEvents(world.deps.db, world.deps.clock.now(), 10)

test('verify names each missing event of a payment, a link and an invoice, by endpoint or as an event of the list', async () => {
  const silent = await paidShop(null)
  const listening = await paidShop(['collection.success', 'payment_link.paid'], ['collection.success'])
  assert.deepEqual(await lost(), { total: 0, findings: [] })
  const run = async (now: Date | null) =>
    (await runChecks(world.deps.db, (name) => name === EVENTS_HOLD, { now })).checks[0]
  assert.deepEqual(await run(world.deps.clock.now()), { name: EVENTS_HOLD, ok: true, detail: 'holds' })

  const plants: [table: string, condition: string, findings: string[]][] = [
    ...['collection.success', 'payment_link.paid', 'invoice.paid'].map((event): [string, string, string[]] => [
      'unsent_events',
      `merchant_id = '${silent.id}' and source_id = '${silent.invoice_payment}' and event = '${event}'`,
      [`${silent.id} ${silent.invoice_payment} has no ${event} in the list of events`],
    ]),
    ...['collection.success', 'collection.failed', 'collection.reversed'].map(
      (event, i): [string, string, string[]] => [
        'unsent_events',
        `merchant_id = '${silent.id}' and source_id = '${silent.collections[i]}' and event = '${event}'`,
        [`${silent.id} ${silent.collections[i]} has no ${event} in the list of events`],
      ],
    ),
    [
      'unsent_events',
      `merchant_id = '${listening.id}' and event = 'invoice.paid'`,
      [`${listening.id} ${listening.invoice_payment} has no invoice.paid in the list of events`],
    ],
    [
      'webhook_deliveries',
      `merchant_id = '${listening.id}' and event = 'payment_link.paid'`,
      [' for the default endpoint', ' in the list of events'].map(
        (where) => `${listening.id} ${listening.invoice_payment} has no payment_link.paid${where}`,
      ),
    ],
  ]
  const [endpoint] = await world.rows<{ id: string }>(
    "select id from webhook_configs where merchant_id = $1 and id::text not like '0000%'",
    [listening.id],
  )
  plants.push([
    'webhook_deliveries',
    `merchant_id = '${listening.id}' and event = 'collection.success' and source_id = '${listening.invoice_payment}' and endpoint_id = '${endpoint?.id}'`,
    [`${listening.id} ${listening.invoice_payment} has no collection.success for the endpoint ${endpoint?.id}`],
  ])
  for (const [table, condition, findings] of plants) {
    const deleted = await without(table, condition, async () => {
      assert.deepEqual(await lost(), { total: findings.length, findings })
      assert.equal((await run(world.deps.clock.now()))?.ok, false)
    })
    assert.equal(deleted, 1, condition)
  }
})

test('without a time, verify checks the deliveries of all payments, and does not check the list of events', async () => {
  const silent = await paidShop(null)
  const listening = await paidShop(['collection.success'])
  const all = () => findLostEvents(world.deps.db, null, 10)
  await without('unsent_events', `merchant_id = '${silent.id}'`, async () => {
    assert.deepEqual(await all(), { total: 0, findings: [] })
  })
  const delivery = `merchant_id = '${listening.id}' and source_id = '${listening.invoice_payment}'`
  await without('webhook_deliveries', delivery, async () => {
    assert.equal((await all()).total, 1)
    world.deps.clock.advance(31 * DAY_MS)
    assert.equal((await lost()).total, 0, 'with a time, verify reads the payments of 29 days')
    assert.equal((await all()).total, 1)
  })
})

test('verify expects no event for an endpoint that chose the event after the payment', async () => {
  const shop = await paidShop(['collection.success'])
  const events = ['collection.success', 'collection.failed', 'invoice.paid']
  const change = { method: 'PATCH', url: '/v1/merchant/webhook-config', payload: { events }, key: shop.key } as const
  assert.equal((await world.call(change)).status, 200)
  assert.deepEqual(await lost(), { total: 0, findings: [] })
})

test('for a week after the migration of the list of events, verify accepts payments of the earlier version without events', async () => {
  const shop = await paidShop(null)
  const [first] = await world.rows<{ applied_at: Date }>(
    "select applied_at from schema_migrations where name like '0001%'",
  )
  const now = world.deps.clock.now()
  const move = (name: string, at: Date) =>
    world.rows('update schema_migrations set applied_at = $2 where name like $1', [`${name}%`, at])
  await without('unsent_events', `merchant_id = '${shop.id}'`, async () => {
    assert.equal((await lost()).total, 7)
    await move('0001', new Date(now.getTime() - 90 * DAY_MS))
    await move('0086', new Date(now.getTime() - 6 * DAY_MS))
    assert.equal((await lost()).total, 0)
    await move('0086', new Date(now.getTime() - 8 * DAY_MS))
    assert.equal((await lost()).total, 7)
    for (const name of ['0001', '0086']) await move(name, first?.applied_at as Date)
  })
})
