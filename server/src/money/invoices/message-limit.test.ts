// Tests the limit of messages to one customer, over all merchants.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { invoicesOf } from '../../../test/invoices.ts'
import { unchanged } from '../../../test/withdrawals.ts'
import { sendResetLink } from '../../access/identity/accounts.ts'

const DAY_MS = 86_400_000

let world: World
let invoices: ReturnType<typeof invoicesOf>
/** The live key of another merchant. */
let second_key: string
before(async () => {
  world = await createWorld({ env: { MESSAGES_PER_RECIPIENT_DAY: '2' } })
  invoices = invoicesOf(world)
  second_key = await world.newKey({ merchant: await world.newMerchant(), environment: 'live' })
})
after(() => world.close())

const byPhone = (customer_phone: string) => ({ customer_phone, customer_email: null, due_date: '2026-02-20' })
const send = async (body: object, key: string) => invoices.act((await invoices.draft(body, key)).id, 'send', key)

test('the server refuses to send an invoice of any merchant above the message limit of its customer, and changes nothing', async () => {
  const juma = byPhone('0754123456')
  assert.equal((await send(juma, world.live_key)).status, 200)
  assert.equal((await send(juma, second_key)).status, 200)
  const third = await invoices.draft(juma, second_key)
  const refused = await unchanged(world, () => invoices.act(third.id, 'send', second_key))
  assert.deepEqual(codeOf(refused), [429, 'rate_limited'])
  const seconds = Number(refused.headers['retry-after'])
  assert.ok(seconds > 86_000 && seconds <= 86_400, `${seconds} s`)
  assert.equal((await invoices.show(third.id, second_key)).status, 'DRAFT')
  assert.equal((await send(byPhone('0754123457'), second_key)).status, 200, 'another customer')
  for (let i = 0; i < 3; i++) assert.equal((await send(juma, world.sandbox_key)).status, 200, 'sandbox')
  world.deps.clock.advance(DAY_MS)
  assert.equal((await invoices.act(third.id, 'send', second_key)).status, 200)
})

test('the outbox keeps a reminder above the message limit of its customer, with the reason', async () => {
  const asha = byPhone('0754123470')
  const { id } = await invoices.sent(asha, world.live_key)
  // The reminder is due at nine o'clock, three days before the due date.
  const remind_at = new Date('2026-02-17T06:00:00Z').getTime()
  world.deps.clock.advance(remind_at - 3_600_000 - world.deps.clock.now().getTime())
  for (let i = 0; i < 2; i++) assert.equal((await send(asha, second_key)).status, 200)
  world.deps.clock.advance(3_600_000)
  await world.work()
  const rows = await world.rows<{ kind: string; status: string; error: string | null }>(
    `select kind, status, error from outbox_messages where invoice_id = $1 order by id`,
    [id],
  )
  assert.deepEqual(
    rows.map(({ kind, status }) => [kind, status]),
    [
      ['invoice.send', 'kept'],
      ['invoice.remind', 'kept'],
    ],
  )
  assert.match(rows[1]?.error ?? '', /^recipient_limit: /)
  const { items } = (await world.get(`/v1/invoices/${id}`, world.live_key)).body.data
  assert.ok(items, 'the invoice is readable')
})

test('messages of merchants do not stop an e-mail about an account to the same address', async () => {
  const customer_email = 'juma.ali@example.com'
  const juma = { customer_phone: null, customer_email, due_date: '2026-12-20' }
  for (let i = 0; i < 2; i++) assert.equal((await send(juma, second_key)).status, 200)
  assert.deepEqual(codeOf(await send({ ...juma, customer_email: 'Juma.Ali@example.com' }, second_key)), [
    429,
    'rate_limited',
  ])
  await sendResetLink(world.deps, customer_email, 'sw', { brand: 'Malipo', base_url: 'https://pay.example.co.tz' })
  const [mail] = await world.rows<{ kind: string; error: string | null }>(
    `select kind, error from outbox_messages where recipient = $1 and kind like 'identity.%'`,
    [customer_email],
  )
  assert.deepEqual(mail, { kind: 'identity.unknown', error: null })
  world.deps.clock.advance(2 * DAY_MS)
  await world.work()
  assert.deepEqual(await world.rows('select 1 from recipient_messages'), [])
})
