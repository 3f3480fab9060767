// Tests the limits of live prompts to one phone, over all merchants, keys, pages and processes.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'

const HOUR_MS = 3_600_000
const LIMITED = [429, 'rate_limited']

let world: World
/** Another process of the same installation. */
let other: World
/** The live key of another merchant. */
let second_key: string
before(async () => {
  const env = { PROMPTS_PER_PHONE_HOUR: '3', PROMPTS_PER_PHONE_DAY: '5', PROMPTS_PER_PHONE: '0' }
  world = await createWorld({ env })
  other = await createWorld({ env, url: world.url })
  second_key = await world.newKey({ merchant: await world.newMerchant(), environment: 'live' })
})
after(async () => {
  await other.close()
  await world.close()
})

/** A phone whose owner enters a wrong PIN: each prompt fails. */
const unapproved = (place: number) => `07541${place}002`
const push = (phone: string, options: { key?: string; of?: World; idempotency_key?: string } = {}): Promise<Reply> => {
  const { key = world.live_key, of = world, idempotency_key = randomUUID() } = options
  return of.post('/v1/collections/wallet-push', { amount: '1000.00', phone }, { key, idempotency_key })
}
const count = async (table: string) =>
  (await world.rows<{ count: number }>(`select count(*)::int as count from ${table}`))[0]?.count

test('of 40 concurrent prompts to one phone by two merchants and two processes, the server accepts as many as the limit allows', async () => {
  await push(unapproved(20))
  const before_rows = [await count('collections'), await count('idempotency_keys'), await count('collection_attempts')]
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, place) =>
      push(unapproved(20), { key: place % 2 ? second_key : world.live_key, of: place % 4 < 2 ? world : other }),
    ),
  )
  assert.equal(replies.filter(({ status }) => status === 202).length, 2)
  const refused = replies.filter(({ status }) => status !== 202)
  for (const reply of refused) {
    assert.deepEqual(codeOf(reply), LIMITED)
    const seconds = Number(reply.headers['retry-after'])
    assert.ok(seconds > 3_500 && seconds <= 3_600, `${seconds} s`)
  }
  const after_rows = [await count('collections'), await count('idempotency_keys'), await count('collection_attempts')]
  assert.deepEqual(
    after_rows,
    before_rows.map((rows) => (rows ?? 0) + 2),
    'a refused prompt leaves no row',
  )
  assert.equal((await push(unapproved(21))).status, 202, 'another phone')
})

test('a request with a repeated key gets the stored answer, and the server later accepts the key of a refused prompt', async () => {
  const phone = unapproved(30)
  const [accepted, refused] = [randomUUID(), randomUUID()]
  const first = await push(phone, { idempotency_key: accepted })
  for (let i = 0; i < 2; i++) await push(phone)
  assert.deepEqual(codeOf(await push(phone, { idempotency_key: refused })), LIMITED)
  const again = await push(phone, { idempotency_key: accepted })
  assert.deepEqual([again.status, again.text, again.headers['idempotency-replayed']], [202, first.text, 'true'])
  const reused = await push(unapproved(31), { idempotency_key: accepted })
  assert.deepEqual(codeOf(reused), [422, 'idempotency_key_reused'])
  world.deps.clock.advance(HOUR_MS)
  assert.equal((await push(phone, { idempotency_key: refused })).status, 202)
})

test('the limit of a day applies after the limit of an hour, and a worker deletes old counters', async () => {
  const phone = unapproved(40)
  for (let i = 0; i < 3; i++) assert.equal((await push(phone)).status, 202)
  world.deps.clock.advance(HOUR_MS)
  for (let i = 0; i < 2; i++) assert.equal((await push(phone)).status, 202)
  const refused = await push(phone)
  assert.deepEqual(codeOf(refused), LIMITED)
  assert.ok(Number(refused.headers['retry-after']) > 22 * 3_600)
  world.deps.clock.advance(23 * HOUR_MS)
  assert.equal((await push(phone)).status, 202)
  world.deps.clock.advance(25 * HOUR_MS)
  await world.work()
  assert.equal(await count('phone_prompts'), 0)
})

test('approved prompts, sandbox prompts and QR codes do not count towards the prompt limit of a phone', async () => {
  const [phone, sandbox, qr] = ['0754150001', unapproved(51), unapproved(52)]
  for (let i = 0; i < 6; i++) {
    assert.equal((await push(phone)).status, 202, `prompt ${i}`)
    await world.work()
  }
  for (let i = 0; i < 6; i++) {
    assert.equal((await push(sandbox, { key: world.sandbox_key })).status, 202)
    const body = { amount: '1000.00', customer_phone: qr }
    assert.equal((await world.post('/v1/collections/qr', body, { key: world.live_key })).status, 202)
  }
})

test('prompts from pages and prompts from API keys to one phone share one limit', async () => {
  const phone = unapproved(60)
  const link = { amount: '25000.00', description: 'Viatu' }
  const payOnPage = async () => {
    const made = await world.post('/v1/payment-links', link, { key: world.live_key })
    const body = { method: 'WALLET_PUSH', customer_phone: phone }
    return world.post(`/public/payment-links/${made.body.data.public_slug}/collect`, body, { key: null })
  }
  assert.equal((await payOnPage()).status, 202)
  for (let i = 0; i < 2; i++) assert.equal((await push(phone)).status, 202)
  assert.deepEqual(codeOf(await payOnPage()), LIMITED)
  assert.deepEqual(codeOf(await push(phone, { key: second_key })), LIMITED)
})
