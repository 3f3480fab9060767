// Tests that the checklist marks each step as done when its event happens, and not before.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { MERCHANT_ROLES } from '../../kernel/http/index.ts'

let world: World
let receiver: Receiver
before(async () => {
  world = await createWorld()
  receiver = await startReceiver()
})
after(async () => {
  await world.close()
  await receiver.close()
})

type StepReply = { key: string; done: boolean; done_at: string | null }

async function steps(merchant: Merchant): Promise<StepReply[]> {
  const { token } = await world.newSession([{ role: 'VIEWER', merchant }])
  return (await world.get('/v1/merchant/checklist', token)).body.data.items
}

const done = async (merchant: Merchant) => (await steps(merchant)).filter((step) => step.done).map(({ key }) => key)

async function pay(key: string, end: string): Promise<void> {
  await world.post('/v1/collections/wallet-push', { amount: 500, phone: `0754123${end}` }, { key })
  await world.work()
}

test('the checklist marks each step as done, with the time of its event', async () => {
  const merchant = await world.newMerchant({ approved: false })
  assert.deepEqual(await steps(merchant), [
    { key: 'sandbox_key', done: false, done_at: null },
    { key: 'first_payment', done: false, done_at: null },
    { key: 'webhook', done: false, done_at: null },
    { key: 'business', done: false, done_at: null },
    { key: 'live_key', done: false, done_at: null },
    { key: 'first_live_payment', done: false, done_at: null },
  ])
  const at: Record<string, string> = {}
  const now = (key: string) => {
    world.deps.clock.advance(1_000)
    at[key] = world.deps.clock.now().toISOString()
  }
  now('sandbox_key')
  const key = await world.newKey({ merchant })
  assert.deepEqual(await done(merchant), ['sandbox_key'])
  await pay(key, '003')
  assert.deepEqual(await done(merchant), ['sandbox_key'], 'a failed payment does not count')
  now('first_payment')
  await pay(key, '001')
  assert.deepEqual(await done(merchant), ['sandbox_key', 'first_payment'])
  const { token } = await world.newSession([{ role: 'DEVELOPER', merchant }])
  receiver.reply = { kind: 'status', status: 500 }
  const configured = await world.call({
    method: 'PATCH',
    url: '/v1/merchant/webhook-config',
    payload: { webhook_url: receiver.url },
    key: token,
  })
  assert.equal(configured.status, 200, configured.text)
  await pay(key, '001')
  assert.deepEqual(await done(merchant), ['sandbox_key', 'first_payment'], 'an answer of 500 does not count')
  now('webhook')
  receiver.reply = { kind: 'status', status: 200 }
  await pay(key, '001')
  assert.deepEqual(await done(merchant), ['sandbox_key', 'first_payment', 'webhook'])

  const operator = (await world.newSession('SUPER_ADMIN')).token
  const act = (verb: string) =>
    world.call({ method: 'POST', url: `/v1/operator/merchants/${merchant.id}/${verb}`, payload: {}, key: operator })
  assert.equal((await act('approve')).status, 200)
  assert.equal((await act('verify')).status, 200)
  assert.ok(!(await done(merchant)).includes('business'), 'without a price the step is not done')
  now('business')
  const rule = {
    flow: 'withdrawal',
    method: 'MOBILE_MONEY',
    destination_code: null,
    percentage: '1.00',
    flat_fee: '0.00',
  }
  const priced = await world.call({
    method: 'PUT',
    url: `/v1/operator/merchants/${merchant.id}/pricing`,
    payload: { rules: [{ ...rule, processor_charge: '0.00', processor_fee_pass_through: false, label: 'All' }] },
    key: operator,
  })
  assert.equal(priced.status, 200, priced.text)
  now('live_key')
  const live = await world.newKey({ merchant, environment: 'live' })
  now('first_live_payment')
  await pay(live, '001')
  const all = await steps(merchant)
  assert.deepEqual(
    all.map((step) => [step.key, step.done]),
    Object.keys(at).map((name) => [name, true]),
  )
  for (const { key: name, done_at } of all) assert.equal(done_at, at[name], name)
})

test('members of every role can read the checklist of their merchant, but of no other merchant', async () => {
  const merchant = await world.newMerchant()
  for (const role of MERCHANT_ROLES) {
    const { token } = await world.newSession([{ role, merchant }])
    assert.equal((await world.get('/v1/merchant/checklist', token)).status, 200, role)
    assert.equal((await world.get('/v1/merchant/overview', token)).status, 200, role)
    const other = await world.get(`/v1/merchant/checklist?merchant_id=${world.merchant.id}`, token)
    assert.equal(other.body.error.code, 'merchant_mismatch')
  }
})
