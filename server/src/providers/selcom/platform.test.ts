// The whole platform with this adapter as the provider of its live payments, and the gateway's twin behind it.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { systemClock } from '../../lib/index.ts'
import type { SelcomOptions } from './index.ts'
import { type Asked, startWithTwin, until } from './testing-twin.ts'

const ANY_TIME_S = 1e9

/** A world that takes live payments over the twin. The platform's clock stands still, the adapter's too; the gateway's does not. */
async function stage(
  work: (world: World, asked: Asked) => Promise<void>,
  { env = {}, ...options }: { env?: Record<string, string> } & Partial<SelcomOptions> = {},
): Promise<void> {
  const clock = { ...systemClock, now: () => world.deps.clock.now() }
  const any_time = { clock, callback_window_ms: ANY_TIME_S * 1_000 }
  const settings = { timestamp_window_s: ANY_TIME_S }
  const asked = await startWithTwin({ settings }, { name: 'mock', ...any_time, ...options })
  const world: World = await createWorld({ compose: { providers: [asked.provider] }, env })
  asked.callback((_order_id, headers, body) => void world.system.receive('mock', headers, body))
  try {
    await work(world, asked)
  } finally {
    await world.close()
  }
}

function pay(world: World, phone: string, amount = '5000') {
  return world.post('/v1/collections/wallet-push', { amount, phone }, { key: world.live_key })
}

async function statusOf(world: World, id: string) {
  return (await world.get(`/v1/collections/${id}`, world.live_key)).body.data
}

/** The collection once it is no longer processing. `step` is what happens between two looks. */
async function settled(world: World, id: string, step: () => Promise<unknown>) {
  let collection = await statusOf(world, id)
  await until(
    () => collection.status !== 'processing',
    async () => {
      await step()
      collection = await statusOf(world, id)
    },
  )
  return collection
}

it('a payment is prompted once, settled by its callback alone, and credited', async () => {
  await stage(async (world, { twin }) => {
    const { body } = await pay(world, '0740000001')
    const { status, provider_payment_status } = await settled(world, body.data.collection_id, () => world.work())
    assert.deepEqual([status, provider_payment_status], ['successful', 'COMPLETED'])
    const { pushes, payments, callbacks } = twin.totals()
    assert.deepEqual([pushes.prompts, payments.amount, callbacks.delivered], [1, 5000n, 1])
    const balance = await world.get('/v1/balance', world.live_key)
    assert.equal(balance.body.data.available, '5000.00')
  })
})

it('a payment whose callback never comes is settled by asking', async () => {
  await stage(async (world, { twin }) => {
    const { body } = await pay(world, '0740000008')
    const { status } = await settled(world, body.data.collection_id, () => world.pass(1_000))
    assert.equal(status, 'successful')
    assert.equal(twin.totals().callbacks.delivered, 0)
  })
})

it('a payment that the gateway never got has failed at once, and may be tried again', async () => {
  await stage(async (world, { twin }) => {
    const { body } = await pay(world, '0740000043')
    const { status, failure_reason_code } = await settled(world, body.data.collection_id, () => world.work())
    assert.deepEqual([status, failure_reason_code], ['failed', 'provider_unavailable'])
    assert.equal(twin.totals().pushes.prompts, 0)
  })
})

it('a payment that nobody paid until its deadline has failed, and nobody can pay it any more', async () => {
  await stage(async (world, { twin }) => {
    const code = await world.post('/v1/collections/qr', { amount: '5000' }, { key: world.live_key })
    const pushed = await pay(world, '0740000007')
    const ids = [code, pushed].map(({ body }) => body.data.collection_id)
    await world.work()
    assert.deepEqual(twin.totals().orders.by_word, { PENDING: 2 })
    world.deps.clock.advance(72 * 3_600_000)
    for (const id of ids) {
      const { status, failure_reason_code } = await settled(world, id, () => world.pass(1_000))
      assert.deepEqual([status, failure_reason_code], ['failed', 'expired'])
    }
    assert.deepEqual(twin.totals().orders.by_word, { CANCELLED: 2 })
  })
})

it('cents are refused before anything is sent', async () => {
  await stage(async (world, { twin }) => {
    const { status, body } = await pay(world, '0740000001', '10.50')
    assert.deepEqual([status, body.error.code], [422, 'amount_not_supported'])
    assert.deepEqual(twin.totals().requests, {})
  })
})

it('a payment that waits for a worker is prompted once, where the gateway tells that it has no such order', async () => {
  await stage(
    async (world, { twin }) => {
      const { body } = await pay(world, '0740000001')
      const { status } = await settled(world, body.data.collection_id, () => world.pass(1_000))
      assert.equal(status, 'successful')
      assert.equal(twin.totals().pushes.prompts, 1)
    },
    { env: { PROCESS: 'api' }, order_unknown_codes: ['999'] },
  )
})
