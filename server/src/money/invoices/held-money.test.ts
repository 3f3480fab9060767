// Tests invoices with held, approved, declined or reversed payments. The server asks no customer to pay twice, and each invoice
// shows the reversal of its payment.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { invoicesOf, type ShownInvoice, slugOf } from '../../../test/invoices.ts'
import { readPdf } from '../../../test/read-pdf.ts'
import type { Answer } from '../../adapters/providers/port.ts'
import { verify } from '../../apps/admin/verify.ts'
import { invoiceDocument } from './document.ts'
import { findInvoice } from './store.ts'

/** The phone whose payments succeed with money that the server holds for a review. */
const HELD_PHONE = '0754123014'
const REVERSED: Answer = { kind: 'reversed', amount_minor: 2_500_000n, currency: 'TZS', provider_status: 'REVERSED' }

let world: World
let invoices: ReturnType<typeof invoicesOf>
let pause: { at: string; while: () => Promise<void> } | null = null
beforeEach(async () => {
  world = await createWorld({
    env: { PROMPTS_PER_PHONE: '0' },
    async before(name) {
      if (name !== pause?.at) return
      const { while: work } = pause
      pause = null
      await work()
    },
  })
  invoices = invoicesOf(world)
})
afterEach(async () => {
  const { checks } = await verify(world.url)
  assert.deepEqual(
    checks.filter((check) => !check.ok),
    [],
  )
  await world.close()
})

const cancelLink = async (id: string) => {
  const cancelled = await world.call({ method: 'POST', url: `/v1/payment-links/${id}/cancel` })
  assert.equal(cancelled.status, 200, cancelled.text)
}
const linkOf = async (id: string): Promise<ShownInvoice> => (await invoices.act(id, 'payment-link')).body.data
const statusOfLink = async (id: string) => (await world.get(`/v1/payment-links/${id}`)).body.data.status
const clear = async (id: string, decision = 'approve') => {
  const { token: operator } = await world.newSession('SUPER_ADMIN')
  const payload = { decision, reason: 'Seen' }
  const done = await world.call({ method: 'POST', url: `/v1/operator/collections/${id}/clear`, key: operator, payload })
  assert.equal(done.status, 200, done.text)
}
/** Moves the clock to a time and runs the work that is due then. Each test world begins on 5 January at noon in Tanzania. */
const goTo = async (time: string) => {
  world.deps.clock.advance(new Date(time).getTime() - world.deps.clock.now().getTime())
  await world.work()
}
const reminders = async (id: string) =>
  (await invoices.messages(id)).filter(({ kind }) => kind === 'invoice.remind').length
const page = async (payment_url: string, rest = '/invoice') =>
  world.call({ method: 'GET', url: `/pay/${slugOf(payment_url)}${rest}`, key: null })
const payHeld = async (invoice: ShownInvoice): Promise<string> => {
  const paid = await invoices.pay(invoice, HELD_PHONE)
  assert.equal(paid.status, 202, paid.text)
  const { collection_id } = paid.body.data
  assert.equal((await world.get(`/v1/collections/${collection_id}`)).body.data.status, 'pending_clearance')
  return collection_id
}
/** Returns an invoice with two links: the cancelled link has held money, and the new link is active. */
const invoiceWithReplacedLink = async () => {
  const sent = await invoices.sent({ customer_email: null })
  const collection_id = await payHeld(sent)
  await cancelLink(sent.payment_link_id)
  const next = await linkOf(sent.id)
  assert.notEqual(next.id, sent.payment_link_id)
  return { sent, collection_id, next: { id: next.id as string, payment_url: next.public_url as string } }
}

describe('approved held payments of cancelled links', () => {
  test('the worker sends no reminder and the new link takes no second payment when an operator approves held money of the old link', async () => {
    const { sent, collection_id, next } = await invoiceWithReplacedLink()
    await clear(collection_id)
    const shown = await invoices.show(sent.id)
    assert.deepEqual(
      [shown.status, shown.paid_collection_id, shown.payment_link_id, shown.payment_url],
      ['PAID', collection_id, sent.payment_link_id, sent.payment_url],
    )
    assert.deepEqual([await statusOfLink(sent.payment_link_id), await statusOfLink(next.id)], ['PAID', 'CANCELLED'])
    const [entry] = await world.rows<{ after: ShownInvoice }>(
      "select after from audit_log where action = 'collection.clear' and target_id = $1",
      [collection_id],
    )
    assert.deepEqual(entry?.after.payment_links_cancelled, [next.id], 'the audit log names the cancelled link')
    const again = await invoices.pay({ payment_url: next.payment_url })
    assert.deepEqual(codeOf(again), [409, 'payment_link_not_active'])
    assert.deepEqual(codeOf(await invoices.act(sent.id, 'payment-link')), [409, 'invalid_state'])
    await goTo('2026-01-17T06:00:00Z')
    assert.equal(await reminders(sent.id), 0)
    for (const url of [sent.payment_url, next.payment_url]) {
      const read = await page(url)
      assert.equal(read.status, 200, `${url} ${read.headers.location}`)
      assert.ok(read.text.includes('Imelipwa'), 'both links show the paid invoice')
      assert.ok(read.text.includes(`/pay/${slugOf(sent.payment_url)}/c/${collection_id}/receipt?lang=sw`))
    }
  })

  test('an approved held payment pays the invoice when the merchant cancelled the link and created no other link', async () => {
    const sent = await invoices.sent()
    const collection_id = await payHeld(sent)
    await cancelLink(sent.payment_link_id)
    await clear(collection_id)
    assert.equal((await invoices.show(sent.id)).status, 'PAID')
  })

  test('the server holds a payment of the new link when an approved held payment of the old link has paid the invoice meanwhile', async () => {
    const { sent, collection_id, next } = await invoiceWithReplacedLink()
    // The provider sends no outcome for a payment from this phone.
    const other = (await invoices.pay({ payment_url: next.payment_url }, '0754123007')).body.data.collection_id
    await clear(collection_id)
    const answer: Answer = { ...REVERSED, kind: 'succeeded', provider_status: 'COMPLETED' }
    await world.system.driver.settle({ merchant_id: world.merchant.id, collection_id: other, number: 1, answer })
    assert.equal((await world.get(`/v1/collections/${other}`)).body.data.status, 'pending_clearance')
    assert.equal((await invoices.show(sent.id)).paid_collection_id, collection_id)
  })

  test('an approved held payment does not pay the invoice when a payment of the new link settles at the same moment', async () => {
    const { sent, collection_id, next } = await invoiceWithReplacedLink()
    const other = (await invoices.pay({ payment_url: next.payment_url }, '0754123007')).body.data.collection_id
    let approval: Promise<void> | null = null
    pause = {
      at: 'links_pay',
      async while() {
        approval = clear(collection_id)
        const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        while ((await world.rows(waiting)).length === 0);
      },
    }
    const answer: Answer = { ...REVERSED, kind: 'succeeded', provider_status: 'COMPLETED' }
    await world.system.driver.settle({ merchant_id: world.merchant.id, collection_id: other, number: 1, answer })
    await approval
    const shown = await invoices.show(sent.id)
    assert.deepEqual([shown.status, shown.paid_collection_id], ['PAID', other])
    assert.equal(await statusOfLink(sent.payment_link_id), 'CANCELLED')
  })

  test('held money does not change an invoice that is paid or cancelled, or an invoice whose payment an operator declines', async () => {
    const paid = await invoiceWithReplacedLink()
    const { collection_id } = (await invoices.pay({ payment_url: paid.next.payment_url })).body.data
    await clear(paid.collection_id)
    const shown = await invoices.show(paid.sent.id)
    assert.deepEqual([shown.status, shown.paid_collection_id], ['PAID', collection_id])
    assert.equal(await statusOfLink(paid.sent.payment_link_id), 'CANCELLED')

    const cancelled = await invoiceWithReplacedLink()
    await invoices.act(cancelled.sent.id, 'cancel')
    await clear(cancelled.collection_id)
    assert.equal((await invoices.show(cancelled.sent.id)).status, 'CANCELLED')

    const declined = await invoiceWithReplacedLink()
    await clear(declined.collection_id, 'decline')
    assert.equal((await invoices.show(declined.sent.id)).status, 'SENT')
    assert.equal(await statusOfLink(declined.next.id), 'ACTIVE')
  })

  test('an approved held payment pays the invoice and leaves no active link, unless the merchant cancels the invoice at the same moment', async () => {
    for (let round = 0; round < 6; round++) {
      const sent = await invoices.sent({ customer_email: null })
      const collection_id = await payHeld(sent)
      await cancelLink(sent.payment_link_id)
      const verb = round % 2 === 0 ? 'payment-link' : 'cancel'
      const [acted] = await Promise.all([invoices.act(sent.id, verb), clear(collection_id)])
      assert.ok([200, 201, 409].includes(acted.status), acted.text)
      const { status } = await invoices.show(sent.id)
      assert.equal(status, verb === 'cancel' && acted.status === 200 ? 'CANCELLED' : 'PAID')
      const active = "select 1 from payment_links where invoice_id = $1 and status = 'ACTIVE'"
      assert.deepEqual(await world.rows(active, [sent.id]), [])
    }
  })

  test('an approved held payment does not pay the invoice when the merchant has changed the amount of the invoice', async () => {
    const { id } = await invoices.draft()
    const old_link = await linkOf(id)
    const collection_id = await payHeld({ payment_url: old_link.public_url })
    await invoices.patch(id, { items: [{ description: 'Viatu', quantity: '3', unit_price: '10000' }] })
    await clear(collection_id)
    assert.deepEqual([(await invoices.show(id)).status, await statusOfLink(old_link.id)], ['DRAFT', 'CANCELLED'])
  })
})

describe('invoices with a payment under review', () => {
  test('the worker sends no reminder during a review of a payment, and sends reminders after the operator declines the payment', async () => {
    const sent = await invoices.sent({ customer_email: null })
    const collection_id = await payHeld(sent)
    const { sent: other, collection_id: other_collection_id } = await invoiceWithReplacedLink()
    await goTo('2026-01-17T06:00:00Z')
    assert.deepEqual([await reminders(sent.id), await reminders(other.id)], [0, 0])
    await clear(collection_id, 'decline')
    await clear(other_collection_id, 'decline')
    await goTo('2026-01-21T06:00:00Z')
    assert.deepEqual([await reminders(sent.id), await reminders(other.id)], [1, 1])
  })

  test('the page of an invoice and the data of its PDF have no payment link during a review of a payment', async () => {
    const sent = await invoices.sent()
    const pay_link = `href="/pay/${slugOf(sent.payment_url)}?lang=sw"`
    assert.ok((await page(sent.payment_url)).text.includes(pay_link))
    await payHeld(sent)
    assert.ok(!(await page(sent.payment_url)).text.includes(pay_link))
    const invoice = await findInvoice(world.deps.db, world.merchant.id, sent.id)
    assert.ok(invoice)
    assert.equal((await invoiceDocument(world.deps, invoice, 'https://lipa.example', true)).pay_url, null)
  })
})

test('the worker sends no reminder while a payment of the invoice has no outcome, and sends one reminder after the payment failed', async () => {
  const sent = await invoices.sent({ customer_email: null })
  world.deps.clock.advance(new Date('2026-01-17T05:59:59Z').getTime() - world.deps.clock.now().getTime())
  const { collection_id } = (await invoices.pay(sent, '0754123007')).body.data
  assert.equal((await world.get(`/v1/collections/${collection_id}`)).body.data.status, 'processing')
  await goTo('2026-01-17T06:00:00Z')
  assert.equal(await reminders(sent.id), 0)
  const answer: Answer = { kind: 'declined', reason: 'wrong_pin', provider_status: 'FAILED' }
  await world.system.driver.settle({ merchant_id: world.merchant.id, collection_id, number: 1, answer })
  await goTo('2026-01-17T06:16:00Z')
  assert.equal(await reminders(sent.id), 1)
  await goTo('2026-01-17T07:30:00Z')
  assert.equal(await reminders(sent.id), 1, 'once')
})

test('an invoice shows the reversal of its payment in the API, on its page, in the CSV file and in its PDF', async () => {
  const sent = await invoices.sent()
  const { collection_id } = (await invoices.pay(sent)).body.data
  assert.equal((await invoices.show(sent.id)).payment_reversed_at, null)
  world.deps.clock.advance(60_000)
  await world.system.driver.settle({ merchant_id: world.merchant.id, collection_id, number: 1, answer: REVERSED })
  const shown = await invoices.show(sent.id)
  assert.deepEqual([shown.status, shown.payment_reversed_at], ['PAID', world.deps.clock.now().toISOString()])
  const csv = await world.get('/v1/invoices/export.csv')
  assert.ok(csv.text.includes('payment_reversed_at') && csv.text.includes(shown.payment_reversed_at))
  for (const [lang, notice] of [
    ['sw', 'Imelipwa, kisha imerudishwa'],
    ['en', 'Paid, then returned'],
  ]) {
    assert.ok((await page(sent.payment_url, `/invoice?lang=${lang}`)).text.includes(notice as string))
    const file = await page(sent.payment_url, `/invoice.pdf?lang=${lang}`)
    const lines = readPdf(file.bytes).pages.flatMap(({ texts }) => texts.map(({ text }) => text))
    assert.ok(lines.includes(notice as string), lines.join('|'))
    assert.ok(!lines.some((line) => /^(Ankara hii imelipwa|The customer paid this invoice)/.test(line)))
  }
})
