// Helpers for tests of invoices: they create, send and pay invoices, and read the messages to customers.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Reply, World } from './harness.ts'

/** An invoice with items of 25,000 shillings in total. Tests begin on 5 January 2026. */
export const INVOICE = {
  customer_name: 'Juma Ali',
  customer_phone: '0754 123 456',
  customer_email: 'juma@example.com',
  due_date: '2026-01-20',
  items: [
    { description: 'Viatu', quantity: '2', unit_price: '10000.00' },
    { description: 'Usafiri', quantity: '1', unit_price: '5000' },
  ],
}

/** The body of a response about an invoice. */
export type ShownInvoice = Reply['body']

/** An e-mail or SMS to a customer, after the test decrypted it. */
export type CustomerMessage = {
  channel: string
  kind: string
  recipient: string
  subject: string
  text: string
  environment: string
}

/** Returns the calls about invoices in a world. By default, a call uses the sandbox key. */
export function invoicesOf(world: World) {
  const act = (id: string, verb: string, key?: string) =>
    world.call({ method: 'POST', url: `/v1/invoices/${id}/${verb}`, ...(key === undefined ? {} : { key }) })
  const show = async (id: string, key?: string): Promise<ShownInvoice> =>
    (await world.get(`/v1/invoices/${id}`, key)).body.data
  const draft = async (body: object = {}, key?: string): Promise<ShownInvoice> => {
    const made = await world.post('/v1/invoices', { ...INVOICE, ...body }, key === undefined ? {} : { key })
    assert.equal(made.status, 201, made.text)
    return made.body.data
  }
  return {
    act,
    show,
    draft,
    async sent(body: object = {}, key?: string): Promise<ShownInvoice> {
      const { id } = await draft(body, key)
      const sent = await act(id, 'send', key)
      assert.equal(sent.status, 200, sent.text)
      return sent.body.data
    },
    patch: (id: string, body: object, key?: string) =>
      world.call({ method: 'PATCH', url: `/v1/invoices/${id}`, payload: body, ...(key === undefined ? {} : { key }) }),
    /** Pays an invoice on its page. Payments from the default phone number succeed. */
    pay: ({ payment_url }: ShownInvoice, phone = '0754123001') =>
      world.call({
        method: 'POST',
        url: `/public/payment-links/${slugOf(payment_url)}/collect`,
        key: null,
        idempotency_key: randomUUID(),
        payload: { method: 'WALLET_PUSH', customer_phone: phone },
      }),
    /** Reads the messages to the customer, oldest first. */
    async messages(invoice_id: string): Promise<CustomerMessage[]> {
      const rows = await world.rows<CustomerMessage & { body: string }>(
        'select channel, kind, recipient, subject, body, environment from outbox_messages where invoice_id = $1 order by created_at, channel desc',
        [invoice_id],
      )
      return rows.map(({ body, ...row }) => ({ ...row, text: world.deps.vault.open(body) }))
    },
  }
}

/** Returns the last segment of a payment URL, which identifies the page. */
export function slugOf(payment_url: string): string {
  return payment_url.split('/pay/')[1] as string
}
