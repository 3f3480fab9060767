// Tests the page and the PDF of an invoice.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { invoicesOf, type ShownInvoice, slugOf } from '../../../test/invoices.ts'
import { readPdf } from '../../../test/read-pdf.ts'
import { createInvoiceFiles, invoiceDocument } from '../../money/invoices/index.ts'
import { findInvoice } from '../../money/invoices/store.ts'

const DAY_MS = 86_400_000

let world: World
let invoices: ReturnType<typeof invoicesOf>
before(async () => {
  world = await createWorld({ env: { PROMPTS_PER_PHONE: '0' } })
  invoices = invoicesOf(world)
})
after(() => world.close())

const open = (payment_url: string, rest = '/invoice') =>
  world.call({ method: 'GET', url: `/pay/${slugOf(payment_url)}${rest}`, key: null })
const page = async (invoice: ShownInvoice, rest?: string): Promise<string> => {
  const reply = await open(invoice.payment_url, rest)
  assert.equal(reply.status, 200, reply.text)
  return reply.text
}

/** Returns the indexes of the lines that begin with this text. */
const placesOf = (lines: readonly string[], begin: string) =>
  lines.flatMap((line, i) => (line.startsWith(begin) ? [i] : []))
/** Reads the PDF of an invoice. Returns its lines, its links, and its bytes as text. */
const pdfOf = async (invoice: ShownInvoice) => {
  const file = await open(invoice.payment_url, '/invoice.pdf')
  assert.equal(file.status, 200)
  const { pages, links } = readPdf(file.bytes)
  const lines = pages.flatMap(({ texts }) => texts.map(({ text }) => text))
  return { lines, links, raw: file.bytes.toString('latin1') }
}

test('an invoice page shows number, items, total, due date and pay link in Swahili, and number and state in English', async () => {
  const sent = await invoices.sent({ note: 'Asante sana' })
  const path = `/pay/${slugOf(sent.payment_url)}`
  const swahili = await page(sent)
  for (const part of [
    `Ankara <span class="whole"><bdi>${sent.number}</bdi></span>`,
    'Inasubiri malipo',
    'Viatu',
    'Usafiri',
    'TZS\u00a025,000',
    'TZS\u00a010,000',
    '20 Jan 2026',
    'Juma Ali',
    'Asante sana',
    `href="${path}?lang=sw"`,
    `href="${path}/invoice.pdf?lang=sw"`,
  ]) {
    assert.ok(swahili.includes(part), part)
  }
  assert.doesNotMatch(swahili, /754123456|0754 123 456|juma@example/, 'a stranger with the link learns no address')
  const english = await page(sent, '/invoice?lang=en')
  assert.ok(
    english.includes(`Invoice <span class="whole"><bdi>${sent.number}</bdi></span>`) &&
      english.includes('Awaiting payment'),
  )
})

test('the payment page of an invoice links to the invoice', async () => {
  const sent = await invoices.sent()
  assert.ok((await page(sent, '')).includes(`href="/pay/${slugOf(sent.payment_url)}/invoice?lang=sw"`))
})

test('payers read the title of an invoice in the language of their page, and the API keeps the stored description', async () => {
  const shows = (sw: boolean, number: string, text: string) => {
    const plain = text.replace(/<\/?bdi>/g, '')
    assert.deepEqual([plain.includes(`Ankara ${number}`), plain.includes(`Invoice ${number}`)], [sw, !sw], plain)
  }
  for (const language of ['sw', 'en']) {
    const sent = await invoices.sent({ language })
    const { number, payment_url } = sent
    for (const lang of ['sw', 'en']) {
      const of_page = await page(sent, `?lang=${lang}`)
      shows(lang === 'sw', number, of_page)
      assert.doesNotMatch(of_page, /Namba ya kumbukumbu|Reference/, 'the title already contains the number')
      shows(lang === 'sw', number, /og:description" content="([^"]+)"/.exec(of_page)?.[1] ?? '')
      const url = `/v1/payment-links/${sent.payment_link_id}/poster.pdf?language=${lang}`
      const poster = readPdf((await world.call({ method: 'GET', url })).bytes)
      shows(lang === 'sw', number, poster.pages.flatMap(({ texts }) => texts.map(({ text }) => text)).join(' '))
    }
    const stored = (await world.call({ method: 'GET', url: `/public/payment-links/${slugOf(payment_url)}`, key: null }))
      .body.data
    shows(language === 'sw', number, stored.description)
  }
})

test('an invoice page shows that the invoice is overdue, paid (with a receipt), or cancelled', async () => {
  const other = await createWorld()
  try {
    const { act, pay, sent } = invoicesOf(other)
    const show = async ({ payment_url }: ShownInvoice) =>
      (await other.call({ method: 'GET', url: `/pay/${slugOf(payment_url)}/invoice`, key: null })).text
    const [late, paid, cancelled] = [await sent({ due_date: '2026-01-06' }), await sent(), await sent()]
    other.deps.clock.advance(2 * DAY_MS)
    const { collection_id } = (await pay(paid)).body.data
    await act(cancelled.id, 'cancel')
    const pays = ({ payment_url }: ShownInvoice) => `href="/pay/${slugOf(payment_url)}?lang=sw"`
    const [of_late, of_paid, of_cancelled] = [await show(late), await show(paid), await show(cancelled)]
    assert.ok(of_late.includes('Imepita tarehe ya mwisho') && of_late.includes(pays(late)))
    assert.ok(of_paid.includes('Imelipwa') && !of_paid.includes(pays(paid)))
    assert.ok(of_paid.includes(`/pay/${slugOf(paid.payment_url)}/c/${collection_id}/receipt?lang=sw`))
    assert.ok(of_cancelled.includes('Imesitishwa') && !of_cancelled.includes(pays(cancelled)))
  } finally {
    await other.close()
  }
})

test('the page of a draft invoice with a link shows that the invoice waits for payment', async () => {
  const { id } = await invoices.draft()
  const { public_url } = (await invoices.act(id, 'payment-link')).body.data
  assert.ok((await page({ payment_url: public_url })).includes('Inasubiri malipo'))
})

test('an old link does not show later states of its invoice, and links without an invoice show no invoice', async () => {
  const { id } = await invoices.draft()
  const old = (await invoices.act(id, 'payment-link')).body.data.public_url as string
  await invoices.patch(id, { customer_name: 'Rehema' })
  await invoices.act(id, 'payment-link')
  for (const rest of ['/invoice', '/invoice.pdf']) {
    const moved = await open(old, rest)
    assert.deepEqual([moved.status, moved.headers.location], [303, `/pay/${slugOf(old)}?lang=sw`])
  }
  const plain = (await world.post('/v1/payment-links', { amount: '1000' })).body.data.public_url as string
  for (const url of [plain, `http://x/pay/${'A'.repeat(28)}`]) {
    for (const rest of ['/invoice', '/invoice.pdf']) assert.equal((await open(url, rest)).status, 404)
  }
})

test('the PDF of an invoice is a file with a name, and reading the file changes nothing', async () => {
  const sent = await invoices.sent()
  const before_reading = await invoices.show(sent.id)
  const file = await open(sent.payment_url, '/invoice.pdf?lang=en')
  assert.equal(file.status, 200)
  assert.equal(file.headers['content-type'], 'application/pdf')
  assert.equal(file.headers['content-disposition'], `inline; filename="${sent.number}.pdf"`)
  assert.equal(file.headers['cache-control'], 'private, no-cache')
  assert.ok(file.text.startsWith('%PDF-') && file.text.trimEnd().endsWith('%%EOF'))
  assert.equal(
    (await open(sent.payment_url, '/invoice.pdf?lang=en')).text,
    file.text,
    'each read returns the same bytes',
  )
  assert.deepEqual(await invoices.show(sent.id), before_reading)
})

test('the document of an invoice contains the current state of the invoice', async () => {
  const sent = await invoices.sent()
  const read = async () => {
    const invoice = await findInvoice(world.deps.db, world.merchant.id, sent.id)
    assert.ok(invoice)
    return invoiceDocument(world.deps, invoice, 'https://lipa.example', true)
  }
  const waiting = await read()
  assert.deepEqual(
    [waiting.status, waiting.pay_url, waiting.paid, waiting.total_minor],
    ['SENT', `https://lipa.example/pay/${slugOf(sent.payment_url)}`, null, 2_500_000n],
  )
  assert.deepEqual(waiting.items[1], {
    description: 'Usafiri',
    quantity: '1',
    unit_price_minor: 500_000n,
    amount_minor: 500_000n,
  })
  await invoices.pay(sent)
  const paid = await read()
  assert.deepEqual([paid.status, paid.pay_url, paid.paid?.at], ['PAID', null, world.deps.clock.now()])
  assert.ok(paid.paid?.reference)
})

test("only e-mails about an invoice contain a PDF and a button in the merchant's colour", async () => {
  const sent = await invoices.sent()
  const files = createInvoiceFiles(world.deps, { payUrl: () => 'https://lipa.example', rehearses: true })
  const about = { merchant_id: world.merchant.id }
  await world.rows("update merchants set accent_color = '#7a1f5c' where id = $1", [world.merchant.id])
  const { attachments, accent_color } = await files({ ...about, invoice_id: sent.id })
  const [file, ...more] = attachments
  assert.equal(accent_color, '#7a1f5c')
  assert.deepEqual([file?.filename, file?.content_type, more.length], [`${sent.number}.pdf`, 'application/pdf', 0])
  assert.ok(file?.content.subarray(0, 5).equals(Buffer.from('%PDF-')))
  assert.deepEqual(await files({ ...about, invoice_id: null }), { attachments: [], accent_color: null })
  await world.rows('update merchants set accent_color = null where id = $1', [world.merchant.id])
})

test("HTML in a merchant's texts stays plain text on the page and in the PDF", async () => {
  for (const attack of [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '\u202egnihtemos',
    'x'.repeat(190),
    '👩🏽‍🚀👩🏽‍🚀',
    '=cmd|x!A1',
  ]) {
    const sent = await invoices.sent({
      customer_name: attack,
      note: attack,
      items: [{ description: attack, quantity: '1', unit_price: '100' }],
    })
    const html = await page(sent)
    assert.doesNotMatch(html, /<script>alert|<img|\u202e/)
    const { lines, links, raw } = await pdfOf(sent)
    assert.deepEqual(links, [`${sent.payment_url}`], 'the PDF links only to the payment page')
    assert.doesNotMatch(raw, /\/JavaScript|\/JS\b|\/Launch|\/EmbeddedFile/)
    assert.doesNotMatch(lines.join(''), /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u)
    // Customer, item and note contain the attack. The PDF draws a box for a missing glyph and wraps a long word.
    const meant = attack.replaceAll('\u202e', '').replaceAll('👩🏽‍🚀', '□').slice(0, 12)
    assert.ok(placesOf(lines, meant).length >= 3, `${meant} in ${lines.join('|')}`)
  }
})

test('the page of an invoice with a hundred items shows some of the items, and the PDF shows all items', async () => {
  const items = Array.from({ length: 100 }, (_, i) => ({
    description: `Kitu ${i + 1}`,
    quantity: '1.5',
    unit_price: '10',
  }))
  const sent = await invoices.sent({ items })
  assert.equal(sent.total, '1500.00')
  const html = await page(sent)
  assert.ok(html.includes('Kitu 30') && !html.includes('Kitu 31') && html.includes('1.5 ×'))
  const { lines } = await pdfOf(sent)
  const drawn = lines.filter((line) => line.startsWith('Kitu '))
  assert.deepEqual(
    drawn,
    items.map(({ description }) => description),
    'the PDF shows each item once and in order',
  )
})
