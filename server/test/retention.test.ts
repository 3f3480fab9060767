// Tests that the worker erases payers and stored answers from old rows in batches, and that `verify` still accepts the books.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { verify } from '../src/apps/admin/verify.ts'
import { findAnswer, type IdempotencyClaim } from '../src/kernel/http/index.ts'
import { answerRetention, retentionTask, type Task } from '../src/kernel/work/index.ts'
import { createWorld, testDeps, type World } from './harness.ts'
import { invoicesOf } from './invoices.ts'
import { everyRow, findSecrets } from './secret-search.ts'

const DAY_MS = 86_400_000
const PERSON = [
  { name: 'the phone', value: '754777001' },
  { name: 'the name', value: 'Rehema Binti Salim' },
  { name: 'the e-mail address', value: 'rehema.salim@example.com' },
]
const CUSTOMER = { customer_name: 'Rehema Binti Salim', customer_phone: '0754 777 001' }
const TABLES = /table public\.(?:collections|collection_attempts|payment_links|invoices)$/

let world: World
before(async () => {
  world = await createWorld({ env: { RETENTION_PAYERS_DAYS: '400', INVOICE_REMINDER_DAYS: '' } })
})
after(() => world.close())

const named = async () =>
  findSecrets(
    (await everyRow(world)).filter(({ where }) => TABLES.test(where)),
    PERSON,
  )
const runAll = async () => {
  let rows = 0
  for (const task of world.system.tasks) {
    if (!/^retention_/.test(task.name)) continue
    for (let done = await task.runOnce(); done > 0; done = await task.runOnce()) rows += done
  }
  return rows
}

test('the worker erases payers from payments, attempts, links and invoices after RETENTION_PAYERS_DAYS, and verify still accepts the books', async () => {
  const push = { amount: 1_000, phone: '0754777001', customer_name: CUSTOMER.customer_name }
  assert.equal((await world.post('/v1/collections/wallet-push', push)).status, 202)
  assert.equal((await world.post('/v1/payment-links', { amount: 2_000, ...CUSTOMER })).status, 201)
  await invoicesOf(world).sent({ ...CUSTOMER, customer_email: 'rehema.salim@example.com' })
  await world.pass(5_000)
  assert.equal((await named()).length, 9, 'the four tables name the person')
  world.deps.clock.advance(400 * DAY_MS - 60_000)
  assert.equal(await runAll(), 0)
  const newer = await world.post('/v1/collections/wallet-push', { amount: 3_000, phone: '0765123001' })
  await world.work()
  world.deps.clock.advance(60_000)
  const never = testDeps(world.url, { clock: world.deps.clock })
  try {
    const rule = { table: 'collections', id: 'id', changes: 'customer_name = null' }
    assert.equal(await retentionTask(never, rule).runOnce(), 0, '0 days means never')
  } finally {
    await never.db.close()
  }
  assert.ok((await runAll()) >= 4)
  assert.deepEqual(await named(), [])
  const [old] = await world.rows('select customer_phone from collections order by id limit 1')
  assert.deepEqual(old, { customer_phone: '255754xxxxxx' }, 'totals still show the network')
  const shown = await world.rows('select customer_phone from collections where id = $1', [
    newer.body.data.collection_id,
  ])
  assert.deepEqual(shown, [{ customer_phone: '255765123001' }])
  const { ok, checks } = await verify(world.url)
  assert.equal(ok, true, JSON.stringify(checks.filter((check) => !check.ok)))
  assert.equal(await runAll(), 0, 'a second run reads no erased row')
})

test('the worker erases the payer of each old attempt once, in batches of at most two rows', async () => {
  const merchants = [await world.newMerchant(), await world.newMerchant()]
  for (const merchant of merchants) {
    const key = await world.newKey({ merchant })
    for (let i = 0; i < 5; i++) {
      const made = await world.post('/v1/collections/wallet-push', { amount: 1_000, phone: '0754777001' }, { key })
      assert.equal(made.status, 202, made.text)
    }
  }
  await world.work()
  world.deps.clock.advance(401 * DAY_MS)
  const task = retentionTask(
    world.deps,
    { table: 'collection_attempts', id: 'collection_id', changes: "phone = left(t.phone, 6) || 'xxxxxx'" },
    2,
  )
  const sets: number[] = []
  for (let done = await task.runOnce(); done > 0; done = await task.runOnce()) sets.push(done)
  assert.ok(sets.every((rows) => rows <= 2))
  assert.equal(
    sets.reduce((sum, rows) => sum + rows, 0),
    11,
    'ten attempts, and the attempt of the first test that was too young',
  )
  assert.deepEqual(await world.rows("select phone from collection_attempts where phone not like '%xxxxxx'"), [])
})

test('the worker erases the answers of old Idempotency-Keys, and the server still refuses a second request with an old key', async () => {
  const { deps } = world
  const link = (idempotency_key: string) =>
    world.call({
      method: 'POST',
      url: '/v1/payment-links',
      payload: { amount: 2_000, ...CUSTOMER },
      key: world.live_key,
      idempotency_key,
    })
  const answersOf = (key: string) => world.rows('select response_body from idempotency_keys where key = $1', [key])
  const runs = async (task: Task) => {
    for (let i = 0; i < 2_000; i++) if ((await task.runOnce()) === 0) return
    assert.fail('the task does not end')
  }
  const old_keys = ['old-1', 'old-2', 'old-3']
  for (const key of old_keys) assert.equal((await link(key)).status, 201)
  deps.clock.advance(30 * DAY_MS - 1)
  assert.equal((await link('new')).status, 201)
  const never = testDeps(world.url, { env: { RETENTION_IDEMPOTENCY_DAYS: '0' }, clock: deps.clock })
  const longer = testDeps(world.url, { env: { IDEMPOTENCY_REPLAY_DAYS: '60' }, clock: deps.clock })
  try {
    await runs(answerRetention(deps, 2))
    assert.equal((await link('old-1')).headers['idempotency-replayed'], 'true', 'the answer is not old enough')
    deps.clock.advance(2)
    await runs(answerRetention(never))
    await runs(answerRetention(longer))
    assert.notEqual((await answersOf('old-1'))[0]?.response_body, '', 'IDEMPOTENCY_REPLAY_DAYS protects an answer')
    await runs(answerRetention(deps, 2))
    for (const key of old_keys) assert.deepEqual(await answersOf(key), [{ response_body: '' }], key)
    assert.equal((await link('new')).headers['idempotency-replayed'], 'true')
    const [row] = await world.rows<IdempotencyClaim>('select * from idempotency_keys where key = $1', ['old-1'])
    assert.ok(row)
    for (const reader of [deps, longer]) {
      await assert.rejects(findAnswer(reader, reader.db, row), { code: 'idempotency_key_reused' })
    }
  } finally {
    await never.db.close()
    await longer.db.close()
  }
  const refused = await link('old-1')
  assert.deepEqual([refused.status, refused.body.error.code], [422, 'idempotency_key_reused'])
  const { ok, checks } = await verify(world.url)
  assert.equal(ok, true, JSON.stringify(checks.filter((check) => !check.ok)))
})

test('the worker removes phone and metadata from the bodies of old deliveries, and nothing else', async () => {
  const key = await world.newKey({ merchant: await world.newMerchant() })
  const hook = { webhook_url: 'http://127.0.0.1:9/hook' }
  const set = await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload: hook, key })
  assert.equal(set.status, 200, set.text)
  const metadata = { 'a"b\\': '"customer_phone":"x"', '{}': '}', tel: '0754777001' }
  const push = { amount: 1_000, phone: '0754777001', customer_phone: '0754777001', metadata }
  const made = await world.post('/v1/collections/wallet-push', push, { key })
  assert.equal(made.status, 202, made.text)
  await world.work()
  const read = async () => {
    const of = [made.body.data.collection_id]
    const [row] = await world.rows<{ body: string }>('select body from webhook_deliveries where source_id = $1', of)
    return JSON.parse(row?.body ?? '') as Record<string, unknown>
  }
  const { customer_phone, metadata: stored, ...rest } = await read()
  assert.deepEqual([customer_phone, stored], ['255754777001', metadata])
  world.deps.clock.advance(399 * DAY_MS)
  await runAll()
  assert.deepEqual((await read()).metadata, metadata)
  world.deps.clock.advance(2 * DAY_MS)
  await runAll()
  assert.deepEqual(await read(), rest)
})
