// Tests that the server stores the reason of each approval for operators, and hides the reason from the merchant.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { newOperator, type Operator } from '../../../test/operator-sessions.ts'
import { booksHold, forgetSums } from '../../../test/payouts.ts'
import { unchanged } from '../../../test/withdrawals.ts'

let world: World
let operator: TestOperator
let shop: ShopWithKeys
let asha: Operator
let juma: Operator
before(async () => {
  world = await createWorld({ env: { FOUR_EYES_AMOUNT: '50000' } })
  operator = await createTestOperator(world)
  shop = await operator.shop('1000000.00')
  asha = await newOperator(world)
  juma = await newOperator(world)
})
beforeEach(() => forgetSums(world))
after(async () => {
  await booksHold(world)
  await world.close()
})

// The worker settles each approved withdrawal before the next test starts.
afterEach(() => world.work())

const LARGE = '60000.00'

async function approve(who: Operator, id: string, body: object, idempotency_key: string | null = null): Promise<Reply> {
  return world.post(`/v1/operator/withdrawals/${id}/approve`, body, { key: await who.token(), idempotency_key })
}
async function batch(ids: string[], body: object): Promise<Reply> {
  const all = { withdrawal_ids: ids, ...body }
  return world.post('/v1/operator/withdrawals/approve-batch', all, { key: await asha.token() })
}
/** Returns the reasons in the audit log for the approvals of a withdrawal, oldest first. */
async function audited(id: string): Promise<unknown[]> {
  const log = await world.get(`/v1/operator/audit-log?target_id=${id}`, await asha.token())
  const items: { action: string; reason: string | null }[] = log.body.data.items
  return items
    .filter(({ action }) => action.endsWith('approve'))
    .map(({ reason }) => reason)
    .reverse()
}
/** Returns the reasons that the history and the approvals of a withdrawal contain. */
async function kept(id: string): Promise<{ history: unknown[]; approvals: unknown[] }> {
  const { history, approvals } = await operator.show(id)
  return {
    history: history
      .filter((move: { to_status: string }) => move.to_status === 'PROCESSING')
      .map((move: { reason: string | null }) => move.reason),
    approvals: approvals.map((one: { reason: string | null }) => one.reason),
  }
}

describe('reasons of approvals', () => {
  for (const [way, key] of [
    ['', null],
    [' with an Idempotency-Key', randomUUID()],
  ] as const) {
    test(`the history and the audit log keep the reason of an approval${way}, without the spaces around the reason`, async () => {
      const id = await operator.submit(shop)
      const reply = await approve(asha, id, { reason: '  Rent, as every month\u3000' }, key)
      assert.equal(reply.status, 200, reply.text)
      const { status, status_reason, approvals } = reply.body.data
      const at = world.deps.clock.now().toISOString()
      const given = { operator: asha.email, reason: 'Rent, as every month', at }
      assert.deepEqual([status, status_reason, approvals], ['PROCESSING', null, [given]])
      assert.deepEqual(await kept(id), { history: [given.reason], approvals: [given.reason] })
      assert.deepEqual(await audited(id), [given.reason])
    })
  }

  test('an operator may approve without a reason, with no body, an empty body or an empty object', async () => {
    for (const payload of [undefined, '', '{}']) {
      const id = await operator.submit(shop)
      const reply = await world.call({
        method: 'POST',
        url: `/v1/operator/withdrawals/${id}/approve`,
        headers: { 'content-type': 'application/json' },
        key: await asha.token(),
        ...(payload === undefined ? {} : { payload }),
      })
      assert.deepEqual([reply.status, reply.body.data?.status], [200, 'PROCESSING'], `${payload}: ${reply.text}`)
      assert.deepEqual([await kept(id), await audited(id)], [{ history: [null], approvals: [null] }, [null]])
    }
  })

  test('the server refuses an approval whose reason is empty, longer than 500 characters, longer than one line, or no text', async () => {
    const id = await operator.submit(shop)
    for (const reason of ['', ' ', '\u200b', 'two\nlines', 'x'.repeat(501), 7, ['x']]) {
      for (const call of [() => approve(asha, id, { reason }), () => batch([id], { reason })]) {
        const refused = await unchanged(world, call)
        assert.deepEqual(codeOf(refused), [400, 'validation_failed'], JSON.stringify(reason))
        const { fields } = refused.body.error.details
        assert.deepEqual([...new Set(fields.map(({ field }: { field: string }) => field))], ['reason'])
      }
    }
    const longest = 'ñ'.repeat(500)
    assert.equal((await approve(asha, id, { reason: longest })).status, 200)
    assert.deepEqual(await audited(id), [longest])
  })

  test('the server stores the reasons of the first and the second approval', async () => {
    const id = await operator.submit(shop, { amount: LARGE })
    const first = (await approve(asha, id, { reason: 'The invoice is there' })).body.data
    assert.deepEqual([first.status, first.approvals[0].reason], ['PENDING_ADMIN_APPROVAL', 'The invoice is there'])
    assert.deepEqual(await kept(id), { history: [], approvals: ['The invoice is there'] })
    world.deps.clock.advance(1_000)
    await approve(juma, id, { reason: 'Called the owner' })
    const both = ['The invoice is there', 'Called the owner']
    assert.deepEqual(await kept(id), { history: ['Called the owner'], approvals: both })
    assert.deepEqual(await audited(id), both)
    const list = await world.get(`/v1/operator/withdrawals?merchant_id=${shop.merchant.id}`, await juma.token())
    const listed = list.body.data.items.find((one: { id: string }) => one.id === id)
    assert.equal(listed.approvals[1].reason, 'Called the owner')
  })

  test('the reason of a batch applies to each withdrawal, and a dry run stores no reason', async () => {
    const ids = [
      await operator.submit(shop),
      await operator.submit(shop, { amount: LARGE }),
      await operator.submit(shop),
    ]
    const tried = await unchanged(world, () => batch(ids, { reason: 'Salaries', dry_run: true }))
    assert.equal(tried.body.data.approved.count, 2, tried.text)
    assert.equal((await batch(ids.slice(0, 2), { reason: ' Salaries ' })).status, 200)
    assert.equal((await batch(ids.slice(2), {})).status, 200)
    assert.deepEqual(await Promise.all(ids.map(audited)), [['Salaries'], ['Salaries'], [null]])
    const approvals = await Promise.all(ids.map(async (id) => (await kept(id)).approvals))
    assert.deepEqual(approvals, [['Salaries'], ['Salaries'], [null]])
  })

  test('the server refuses a repeated idempotency key with another reason', async () => {
    const id = await operator.submit(shop)
    const key = randomUUID()
    const answers = [await approve(asha, id, { reason: 'Rent' }, key), await approve(asha, id, { reason: 'Rent' }, key)]
    assert.equal(answers[0]?.text, answers[1]?.text)
    assert.equal((await approve(asha, id, { reason: 'Wages' }, key)).status, 422)
    assert.deepEqual(await audited(id), ['Rent'])
  })

  test('no record, list, file, timeline or log shows the merchant the reason or the operator of an approval, and no event shows the reason', async () => {
    const { merchant, live } = shop
    const config = { webhook_url: 'http://127.0.0.1:9/none', events: ['disbursement.success'] }
    const hooked = await world.call({
      method: 'PATCH',
      url: '/v1/merchant/webhook-config',
      key: await world.newKey({ merchant, environment: 'live', scopes: ['webhooks:manage'] }),
      payload: config,
    })
    assert.equal(hooked.status, 200, hooked.text)
    const WHY = 'Suspicious, but the ministry asked'
    const ids = [
      await operator.submit(shop),
      await operator.submit(shop, { amount: LARGE }),
      await operator.submit(shop),
    ]
    await approve(asha, ids[0] as string, { reason: WHY })
    for (const who of [asha, juma]) await approve(who, ids[1] as string, { reason: WHY })
    await operator.act(ids[2] as string, 'request-info')
    // The large withdrawal has raised the sum of the day to FOUR_EYES_AMOUNT, so two operators must approve.
    for (const who of [asha, juma]) await approve(who, ids[2] as string, { reason: WHY })
    await world.work()
    await world.pass(3_000)
    const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant }])
    const paths = [
      '/v1/merchant/withdrawals?environment=live',
      '/v1/merchant/withdrawals/export.csv?environment=live',
      '/v1/merchant/audit-log?page_size=100',
      '/v1/merchant/messages?environment=live',
      '/v1/merchant/webhook-deliveries?environment=live',
      `/v1/merchants/${merchant.id}/transactions?environment=live`,
      ...ids.flatMap((id) => [
        `/v1/merchant/withdrawals/${id}?environment=live`,
        `/v1/merchant/withdrawals/${id}/timeline?environment=live`,
      ]),
    ]
    for (const path of paths) {
      const { status, text } = await world.get(path, token)
      assert.equal(status, 200, `${path}: ${text}`)
      if (/log|export|deliveries|withdrawals\?/.test(path))
        assert.ok(
          ids.some((id) => text.includes(id)),
          path,
        )
      assert.doesNotMatch(text, new RegExp(`Suspicious|${asha.email}|${juma.email}|${asha.user_id}`), path)
    }
    for (const id of ids) assert.doesNotMatch((await world.get(`/v1/disbursements/${id}`, live)).text, /Suspicious/)
    const [sent] = await world.rows<{ events: number; with_reason: number }>(
      `select count(*)::int as events, count(*) filter (where body like '%Suspicious%')::int as with_reason
       from webhook_deliveries where source_id = any($1)`,
      [ids],
    )
    assert.deepEqual(sent, { events: 3, with_reason: 0 })
  })

  test('the audit log of the merchant hides the reason and the operator of a first approval that a sandbox simulation completes', async () => {
    const id = await operator.submit(shop, { amount: LARGE, environment: 'sandbox' })
    assert.equal((await approve(asha, id, { reason: 'Suspicious' })).body.data.status, 'PENDING_ADMIN_APPROVAL')
    const url = `/v1/sandbox/disbursements/${id}/simulate`
    const played = await world.post(url, { outcome: 'SUCCESS' }, { key: shop.sandbox, idempotency_key: null })
    assert.equal(played.status, 200, played.text)
    const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant: shop.merchant }])
    const log = await world.get('/v1/merchant/audit-log?page_size=100', token)
    assert.ok(log.text.includes(id))
    assert.doesNotMatch(log.text, new RegExp(`Suspicious|${asha.email}|approvals_required`))
  })
})
