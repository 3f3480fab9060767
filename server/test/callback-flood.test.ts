// Tests that the platform credits nothing, stores little, logs little and hardly queries the provider during a flood of forged
// callbacks. The platform still processes a true callback during the flood.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Answer, Provider } from '../src/adapters/providers/port.ts'
import { idToBase32, newId } from '../src/kernel/lib/index.ts'
import { callBack, keptOf } from './callbacks.ts'
import { createWorld, type World } from './harness.ts'
import { waitUntil } from './payout-processes.ts'
import { booksHold, newPayoutScript, scriptedProvider } from './payouts.ts'

const SECRET = 'mock-provider-secret'
const HEADER = 'x-mock-signature'
const sign = (body: string | Buffer, secret = SECRET) => createHmac('sha256', secret).update(body).digest('hex')

/** The references about which the server queried the provider, and the references that the provider reports as paid. */
const queried: string[] = []
const paid = new Map<string, bigint>()
let slow: Promise<void> = Promise.resolve()
const provider: Provider = {
  ...scriptedProvider(newPayoutScript()),
  async status(requests) {
    queried.push(...requests.map(({ reference }) => reference))
    await slow
    return requests.map(({ reference }): Answer => {
      const amount_minor = paid.get(reference)
      if (amount_minor === undefined) return { kind: 'accepted', provider_status: 'PENDING' }
      return { kind: 'succeeded', amount_minor, currency: 'TZS', provider_status: 'COMPLETED' }
    })
  },
  verifyCallback(headers, body) {
    if (headers[HEADER] !== sign(body)) return { verified: false }
    return { verified: true, reference: JSON.parse(body.toString('utf8')).reference }
  },
}

let world: World
before(async () => {
  world = await createWorld({ env: { MOCK_SECRET: SECRET }, compose: { providers: [provider] } })
})
after(async () => {
  await booksHold(world)
  await world.close()
})

async function prompted(of = world): Promise<{ id: string; reference: string }> {
  const body = { amount: '1000.00', phone: '0754123456' }
  const reply = await of.post('/v1/collections/wallet-push', body, { key: of.live_key })
  assert.equal(reply.status, 202, reply.text)
  await of.system.driver.task.idle()
  const id = reply.body.data.collection_id
  const [row] = await of.rows<{ provider_reference: string }>(
    'select provider_reference from collection_attempts where collection_id = $1',
    [id],
  )
  return { id, reference: row?.provider_reference ?? '' }
}
const statusOf = async (id: string) => (await world.get(`/v1/collections/${id}`, world.live_key)).body.data.status
const count = async (what: string) =>
  (await world.rows<{ count: number }>(`select count(*)::int as count from ${what}`))[0]?.count ?? 0
const money = async () =>
  JSON.stringify([await count('ledger_transfers'), (await world.get('/v1/balance', world.live_key)).body.data])
const completed = (reference: string, more: object = {}) => JSON.stringify({ reference, status: 'COMPLETED', ...more })
const unknownReference = () => `${idToBase32(newId(world.deps, world.merchant.routing_code))}01`

/** Sends callbacks, at most 250 at the same time, and returns the number of responses for each status. */
async function send(callbacks: readonly (() => Promise<{ status: number }>)[]): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  for (let at = 0; at < callbacks.length; at += 250) {
    const replies = await Promise.all(callbacks.slice(at, at + 250).map((one) => one()))
    for (const { status } of replies) statuses[status] = (statuses[status] ?? 0) + 1
  }
  return statuses
}
const many = (length: number, make: (i: number) => Parameters<typeof callBack>) =>
  Array.from({ length }, (_, i) => () => callBack(...make(i)))

test('when thousands of forged callbacks name open payments, the server credits nothing, and stores and logs few of the callbacks', async () => {
  const open = await Promise.all(Array.from({ length: 5 }, () => prompted()))
  const before_flood = { money: await money(), lines: world.deps.logged.length, queried: queried.length }
  const about = (i: number) => completed((open[i % 5] as { reference: string }).reference, { i })
  const statuses = await send([
    ...many(1_000, (i) => [world, about(i), { signature: null }]),
    ...many(1_000, (i) => [world, about(i), { signature: i % 2 === 0 ? 'f'.repeat(64) : 'x'.repeat(i % 200) }]),
    ...many(1_000, (i) => [world, about(i), { secret: 'a guess' }]),
    // The signature covers other bytes, because the sender changed the callback after the signature.
    ...many(500, (i) => [world, `${about(i)} `, { signature: sign(about(i)) }]),
  ])
  assert.deepEqual(statuses, { 403: 3_500 })
  assert.equal(await money(), before_flood.money)
  for (const { id } of open) assert.equal(await statusOf(id), 'processing')
  assert.equal(queried.length, before_flood.queried, 'the server queries nothing because of forged callbacks')
  assert.equal(await count(`provider_callbacks where verdict = 'forged'`), 10)
  const lines = world.deps.logged.slice(before_flood.lines).filter((line) => line.includes('callback'))
  assert.equal(lines.length, 10, 'the log has no line for each callback')

  world.deps.clock.advance(60_000)
  await callBack(world, about(0), { signature: null })
  assert.match(
    world.deps.logged.join(''),
    /"count":3490,"msg":"the server refused and did not store forged callbacks above the limit per minute"/,
  )
})

test('the server accepts thousands of signed callbacks about unknown payments, credits nothing, and stores few of the callbacks', async () => {
  world.deps.clock.advance(60_000)
  const before_flood = { money: await money(), queried: queried.length, lines: world.deps.logged.length }
  assert.deepEqual(await send(many(2_000, () => [world, completed(unknownReference())])), { 200: 2_000 })
  assert.equal(await money(), before_flood.money)
  assert.equal(queried.length, before_flood.queried)
  assert.equal(await count(`provider_callbacks where verdict = 'unknown_reference'`), 100)
  const lines = world.deps.logged.slice(before_flood.lines).filter((line) => line.includes('did not send to'))
  assert.equal(lines.length, 100)
})

test('the server settles a payment on a signed callback among 2,000 forged callbacks; replays credit nothing and cause few queries', async () => {
  const payment = await prompted()
  paid.set(payment.reference, 100_000n)
  const truth = completed(payment.reference)
  const forged = (from: number) =>
    many(1_000, (i) => [world, completed(payment.reference, { i: from + i }), { secret: 'no' }])
  const statuses = await send([...forged(0), () => callBack(world, truth), ...forged(1_000)])
  assert.deepEqual(statuses, { 200: 1, 403: 2_000 })
  assert.equal(await statusOf(payment.id), 'successful')

  const before_flood = { money: await money(), queried: queried.length }
  let answer = () => {}
  slow = new Promise((resolve) => {
    answer = resolve
  })
  const replays = Promise.all(Array.from({ length: 2_000 }, () => callBack(world, truth)))
  while (queried.length === before_flood.queried) await new Promise((resolve) => setImmediate(resolve))
  answer()
  for (const { status } of await replays) assert.equal(status, 200)
  assert.equal(await money(), before_flood.money)
  assert.ok(
    queried.length - before_flood.queried <= 10,
    `${queried.length - before_flood.queried} queries for 2,000 replays`,
  )
  const rows = await world.rows<{ times: number }>('select times from provider_callbacks where body = $1', [truth])
  assert.deepEqual(rows, [{ times: 2_001 }])
  assert.equal(await count(`ledger_transfers where source_id = '${payment.id}'`), 1)
})

test('the server queries the provider again when a callback arrives during a status query, because the callback may be newer', async () => {
  const payment = await prompted()
  let answer = () => {}
  slow = new Promise((resolve) => {
    answer = resolve
  })
  const before_flood = queried.length
  const first = callBack(world, completed(payment.reference, { event: 1 }))
  while (queried.length === before_flood) await new Promise((resolve) => setImmediate(resolve))
  // The payer pays after the provider has sent the answer "open" and before the server receives the answer.
  const newer = completed(payment.reference, { event: 2 })
  const second = callBack(world, newer)
  await waitUntil(async () => (await keptOf(world, newer)).length === 1)
  answer()
  await first
  paid.set(payment.reference, 100_000n)
  assert.equal((await second).status, 200)
  assert.equal(await statusOf(payment.id), 'successful')
})

test('the server limits forged callbacks per address, but no flood blocks the provider, not even a flood from the address of the provider', async () => {
  const env = { MOCK_SECRET: SECRET, RATE_LIMIT_CALLBACKS: '50', TRUST_PROXY: 'loopback' }
  const limited = await createWorld({ env, compose: { providers: [provider] } })
  try {
    const from = (address: string, body: string, signature: string) => () =>
      limited.call({
        method: 'POST',
        url: '/callbacks/mock',
        payload: body,
        key: null,
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address, [HEADER]: signature },
      })
    // The test sends the callbacks one after the other, because the rate limit counts simultaneous callbacks together.
    const flood = async (address: string, length: number) => {
      const statuses: Record<number, number> = {}
      for (let i = 0; i < length; i++) {
        const { status } = await from(address, completed(`FLOOD${i}`), 'f'.repeat(64))()
        statuses[status] = (statuses[status] ?? 0) + 1
      }
      return statuses
    }
    const { id, reference } = await prompted(limited)
    const truth = completed(reference)
    const true_one = from('192.0.2.7', truth, sign(truth))
    assert.deepEqual(await flood('203.0.113.5', 300), { 403: 50, 429: 250 })
    assert.equal((await true_one()).status, 200, 'a flood from another address does not block the provider')

    // All later callbacks of the flood come from the provider's address.
    assert.deepEqual(await flood('192.0.2.7', 300), { 403: 300 })
    paid.set(reference, 100_000n)
    assert.equal((await true_one()).status, 200)
    assert.equal((await limited.get(`/v1/collections/${id}`, limited.live_key)).body.data.status, 'successful')
    assert.deepEqual(await flood('203.0.113.6', 60), { 403: 50, 429: 10 }, 'the limit of other addresses is unchanged')
  } finally {
    await limited.close()
  }
})
