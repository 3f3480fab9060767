// Tests the checks of verify about invoices. Each check accepts correct invoices and finds each planted contradiction.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Contradictions, oneRow, testContradictions } from '../../../test/contradictions.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createWorld } from '../../../test/harness.ts'
import { invoicesOf } from '../../../test/invoices.ts'
import { type Verification, verify } from './verify.ts'
import { INVOICES } from './verify-invoices.ts'

let base: TestDatabase
let sound: Verification
before(async () => {
  base = await createTestDatabase()
  const world = await createWorld({ url: base.url })
  const { act, draft, patch, pay, sent } = invoicesOf(world)
  for (const key of [world.sandbox_key, world.live_key]) {
    await draft({ items: [{ description: 'Sukari', quantity: '0.335', unit_price: '100.10' }] }, key)
    await pay(await sent({}, key))
    await act((await sent({}, key)).id, 'cancel', key)
    await sent({}, key)
    const { id } = await draft({}, key)
    await act(id, 'payment-link', key)
    await patch(id, { items: [{ description: 'Chai', quantity: '3', unit_price: '500' }] }, key)
    await act(id, 'payment-link', key)
  }
  await world.work()
  await world.close()
  sound = await verify(base.url)
})
after(() => base.drop())

test('correct invoices pass every check', () => {
  assert.deepEqual(
    sound.checks.filter(({ ok }) => !ok),
    [],
  )
})

const OF_INVOICE = 'invoice_id is not null'

const PLANTS: Contradictions = {
  'Invoices are numbered from 1 without a gap': [
    'update invoice_numbers set last_number = last_number + 1',
    'update invoices set number = number + 1000 where number = 3',
    'delete from invoices where number = 5',
    'delete from invoice_numbers',
  ],
  'The total of an invoice equals the sum of its items, each rounded half up to the cent': [
    `update invoices set total_minor = total_minor + 1 where ${oneRow('invoices', "status = 'DRAFT'")}`,
    `update invoices set total_minor = 3353, items = (replace(items::text, '3353', '3354'))::json where number = 1`,
    `update invoices set items = '[]' where ${oneRow('invoices', "status = 'CANCELLED'")}`,
  ],
  'An invoice is marked as paid only if one of its payment links is paid': [
    `update invoices set paid = true where ${oneRow('invoices', "status = 'DRAFT'")}`,
    'update invoices set paid = false where paid',
  ],
  'An invoice and its payment links name each other, and only its newest link can be paid unless an older link was paid':
    [
      `update payment_links set invoice_id = gen_random_uuid() where ${oneRow('payment_links', OF_INVOICE)}`,
      `update invoices set payment_link_id = gen_random_uuid() where ${oneRow('invoices', 'payment_link_id is not null')}`,
      `update payment_links l set origin_environment = 'live' where ${oneRow('payment_links', `${OF_INVOICE} and environment = 'sandbox'`)}`,
      `update payment_links l set status = 'ACTIVE' where l.status = 'CANCELLED' and exists (
       select 1 from invoices i where i.merchant_id = l.merchant_id and i.id = l.invoice_id and i.payment_link_id <> l.id)`,
      `update payment_links l set status = 'PAID', paid_at = l.created_at, paid_collection_id = gen_random_uuid(),
       amount_minor = i.total_minor
     from invoices i where i.merchant_id = l.merchant_id and i.id = l.invoice_id and i.payment_link_id <> l.id`,
      `update payment_links set amount_minor = amount_minor + 1 where ${oneRow('payment_links', `${OF_INVOICE} and status = 'ACTIVE'`)}`,
    ],
  'A cancelled invoice cannot be paid, and a sent invoice has a payment link': [
    `update payment_links l set status = 'ACTIVE' from invoices i
     where i.status = 'CANCELLED' and l.merchant_id = i.merchant_id and l.id = i.payment_link_id`,
    `update invoices set cancelled_at = created_at where ${oneRow('invoices', "status = 'SENT'")}`,
    `update invoices set payment_link_id = null where ${oneRow('invoices', "status = 'SENT'")}`,
    `update invoices set sent_at = null where ${oneRow('invoices', "status = 'SENT'")}`,
  ],
}

describe('planted contradictions in invoices', () => {
  testContradictions(() => base.url, PLANTS)

  test('each check of invoices has a planted contradiction', () => {
    assert.deepEqual(Object.keys(PLANTS).sort(), INVOICES.map(({ name }) => name).sort())
  })
})
