// Tests that the health of a provider shows the circuit of each method. All networks of a method share the circuit.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { newPayoutScript, type PayoutScript, scriptedProvider } from '../../../test/payouts.ts'
import type { Answer, Provider } from '../../adapters/providers/port.ts'

const DOWN: Answer = { kind: 'unknown', why: 'unreachable', provider_status: null }
const TAKEN: Answer = { kind: 'succeeded', amount_minor: 100_000n, currency: 'TZS', provider_status: 'COMPLETED' }

let providerAnswer: Answer | Promise<Answer> = TAKEN
/** The promise resolves when the provider receives the next prompt. */
let prompted = Promise.withResolvers<void>()
const push = async () => {
  prompted.resolve()
  return providerAnswer
}
let world: World
let operator: string
before(async () => {
  const script: PayoutScript = newPayoutScript()
  const scripted = scriptedProvider(script)
  const { circuit_breaker: _, ...capabilities } = scripted.capabilities
  const provider: Provider = { ...scripted, capabilities, push }
  world = await createWorld({ compose: { providers: [provider] } })
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(() => world.close())

/** Starts a payment, but does not wait until the provider answers. */
async function begin(phone: string, way = 'wallet-push', key = world.live_key): Promise<void> {
  const reply = await world.post(`/v1/collections/${way}`, { amount: '1000', phone }, { key })
  assert.equal(reply.status, 202, reply.text)
}
async function pay(phone: string, way?: string): Promise<void> {
  await begin(phone, way)
  await world.system.driver.task.idle()
}
/** Returns the circuit of each line of the health response. */
async function circuits(environment = 'live'): Promise<Record<string, unknown>> {
  const reply = await world.get(`/v1/operator/providers/health?environment=${environment}`, operator)
  assert.equal(reply.status, 200, reply.text)
  const items: { method: string; network: string | null; circuit: object | null }[] = reply.body.data.items
  return Object.fromEntries(items.map(({ method, network, circuit }) => [`${method} ${network}`, circuit]))
}
const CLOSED = { state: 'closed', retry_at: null }

test('the networks of a method show the circuit of the method when it is closed, open, half open and closed again', async () => {
  await pay('0754123456')
  await pay('0684123456')
  await pay('0684123456', 'provider-pesa')
  const fine = await circuits()
  assert.deepEqual([fine['wallet_push MPESA'], fine['wallet_push AIRTEL']], [CLOSED, CLOSED])

  providerAnswer = DOWN
  for (let i = 0; i < 5; i++) await pay('0754123456')
  const open = { state: 'open', retry_at: new Date(world.deps.clock.now().getTime() + 2_000).toISOString() }
  const down = await circuits()
  assert.deepEqual([down['wallet_push MPESA'], down['wallet_push AIRTEL']], [open, open])
  assert.deepEqual(down['provider_pesa AIRTEL'], CLOSED, 'another method has another circuit')

  world.deps.clock.advance(2_000)
  const answer = Promise.withResolvers<Answer>()
  providerAnswer = answer.promise
  prompted = Promise.withResolvers<void>()
  await begin('0754123456')
  await prompted.promise
  assert.deepEqual((await circuits())['wallet_push MPESA'], { state: 'half_open', retry_at: null })
  answer.resolve(TAKEN)
  providerAnswer = TAKEN
  await world.system.driver.task.idle()
  assert.deepEqual((await circuits())['wallet_push AIRTEL'], CLOSED)
})

test('a simulated or unknown provider has no circuit', async () => {
  await begin('0754123001', 'wallet-push', world.sandbox_key)
  await world.work()
  assert.deepEqual(await circuits('sandbox'), { 'wallet_push MPESA': null })
  await world.rows("update collection_attempts set provider = 'gone' where environment = 'live'")
  const gone = await circuits()
  assert.deepEqual(gone, { 'provider_pesa AIRTEL': null, 'wallet_push AIRTEL': null, 'wallet_push MPESA': null })
})

test('/healthz?verbose names each component to operators and programs of this machine only', async () => {
  type Caller = { remoteAddress?: string; headers?: Record<string, string> }
  const verbose = async (from: Caller) => {
    const answer = await world.system.app.inject({ method: 'GET', url: '/healthz?verbose', ...from })
    assert.equal(answer.statusCode, 200)
    return answer.json() as { status: string; ready?: boolean; components?: Record<string, string> }
  }
  const away = { remoteAddress: '203.0.113.9' }
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  providerAnswer = DOWN
  for (let i = 0; i < 5; i++) await pay('0754123456')
  const components = {
    process: 'ok',
    ...{ database: 'ok', writable: 'ok', disk: 'ok', key: 'ok', migrations: 'ok' },
  }
  for (const caller of [{}, { ...away, ...bearer(operator) }]) {
    const { ready, components: found = {} } = await verbose(caller)
    assert.equal(ready, true)
    const { 'mock wallet_push': circuit = '', ...rest } = found
    assert.match(circuit, /^circuit open since /)
    assert.deepEqual({ ...rest, ...components }, rest)
  }
  const member = (await world.newSession('MERCHANT_ADMIN')).token
  const refused: Caller[] = [
    away,
    { ...away, ...bearer(member) },
    { ...away, ...bearer(world.live_key) },
    { ...away, ...bearer('wrong') },
    bearer(member),
    { headers: { 'x-forwarded-for': '203.0.113.9' } },
    { headers: { forwarded: 'for=203.0.113.9' } },
  ]
  for (const caller of refused) assert.deepEqual(await verbose(caller), { status: 'ok' }, JSON.stringify(caller))
})
