// Tests a provider that removes our address from its allowlist during the day and adds it again, while one process runs all
// day. The tests compare the views of merchants, payers and operators with the provider's books.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Order, Payout } from '../twins/selcom/index.ts'
import type { World } from './harness.ts'
import { waitUntil } from './payout-processes.ts'
import { booksHold } from './payouts.ts'
import { createSelcomWorld, type SelcomWorld } from './selcom-world.ts'

/** Phone endings by the outcome at the twin. With the other endings of these tests, the payer pays after a moment. */
const SLOWLY = '016'
const IN_PROGRESS = '106'
const PAYMENT = '50000.00'
const PAYOUT = '2000.00'
const MINUTE = 60_000

let stage: SelcomWorld
let world: World
let operator: string
before(async () => {
  stage = await createSelcomWorld({ env: { SELCOM_PAYOUT_ASK_AGAIN_S: '5' } })
  world = stage.world
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(() => stage.close())

/** Sets the twin's allowlist, as the gateway's administrators do. Null removes the allowlist. */
async function list(source_ips: string[] | null): Promise<void> {
  const { control_url, control_token } = stage.twin
  const reply = await fetch(`${control_url}/settings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${control_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ source_ips }),
  })
  assert.equal(reply.status, 200)
}

async function pay(ending = '500'): Promise<string> {
  const body = { amount: PAYMENT, phone: `0754123${ending}` }
  const reply = await world.post('/v1/collections/wallet-push', body, { key: world.live_key })
  assert.equal(reply.status, 202, reply.text)
  await world.system.driver.task.idle()
  return reply.body.data.collection_id
}
const payment = async (id: string) => (await world.get(`/v1/collections/${id}`, world.live_key)).body.data

/** Makes a payout that an operator approved, and waits for the first attempt to send the payout. */
async function payOut(ending = '500'): Promise<string> {
  const made = await world.post(
    '/v1/disbursements/mobile-money',
    {
      amount: PAYOUT,
      destination_code: 'AIRTEL',
      destination_identifier: `0684123${ending}`,
      destination_name: 'Asha Juma',
    },
    { key: world.live_key },
  )
  assert.equal(made.status, 202, made.text)
  const { id } = made.body.data
  const approved = await act(id, 'approve')
  assert.equal(approved.status, 200, approved.text)
  await world.system.payouts.task.idle()
  return id
}
const act = (id: string, verb: string) => world.post(`/v1/operator/withdrawals/${id}/${verb}`, {}, { key: operator })
const payout = async (id: string) => (await world.get(`/v1/operator/withdrawals/${id}`, operator)).body.data
const statuses = (ids: readonly string[]) => Promise.all(ids.map(async (id) => (await payout(id)).status))
const balance = async () => (await world.get('/v1/balance', world.live_key)).body.data

/** Moves the clock until a condition is true. */
const comes = (holds: () => Promise<boolean>) =>
  waitUntil(async () => {
    await world.pass(1_000)
    return holds()
  })
const referenceOf = async (id: string): Promise<string> => {
  const rows = await world.rows<{ provider_reference: string }>(
    `select provider_reference from payouts where withdrawal_id = $1
     union all select provider_reference from collection_attempts where collection_id = $1`,
    [id],
  )
  assert.equal(rows.length, 1, 'one payment has one reference')
  return rows[0]?.provider_reference ?? ''
}
const booked = (name: 'orders' | 'payouts') => stage.twin.list(name).items as (Order & Payout)[]
const paidOut = async (id: string) => stage.twin.payout('walletcashin', await referenceOf(id))

async function circuits(): Promise<Record<string, string>> {
  const { providers } = (await world.get('/v1/operator/providers', operator)).body.data
  const selcom = providers.find(({ name }: { name: string }) => name === 'selcom')
  return Object.fromEntries(selcom.circuits.map(({ method, state }: Record<string, string>) => [method, state]))
}
const waiting = async (kind: string): Promise<string[]> =>
  (await world.get(`/v1/operator/waiting?kind=${kind}`, operator)).body.data.items.map(({ id }: { id: string }) => id)

describe('a provider with an allowlist of addresses', {
  timeout: 120_000,
}, () => {
  let open_payment: string
  let open_payout: string
  let prompts: number
  const blocked: string[] = []
  const held_back: string[] = []

  it('payments and payouts succeed before the provider removes our address', async () => {
    const paid = await Promise.all(Array.from({ length: 4 }, () => pay()))
    await comes(async () => (await Promise.all(paid.map(payment))).every(({ status }) => status === 'successful'))
    const out = [await payOut(), await payOut()]
    assert.deepEqual(await statuses(out), ['SUCCESS', 'SUCCESS'])
    open_payment = await pay(SLOWLY)
    open_payout = await payOut(IN_PROGRESS)
    const { available, reserved } = await balance()
    assert.deepEqual([available, reserved], ['194000.00', PAYOUT])
    assert.deepEqual(await circuits(), {
      wallet_push: 'closed',
      status: 'closed',
      MOBILE_MONEY: 'closed',
    })
  })

  it('payments fail immediately as provider_unavailable, without a prompt, while the provider refuses our address', async () => {
    await list(['10.1.2.3'])
    prompts = stage.twin.totals().pushes.prompts
    for (let i = 0; i < 7; i++) {
      const { status, failure_reason_code } = await payment(await pay())
      assert.deepEqual([status, failure_reason_code], ['failed', 'provider_unavailable'], `payment ${i}`)
    }
    assert.equal(stage.twin.totals().pushes.prompts, prompts)
    assert.equal((await circuits()).wallet_push, 'open', 'the open circuit stopped the last two')
    assert.equal(stage.twin.totals().refusals.source_ip, 5)
  })

  it('the platform blocks refused payouts, keeps payouts behind an open circuit waiting, and keeps the money of both reserved', async () => {
    for (let i = 0; i < 5; i++) blocked.push(await payOut())
    assert.deepEqual(await statuses(blocked), Array(5).fill('BLOCKED_IP_WHITELIST'))
    for (let i = 0; i < 2; i++) held_back.push(await payOut())
    assert.deepEqual(await statuses(held_back), ['PROCESSING', 'PROCESSING'])
    // The reserved money is that of eight payouts. Four payments and two payouts ended before.
    const { available, reserved } = await balance()
    assert.deepEqual([available, reserved], ['180000.00', '16000.00'])
    assert.equal(booked('payouts').length, 3, "the provider's books have none of them")
  })

  it('an earlier payment or payout neither fails nor succeeds when the provider refuses its status query', async () => {
    await world.pass(10_000)
    await waitUntil(async () => stage.twin.totals().payments.count === 5)
    const order = stage.twin.order(await referenceOf(open_payment))
    assert.equal(order?.word, 'COMPLETED', 'the payer has paid, and the platform cannot see it')
    assert.equal((await payment(open_payment)).status, 'processing')
    assert.equal((await paidOut(open_payout))?.truth, 'paid')
    assert.deepEqual(await statuses([open_payout]), ['PROCESSING'])
    await booksHold(world)
  })

  it('operators see the blocked payouts, the waiting payouts and the open circuit while the provider refuses our address', async () => {
    // After the pause of the circuit, the platform sends waiting payouts one at a time. The provider refuses these payouts too.
    await comes(async () => (await statuses(held_back)).includes('BLOCKED_IP_WHITELIST'))
    const { data } = (await world.get('/v1/operator/withdrawals?status=BLOCKED_IP_WHITELIST', operator)).body
    const shown = new Set(data.items.map(({ id }: { id: string }) => id))
    for (const id of blocked) assert.ok(shown.has(id))
    assert.deepEqual((await payout(blocked[0] as string)).payout.provider_status, '403 FAIL')
    assert.deepEqual(await waiting('collection'), [open_payment])
    const others = held_back.filter((id) => !shown.has(id))
    assert.deepEqual(new Set(await waiting('payout')), new Set([open_payout, ...others]))
    const { wallet_push, MOBILE_MONEY } = await circuits()
    assert.deepEqual([wallet_push, MOBILE_MONEY], ['open', 'open'])
    assert.match(world.deps.logged.join(''), /Source IP not whitelisted/)
  })

  it('the platform blocks a payout again, with its money reserved, when an operator retries it while the provider refuses our address', async () => {
    const earlier = await balance()
    const [id] = blocked as [string]
    await world.pass(2 * MINUTE)
    const retried = await act(id, 'retry')
    assert.equal(retried.status, 200, retried.text)
    await comes(async () => (await statuses([id]))[0] === 'BLOCKED_IP_WHITELIST')
    assert.deepEqual(await balance(), earlier)
    assert.equal(await paidOut(id), null)
  })

  it('waiting payouts continue without an operator, and new payments succeed, after the provider adds our address again', async () => {
    const process_id = (await world.get('/v1/operator/providers', operator)).body.data.process_id
    await list(null)
    await comes(async () => (await payment(open_payment)).status === 'successful')
    await comes(async () => (await statuses([open_payout]))[0] === 'SUCCESS')
    await world.pass(2 * MINUTE)
    const paid = [await pay(), await pay(), await pay()]
    await comes(async () => (await Promise.all(paid.map(payment))).every(({ status }) => status === 'successful'))
    assert.equal((await world.get('/v1/operator/providers', operator)).body.data.process_id, process_id)
  })

  it('an operator sends each blocked payout once, under its first reference, after the provider adds our address again', async () => {
    const all = [...blocked, ...held_back]
    const stuck: string[] = []
    for (const id of all) if ((await payout(id)).status === 'BLOCKED_IP_WHITELIST') stuck.push(id)
    for (const id of blocked) assert.ok(stuck.includes(id), 'only an operator sends a blocked payout')
    const earlier = await Promise.all(all.map(referenceOf))
    for (const id of stuck) {
      // The operator clicks twice. The second click finds no payout to send.
      const answers = await Promise.all([act(id, 'retry'), act(id, 'retry')])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    }
    await comes(async () => (await statuses(all)).every((status) => status === 'SUCCESS'))
    assert.deepEqual(await Promise.all(all.map(referenceOf)), earlier)
    for (const id of all) {
      const entry = await paidOut(id)
      assert.deepEqual([entry?.truth, entry?.executions, entry?.amount], ['paid', 1, 2_000n])
    }
  })

  it('every circuit is closed, no payout waits, and the books of provider and platform agree at the end of the day', async () => {
    await world.pass(2 * MINUTE)
    await comes(async () => Object.values(await circuits()).every((state) => state === 'closed'))
    assert.deepEqual([await waiting('collection'), await waiting('payout')], [[], []])
    const totals = stage.twin.totals()
    assert.deepEqual([totals.payouts.count, totals.payouts.executed_more_than_once], [10, 0])
    // Both books have eight payments and ten payouts.
    assert.deepEqual([totals.payments.amount, totals.payouts.paid_amount], [400_000n, 20_000n])
    const { available, reserved } = await balance()
    assert.deepEqual([available, reserved], ['380000.00', '0.00'])
    assert.equal(totals.pushes.prompts, 8, 'the gateway sent no prompt for a failed payment')
    await booksHold(world)
  })
})
