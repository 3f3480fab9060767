// Tests the event that the worker queues when the available balance is below the balance mark.

import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { fund } from '../../../test/withdrawals.ts'
import type { Task } from '../../kernel/work/index.ts'
import { lowBalanceTask } from './balance-low.ts'

let world: World
let task: Task
/** The server calls this function before each of its statements. */
let onStatement: (name: string) => void = () => {}
before(async () => {
  world = await createWorld({ env: { PROMPTS_PER_PHONE: '0' }, before: (name) => onStatement(name) })
  task = lowBalanceTask(world.deps)
})
afterEach(() => {
  onStatement = () => {}
})
after(() => world.close())

/** Creates a merchant with 10,000 shillings in the sandbox, and the functions of the test. */
async function newShop() {
  const merchant = await world.newMerchant()
  const admin = (await world.newSession([{ role: 'MERCHANT_ADMIN', merchant }])).token
  const key = await world.newKey({ merchant })
  await fund(world, { merchant, amount: '10000' })
  const mark = async (balance_below: string | null, environment = 'sandbox') => {
    const url = `/v1/merchant/balance-mark?environment=${environment}`
    const { status, text } = await world.call({ method: 'PUT', url, payload: { balance_below }, key: admin })
    assert.equal(status, 200, text)
  }
  const payOut = async (amount: string) => {
    const body = { amount, destination_identifier: '0754123400', destination_code: 'MPESA' }
    const { id } = (await world.post('/v1/disbursements/mobile-money', body, { key })).body.data
    const { status, text } = await world.post(
      `/v1/sandbox/disbursements/${id}/simulate`,
      { outcome: 'SUCCESS' },
      { key },
    )
    assert.equal(status, 200, text)
    await world.work()
  }
  const events = async () => {
    world.deps.clock.advance(1)
    const { body } = await world.get('/v1/events?event=balance.low', key)
    return (body.data.items as { data: Record<string, string> }[]).map(({ data }) => data)
  }
  return { merchant, key, mark, payOut, events }
}

test('a balance that falls below the mark makes balance.low once, and again only after the balance was at the mark or above', async () => {
  const { merchant, mark, payOut, events } = await newShop()
  await mark('5000')
  await world.work()
  assert.deepEqual(await events(), [], 'the balance is above the mark')
  await payOut('5000')
  assert.deepEqual(await events(), [], 'the balance equals the mark')
  await payOut('1000')
  const [event, ...more] = await events()
  assert.equal(more.length, 0)
  const { low_at, timestamp, ...rest } = event ?? {}
  assert.deepEqual(rest, {
    event: 'balance.low',
    merchant_code: merchant.merchant_code,
    reference: null,
    merchant_reference: null,
    amount: '4000.00',
    currency: 'TZS',
    balance_below: '5000.00',
    status: 'LOW',
    metadata: {},
    sandbox: true,
  })
  assert.equal(low_at, timestamp)
  await payOut('500')
  await world.work()
  await mark('9000')
  await world.work()
  assert.equal((await events()).length, 1, 'still below a mark')
  await fund(world, { merchant, amount: '20000' })
  await world.work()
  await payOut('20000')
  assert.deepEqual(
    (await events()).map(({ amount, balance_below }) => [amount, balance_below]),
    [
      ['3500.00', '9000.00'],
      ['4000.00', '5000.00'],
    ],
  )
})

test('a mark above the current balance makes an event in the next run, but a live mark makes no event in the sandbox', async () => {
  const { mark, payOut, events } = await newShop()
  await mark('1', 'live')
  await payOut('100')
  await world.work()
  assert.deepEqual(await events(), [], 'the sandbox has no mark')
  await mark('50000')
  await world.work()
  assert.equal((await events()).length, 1)
  await mark(null)
  await world.work()
  await mark('50000')
  await world.work()
  assert.equal((await events()).length, 2, 'a new mark begins anew')
})

test('only an endpoint that names balance.low gets a delivery, and a process that dies loses no delivery', async () => {
  const { key, mark } = await newShop()
  const subscribe = (events?: string[]) =>
    world.call({
      method: 'PATCH',
      url: '/v1/merchant/webhook-config',
      payload: { webhook_url: 'http://127.0.0.1:9/hook', ...(events ? { events } : {}) },
      key,
    })
  const deliveries = async () =>
    (await world.get('/v1/merchant/webhook-deliveries?event=balance.low', key)).body.data.items
  assert.equal((await subscribe()).status, 200)
  await mark('20000')
  assert.equal(await task.runOnce(), 1)
  assert.deepEqual(await deliveries(), [], 'the default subscription does not name the event')
  await mark(null)
  assert.equal((await subscribe(['collection.success', 'balance.low'])).status, 200)
  await mark('20000')
  onStatement = (name) => {
    if (name === 'webhook_enqueue') throw new Error('the process dies here')
  }
  await assert.rejects(task.runOnce())
  assert.deepEqual(await deliveries(), [])
  onStatement = () => {}
  assert.equal(await task.runOnce(), 1)
  assert.equal((await deliveries()).length, 1)
  assert.equal(await task.runOnce(), 0)
})

test('ten concurrent workers report each low balance once', async () => {
  const shops = await Promise.all([newShop(), newShop(), newShop()])
  await task.runOnce()
  for (const { mark } of shops) await mark('50000')
  const counts = await Promise.all(Array.from({ length: 10 }, () => lowBalanceTask(world.deps).runOnce()))
  assert.equal(
    counts.reduce<number>((sum, count) => sum + Number(count), 0),
    3,
  )
  for (const { events } of shops) assert.equal((await events()).length, 1)
})
