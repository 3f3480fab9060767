// Tests that the server stores callbacks within its limits, and takes no outcome from a callback.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { callBack, keptOf } from '../../../test/callbacks.ts'
import { createWorld, type World } from '../../../test/harness.ts'
import { idToBase32, newId } from '../../kernel/lib/index.ts'

const PUSH = '/v1/collections/wallet-push'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const callback = (body: string | Buffer, options?: Parameters<typeof callBack>[2]) => callBack(world, body, options)
const kept = (body: string) => keptOf(world, body)

async function push(ending: string, key = world.live_key) {
  const { collection_id } = (await world.post(PUSH, { amount: 10, phone: `0754123${ending}` }, { key })).body.data
  await world.system.driver.task.idle()
  const [row] = await world.rows<{ provider_reference: string }>(
    'select provider_reference from collection_attempts where collection_id = $1',
    [collection_id],
  )
  return { collection_id, reference: row?.provider_reference ?? '' }
}
const statusOf = async (id: string, key = world.live_key) =>
  (await world.get(`/v1/collections/${id}`, key)).body.data.status
const transfers = async () => (await world.rows('select 1 from ledger_transfers')).length

test('the server answers 403 to a callback with a wrong signature, stores it as forged, and moves no money', async () => {
  const { collection_id, reference } = await push('008')
  const before = await transfers()
  for (const [i, options] of [
    { signature: null },
    { signature: '' },
    { signature: 'f'.repeat(64) },
    { secret: 'another secret' },
  ].entries()) {
    const body = JSON.stringify({ reference, status: 'COMPLETED', i })
    const reply = await callback(body, options)
    assert.equal(reply.status, 403)
    assert.equal(reply.body.error.code, 'forbidden')
    assert.deepEqual(await kept(body), [
      { verdict: 'forged', times: 1, provider: 'mock', provider_reference: null, body },
    ])
  }
  assert.equal(await statusOf(collection_id), 'processing')
  assert.equal(await transfers(), before)
})

test('the server queries the provider after a signed callback, and ignores the outcome in the body of the callback', async () => {
  const lie = await push('007')
  const body = JSON.stringify({ reference: lie.reference, status: 'COMPLETED', amount: '1000000.00' })
  assert.equal((await callback(body)).status, 200)
  assert.equal((await kept(body))[0]?.verdict, 'hint')
  assert.equal(await statusOf(lie.collection_id), 'processing', 'the status query reports no success')

  const truth = await push('008')
  assert.equal((await callback(JSON.stringify({ reference: truth.reference, status: 'FAILED' }))).status, 200)
  assert.equal(await statusOf(truth.collection_id), 'successful', 'the status query reports a paid payment')
})

test('the server stores a repeated callback as one row with its count, and credits the payment once', async () => {
  const { collection_id, reference } = await push('008')
  const body = JSON.stringify({ reference, status: 'COMPLETED' })
  await Promise.all(Array.from({ length: 10 }, () => callback(body)))
  await callback(body)
  const rows = await kept(body)
  assert.deepEqual(rows, [{ verdict: 'hint', times: 11, provider: 'mock', provider_reference: reference, body }])
  assert.equal(await statusOf(collection_id), 'successful')
  assert.equal((await world.rows('select 1 from ledger_transfers where source_id = $1', [collection_id])).length, 1)
})

test('the server accepts and stores a signed callback about an unknown payment, whatever the form of its reference', async () => {
  const never = idToBase32(newId(world.deps, world.merchant.routing_code))
  for (const reference of [
    '',
    'x',
    `${never}01`,
    `${never}99`,
    never,
    `${idToBase32(randomUUID())}01`,
    'Z'.repeat(28),
    "'; drop table collections; --",
    'a\0b',
    '\ud800',
    '💥'.repeat(50),
  ]) {
    const body = JSON.stringify({ reference, status: 'COMPLETED' })
    assert.equal((await callback(body)).status, 200, reference)
    const rows = await kept(body)
    assert.equal(rows[0]?.verdict, 'unknown_reference', reference)
  }
})

test('the server stores a callback about a payment of another provider as unknown, and does not settle the payment', async () => {
  const sandbox = await push('008', world.sandbox_key)
  const body = JSON.stringify({ reference: sandbox.reference, status: 'COMPLETED' })
  assert.equal((await callback(body, { provider: 'mock' })).status, 200)
  assert.equal((await kept(body))[0]?.verdict, 'unknown_reference')
  assert.equal(await statusOf(sandbox.collection_id, world.sandbox_key), 'processing')
  assert.equal((await callback(body, { provider: 'sandbox' })).status, 200)
  assert.equal(await statusOf(sandbox.collection_id, world.sandbox_key), 'successful')
})

test('the server answers 404 to a callback of an unknown provider and stores nothing', async () => {
  const body = JSON.stringify({ reference: randomUUID() })
  for (const provider of ['nobody', '__proto__', 'MOCK', '..%2fmock']) {
    const reply = await callback(body, { provider })
    assert.equal(reply.status, 404, provider)
  }
  assert.equal((await kept(body)).length, 0)
})

test('the server answers 403 to a callback without a readable reference, and 413 to a callback of more than 16 KB', async () => {
  for (const body of ['', '{', 'null', '[]', '{"reference":5}', Buffer.from([0, 255, 254])])
    assert.equal((await callback(body)).status, 403)
  assert.equal((await callback('x'.repeat(17 * 1024))).status, 413)
})

test('the server stores at most 20 forged callbacks and 200 callbacks with unknown references in a flood of 50 seconds', async () => {
  const count = async (verdict: string) =>
    (await world.rows('select 1 from provider_callbacks where verdict = $1', [verdict])).length
  const before = { forged: await count('forged'), unknown: await count('unknown_reference') }
  // The limits count per minute, so the test spreads the flood of callbacks over 50 seconds.
  world.deps.clock.advance(60_000)
  for (let part = 0; part < 10; part++) {
    const forged = Array.from({ length: 20 }, (_, i) => callback(`flood ${part} ${i}`, { signature: 'no' }))
    for (const reply of await Promise.all(forged)) assert.equal(reply.status, 403)
    const unknown = Array.from({ length: 20 }, (_, i) => callback(JSON.stringify({ reference: `none ${part} ${i}` })))
    for (const reply of await Promise.all(unknown)) assert.equal(reply.status, 200)
    world.deps.clock.advance(5_000)
  }
  assert.ok((await count('forged')) - before.forged <= 20)
  const unknown = (await count('unknown_reference')) - before.unknown
  assert.ok(unknown >= 100 && unknown <= 200, `${unknown} were kept`)
})

test('the server deletes a forged callback 7 days after its last receipt, and any other callback after 90 days', async () => {
  const DAY_MS = 86_400_000
  const now = world.deps.clock.now().getTime()
  const ago = (days: number) => new Date(now - days * DAY_MS)
  const rows: [string, string, number, number][] = [
    ['old', 'hint', 91, 91],
    ['old, and received again', 'hint', 200, 89],
    ['young', 'hint', 89, 89],
    ['stranger', 'unknown_reference', 91, 91],
    ['forged', 'forged', 8, 8],
    ['forged lately', 'forged', 6, 6],
  ]
  for (const [body, verdict, first, last] of rows) {
    await world.rows(
      `insert into provider_callbacks (dedupe_key, provider, verdict, body, times, received_at, last_received_at)
       values (decode(md5($1), 'hex'), 'aged', $2, $1, 1, $3, $4)`,
      [body, verdict, ago(first), ago(last)],
    )
  }
  await world.rows(
    `insert into provider_callbacks (dedupe_key, provider, verdict, body, times, received_at, last_received_at)
     select decode(md5('many ' || n), 'hex'), 'aged', 'forged', 'many', 1, $1, $1 from generate_series(1, 2500) n`,
    [ago(30)],
  )
  await world.work()
  const left = await world.rows<{ body: string }>(
    `select body from provider_callbacks where provider = 'aged' order by body`,
  )
  assert.deepEqual(
    left.map(({ body }) => body),
    ['forged lately', 'old, and received again', 'young'],
  )
})
