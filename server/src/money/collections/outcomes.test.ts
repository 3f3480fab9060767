// Tests the outcome of every magic number, with its money, history and events.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import { verify } from '../../apps/admin/verify.ts'

const PUSH = '/v1/collections/wallet-push'
/** The requested amount in cents. */
const A = 100_000n
const MORE = A + 10_000n

type End = {
  status: string
  reason?: string
  /** The statuses after processing, in order. */
  moves: string[]
  events: string[]
  available?: bigint
  held?: bigint
}

const PAID: End = { status: 'successful', moves: ['successful'], events: ['collection.success'], available: A }
const declined = (reason: string): End => ({
  status: 'failed',
  reason,
  moves: ['failed'],
  events: ['collection.failed'],
})
const HELD: End = {
  status: 'pending_clearance',
  moves: ['pending_clearance'],
  events: ['collection.pending_review'],
  held: A,
}
const REVERSED: End = {
  status: 'reversed',
  moves: ['successful', 'reversed'],
  events: ['collection.success', 'collection.reversed'],
}

const TABLE: Record<string, End> = {
  '001': PAID,
  '002': declined('wrong_pin'),
  '003': declined('insufficient_balance'),
  '004': declined('user_cancelled'),
  '005': declined('provider_declined'),
  '006': declined('expired'),
  '007': declined('timeout'),
  '008': PAID,
  '009': PAID,
  '010': {
    status: 'successful',
    moves: ['failed', 'successful'],
    events: ['collection.failed', 'collection.success'],
    available: A,
  },
  '011': { ...HELD, held: MORE },
  '012': REVERSED,
  '013': declined('provider_unavailable'),
  '014': HELD,
}

let world: World
let receiver: Receiver
before(async () => {
  receiver = await startReceiver()
  world = await createWorld({ env: { COLLECTION_DEADLINE_H: '0.02' } })
})
after(async () => {
  await world.close()
  await receiver.close()
})

type Made = { merchant_id: string; collection_id: string; key: string; environment: string }

/** Makes a payment of a new merchant that receives every event. */
async function pay(environment: 'live' | 'sandbox', body: object, path = PUSH): Promise<Made> {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant, environment })
  const config = await world.call({
    method: 'PATCH',
    url: '/v1/merchant/webhook-config',
    payload: { webhook_url: receiver.url },
    key,
  })
  assert.equal(config.status, 200, config.text)
  const reply = await world.post(path, { amount: '1000.00', reference: 'ORDER', ...body }, { key })
  assert.equal(reply.status, 202, reply.text)
  return { merchant_id: merchant.id, collection_id: reply.body.data.collection_id, key, environment }
}

async function check(made: Made, end: End): Promise<void> {
  const { merchant_id, collection_id, key, environment } = made
  const shown = (await world.get(`/v1/collections/${collection_id}`, key)).body.data
  assert.equal(shown.status, end.status)
  assert.equal(shown.failure_reason_code, end.reason ?? null)
  assert.equal(typeof shown.failure_reason_message, end.reason ? 'string' : 'object')

  const accounts = await world.rows<{ environment: string; code: string; balance_minor: bigint }>(
    'select environment, code, balance_minor from ledger_accounts where merchant_id = $1',
    [merchant_id],
  )
  const available = end.available ?? 0n
  const held = end.held ?? 0n
  const expected: Record<string, bigint> = {
    available,
    held,
    provider_float: -available - held,
    reserved: 0n,
    fee_income: 0n,
    processor_cost: 0n,
  }
  for (const account of accounts) {
    assert.equal(
      account.balance_minor,
      account.environment === environment ? expected[account.code] : 0n,
      `${account.environment} ${account.code}`,
    )
  }

  const history = await world.rows<{ from_status: string; to_status: string; seq: number; event: string }>(
    'select from_status, to_status, seq, event from collection_history where collection_id = $1 order by seq',
    [collection_id],
  )
  const chain = ['processing', ...end.moves]
  assert.deepEqual(
    history,
    end.moves.map((to_status, i) => ({ from_status: chain[i], to_status, seq: i + 1, event: end.events[i] })),
  )

  const deliveries = await world.rows<{ event: string; status: string; body: string }>(
    'select event, status, body from webhook_deliveries where source_id = $1 order by source_seq',
    [collection_id],
  )
  assert.deepEqual(
    deliveries.map((row) => row.event),
    end.events,
  )
  for (const delivery of deliveries) {
    assert.equal(delivery.status, 'delivered')
    const body = JSON.parse(delivery.body)
    assert.equal(body.collection_id, collection_id)
    assert.equal(body.event, delivery.event)
    assert.equal(body.amount, '1000.00')
    assert.equal(body.reference, 'ORDER')
    assert.equal(body.merchant_reference, 'ORDER')
    assert.equal(body.customer_phone, shown.customer_phone)
    assert.equal(body.sandbox, environment === 'sandbox' ? true : undefined)
    assert.equal('test' in body, false)
    assert.equal(receiver.received.filter((request) => request.body === delivery.body).length, 1, 'delivered once')
  }
  if (end.reason !== undefined)
    assert.equal(JSON.parse(deliveries.at(-1)?.body ?? '{}').failure_reason_code, end.reason)
}

for (const environment of ['live', 'sandbox'] as const) {
  describe(`a payment with a ${environment} key`, () => {
    const made = new Map<string, Made>()
    before(async () => {
      for (const ending of Object.keys(TABLE)) made.set(ending, await pay(environment, { phone: `0754123${ending}` }))
      await world.work()
      for (const ending of ['007', '008']) {
        const { collection_id, key } = made.get(ending) as Made
        assert.equal(
          (await world.get(`/v1/collections/${collection_id}`, key)).body.data.status,
          'processing',
          'the server has no outcome yet',
        )
      }
      await world.pass(75_000)
    })
    for (const [ending, end] of Object.entries(TABLE)) {
      test(`a ${environment} payment of a phone that ends with ${ending} becomes ${end.moves.join(', then ')}${end.reason ? ` with ${end.reason}` : ''}`, () =>
        check(made.get(ending) as Made, end))
    }
    test(`a magic number gives a ${environment} wallet or QR payment the same outcome as a payment by prompt`, async () => {
      const more: [Made, End][] = []
      for (const ending of ['001', '002', '011', '012', '014']) {
        more.push([
          await pay(environment, { phone: `0754123${ending}` }, '/v1/collections/provider-pesa'),
          TABLE[ending] as End,
        ])
        more.push([
          await pay(environment, { customer_phone: `0754123${ending}` }, '/v1/collections/qr'),
          TABLE[ending] as End,
        ])
      }
      await world.pass(15_000)
      for (const [payment, end] of more) await check(payment, end)
    })
  })
}

describe('simulate_status with a sandbox key', () => {
  for (const [simulate_status, end] of [
    ['successful', PAID],
    ['failed', declined('provider_declined')],
    ['pending_clearance', HELD],
    ['reversed', REVERSED],
  ] as const) {
    test(`a payment with simulate_status ${simulate_status} becomes ${end.status}, even with a magic phone`, async () => {
      const made = [
        await pay('sandbox', { phone: '0754123499', simulate_status }),
        await pay('sandbox', { phone: '0754123007', simulate_status }),
        await pay('sandbox', { simulate_status }, '/v1/collections/qr'),
      ]
      await world.pass(15_000)
      for (const payment of made) await check(payment, end)
    })
  }
  test('a sandbox payment succeeds without simulate_status and without a magic phone', async () => {
    const made = [await pay('sandbox', { phone: '0754123499' }), await pay('sandbox', {}, '/v1/collections/qr')]
    await world.pass(6_000)
    for (const payment of made) await check(payment, PAID)
  })
})

test('about 90 of 100 live payments succeed without a magic phone, and the others fail with one of five reasons', async () => {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant, environment: 'live' })
  const replies = await Promise.all(
    Array.from({ length: 400 }, (_, i) =>
      world.post(PUSH, { amount: 10, phone: `075${String(i).padStart(4, '0')}123` }, { key }),
    ),
  )
  for (const reply of replies) assert.equal(reply.status, 202)
  await world.work()
  const rows = await world.rows<{ status: string; reason: string | null; n: bigint }>(
    'select status, failure_reason_code as reason, count(*) as n from collections where merchant_id = $1 group by 1, 2',
    [merchant.id],
  )
  const paid = Number(rows.find((row) => row.status === 'successful')?.n ?? 0)
  // The expected number is 360, and the standard deviation is 6.
  assert.ok(paid > 325 && paid < 395, `${paid} of 400`)
  for (const row of rows) {
    if (row.status === 'successful') continue
    assert.equal(row.status, 'failed')
    assert.ok(
      ['wrong_pin', 'insufficient_balance', 'user_cancelled', 'provider_declined', 'expired'].includes(
        row.reason ?? '',
      ),
    )
  }
})

test('many concurrent refreshes of one payment credit the money once', async () => {
  for (const environment of ['live', 'sandbox'] as const) {
    const made = await pay(environment, { phone: '0754123008' })
    await world.system.driver.task.idle()
    const refresh = () =>
      world.call({ method: 'POST', url: `/v1/collections/${made.collection_id}/refresh-status`, key: made.key })
    const replies = await Promise.all(Array.from({ length: 32 }, refresh))
    for (const reply of replies) {
      assert.equal(reply.status, 200)
      assert.equal(reply.body.data.status, 'successful')
    }
    await world.work()
    assert.equal((await refresh()).body.data.status, 'successful')
    await check(made, PAID)
  }
})

test('many refreshes of a reversed payment reverse the money once', async () => {
  const made = await pay('sandbox', { phone: '0754123012' })
  await world.pass(3_000)
  const refresh = () =>
    world.call({ method: 'POST', url: `/v1/collections/${made.collection_id}/refresh-status`, key: made.key })
  for (const reply of await Promise.all(Array.from({ length: 16 }, refresh)))
    assert.equal(reply.body.data.status, 'reversed')
  await world.work()
  await check(made, REVERSED)
})

describe('the first of two results of a payment', () => {
  const results = { '010': ['failed', 'successful'], '012': ['successful', 'reversed'] } as const
  const statusOf = async ({ collection_id, key }: Made) =>
    (await world.get(`/v1/collections/${collection_id}`, key)).body.data.status
  const refresh = async ({ collection_id, key }: Made) =>
    (await world.call({ method: 'POST', url: `/v1/collections/${collection_id}/refresh-status`, key })).body.data.status
  for (const environment of ['sandbox', 'live'] as const) {
    for (const [ending, [first, second]] of Object.entries(results)) {
      test(`a ${environment} payment of a phone that ends with ${ending} becomes ${first} before ${second} when the worker settles the results`, async () => {
        const made = await pay(environment, { phone: `0754123${ending}` })
        await world.work()
        assert.equal(await statusOf(made), first)
        world.deps.clock.advance(299)
        await world.work()
        assert.equal(await statusOf(made), first)
        world.deps.clock.advance(1)
        await world.work()
        assert.equal(await statusOf(made), second)
      })
      test(`a ${environment} payment of a phone that ends with ${ending} becomes ${first} before ${second} when a refresh settles the results`, async () => {
        const made = await pay(environment, { phone: `0754123${ending}` })
        await world.system.idle()
        world.deps.clock.advance(299)
        assert.equal(await refresh(made), first)
        world.deps.clock.advance(1)
        assert.equal(await refresh(made), second)
        await world.work()
        await check(made, TABLE[ending] as End)
      })
    }
  }
})

test('a failed, processing or held payment moves no money into the ledger account available', async () => {
  const rows =
    await world.rows(`select 1 from ledger_transfers t join collections c on c.merchant_id = t.merchant_id and c.id = t.source_id
    where t.credit_code = 'available' and c.status in ('failed', 'processing', 'pending_clearance')`)
  assert.equal(rows.length, 0)
})

test('the books satisfy every invariant after all tests of this file', async () => {
  const verification = await verify(world.url)
  assert.deepEqual(
    verification.checks.filter((invariant) => !invariant.ok),
    [],
  )
})
