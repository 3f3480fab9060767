// Tests the creation, reading and editing of invoices.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { INVOICE, invoicesOf, type ShownInvoice } from '../../../test/invoices.ts'
import { eatTime } from '../../kernel/lib/index.ts'

let world: World
let invoices: ReturnType<typeof invoicesOf>
before(async () => {
  world = await createWorld({ env: { PROMPTS_PER_PHONE: '0' } })
  invoices = invoicesOf(world)
})
after(() => world.close())

const item = (quantity: string, unit_price: string, description = 'Sukari') => ({ description, quantity, unit_price })
const fieldsOf = (body: ShownInvoice) => body.error.details.fields.map(({ field }: { field: string }) => field)

describe('new invoices', () => {
  test('a new invoice is a draft with a number, the sum of its items and no payment link', async () => {
    const made = await invoices.draft({ merchant_id: world.merchant.id, note: 'Asante\nKaribu' })
    assert.match(made.number, /^INV-\d{6}$/)
    assert.deepEqual(
      [made.status, made.total, made.currency, made.language, made.environment],
      ['DRAFT', '25000.00', 'TZS', 'sw', 'sandbox'],
    )
    assert.equal(made.customer_phone, '255754123456')
    assert.deepEqual(made.items[0], {
      description: 'Viatu',
      quantity: '2',
      unit_price: '10000.00',
      amount: '20000.00',
    })
    assert.deepEqual([made.payment_url, made.invoice_url, made.payment_link_id, made.sent_at], [null, null, null, null])
    assert.deepEqual(await invoices.show(made.id), made)
    assert.deepEqual(await invoices.messages(made.id), [], 'the server sends no message about a draft')
  })

  test('the server stores the texts of an invoice without marks that change the direction of text, also after a change', async () => {
    const marked = { customer_name: '\u202eamuJ\u202c محمد', note: '\u200fAsante\nKaribu\u2069' }
    const items = [item('1', '5.00', '\u2067Viatu\u200e')]
    const textsOf = (shown: ShownInvoice) => [shown.customer_name, shown.note, shown.items[0].description]
    const made = await invoices.draft({ ...marked, items })
    assert.deepEqual(textsOf(made), ['amuJ محمد', 'Asante\nKaribu', 'Viatu'])
    const changed = await world.call({
      method: 'PATCH',
      url: `/v1/invoices/${made.id}`,
      payload: { customer_name: '\u2068Ali\u2069', note: '\u202e', items: [item('2', '5.00', 'Sukari\u061c')] },
    })
    assert.deepEqual(textsOf(changed.body.data), ['Ali', null, 'Sukari'])
  })

  test('the server rounds the quantity times the price of each item half up to the cent', async () => {
    for (const [quantity, unit_price, amount] of [
      ['0.333', '100.00', '33.30'],
      ['0.005', '1.00', '0.01'],
      ['0.004', '1.00', '0.00'],
      ['1.5', '0.01', '0.02'],
      ['2.675', '1.00', '2.68'],
      ['1.005', '1000.10', '1005.10'],
      ['999999999', '0.01', '9999999.99'],
      ['3', '0', '0.00'],
    ]) {
      const made = await invoices.draft({ items: [item('1', '5.00'), item(quantity as string, unit_price as string)] })
      assert.equal(made.items[1].amount, amount, `${quantity} x ${unit_price}`)
      assert.equal(made.items[1].quantity, quantity)
      const cents = made.items.reduce(
        (sum: number, { amount: one }: ShownInvoice) => sum + Math.round(Number(one) * 100),
        0,
      )
      assert.equal(Math.round(Number(made.total) * 100), cents)
    }
  })

  test('the server refuses a new invoice with 422 when its total is outside the limits of payment links', async () => {
    for (const items of [
      [item('1', '0')],
      [item('0.001', '1.00')],
      [item('1', '0.99')],
      [item('1', '1000000000.01')],
      [item('999999999', '9999999999999.99')],
      Array.from({ length: 100 }, () => item('999999999', '90071992547409.92')),
    ]) {
      const refused = await world.post('/v1/invoices', { ...INVOICE, items })
      assert.deepEqual(codeOf(refused), [422, 'amount_not_supported'], refused.text)
    }
    const largest = await invoices.draft({ items: [item('1', '1000000000.00')] })
    assert.equal(largest.total, '1000000000.00')
  })

  test('the server names all invalid fields of a new invoice in one refusal, and the refused invoice uses no number', async () => {
    const before_count = await world.rows('select last_number from invoice_numbers order by environment')
    const wrong: [object, string][] = [
      [{ customer_name: ' ' }, 'customer_name'],
      [{ customer_name: 'a\u0000b' }, 'customer_name'],
      [{ customer_name: 'x'.repeat(201) }, 'customer_name'],
      [{ customer_phone: '12' }, 'customer_phone'],
      [{ customer_email: 'nobody' }, 'customer_email'],
      [{ customer_email: 'a@example.com\r\nBcc: b@example.com' }, 'customer_email'],
      [{ due_date: '2026-02-30' }, 'due_date'],
      [{ due_date: '2026-13-01' }, 'due_date'],
      [{ due_date: '20 Jan 2026' }, 'due_date'],
      [{ due_date: '2026-01-20T00:00:00Z' }, 'due_date'],
      [{ due_date: '2026-01-04' }, 'due_date'],
      [{ due_date: undefined }, 'due_date'],
      [{ items: [] }, 'items'],
      [{ items: undefined }, 'items'],
      [{ items: Array.from({ length: 101 }, () => item('1', '1')) }, 'items'],
      [{ items: [item('0', '1')] }, 'items.0.quantity'],
      [{ items: [item('1', '1'), item('-1', '1')] }, 'items.1.quantity'],
      [{ items: [item('1.0001', '1')] }, 'items.0.quantity'],
      [{ items: [item('1e3', '1')] }, 'items.0.quantity'],
      [{ items: [item('1000000000', '1')] }, 'items.0.quantity'],
      [{ items: [{ ...item('1', '1'), quantity: 1 }] }, 'items.0.quantity'],
      [{ items: [item('1', '1.001')] }, 'items.0.unit_price'],
      [{ items: [item('1', '-1')] }, 'items.0.unit_price'],
      [{ items: [item('1', 'x')] }, 'items.0.unit_price'],
      [{ items: [item('1', '99999999999999999999')] }, 'items.0.unit_price'],
      [{ items: [item('1', '1', '\u200b')] }, 'items.0.description'],
      [{ language: 'fr' }, 'language'],
      [{ note: 'a\u0007' }, 'note'],
    ]
    for (const [body, field] of wrong) {
      const refused = await world.post('/v1/invoices', { ...INVOICE, ...body })
      assert.deepEqual(codeOf(refused), [400, 'validation_failed'], `${field}: ${refused.text}`)
      assert.ok(fieldsOf(refused.body).includes(field), `${field}: ${refused.text}`)
    }
    const all = await world.post('/v1/invoices', {
      ...INVOICE,
      customer_phone: '1',
      due_date: '2025-02-30',
      items: [item('x', 'y')],
    })
    assert.deepEqual(fieldsOf(all.body), ['customer_phone', 'due_date', 'items.0.quantity', 'items.0.unit_price'])
    assert.deepEqual(await world.rows('select last_number from invoice_numbers order by environment'), before_count)
  })

  test('the server replays the response to an Idempotency-Key after the due date of the invoice has passed', async () => {
    const other = await createWorld()
    try {
      const due_date = new Date(other.deps.clock.now().getTime() + 86_400_000).toISOString().slice(0, 10)
      const idempotency_key = 'invoice-of-yesterday'
      const made = await other.post('/v1/invoices', { ...INVOICE, due_date }, { idempotency_key })
      assert.equal(made.status, 201, made.text)
      other.deps.clock.advance(5 * 86_400_000)
      const again = await other.post('/v1/invoices', { ...INVOICE, due_date }, { idempotency_key })
      assert.deepEqual([again.status, again.text, again.headers['idempotency-replayed']], [201, made.text, 'true'])
    } finally {
      await other.close()
    }
  })

  test('the server accepts the current day of Tanzania as a due date, and refuses an earlier day', async () => {
    const other = await createWorld()
    try {
      other.deps.clock.advance(13.5 * 3_600_000)
      const due = (due_date: string) => other.post('/v1/invoices', { ...INVOICE, due_date })
      assert.deepEqual(codeOf(await due('2026-01-05')), [400, 'validation_failed'], 'the day in Tanzania is the 6th')
      assert.equal((await due('2026-01-06')).status, 201)
    } finally {
      await other.close()
    }
  })

  test('the server creates one invoice for repeated requests with one Idempotency-Key, and also accepts a request without a key', async () => {
    const key = randomUUID()
    const first = await world.post('/v1/invoices', INVOICE, { idempotency_key: key })
    const again = await world.post('/v1/invoices', INVOICE, { idempotency_key: key })
    assert.equal(again.text, first.text)
    assert.equal(again.headers['idempotency-replayed'], 'true')
    const other = await world.post('/v1/invoices', { ...INVOICE, customer_name: 'Rehema' }, { idempotency_key: key })
    assert.deepEqual(codeOf(other), [422, 'idempotency_key_reused'])
    assert.equal((await world.post('/v1/invoices', INVOICE, { idempotency_key: null })).status, 201)
  })

  test('an invoice keeps a customer name unchanged when the name has markup, Arabic letters, emoji or a formula', async () => {
    for (const customer_name of ['<script>alert(1)</script>', 'محمد', '👨‍👩‍👧 familia', '=1+1']) {
      const made = await invoices.draft({ customer_name })
      assert.equal((await invoices.show(made.id)).customer_name, customer_name)
    }
  })
})

describe('invoice numbers', () => {
  test('simultaneous invoices get numbers without a gap when the server refuses some of twenty requests', async () => {
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        // The server refuses every third request, and these requests must not use a number.
        world.post('/v1/invoices', { ...INVOICE, items: [item('1', i % 3 === 0 ? '0' : '100')] }, { key }),
      ),
    )
    const numbers = made.flatMap(({ status, body }) => (status === 201 ? [body.data.number] : [])).sort()
    assert.deepEqual(
      numbers,
      Array.from({ length: 13 }, (_, i) => `INV-${String(i + 1).padStart(6, '0')}`),
    )
  })

  test('twenty simultaneous invoices get twenty different numbers, and each merchant and environment begins with number 1', async () => {
    const merchant = await world.newMerchant()
    const [sandbox, live] = [await world.newKey({ merchant }), await world.newKey({ merchant, environment: 'live' })]
    const made = await Promise.all(Array.from({ length: 20 }, () => invoices.draft({}, sandbox)))
    assert.equal(new Set(made.map(({ number }) => number)).size, 20)
    assert.equal(
      made
        .map(({ number }) => number)
        .sort()
        .at(-1),
      'INV-000020',
    )
    assert.equal((await invoices.draft({}, live)).number, 'INV-000001')
  })
})

describe('edits of invoices', () => {
  test('an edit of a draft changes the given fields and keeps the other fields', async () => {
    const made = await invoices.draft({ note: 'Asante' })
    const edited = await invoices.patch(made.id, { customer_phone: '', items: [item('3', '100')], note: null })
    assert.equal(edited.status, 200, edited.text)
    const { data } = edited.body
    assert.deepEqual(
      [data.customer_phone, data.total, data.note, data.customer_email, data.due_date, data.number],
      [null, '300.00', null, INVOICE.customer_email, INVOICE.due_date, made.number],
    )
    assert.deepEqual(await invoices.show(made.id), data)
    const unchanged = await invoices.patch(made.id, {})
    assert.deepEqual([unchanged.status, unchanged.body.data.total], [200, '300.00'])
  })

  test('the server refuses an edit with an invalid field, and changes nothing', async () => {
    const made = await invoices.draft()
    for (const [body, code] of [
      [{ due_date: '2025-01-01' }, 'validation_failed'],
      [{ items: [item('0', '1')] }, 'validation_failed'],
      [{ items: [item('1', '0')] }, 'amount_not_supported'],
      [{ customer_name: '' }, 'validation_failed'],
    ] as const) {
      assert.equal(codeOf(await invoices.patch(made.id, { note: 'x', ...body }))[1], code)
    }
    assert.deepEqual(await invoices.show(made.id), made)
  })

  test('the server refuses an edit of an invoice that the merchant has sent or cancelled', async () => {
    const sent = await invoices.sent()
    assert.deepEqual(codeOf(await invoices.patch(sent.id, { note: 'x' })), [409, 'invalid_state'])
    const cancelled = await invoices.draft()
    await invoices.act(cancelled.id, 'cancel')
    assert.deepEqual(codeOf(await invoices.patch(cancelled.id, { note: 'x' })), [409, 'invalid_state'])
  })

  test('an edit cancels the payment link when a field of the link changes, and the next link has the new amount', async () => {
    const made = await invoices.draft()
    const old_link = (await invoices.act(made.id, 'payment-link')).body.data
    const kept = await invoices.patch(made.id, { note: 'Asante', due_date: '2026-01-25' })
    assert.equal(kept.body.data.payment_link_status, 'ACTIVE')
    const edited = await invoices.patch(made.id, { items: [item('1', '300')] })
    assert.equal(edited.body.data.payment_link_status, 'CANCELLED')
    assert.deepEqual(codeOf(await invoices.pay({ payment_url: old_link.public_url })), [409, 'payment_link_not_active'])
    const link = await invoices.act(made.id, 'payment-link')
    assert.deepEqual([link.status, link.body.data.amount], [201, '300.00'])
    assert.notEqual(link.body.data.id, old_link.id)
  })
})

describe('reads of invoices', () => {
  test('a merchant can list invoices by status and in pages', async () => {
    const other = await createWorld()
    try {
      const { act, draft: make, pay, sent: send, show } = invoicesOf(other)
      const expected: Record<string, ShownInvoice> = {
        DRAFT: await make(),
        OVERDUE: await send({ due_date: '2026-01-05' }),
      }
      expected.SENT = await send()
      expected.PAID = await send()
      await pay(expected.PAID)
      expected.CANCELLED = await make()
      await act(expected.CANCELLED.id, 'cancel')
      assert.equal(
        (await show(expected.OVERDUE.id)).status,
        'SENT',
        'the invoice is in time until the end of its due date',
      )
      other.deps.clock.advance(12 * 3_600_000)
      for (const [status, { id }] of Object.entries(expected)) {
        const { items, pagination } = (await other.get(`/v1/invoices?status=${status}`)).body.data
        assert.deepEqual([items.map((one: ShownInvoice) => one.id), pagination.total_items], [[id], 1], status)
        assert.equal(items[0].status, status)
        assert.equal((await show(id)).status, status)
      }
      const first = (await other.get('/v1/invoices?page_size=2')).body.data
      assert.deepEqual(first.pagination, { page: 1, page_size: 2, total_items: 5, total_pages: 3 })
      const third = (await other.get('/v1/invoices?page_size=2&page=3')).body.data
      assert.equal(third.items.length, 1)
      assert.deepEqual(codeOf(await other.get('/v1/invoices?status=EXPIRED')), [400, 'validation_failed'])
      assert.deepEqual(codeOf(await other.get('/v1/invoices?page_size=101')), [400, 'validation_failed'])
    } finally {
      await other.close()
    }
  })

  test('the server answers 404 to a read, an edit or an action about an invoice of another merchant or environment', async () => {
    const made = await invoices.draft()
    const other_key = await world.newKey({ merchant: await world.newMerchant() })
    for (const key of [other_key, world.live_key]) {
      assert.deepEqual(codeOf(await world.get(`/v1/invoices/${made.id}`, key)), [404, 'not_found'])
      assert.deepEqual(codeOf(await invoices.patch(made.id, { note: 'x' }, key)), [404, 'not_found'])
      for (const verb of ['send', 'cancel', 'payment-link'])
        assert.deepEqual(codeOf(await invoices.act(made.id, verb, key)), [404, 'not_found'])
    }
    assert.deepEqual(codeOf(await world.get('/v1/invoices/x')), [404, 'not_found'])
    const foreign = (await world.newMerchant()).id
    for (const reply of [
      await world.post('/v1/invoices', { ...INVOICE, merchant_id: foreign }),
      await world.get(`/v1/invoices?merchant_id=${foreign}`),
    ]) {
      assert.deepEqual(codeOf(reply), [403, 'merchant_mismatch'])
    }
    assert.deepEqual(await invoices.show(made.id), made)
  })

  test('a session chooses the environment of an invoice, and the server lets a viewer read but not write invoices', async () => {
    const finance = await world.newSession('FINANCE')
    const made = await world.post('/v1/invoices', { ...INVOICE, environment: 'sandbox' }, { key: finance.token })
    assert.deepEqual([made.status, made.body.data.environment], [201, 'sandbox'])
    const viewer = await world.newSession('VIEWER')
    const path = `/v1/invoices/${made.body.data.id}?environment=sandbox`
    assert.equal((await world.get(path, viewer.token)).status, 200)
    assert.deepEqual(codeOf(await world.post('/v1/invoices', INVOICE, { key: viewer.token })), [
      403,
      'insufficient_role',
    ])
  })

  test('the CSV file of invoices quotes names and disables formulas in names', async () => {
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    await invoices.draft({ customer_name: '=HYPERLINK("http://evil.example","x")' }, key)
    const { created_at } = await invoices.draft({ customer_name: 'Ali, "Duka"', customer_phone: null }, key)
    const eat = eatTime(new Date(created_at))
    const file = await world.get('/v1/invoices/export.csv', key)
    assert.equal(file.status, 200)
    assert.match(String(file.headers['content-type']), /^text\/csv/)
    assert.match(String(file.headers['content-disposition']), /^attachment; filename="invoices-M\w+-sandbox\.csv"$/)
    const lines = file.text.trimEnd().split('\r\n')
    assert.equal(lines.length, 3)
    assert.ok(lines[0]?.startsWith('number,created_at_eat,status,customer_name,'))
    assert.ok(file.text.includes('"\'=HYPERLINK(""http://evil.example"",""x"")"'), file.text)
    assert.ok(file.text.includes(`INV-000002,${eat},DRAFT,"Ali, ""Duka""",,juma@example.com,2026-01-20,TZS,25000.00,`))
    const no_rows = await world.get('/v1/invoices/export.csv?status=PAID', key)
    assert.equal(no_rows.text.trimEnd().split('\r\n').length, 1)
  })

  test('the CSV file of invoices has each invoice once when the server reads several batches', async () => {
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    const { id } = await invoices.draft({}, key)
    await world.rows(
      `insert into invoices select (jsonb_populate_record(i, jsonb_build_object('id', md5(n::text)::uuid, 'number', n))).*
       from invoices i, generate_series(2, 1203) n where i.merchant_id = $1 and i.id = $2`,
      [merchant.id, id],
    )
    const file = await world.get('/v1/invoices/export.csv', key)
    const numbers = file.text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[0])
    assert.deepEqual([numbers.length, new Set(numbers).size], [1203, 1203])
  })
})
