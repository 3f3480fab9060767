// Tests a provider that is down. Operators see the open circuit and the waiting payments, and new payments fail immediately.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import type { Answer, PayoutAnswer, Provider } from '../../adapters/providers/port.ts'
import { statementForm } from '../../adapters/providers/statement-forms.ts'

const DOWN: Answer & PayoutAnswer = { kind: 'unknown', why: 'unreachable', provider_status: null }
const TAKEN: Answer & PayoutAnswer = { kind: 'accepted', provider_status: 'PENDING' }
const script: { push: Answer; status: Answer; payout: PayoutAnswer; payoutStatus: PayoutAnswer } = {
  push: TAKEN,
  status: TAKEN,
  payout: TAKEN,
  payoutStatus: TAKEN,
}
const calls = { push: 0, qr: 0, status: [] as number[], payout: 0 }
const provider: Provider = {
  name: 'mock',
  capabilities: {
    methods: ['wallet_push', 'provider_pesa', 'qr'],
    whole_shillings: false,
    payout_methods: ['MOBILE_MONEY'],
    destinations: ['MPESA'],
  },
  push: async () => {
    calls.push++
    return script.push
  },
  qr: async () => {
    calls.qr++
    return DOWN
  },
  status: async (requests) => {
    calls.status.push(requests.length)
    return requests.map(() => script.status)
  },
  payout: async () => {
    calls.payout++
    return script.payout
  },
  payoutStatus: async (requests) => requests.map(() => script.payoutStatus),
  verifyCallback: () => ({ verified: false }),
}

let world: World
let operator: string
before(async () => {
  world = await createWorld({ compose: { providers: [provider] } })
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(() => world.close())

async function pay(amount = '1000') {
  const body = { amount, phone: '0754123456' }
  const reply = await world.post('/v1/collections/wallet-push', body, { key: world.live_key })
  assert.equal(reply.status, 202)
  await world.system.driver.task.idle()
  return reply.body.data.collection_id as string
}
const statusOf = async (id: string) => (await world.get(`/v1/collections/${id}`, world.live_key)).body.data
const waiting = async (kind: string, query = '') =>
  (await world.get(`/v1/operator/waiting?kind=${kind}${query}`, operator)).body.data.items
const waitingPage = async (query: string) => (await world.get(`/v1/operator/waiting?${query}`, operator)).body.data
async function circuit(method: string) {
  const { data } = (await world.get('/v1/operator/providers', operator)).body
  return data.providers
    .find(({ name }: Provider) => name === 'mock')
    ?.circuits.find((one: { method: string }) => one.method === method)
}

test('an operator sees the default provider, the routes, and the destinations of each provider', async () => {
  const { data } = (await world.get('/v1/operator/providers', operator)).body
  assert.deepEqual([data.default_provider, data.routes, data.process_id], ['mock', [], world.deps.process_id])
  assert.equal(data.process, 'all')
  const shown = data.providers.map(({ name, live, destinations }: Record<string, unknown>) => [
    name,
    live,
    destinations,
  ])
  assert.deepEqual(shown, [
    ['sandbox', false, null],
    ['mock', true, ['MPESA']],
  ])
})

test('after a provider fails five payments, the next payment fails immediately without a call', async () => {
  script.push = DOWN
  const open: string[] = []
  for (let i = 0; i < 5; i++) {
    world.deps.clock.advance(1_000)
    open.push(await pay())
  }
  const before_it = calls.push
  const id = await pay()
  const { status, failure_reason_code, provider_payment_status } = await statusOf(id)
  assert.deepEqual([status, failure_reason_code], ['failed', 'provider_unavailable'])
  assert.equal(provider_payment_status, null, 'the provider has not answered')
  assert.equal(calls.push, before_it)
  for (const one of open)
    assert.equal((await statusOf(one)).status, 'processing', 'the outcome of the payment stays unknown')
  const { state, faults, retry_at } = await circuit('wallet_push')
  assert.deepEqual([state, faults], ['open', 5])
  const [{ calls: of_process, process_id }] = (await world.get('/v1/operator/providers', operator)).body.data.processes
  assert.deepEqual([of_process, process_id], [5, world.deps.process_id])
  assert.equal(Date.parse(retry_at) - world.deps.clock.now().getTime(), 2_000)
  assert.match(world.deps.logged.join(''), /circuit open/)

  const items = await waiting('collection')
  assert.deepEqual(
    items.map((item: { id: string }) => item.id),
    open,
  )
  const { merchant_name, provider: name, method, state: step, asks, provider_status, waiting_s } = items[0]
  assert.deepEqual(
    [merchant_name, name, method, step, asks, provider_status, waiting_s],
    [world.merchant.name, 'mock', 'wallet_push', 'unclear', 1, null, 4],
    'the server does not know whether the provider took the payment',
  )
  assert.deepEqual(await waiting('collection', '&provider=mock'), items)
  assert.deepEqual(await waiting('collection', '&provider=selcom'), [])
  const second = await waitingPage('page=2&page_size=2')
  assert.deepEqual(
    second.items.map((item: { id: string; kind: string }) => [item.id, item.kind]),
    open.slice(2, 4).map((id) => [id, 'collection']),
  )
  assert.deepEqual(second.pagination, { page: 2, page_size: 2, total_items: 5, total_pages: 3 })

  script.push = TAKEN
  world.deps.clock.advance(2_000)
  await pay()
  assert.equal(calls.push, before_it + 1)
  assert.equal((await circuit('wallet_push')).state, 'closed')
  await pay()
  assert.equal(calls.push, before_it + 2)
})

test('when status queries fail, the process opens only the circuit of status queries, and no payment fails', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => pay()))
  script.status = DOWN
  for (let i = 0; i < 60 && (await circuit('status'))?.state !== 'open'; i++) {
    await world.call({ method: 'POST', url: `/v1/collections/${ids[0]}/refresh-status`, key: world.live_key })
  }
  assert.equal((await circuit('status')).state, 'open')
  assert.equal((await circuit('wallet_push')).state, 'closed')
  const { length } = calls.status
  await world.call({ method: 'POST', url: `/v1/collections/${ids[1]}/refresh-status`, key: world.live_key })
  assert.equal(calls.status.length, length, 'the process sends no query while the circuit is open')
  script.status = { kind: 'succeeded', amount_minor: 100_000n, currency: 'TZS', provider_status: 'COMPLETED' }
  await world.pass(120_000)
  assert.equal(calls.status[length], 1, 'the first query after the pause contains one payment')
  for (const id of ids) assert.equal((await statusOf(id)).status, 'successful')
  assert.deepEqual(await waiting('collection'), [])
})

test('when the provider is down, the server refuses a QR payment immediately', async () => {
  const ask = () => world.post('/v1/collections/qr', { amount: '1000' }, { key: world.live_key })
  for (let i = 0; i < 5; i++) await ask()
  const before_it = calls.qr
  const reply = await ask()
  assert.deepEqual([reply.status, reply.body.error.code], [503, 'provider_unavailable'])
  assert.equal(calls.qr, before_it)
})

test('payouts wait with reserved money while the provider is unreachable, and the server sends them when the provider is back', async () => {
  script.payout = { kind: 'not_sent', provider_status: null }
  const body = {
    amount: '500',
    destination_code: 'MPESA',
    destination_identifier: '0754123456',
    destination_name: 'Juma Ali',
  }
  const ids: string[] = []
  for (let i = 0; i < 6; i++) {
    // The payouts are a second apart. The last payout comes one millisecond after the circuit opened.
    world.deps.clock.advance(i < 5 ? 1_000 : 1)
    const made = await world.post('/v1/disbursements/mobile-money', body, { key: world.live_key })
    assert.equal(made.status, 202, made.text)
    ids.push(made.body.data.id)
    await world.post(`/v1/operator/withdrawals/${made.body.data.id}/approve`, {}, { key: operator })
    await world.system.payouts.task.idle()
  }
  assert.equal(calls.payout, 5)
  const items = await waiting('payout')
  assert.deepEqual(
    items.map((item: { id: string; state: string; merchant_id: string }) => [item.id, item.state, item.merchant_id]),
    ids.map((id) => [id, 'to_send', world.merchant.id]),
  )
  assert.equal(items[5].provider_status, 'CIRCUIT_OPEN')
  assert.equal(Date.parse(items[5].due_at) - world.deps.clock.now().getTime(), 1_999)
  const stranger = await world.newMerchant()
  assert.deepEqual(await waiting('payout', `&merchant_id=${stranger.id}`), [])
  assert.equal((await waiting('payout', `&merchant_id=${world.merchant.id}`)).length, 6)
  const both = (await waitingPage(`merchant_id=${world.merchant.id}&page_size=100`)).items
  const of = (kind: string) => both.filter((item: { kind: string }) => item.kind === kind)
  assert.deepEqual(of('payout'), items)
  assert.deepEqual(of('collection'), await waiting('collection'))
  assert.ok(of('collection').length > 0, 'the list contains payments and payouts together')
  assert.deepEqual(
    both.map((item: { created_at: string }) => item.created_at),
    both.map((item: { created_at: string }) => item.created_at).sort(),
  )
  assert.equal((await world.get('/v1/balance', world.live_key)).body.data.reserved, '3000.00')

  script.payout = { kind: 'succeeded', amount_minor: 50_000n, currency: 'TZS', provider_status: 'COMPLETED' }
  await world.pass(60_000)
  assert.deepEqual(await waiting('payout'), [])
  assert.equal(calls.payout, 11)
  assert.equal((await world.get('/v1/balance', world.live_key)).body.data.reserved, '0.00')
})

test('an operator sees a waiting payment with the reference that provider statements contain', async () => {
  script.push = TAKEN
  const id = await pay()
  await world.rows(`update collection_attempts set provider = 'vodacom' where collection_id = $1`, [id])
  const [item] = await waiting('collection', '&provider=vodacom')
  assert.equal(item.statement_reference, statementForm('vodacom', item.provider_reference))
  assert.match(item.statement_reference, /^[0-9A-Za-z]{20}$/)
  await world.rows(`update collection_attempts set provider = 'mock' where collection_id = $1`, [id])
  assert.equal((await waiting('collection')).at(-1).statement_reference, null)
})

test('the list of waiting payments shows the state sending for a prompt under lease', async () => {
  const id = await pay()
  const stateOf = async () => (await waiting('collection')).find((item: { id: string }) => item.id === id)?.state
  await world.rows(
    `update collection_attempts set state = 'to_send', asks = 0, lease_owner = $2 where collection_id = $1`,
    [id, world.deps.process_id],
  )
  assert.equal(await stateOf(), 'sending')
  await world.rows(`update collection_attempts set lease_owner = null where collection_id = $1`, [id])
  assert.equal(await stateOf(), 'to_send')
})

test('a decision route that needs no reason accepts a missing body, an empty body and an empty object', async () => {
  const unknown = randomUUID()
  for (const path of [
    `withdrawals/${unknown}/approve`,
    `withdrawals/${unknown}/retry`,
    `merchants/${unknown}/approve`,
    `reconciliation/exceptions/${unknown}/ask`,
  ]) {
    for (const payload of [undefined, '', '{}']) {
      for (const headers of [{}, { 'content-type': 'application/json' }]) {
        if (payload === '{}' && !('content-type' in headers)) continue
        const sent = { method: 'POST', url: `/v1/operator/${path}`, key: operator, headers } as const
        const reply = await world.call({ ...sent, ...(payload === undefined ? {} : { payload }) })
        assert.equal(reply.status, 404, `${path} ${JSON.stringify(payload)}: ${reply.text}`)
      }
    }
  }
  const needs_words = {
    method: 'POST',
    url: `/v1/operator/withdrawals/${unknown}/reject`,
    key: operator,
    payload: '',
  } as const
  const refused = await world.call({ ...needs_words, headers: { 'content-type': 'application/json' } })
  assert.equal(refused.body.error.code, 'invalid_json')
})

test('after twelve sandbox payments with a simulated outage, the next sandbox payment succeeds', async () => {
  const play = (phone: string) =>
    world.post('/v1/collections/wallet-push', { amount: '1000', phone }, { key: world.sandbox_key })
  for (let i = 0; i < 12; i++) await play('0754123013')
  const { body } = await play('0754123001')
  await world.work()
  assert.equal((await world.get(`/v1/collections/${body.data.collection_id}`)).body.data.status, 'successful')
})
