// Tests the days of reminders, the limit of one reminder a day, and the invoices without reminders.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { invoicesOf, type ShownInvoice } from '../../../test/invoices.ts'
import { PROVIDERS } from '../../adapters/providers/registry.ts'
import { ConfigError, readConfig } from '../../kernel/lib/index.ts'
import { nextReminder } from './reminder-days.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let world: World
let invoices: ReturnType<typeof invoicesOf>
let failing: string | null = null
let pause: { at: string; while: () => Promise<void> } | null = null
beforeEach(async () => {
  world = await createWorld({
    async before(name) {
      if (name === failing) throw new Error('the connection is gone')
      if (name !== pause?.at) return
      const { while: work } = pause
      pause = null
      await work()
    },
  })
  invoices = invoicesOf(world)
})
afterEach(async () => {
  failing = null
  await world.close()
})

const reminders = async (id: string) => (await invoices.messages(id)).filter(({ kind }) => kind === 'invoice.remind')
/** Moves the clock to a time and runs the work that is due then. Each test world begins on 5 January at noon in Tanzania. */
const goTo = async (time: string) => {
  world.deps.clock.advance(new Date(time).getTime() - world.deps.clock.now().getTime())
  await world.work()
}
const dueAt = async ({ id }: ShownInvoice) =>
  (
    await world.rows<{ due_at: Date | null }>('select due_at from invoices where id = $1', [id])
  )[0]?.due_at?.toISOString()

describe('reminders to the customer of an unpaid invoice', () => {
  test("the customer gets one reminder at nine o'clock 3 days before, 1 day after and 7 days after the due date", async () => {
    const sent = await invoices.sent({ due_date: '2026-01-20', customer_email: null })
    for (const [before, at, text] of [
      ['2026-01-17T05:59:59Z', '2026-01-17T06:00:00Z', 'lipa hadi 20 Jan 2026'],
      ['2026-01-21T05:59:59Z', '2026-01-21T06:00:00Z', 'ilipaswa kulipwa 20 Jan 2026'],
      ['2026-01-27T05:59:59Z', '2026-01-27T06:00:00Z', 'ilipaswa kulipwa 20 Jan 2026'],
    ] as const) {
      const count = (await reminders(sent.id)).length
      await goTo(before)
      assert.equal((await reminders(sent.id)).length, count, `not yet: ${before}`)
      await goTo(at)
      const sent_reminders = await reminders(sent.id)
      assert.equal(sent_reminders.length, count + 1, at)
      assert.equal(
        sent_reminders.at(-1)?.text,
        `Duka la Asha: kikumbusho, ankara ${sent.number}, TZS 25,000, ${text}: ${sent.payment_url}`,
      )
      world.deps.clock.advance(20 * HOUR_MS)
      await world.work()
      assert.equal((await reminders(sent.id)).length, count + 1, 'once')
    }
    await goTo('2026-03-27T06:00:00Z')
    const shown = await invoices.show(sent.id)
    assert.deepEqual([shown.reminders, shown.status, await dueAt(sent)], [3, 'OVERDUE', undefined])
  })

  test('the customer gets a reminder by SMS and e-mail in the language of the invoice', async () => {
    const sent = await invoices.sent({ language: 'en' })
    await goTo('2026-01-17T06:00:00Z')
    const [sms, email, ...more] = await reminders(sent.id)
    assert.deepEqual(more, [])
    assert.match(sms?.text ?? '', /^Duka la Asha: reminder, invoice INV-000001, TZS 25,000, pay by 20 Jan 2026: http/)
    assert.match(email?.text ?? '', /reminds you of invoice INV-000001, which has not been paid yet/)
  })

  test('the customer gets only one reminder when no worker ran on several reminder days', async () => {
    const sent = await invoices.sent({ customer_email: null })
    await goTo('2026-01-27T12:00:00Z')
    assert.equal((await reminders(sent.id)).length, 1)
    await goTo('2026-02-27T12:00:00Z')
    assert.equal((await reminders(sent.id)).length, 1)
  })

  test('the first reminder is not due on the day on which the merchant sends the invoice', async () => {
    world.deps.clock.advance(-6 * HOUR_MS + DAY_MS)
    const sent = await invoices.sent({ due_date: '2026-01-09', customer_email: null })
    assert.equal(await dueAt(sent), '2026-01-10T06:00:00.000Z')
  })
})

describe('invoices without reminders', () => {
  for (const [condition, act] of [
    ['for a draft', null],
    ['for a paid invoice', (sent: ShownInvoice) => invoices.pay(sent)],
    ['for a cancelled invoice', (sent: ShownInvoice) => invoices.act(sent.id, 'cancel')],
    [
      'for an invoice whose link the merchant cancelled',
      (sent: ShownInvoice) => world.call({ method: 'POST', url: `/v1/payment-links/${sent.payment_link_id}/cancel` }),
    ],
  ] as const) {
    test(`the worker sends no reminder ${condition}`, async () => {
      const invoice = act === null ? await invoices.draft() : await invoices.sent()
      await act?.(invoice)
      await goTo('2026-01-17T06:00:00Z')
      await goTo('2026-01-21T06:00:00Z')
      assert.deepEqual(await reminders(invoice.id), [])
      assert.equal((await invoices.show(invoice.id)).reminders, 0)
    })
  }

  test('the worker sends no reminder for a live invoice of a suspended merchant', async () => {
    const live = await invoices.sent({}, world.live_key)
    const sandbox = await invoices.sent()
    await world.rows("update merchants set status = 'SUSPENDED' where id = $1", [world.merchant.id])
    await goTo('2026-01-17T06:00:00Z')
    assert.deepEqual([(await reminders(live.id)).length, (await reminders(sandbox.id)).length], [0, 2])
  })

  test('a sent invoice has no due reminder when INVOICE_REMINDER_DAYS is empty', async () => {
    const other = await createWorld({ env: { INVOICE_REMINDER_DAYS: '' } })
    try {
      const { sent } = invoicesOf(other)
      const { id } = await sent()
      assert.deepEqual(await other.rows('select due_at from invoices where id = $1', [id]), [{ due_at: null }])
    } finally {
      await other.close()
    }
  })
})

describe('reminders of workers that fail or run at the same time', () => {
  test('the customer gets one reminder after the lease ends when a worker dies before the commit', async () => {
    const sent = await invoices.sent({ customer_email: null })
    failing = 'invoices_move_on'
    await goTo('2026-01-17T06:00:00Z')
    assert.deepEqual(await reminders(sent.id), [], 'one transaction writes the message and the next reminder')
    failing = null
    await world.work()
    assert.deepEqual(await reminders(sent.id), [], 'another process may still hold the lease')
    world.deps.clock.advance(120_000)
    await world.work()
    assert.equal((await reminders(sent.id)).length, 1)
    await goTo('2026-01-20T06:00:00Z')
    assert.equal((await reminders(sent.id)).length, 1)
    assert.equal(await dueAt(sent), '2026-01-21T06:00:00.000Z')
  })

  test('a worker whose lease has ended does not repeat the reminder of another worker', async () => {
    const sent = await invoices.sent({ customer_email: null })
    const other = await createWorld({ url: world.url })
    try {
      let sent_by_other = 0
      pause = {
        at: 'invoices_lock_due',
        async while() {
          other.deps.clock.advance(new Date('2026-01-17T06:05:00Z').getTime() - other.deps.clock.now().getTime())
          await other.work()
          sent_by_other = (await reminders(sent.id)).length
        },
      }
      await goTo('2026-01-17T06:00:00Z')
      assert.deepEqual([sent_by_other, (await reminders(sent.id)).length], [1, 1])
    } finally {
      await other.close()
    }
  })

  test('two concurrent workers send one reminder for each of a hundred invoices of two merchants', async () => {
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    for (const [owner, of] of [
      [world.merchant.id, world.sandbox_key],
      [merchant.id, key],
    ] as const) {
      const { id } = await invoices.sent({ customer_email: null }, of)
      await world.rows(
        `with made as (
           insert into invoices select (jsonb_populate_record(i, jsonb_build_object('id', md5($1 || n)::uuid, 'number', n))).*
           from invoices i, generate_series(2, 50) n where i.merchant_id = $1::uuid and i.id = $2 returning id)
         insert into payment_links select (jsonb_populate_record(l, jsonb_build_object('id', md5('l' || made.id)::uuid,
           'invoice_id', made.id, 'slug', made.id))).* from payment_links l, made where l.merchant_id = $1::uuid and l.invoice_id = $2`,
        [owner, id],
      )
    }
    const other = await createWorld({ url: world.url })
    try {
      const at = new Date('2026-01-17T06:00:00Z').getTime()
      for (const { deps } of [world, other]) deps.clock.advance(at - deps.clock.now().getTime())
      await Promise.all([world.work(), other.work()])
    } finally {
      await other.close()
    }
    const sent = await world.rows<{ many: number; invoices: number }>(
      `select count(*)::int as many, count(distinct invoice_id)::int as invoices from outbox_messages where kind = 'invoice.remind'`,
    )
    assert.deepEqual(sent, [{ many: 100, invoices: 100 }])
  })
})

test("the next reminder is due at nine o'clock in Tanzania on the first reminder day after today", () => {
  const next = (today: string, days = [-3, 1, 7]) => nextReminder(days, '2026-03-01', today)?.toISOString() ?? null
  assert.equal(next('2026-01-05'), '2026-02-26T06:00:00.000Z')
  assert.equal(next('2026-02-25'), '2026-02-26T06:00:00.000Z')
  assert.equal(next('2026-02-26'), '2026-03-02T06:00:00.000Z')
  assert.equal(next('2026-03-02'), '2026-03-08T06:00:00.000Z')
  assert.equal(next('2026-03-08'), null)
  assert.equal(next('2026-01-05', []), null)
})

test('the server refuses a configuration in which INVOICE_REMINDER_DAYS is not a list of days', () => {
  assert.deepEqual(readConfig({ INVOICE_REMINDER_DAYS: '7, 0,-3,7' }, PROVIDERS).invoice_reminder_days, [-3, 0, 7])
  for (const INVOICE_REMINDER_DAYS of ['x', '1.5', '1,,2', '10000', '0,1,2,3,4,5,6,7,8,9,10']) {
    assert.throws(() => readConfig({ INVOICE_REMINDER_DAYS }, PROVIDERS), ConfigError, INVOICE_REMINDER_DAYS)
  }
})
