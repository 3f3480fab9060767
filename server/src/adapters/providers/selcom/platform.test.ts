// Tests that the whole platform settles each live payment once, with the Selcom adapter and the twin of the gateway.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createWorld, type World } from '../../../../test/harness.ts'
import { repeatUntil, startWithTwin, type TwinWithAdapter } from '../../../../test/providers/selcom-with-twin.ts'
import type { SimulatorOptions } from '../../../../twins/selcom/index.ts'
import { systemClock } from '../../../kernel/lib/index.ts'
import type { SelcomOptions } from './adapter.ts'

const ANY_TIME_S = 1e9

/**
 * Makes a platform whose live provider is Selcom's twin. The clock of platform and adapter stands still, and the clock of the
 * gateway runs.
 */
async function stage(
  work: (world: World, rig: TwinWithAdapter) => Promise<void>,
  {
    env = {},
    twin = {},
    ...options
  }: { env?: Record<string, string>; twin?: SimulatorOptions } & Partial<SelcomOptions> = {},
): Promise<void> {
  const clock = { ...systemClock, now: () => world.deps.clock.now() }
  const any_time = { clock, callback_window_ms: ANY_TIME_S * 1_000 }
  const settings = { timestamp_window_s: ANY_TIME_S, ...twin.settings }
  const rig = await startWithTwin({ ...twin, settings }, { name: 'mock', ...any_time, ...options })
  const world: World = await createWorld({ compose: { providers: [rig.provider] }, env })
  rig.callback((_order_id, headers, body) => void world.system.receive('mock', headers, body))
  try {
    await work(world, rig)
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

/** Waits until the collection is no longer processing, and returns the collection. Calls `step` between two queries. */
async function settled(world: World, id: string, step: () => Promise<unknown>) {
  let collection = await statusOf(world, id)
  await repeatUntil(
    () => collection.status !== 'processing',
    async () => {
      await step()
      collection = await statusOf(world, id)
    },
  )
  return collection
}

it('the payer gets one prompt, and the callback makes the platform settle and credit the payment', async () => {
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

it('the platform settles a payment by a query when its callback does not arrive', async () => {
  await stage(async (world, { twin }) => {
    const { body } = await pay(world, '0740000008')
    const { status } = await settled(world, body.data.collection_id, () => world.pass(1_000))
    assert.equal(status, 'successful')
    assert.equal(twin.totals().callbacks.delivered, 0)
  })
})

it('the platform fails a payment immediately when the gateway made no order', async () => {
  await stage(async (world, { twin }) => {
    const { body } = await pay(world, '0740000043')
    const { status, failure_reason_code } = await settled(world, body.data.collection_id, () => world.work())
    assert.deepEqual([status, failure_reason_code], ['failed', 'provider_unavailable'])
    assert.equal(twin.totals().pushes.prompts, 0)
  })
})

it('the platform fails an unpaid payment at its deadline and cancels its order', async () => {
  await stage(async (world, { twin }) => {
    const code = await world.post('/v1/collections/qr', { amount: '5000' }, { key: world.live_key })
    const pushed = await pay(world, '0740000007')
    const ids = [code, pushed].map(({ body }) => body.data.collection_id)
    await world.work()
    assert.deepEqual(twin.totals().orders.by_word, { PENDING: 2 })
    world.deps.clock.advance(71 * 3_600_000)
    await world.work()
    const before_deadline = await Promise.all(ids.map(async (id) => (await statusOf(world, id)).status))
    assert.deepEqual(before_deadline, ['processing', 'processing'])
    world.deps.clock.advance(3_600_000)
    for (const id of ids) {
      const { status, failure_reason_code } = await settled(world, id, () => world.pass(1_000))
      assert.deepEqual([status, failure_reason_code], ['failed', 'expired'])
    }
    assert.deepEqual(twin.totals().orders.by_word, { CANCELLED: 2 })
  })
})

it('the platform refuses an amount with cents and sends no request to the gateway', async () => {
  await stage(async (world, { twin }) => {
    const { status, body } = await pay(world, '0740000001', '10.50')
    assert.deepEqual([status, body.error.code], [422, 'amount_not_supported'])
    assert.deepEqual(twin.totals().requests, {})
  })
})

it('the payer gets one prompt for a payment that waits for a worker when the gateway reports no order', async () => {
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

it('the platform sends one prompt for each of 40 concurrent payments over 2 connections, and all payments succeed', async () => {
  const slow = { settings: { fault_delay_ms: 250 } }
  await stage(
    async (world, { twin }) => {
      const { live_key } = world
      const body = { amount: '1000', phone: '0740000020' }
      const replies = await Promise.all(
        Array.from({ length: 40 }, () => world.post('/v1/collections/wallet-push', body, { key: live_key })),
      )
      const operator = (await world.newSession('SUPER_ADMIN')).token
      let open = replies.map((reply) => reply.body.data.collection_id as string)
      const ended: string[] = []
      await repeatUntil(
        () => open.length === 0,
        async () => {
          await world.pass(1_000)
          const seen = await Promise.all(open.map((id) => statusOf(world, id)))
          for (const one of seen) if (one.status !== 'processing') ended.push(one.failure_reason_code ?? one.status)
          open = open.filter((_, i) => seen[i].status === 'processing')
        },
      )
      assert.deepEqual(ended, Array(40).fill('successful'))
      assert.equal(twin.totals().pushes.prompts, 40)
      const { data } = (await world.get('/v1/operator/providers', operator)).body
      const { circuits } = data.providers.find(({ name }: { name: string }) => name === 'mock')
      const seen = circuits.map(({ method, state, faults, calls }: Record<string, unknown>) => [
        method,
        state,
        faults,
        method === 'wallet_push' ? calls : null,
      ])
      assert.deepEqual(seen, [
        ['status', 'closed', 0, null],
        ['wallet_push', 'closed', 0, 40],
      ])
    },
    { connections: 2, timeout_ms: 1_000, twin: slow },
  )
})

it('eight payments that fail because a mobile network is down open no circuit, and the next payment succeeds', async () => {
  await stage(async (world, { twin }) => {
    for (let i = 0; i < 8; i++) {
      const down = await settled(world, (await pay(world, '0740000013')).body.data.collection_id, () => world.work())
      assert.deepEqual([down.status, down.failure_reason_code], ['failed', 'provider_unavailable'])
    }
    const { status } = await settled(world, (await pay(world, '0740000001')).body.data.collection_id, () =>
      world.work(),
    )
    assert.equal(status, 'successful')
    assert.equal(twin.totals().pushes.prompts, 1)
  })
})
