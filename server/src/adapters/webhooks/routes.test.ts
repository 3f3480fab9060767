// Tests the webhook routes over HTTP with the API keys of merchants.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import { type Bench, deliverDue, queue, startBench } from '../../../test/webhooks.ts'
import { createLockMerchantOfCaller, createMerchant, type Merchant } from '../../access/merchants/index.ts'
import { type App, createApp, type Environment, type Principal } from '../../kernel/http/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { webhookRoutes } from './routes.ts'

type Reply = {
  status: number
  data: Record<string, unknown>
  error: { code: string; message: string; details: unknown }
  replayed: boolean
}

let bench: Bench
let app: App
let receiver: Receiver
const merchants = new Map<string, Merchant>()
/** The merchant whose keys an operator revokes during the look-up of the host slow.test. */
let revoked_during_lookup: string | null = null
const revoked = new Set<string>()

async function startApp(deps: Bench['deps']): Promise<App> {
  const authenticate = async (request: FastifyRequest): Promise<Principal> => {
    const [id, environment] = String(request.headers['x-test']).split(' ')
    if (revoked.has(id ?? '')) refuse('api_key_revoked')
    const { routing_code, merchant_code } = merchants.get(id ?? '') as Merchant
    return {
      kind: 'api_key',
      key_id: `key of ${id}`,
      key_name: 'Test',
      environment: environment as Environment,
      scopes: ['webhooks:manage'],
      merchant: { id: id as string, routing_code, code: merchant_code },
    }
  }
  return createApp(deps, {
    authenticate,
    isKey: () => false,
    routes: [
      webhookRoutes(deps, {
        notifyAdmins: async () => {},
        lockMerchant: createLockMerchantOfCaller((_tx, request) => authenticate(request)),
        events: { authenticate, draining: () => false },
        lookup: async (name) => {
          if (name === 'slow.test') {
            if (revoked_during_lookup !== null) revoked.add(revoked_during_lookup)
            return [{ address: '93.184.215.14', family: 4 }]
          }
          if (name === 'private.test') return [{ address: '10.0.0.1', family: 4 }]
          throw new Error('not found')
        },
      }),
    ],
  })
}

/** Makes the function that calls the webhook routes with an API key of the merchant. */
function callerOf(merchant: Merchant, options: { app?: App; environment?: Environment } = {}) {
  return async (method: 'GET' | 'PATCH' | 'POST', path: string, body?: object, key?: string): Promise<Reply> => {
    const response = await (options.app ?? app).inject({
      method,
      url: `/v1/merchant/${path}`,
      headers: {
        'x-test': `${merchant.id} ${options.environment ?? 'sandbox'}`,
        ...(key ? { 'idempotency-key': key } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { payload: JSON.stringify(body) } : {}),
    })
    const replayed = response.headers['idempotency-replayed'] === 'true'
    return { ...(response.json() as Omit<Reply, 'status' | 'replayed'>), status: response.statusCode, replayed }
  }
}

async function newMerchant(): Promise<Merchant> {
  const merchant = await createMerchant(bench.deps, { name: 'Duka', approved: false })
  merchants.set(merchant.id, merchant)
  return merchant
}

before(async () => {
  bench = await startBench()
  app = await startApp(bench.deps)
  receiver = await startReceiver()
})
after(async () => {
  await app.close()
  await receiver.close()
  await bench.close()
})

describe('the webhook configuration', () => {
  test('the server stores no webhook address when the caller loses the right during the look-up of the host', async (t) => {
    const { deps } = bench
    const strict = await startApp({ ...deps, config: { ...deps.config, webhook_allow_private: null } })
    t.after(() => strict.close())
    const webhook_url = 'http://slow.test/hook'
    for (const [method, path] of [
      ['PATCH', 'webhook-config'],
      ['POST', 'webhook-endpoints'],
    ] as const) {
      const merchant = await newMerchant()
      const call = callerOf(merchant, { app: strict })
      revoked_during_lookup = merchant.id
      const reply = await call(method, path, { webhook_url })
      assert.deepEqual([reply.status, reply.error.code], [401, 'api_key_revoked'], path)
      revoked_during_lookup = null
      revoked.clear()
      assert.equal((await call('GET', 'webhook-config')).status, 404)
      assert.deepEqual((await call('GET', 'webhook-endpoints')).data.items, [])
      assert.ok((await call(method, path, { webhook_url })).status < 300)
    }
  })

  test('the server shows the webhook secret only in the answers to the first save and to a rotation', async () => {
    const call = callerOf(await newMerchant())
    assert.equal((await call('GET', 'webhook-config')).status, 404)
    assert.match((await call('GET', 'webhook-config')).error.message, /PATCH \/v1\/merchant\/webhook-config/)
    assert.deepEqual((await call('PATCH', 'webhook-config', {})).error.details, {
      fields: [{ field: 'webhook_url', message: 'is required the first time' }],
    })
    const saved = await call('PATCH', 'webhook-config', { webhook_url: receiver.url })
    assert.equal(saved.status, 200)
    const secret = String(saved.data.secret)
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(saved.data.secret_last4, secret.slice(-4))
    assert.deepEqual(saved.data.events, [
      'collection.success',
      'collection.failed',
      'collection.reversed',
      'collection.pending_review',
      'disbursement.success',
      'disbursement.failed',
    ])
    const changed = await call('PATCH', 'webhook-config', { events: ['collection.failed', 'collection.successful'] })
    assert.deepEqual(changed.data, {
      webhook_url: receiver.url,
      events: ['collection.success', 'collection.failed'],
      secret_last4: secret.slice(-4),
    })
    assert.deepEqual((await call('GET', 'webhook-config')).data, changed.data)
    const rotated = await call('PATCH', 'webhook-config', { rotate_secret: true })
    assert.notEqual(rotated.data.secret, secret)
    assert.match(String(rotated.data.secret), /^whsec_/)
  })

  test('the server changes the configuration once per Idempotency-Key, and the replayed answer hides the secret', async () => {
    const call = callerOf(await newMerchant())
    const first = await call('PATCH', 'webhook-config', { webhook_url: receiver.url }, 'save-1')
    const again = await call('PATCH', 'webhook-config', { webhook_url: receiver.url }, 'save-1')
    assert.ok(first.data.secret)
    const { secret, ...rest } = first.data
    assert.ok(again.replayed)
    assert.deepEqual(again.data, rest)
    assert.ok(String(secret).endsWith(String(again.data.secret_last4)))
    const other = await call('PATCH', 'webhook-config', { rotate_secret: true }, 'save-1')
    assert.equal(other.error.code, 'idempotency_key_reused')
  })

  test('the server accepts a configuration with listed events only, and with at least one event', async () => {
    const call = callerOf(await newMerchant())
    for (const name of ['collection.maybe', 'toString']) {
      const unknown = await call('PATCH', 'webhook-config', { webhook_url: receiver.url, events: [name] })
      assert.equal(unknown.status, 400)
      assert.match(JSON.stringify(unknown.error.details), new RegExp(name))
    }
    const none = await call('PATCH', 'webhook-config', { webhook_url: receiver.url, events: [] })
    assert.equal(none.status, 400)
    assert.equal((await call('GET', 'webhook-config')).status, 404, 'nothing was saved')
  })

  test('the server refuses a webhook address in a private network, and in production an address without https', async (t) => {
    const { deps } = bench
    const strict = await startApp({
      ...deps,
      config: { ...deps.config, webhook_allow_private: null, node_env: 'production' },
    })
    t.after(() => strict.close())
    const call = callerOf(await newMerchant(), { app: strict })
    const refused = [
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://[::1]/',
      'https://private.test/',
      'https://169.254.169.254/latest/meta-data',
      'https://user:pw@example.com/',
      'http://example.com/',
      'javascript:alert(1)',
      'nonsense',
    ]
    for (const webhook_url of refused) {
      const { status, error } = await call('PATCH', 'webhook-config', { webhook_url })
      assert.equal(status, 400, webhook_url)
      assert.equal(error.code, 'validation_failed')
      assert.match(JSON.stringify(error.details), /"field":"webhook_url"/)
    }
    const accepted = await call('PATCH', 'webhook-config', { webhook_url: 'https://does-not-resolve-yet.test/hook' })
    assert.equal(accepted.status, 200)
  })
})

describe('webhook deliveries', () => {
  test('the server queues and sends a test delivery with test: true, even when the endpoint does not receive the event', async () => {
    const call = callerOf(await newMerchant())
    assert.equal((await call('POST', 'webhook-config/test')).status, 404)
    await call('PATCH', 'webhook-config', { webhook_url: receiver.url, events: ['collection.failed'] })
    receiver.received.length = 0
    const sent = await call('POST', 'webhook-config/test', undefined, 'test-1')
    assert.equal(sent.status, 202)
    assert.equal(sent.data.status, 'pending')
    assert.ok((await call('POST', 'webhook-config/test', undefined, 'test-1')).replayed)
    await deliverDue(bench.deliverer)
    assert.equal(receiver.received.length, 1)
    const body = JSON.parse(receiver.received[0]?.body ?? '') as Record<string, unknown>
    assert.equal(body.event, 'collection.success')
    assert.equal(body.test, true)
    assert.equal('sandbox' in body, false)
    const shown = await call('GET', `webhook-deliveries/${sent.data.id}`)
    assert.equal(shown.data.status, 'delivered')
    assert.deepEqual(shown.data.payload, body)
  })

  test('the server lists deliveries newest first, page by page, by status and event', async () => {
    const merchant = await newMerchant()
    const call = callerOf(merchant)
    await call('PATCH', 'webhook-config', { webhook_url: receiver.url })
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      bench.clock.advance(1)
      const [delivery] = await queue(bench.deps, merchant, {
        event: i === 0 ? 'collection.failed' : 'collection.success',
      })
      ids.unshift(delivery?.id ?? '')
    }
    await deliverDue(bench.deliverer)
    bench.clock.advance(1)
    await queue(bench.deps, merchant)
    await queue(bench.deps, merchant, { environment: 'live' })
    const list = async (query: string) => {
      const { data } = await call('GET', `webhook-deliveries?${query}`)
      return data as { items: { id: string; attempts: unknown[] }[]; pagination: Record<string, number> }
    }
    const all = await list('page_size=3')
    assert.deepEqual(all.pagination, { page: 1, page_size: 3, total_items: 4, total_pages: 2 })
    assert.deepEqual(
      all.items.slice(1).map((item) => item.id),
      ids.slice(0, 2),
    )
    assert.equal(all.items[1]?.attempts.length, 1)
    assert.deepEqual(
      (await list('page_size=3&page=2')).items.map((item) => item.id),
      ids.slice(2),
    )
    assert.equal((await list('status=pending')).pagination.total_items, 1)
    assert.deepEqual(
      (await list('event=collection.failed')).items.map((item) => item.id),
      ids.slice(2),
    )
    assert.equal((await list('event=collection.successful&status=delivered')).pagination.total_items, 2)
    assert.equal((await call('GET', 'webhook-deliveries?status=nonsense')).status, 400)
    assert.equal((await call('GET', 'webhook-deliveries?page_size=101')).status, 400)
  })

  test('the server answers 404 for a delivery of another merchant or of the other environment', async () => {
    const merchant = await newMerchant()
    await callerOf(merchant)('PATCH', 'webhook-config', { webhook_url: receiver.url })
    const [delivery] = await queue(bench.deps, merchant)
    const stranger = callerOf(await newMerchant())
    const live = callerOf(merchant, { environment: 'live' })
    for (const call of [stranger, live]) {
      assert.equal((await call('GET', `webhook-deliveries/${delivery?.id}`)).status, 404)
      assert.equal((await call('POST', `webhook-deliveries/${delivery?.id}/replay`)).status, 404)
      assert.equal((await call('GET', 'webhook-deliveries/nonsense')).status, 404)
      assert.deepEqual((await call('GET', 'webhook-deliveries')).data.items, [])
    }
  })

  test('the server replays a delivered delivery, and refuses the replay of a pending delivery with 409', async () => {
    const merchant = await newMerchant()
    const call = callerOf(merchant)
    await call('PATCH', 'webhook-config', { webhook_url: receiver.url })
    const [delivery] = await queue(bench.deps, merchant)
    const path = `webhook-deliveries/${delivery?.id}/replay`
    const pending = await call('POST', path)
    assert.equal(pending.status, 409)
    assert.equal(pending.error.code, 'invalid_state')
    await deliverDue(bench.deliverer)
    receiver.received.length = 0
    const replayed = await call('POST', path)
    assert.equal(replayed.status, 202)
    assert.equal(replayed.data.status, 'pending')
    await deliverDue(bench.deliverer)
    assert.equal(receiver.received[0]?.body, delivery?.body)
    // After six failed repetitions, the list has no accepted attempt any more, but the delivery stays delivered.
    const { delivered_at, attempts } = (await call('GET', `webhook-deliveries/${delivery?.id}`)).data
    assert.equal(delivered_at, (attempts as { at: string }[])[0]?.at)
    receiver.reply = { kind: 'status', status: 500 }
    for (let number = 1; number <= 6; number++) {
      bench.clock.advance(60_000)
      assert.equal((await call('POST', path)).data.delivered_at, delivered_at)
      await deliverDue(bench.deliverer)
    }
    receiver.reply = { kind: 'status', status: 200 }
    const { items } = (await call('GET', 'webhook-deliveries')).data
    const [listed] = items as { status: string; delivered_at: string }[]
    assert.deepEqual([listed?.status, listed?.delivered_at], ['failed', delivered_at])
    const [never] = await queue(bench.deps, merchant)
    assert.equal((await call('GET', `webhook-deliveries/${never?.id}`)).data.delivered_at, null)
  })

  test('the server repeats the stored refusal of an Idempotency-Key, and sends no delivery later', async () => {
    const merchant = await newMerchant()
    const call = callerOf(merchant)
    await call('PATCH', 'webhook-config', { webhook_url: receiver.url })
    const [delivery] = await queue(bench.deps, merchant)
    const path = `webhook-deliveries/${delivery?.id}/replay`
    const first = await call('POST', path, undefined, 'replay-1')
    assert.equal(first.status, 409)
    assert.equal(first.replayed, false)
    await deliverDue(bench.deliverer)
    receiver.received.length = 0
    const again = await call('POST', path, undefined, 'replay-1')
    assert.equal(again.replayed, true)
    assert.deepEqual({ ...again, replayed: false }, first)
    await deliverDue(bench.deliverer)
    assert.equal(receiver.received.length, 0)
    assert.equal((await call('POST', path, undefined, 'replay-2')).status, 202)
  })

  test('the server does not use up the Idempotency-Key of a webhook request that it answers with 404 or 400', async () => {
    const call = callerOf(await newMerchant())
    assert.equal((await call('POST', 'webhook-config/test', undefined, 'early')).status, 404)
    assert.equal((await call('PATCH', 'webhook-config', { events: [] }, 'early-2')).status, 400)
    await call('PATCH', 'webhook-config', { webhook_url: receiver.url })
    assert.equal((await call('POST', 'webhook-config/test', undefined, 'early')).status, 202)
    assert.equal((await call('PATCH', 'webhook-config', { events: ['collection.failed'] }, 'early-2')).status, 200)
  })

  test('the server shows 500 characters of each answer and five attempts in a list, and everything in the record', async () => {
    const merchant = await newMerchant()
    const call = callerOf(merchant)
    await call('PATCH', 'webhook-config', { webhook_url: receiver.url })
    const [delivery] = await queue(bench.deps, merchant)
    receiver.reply = { kind: 'status', status: 500, body: 'x'.repeat(2_000) }
    for (let attempt = 1; attempt <= 7; attempt++) {
      if (attempt > 5) assert.equal((await call('POST', `webhook-deliveries/${delivery?.id}/replay`)).status, 202)
      await deliverDue(bench.deliverer)
      bench.clock.advance(30 * 60_000)
    }
    receiver.reply = { kind: 'status', status: 200 }
    type Shown = { attempts: { number: number; response_body: string }[] }
    const shape = (shown: Shown | undefined) =>
      shown?.attempts.map(({ number, response_body }) => [number, response_body.length])
    const listed = (await call('GET', 'webhook-deliveries')).data as { items: Shown[] }
    assert.deepEqual(
      shape(listed.items[0]),
      [3, 4, 5, 6, 7].map((number) => [number, 500]),
    )
    const alone = (await call('GET', `webhook-deliveries/${delivery?.id}`)).data
    assert.deepEqual(
      shape(alone as Shown),
      [1, 2, 3, 4, 5, 6, 7].map((number) => [number, 2_000]),
    )
  })

  test('a delivery gets a hundred attempts at most, including replays', async () => {
    const merchant = await newMerchant()
    const call = callerOf(merchant)
    await call('PATCH', 'webhook-config', { webhook_url: receiver.url })
    const [delivery] = await queue(bench.deps, merchant)
    await deliverDue(bench.deliverer)
    const path = `webhook-deliveries/${delivery?.id}/replay`
    // If the delivery has fewer than four attempts, a replay sets the number to four. The attempt of the replay then adds one.
    for (let number = 5; number <= 100; number++) {
      assert.equal((await call('POST', path)).status, 202, `attempt ${number}`)
      assert.equal(await deliverDue(bench.deliverer), 1)
    }
    const refused = await call('POST', path)
    assert.equal(refused.status, 409)
    assert.equal(refused.error.code, 'invalid_state')
    assert.match(refused.error.message, /100 times/)
    receiver.received.length = 0
    await deliverDue(bench.deliverer)
    assert.equal(receiver.received.length, 0)
  })
})
