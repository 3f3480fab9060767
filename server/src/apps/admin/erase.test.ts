// Tests the command `erase payer`. Afterwards no row contains the person's name or number, and the books still verify.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { invoicesOf } from '../../../test/invoices.ts'
import { createTestOperator } from '../../../test/operator.ts'
import { startReceiver } from '../../../test/receiver.ts'
import { everyRow, findSecrets } from '../../../test/secret-search.ts'
import { Refusal } from '../../kernel/lib/index.ts'
import { erasePayer } from './erase.ts'
import { verify } from './verify.ts'

const PHONE = '255754777001'
const NAME = 'Rehema Binti Salim'
const EMAIL = 'rehema.salim@example.com'
const PERSON = [
  { name: 'the phone', value: '754777001' },
  { name: 'the name', value: NAME },
  { name: 'the e-mail address', value: EMAIL },
]
const CUSTOMER = { customer_name: NAME, customer_phone: '0754 777 001' }

let world: World
before(async () => {
  world = await createWorld({ env: { FOUR_EYES_AMOUNT: '1000000' } })
})
after(() => world.close())

const placesOf = async () => findSecrets(await everyRow(world), PERSON)
const tablesIn = (found: readonly string[]) =>
  [...new Set(found.map((line) => / in table public\.(\w+)/.exec(line)?.[1]))].sort()

/** Makes records of every kind about the person. The server settles each payment and payout. */
async function fillBooks(): Promise<void> {
  const receiver = await startReceiver()
  try {
    const webhook = { webhook_url: receiver.url }
    await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload: webhook, key: world.live_key })
    // The receiver of webhooks repeats the phone number in its responses.
    receiver.reply = { kind: 'status', status: 200, body: `{"thanks":"+${PHONE}","customer_name":"${NAME}"}` }
    for (const key of [world.sandbox_key, world.live_key]) {
      const push = { amount: 1_000, phone: PHONE, customer_name: NAME, customer_email: EMAIL }
      assert.equal((await world.post('/v1/collections/wallet-push', push, { key })).status, 202)
      const link = await world.post('/v1/payment-links', { amount: 2_000, ...CUSTOMER }, { key })
      assert.equal(link.status, 201, link.text)
      const pay = { method: 'WALLET_PUSH', customer_phone: '0754777001' }
      const slug = link.body.data.public_slug
      await world.post(`/public/payment-links/${slug}/collect`, pay, { key: null })
    }
    await invoicesOf(world).sent({ ...CUSTOMER, customer_email: EMAIL }, world.live_key)
    await world.rows(
      `insert into provider_callbacks (dedupe_key, provider, verdict, provider_reference, body, times, received_at, last_received_at)
       values ('\\x01', 'mock', 'hint', 'X', $1, 1, now(), now())`,
      [`{"msisdn":"${PHONE}","other":"1${PHONE}","destination_name":"${NAME}"}`],
    )
    const operator = await createTestOperator(world)
    const shop = await operator.shop('1000000')
    const to = { destination_name: NAME, destination_identifier: PHONE, destination_code: 'MPESA' }
    const body = { amount: '5000', ...to }
    const made = await world.post('/v1/disbursements/mobile-money', body, { key: shop.live })
    assert.equal(made.status, 202, made.text)
    const saved = { method: 'MOBILE_MONEY', ...to, destination_name: 'Asha' }
    const { token } = await world.newSession([{ role: 'FINANCE', merchant: shop.merchant }])
    assert.equal((await world.post('/v1/merchant/recipients', saved, { key: token })).status, 201)
    await operator.approve(made.body.data.id)
    await world.pass(20_000)
    assert.equal((await operator.show(made.body.data.id)).status, 'SUCCESS')
  } finally {
    await receiver.close()
  }
}

test('the command erases a person from every table, keeps the existing audit entries unchanged, and keeps the books correct', async () => {
  await fillBooks()
  const named = tablesIn(await placesOf())
  for (const table of [
    'collections',
    'collection_attempts',
    'payment_links',
    'invoices',
    'withdrawals',
    'payouts',
    'saved_recipients',
  ])
    assert.ok(named.includes(table), `${table} names the person: ${named}`)
  for (const table of [
    'four_eyes_sums',
    'outbox_messages',
    'idempotency_keys',
    'webhook_attempts',
    'provider_callbacks',
  ])
    assert.ok(named.includes(table), `${table} names the person: ${named}`)
  assert.ok(!named.includes('audit_log'), 'the audit log shows recipients only in part')
  const sound = await verify(world.url)
  assert.equal(sound.ok, true, JSON.stringify(sound.checks.filter(({ ok }) => !ok)))
  const entries = await world.rows('select * from audit_log order by merchant_id, seq')

  const { changed, phone, left_in_audit_log } = await erasePayer(world.deps, world.url, PHONE)
  assert.deepEqual([phone, left_in_audit_log], ['0754 *** 001', 0])
  assert.deepEqual(
    [
      changed.invoices,
      changed.withdrawals,
      changed.payouts,
      changed.saved_recipients,
      changed.four_eyes_sums,
      (changed.webhook_attempts ?? 0) > 0,
    ],
    [1, 1, 1, 1, 1, true],
  )
  // The text of the callback contains a longer number, which is not the phone number.
  const left = (await placesOf()).filter((line) => !line.includes(`1${PHONE}`))
  assert.deepEqual(left, [])
  const after_it = await verify(world.url)
  assert.equal(after_it.ok, true, JSON.stringify(after_it.checks.filter(({ ok }) => !ok)))
  const kept = await world.rows("select * from audit_log where action <> 'payer.erase' order by merchant_id, seq")
  assert.deepEqual(kept, entries)
  const [callback] = await world.rows<{ body: string }>(
    "select body from provider_callbacks where provider_reference = 'X'",
  )
  assert.equal(callback?.body, `{"msisdn":"255754xxxxxx","other":"1${PHONE}","destination_name":null}`)

  const again = await erasePayer(world.deps, world.url, PHONE)
  assert.deepEqual([...new Set(Object.values(again.changed))], [0])
})

test('the command refuses a person with an open payment, and changes nothing', async () => {
  const made = await world.post('/v1/collections/wallet-push', { amount: 1_000, phone: '0754777007' })
  assert.equal(made.status, 202, made.text)
  await world.work()
  const before_it = await world.rows('select customer_phone, status from collections order by id')
  const entries = await world.rows('select count(*) as entries from audit_log')
  await assert.rejects(
    erasePayer(world.deps, world.url, '255754777007'),
    (error) =>
      error instanceof Refusal && error.code === 'invalid_state' && /open payments \([12]\)/.test(error.message),
  )
  assert.deepEqual(await world.rows('select customer_phone, status from collections order by id'), before_it)
  assert.deepEqual(await world.rows('select count(*) as entries from audit_log'), entries)
})
