// Tests that the documents of merchants show all required facts, with any text in the names.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTidy, linesOf, pagesOf, qrTextOf, shows, showsNot } from '../../../test/document-checks.ts'
import { type Page, readPdf } from '../../../test/read-pdf.ts'
import { LOGO_COLOURS, sampleLogo } from '../../../test/sample-logo.ts'
import { type InvoiceDocument, invoicePdf } from './invoice.ts'
import { type PosterDocument, posterPdf } from './poster.ts'
import { type ReceiptDocument, receiptPdf } from './receipt.ts'

const AT = new Date('2026-11-21T15:00:00Z')
const URL_TO_PAY = 'https://lipa.example.co.tz/l/3fk2-9aJd0eQxYb7TzUv1mN5rWc'
const MOST = 9_223_372_036_854_775_807n
const MM = 72 / 25.4

const INVOICE: InvoiceDocument = {
  language: 'sw',
  brand_name: 'Malipo',
  merchant_name: 'Duka la Asha',
  logo: null,
  accent_color: null,
  contact: ['022 211 0000', 'Kariakoo, Dar es Salaam'],
  number: 'INV-000123',
  status: 'SENT',
  issued: AT,
  due_date: '2026-11-30',
  customer_name: 'Juma Hassan',
  customer_phone: '255754123456',
  customer_email: 'juma@example.co.tz',
  items: [
    { description: 'Mchele wa Mbeya', quantity: '2', unit_price_minor: 8_500_000n, amount_minor: 17_000_000n },
    { description: 'Usafirishaji', quantity: '1.5', unit_price_minor: 100_050n, amount_minor: 150_075n },
  ],
  total_minor: 17_150_075n,
  currency: 'TZS',
  note: 'Asante.\nKaribu tena.',
  pay_url: URL_TO_PAY,
  paid: null,
  test: false,
  drawn_at: AT,
}
const RECEIPT: ReceiptDocument = {
  language: 'sw',
  brand_name: 'Malipo',
  merchant_name: 'Duka la Asha',
  logo: null,
  accent_color: null,
  contact: ['022 211 0000', 'Kariakoo, Dar es Salaam'],
  amount_minor: 2_500_000n,
  currency: 'TZS',
  method: 'M-Pesa',
  phone: '255754123456',
  reference: 'ODA-2041',
  provider_reference: 'BKL9X81QZ7',
  collection_id: '0193a7c2-8f1e-8b4d-9c3a-5e6f7a8b9c0d',
  paid_at: AT,
  status: 'successful',
  description: 'Mchele kilo 25',
  page_url: URL_TO_PAY,
  test: false,
  drawn_at: AT,
}
const POSTER: PosterDocument = {
  language: 'sw',
  brand_name: 'Malipo',
  merchant_name: 'Duka la Asha',
  logo: null,
  accent_color: null,
  contact: ['022 211 0000', 'Kariakoo, Dar es Salaam'],
  amount_minor: 2_500_000n,
  currency: 'TZS',
  description: 'Mchele kilo 25',
  page_url: URL_TO_PAY,
  test: false,
  drawn_at: AT,
}

/** Names that an attacker may enter. */
const ATTACKS: Record<string, string> = {
  markup: '<script>alert("1")</script>&amp;\'"\\ (a) ) >> endobj',
  arabic: 'محمد بن علي السواحلي ﷺ ﻼ',
  hebrew: 'שלום עולם abcשלוםxyz',
  overrides: '\u202eoslah asep ahtal\u202c\u2066a\u2069\u200f',
  emoji: '😀👨‍👩‍👧👍🏽🇹🇿1️⃣☺️ 商店 ร้าน',
  marks: `Z${'\u0301'.repeat(500)}algo${'\u0338'.repeat(500)}`,
  controls: '\u0000\u0007\u001b[31m\u0085\u2028\u2029\t\u00ad\ufeff\u200b',
  surrogates: 'a\ud800b\udc00c',
  long: 'W'.repeat(10_000),
  words: 'maelezo '.repeat(1_250),
  emptied: '\u200b',
  empty: '',
}

test('an invoice, a receipt and a poster show the contact data of the merchant', async () => {
  for (const bytes of [invoicePdf(INVOICE), receiptPdf(RECEIPT)]) {
    shows(await pagesOf(bytes), ['022 211 0000', 'Kariakoo, Dar es Salaam'])
  }
  shows(await pagesOf(posterPdf(POSTER)), ['022 211 0000 · Kariakoo, Dar es Salaam'])
  const without = await pagesOf(receiptPdf({ ...RECEIPT, contact: [] }))
  showsNot(without, /022 211 0000|Kariakoo/)
})

test('a poster with the longest texts and a long contact keeps each text apart from the others', async () => {
  const long = {
    ...POSTER,
    logo: sampleLogo('rgb', 512, 256).toString('base64'),
    merchant_name: 'Duka la Asha '.repeat(15),
    description: 'Mchele '.repeat(50),
    page_url: `https://lipa.example.co.tz/${'a'.repeat(120)}`,
    contact: ['022 211 0000', 'Mtaa wa Kariakoo '.repeat(9)],
    test: true,
  }
  const [page] = await pagesOf(posterPdf(long))
  assert.ok(page !== undefined)
  isTidy(page, 5 * MM)
  assert.match(page.texts.map(({ text }) => text).join('|'), /\|022 211 0000 · Mtaa wa Kariakoo [^|]*…\|/)
})

test('each document has a line in the colour of the merchant, and none without a colour', async () => {
  for (const draw of [
    (accent_color: string | null) => invoicePdf({ ...INVOICE, accent_color }),
    (accent_color: string | null) => receiptPdf({ ...RECEIPT, accent_color }),
    (accent_color: string | null) => posterPdf({ ...POSTER, accent_color }),
  ]) {
    const hasColor = async (accent_color: string | null) =>
      (await pagesOf(draw(accent_color))).some(({ line_colors }) => line_colors.includes('#7a1fa2'))
    assert.deepEqual([await hasColor('#7a1fa2'), await hasColor(null)], [true, false])
  }
})

test('each document shows the logo of the merchant in every colour type, and the same input makes the same bytes', async () => {
  for (const colour of Object.keys(LOGO_COLOURS) as (keyof typeof LOGO_COLOURS)[]) {
    for (const [width, height] of [
      [160, 64],
      [512, 8],
      [16, 512],
    ] as const) {
      const logo = sampleLogo(colour, width, height).toString('base64')
      const draws = [
        () => invoicePdf({ ...INVOICE, logo }),
        () => receiptPdf({ ...RECEIPT, logo }),
        () => posterPdf({ ...POSTER, logo, test: true, amount_minor: MOST, description: 'Mchele '.repeat(50) }),
      ]
      for (const draw of draws) {
        const pdf = await draw()
        const text = pdf.toString('latin1')
        assert.match(text, new RegExp(`/Subtype /Image[^>]*/Width ${width}\\n/Height ${height}`), colour)
        assert.deepEqual(await draw(), pdf, colour)
        for (const page of readPdf(pdf).pages) isTidy(page, 5 * MM)
      }
    }
  }
  assert.doesNotMatch((await invoicePdf(INVOICE)).toString('latin1'), /Subtype \/Image/)
})

test('an invoice shows merchant, customer, amount, due date and items in Swahili and in English', async () => {
  const facts = ['Duka la Asha', 'INV-000123', 'Juma Hassan', 'juma@example.co.tz', '21 Nov 2026', '30 Nov 2026']
  const rows = ['Mchele wa Mbeya', '2', '85,000', '170,000', '1.5', '1,000.50', '1,500.75', 'TZS\u00a0171,500.75']
  const sw = await pagesOf(invoicePdf(INVOICE))
  shows(sw, [...facts, ...rows, 'ANKARA', 'Tarehe ya mwisho ya kulipa', 'Jumla', 'Inasubiri malipo', 'Karibu tena.'])
  const en = await pagesOf(invoicePdf({ ...INVOICE, language: 'en', status: 'OVERDUE' }))
  shows(en, [...facts, ...rows, 'INVOICE', 'Due date', 'Total', 'Overdue', 'Page 1 of 1'])
  for (const page of [...sw, ...en]) isTidy(page, 48)
})

test('the QR code and the link of an invoice open the payment page, and the invoice shows how to pay', async () => {
  const { pages, links } = readPdf(await invoicePdf(INVOICE))
  assert.equal(qrTextOf(pages[0] as Page), URL_TO_PAY)
  assert.deepEqual(links, [URL_TO_PAY])
  shows(pages, [URL_TO_PAY, 'Jinsi ya kulipa', 'Usimpe mtu yeyote PIN yako.'])
})

test('a paid or cancelled invoice does not ask for payment, and a draft shows its draft mark', async () => {
  const paid = await pagesOf(
    invoicePdf({ ...INVOICE, status: 'PAID', paid: { at: AT, reference: 'CLX9', reversed_at: null } }),
  )
  shows(paid, [
    'Ankara hii imelipwa tarehe 21 Nov 2026, 18:00 (EAT).',
    'Namba ya kumbukumbu: CLX9',
    'Kiasi kilicholipwa',
  ])
  const returned = { at: AT, reference: 'CLX9', reversed_at: new Date('2026-11-23T06:30:00Z') }
  const back = await pagesOf(invoicePdf({ ...INVOICE, status: 'PAID', pay_url: null, paid: returned }))
  shows(back, ['Imelipwa, kisha imerudishwa', 'Namba ya kumbukumbu: CLX9'])
  const returned_text = back.flatMap(({ texts }) => texts.map(({ text }) => text)).join(' ')
  assert.match(
    returned_text,
    /tarehe 21 Nov 2026, 18:00 \(EAT\), kisha malipo yakarudishwa tarehe 23 Nov 2026, 09:30 \(EAT\)\./,
  )
  showsNot(back, /Ankara hii imelipwa|kilicholipwa/)
  const cancelled = await pagesOf(invoicePdf({ ...INVOICE, language: 'en', status: 'CANCELLED' }))
  shows(cancelled, ['This invoice is cancelled. Do not pay it.'])
  for (const pages of [paid, back, cancelled]) {
    showsNot(pages, /https:|Jinsi ya kulipa|How to pay|cha kulipa|to pay$/m)
    assert.ok(pages.every(({ boxes }) => boxes.length < 10))
  }
  const draft = await pagesOf(invoicePdf({ ...INVOICE, status: 'DRAFT', pay_url: null }))
  shows(draft, ['Rasimu', 'Hii ni rasimu: ankara bado haijatumwa kwa mteja.'])
})

test('a long invoice shows each item once and in order, with a header on each page with items and the total next to the last item', async () => {
  for (const count of [1, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 150]) {
    const items = Array.from({ length: count }, (_, i) => ({
      description: `Bidhaa-${i + 1} ${'neno '.repeat(count < 100 ? 0 : i % 14)}`,
      quantity: `${i}`,
      unit_price_minor: 100n,
      amount_minor: 100n,
    }))
    const pages = await pagesOf(invoicePdf({ ...INVOICE, items, test: true }))
    const named = linesOf(pages).filter((line) => line.startsWith('Bidhaa-'))
    assert.deepEqual(
      named.map((line) => line.split(' ')[0]),
      items.map((_, i) => `Bidhaa-${i + 1}`),
    )
    assert.equal(pages.flatMap(({ texts }) => texts.filter(({ text }) => text === 'Jumla')).length, 1)
    for (const [i, page] of pages.entries()) {
      isTidy(page, 48)
      shows([page], [`Ukurasa ${i + 1} kati ya ${pages.length}`, 'MAJARIBIO: hakuna pesa halisi'])
      const lines = linesOf([page])
      if (lines.some((line) => line.startsWith('Bidhaa-'))) shows([page], ['Maelezo', 'Bei (TZS)'])
      const total = page.texts.find(({ text }) => text === 'Jumla')
      assert.ok(total === undefined || total.y + 10 < page.height - 62, 'the total runs into the foot of the page')
      if (total !== undefined) assert.ok(lines.some((line) => line.split(' ')[0] === `Bidhaa-${count}`))
    }
  }
})

test('a document shows hostile text as text, inside its box, and with a bounded size', async () => {
  for (const [name, text] of Object.entries(ATTACKS)) {
    const item = { description: text, quantity: text, unit_price_minor: MOST, amount_minor: -MOST }
    const lines = `${text}\n`.repeat(50)
    const hostile = { merchant_name: text, brand_name: text, description: text, test: true }
    const drawn: [Promise<Buffer>, number][] = [
      [
        invoicePdf({
          ...INVOICE,
          ...hostile,
          number: text,
          customer_name: text,
          customer_email: text,
          note: lines,
          items: [item, item, item],
          total_minor: MOST,
          pay_url: `https://example.co.tz/${text}`.slice(0, 2_000),
        }),
        48,
      ],
      [receiptPdf({ ...RECEIPT, ...hostile, method: text, reference: text, provider_reference: text }), 5 * MM],
      [posterPdf({ ...POSTER, ...hostile, amount_minor: MOST }), 32],
    ]
    for (const [bytes, margin] of drawn) {
      const pdf = await bytes
      assert.ok(pdf.length < 80_000, `${name}: ${pdf.length} bytes`)
      const { pages, xmp } = readPdf(pdf)
      assert.ok(pages.length <= 2, `${name}: ${pages.length} pages`)
      for (const page of pages) isTidy(page, margin)
      const drawn_text = linesOf(pages).join('')
      assert.doesNotMatch(drawn_text, /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u)
      if (name === 'markup')
        assert.ok(drawn_text.replace(/\s/g, '').includes('<script>alert("1")</script>'), drawn_text)
      assert.doesNotMatch(xmp, /<script|&(?!(?:amp|lt|gt|quot|#39);)/)
    }
  }
})

test('a document draws Arabic words from right to left, and a box for a character without a glyph', async () => {
  const [page] = await pagesOf(receiptPdf({ ...RECEIPT, merchant_name: 'Duka محمد علي', reference: 'a👨‍👩‍👧b🇹🇿c' }))
  const texts = page?.texts ?? []
  const place = (letters: string) =>
    texts.find(({ text }) => [...text].sort().join('') === [...letters].sort().join(''))
  const [muhammad, ali, shop] = [place('محمد'), place('علي'), texts.find(({ text }) => text.startsWith('Duka'))]
  assert.ok(muhammad !== undefined && ali !== undefined && shop !== undefined)
  assert.ok(shop.x < ali.x && ali.x + ali.width < muhammad.x && muhammad.y === ali.y)
  assert.ok(texts.some(({ text }) => text === 'a□b□c'))
  shows(await pagesOf(receiptPdf({ ...RECEIPT, reference: 'a\ud800b', description: '\u200b\u00a0 c' })), [
    'a\ufffdb',
    'c',
  ])
})

test('a document shows every digit of an amount, whatever the size of the amount', async () => {
  const items = [{ description: 'a', quantity: '123456789012.123456', unit_price_minor: MOST, amount_minor: MOST }]
  shows(await pagesOf(invoicePdf({ ...INVOICE, items, total_minor: MOST })), [
    '92,233,720,368,547,758.07',
    'TZS\u00a092,233,720,368,547,758.07',
  ])
  for (const bytes of [receiptPdf({ ...RECEIPT, amount_minor: MOST }), posterPdf({ ...POSTER, amount_minor: MOST })]) {
    shows(await pagesOf(bytes), ['TZS\u00a092,233,720,368,547,758.07'])
  }
})

test('an invoice and a receipt show only masked phone numbers', async () => {
  for (const bytes of [invoicePdf(INVOICE), receiptPdf(RECEIPT)]) {
    const pdf = await bytes
    const { pages } = readPdf(pdf)
    shows(pages, ['0754 *** 456'])
    showsNot(pages, /123\s?456/)
    assert.ok(!pdf.includes('754123456'))
  }
})

test('a receipt fits the paper roll of a till printer, is as long as its content, and shows the payment', async () => {
  const [page, ...more] = await pagesOf(receiptPdf(RECEIPT))
  const [short] = await pagesOf(
    receiptPdf({
      ...RECEIPT,
      phone: null,
      reference: null,
      provider_reference: null,
      description: null,
      page_url: null,
    }),
  )
  assert.ok(page !== undefined && short !== undefined && more.length === 0)
  assert.ok(Math.abs(page.width - 58 * MM) < 0.1 && short.height < page.height)
  isTidy(page, 5 * MM)
  shows(
    [page],
    ['RISITI', 'Duka la Asha', 'TZS\u00a025,000', 'Malipo yamefanikiwa', 'M-Pesa', 'ODA-2041', 'BKL9X81QZ7'],
  )
  shows([page], ['21 Nov 2026, 18:00 (EAT)', '0193a7c2-8f1e-8b4d-9c3a-', '5e6f7a8b9c0d'])
  assert.equal(qrTextOf(page), URL_TO_PAY)
  const returned = await pagesOf(receiptPdf({ ...RECEIPT, language: 'en', status: 'reversed', test: true }))
  shows(returned, ['RECEIPT', 'Payment returned', 'TEST: no real money'])
  showsNot(returned, /successful/)
})

test('text copied from a PDF contains the letters of its names, even after a document with other letters', async () => {
  await receiptPdf({ ...RECEIPT, merchant_name: 'i\u030a' })
  const pages = await pagesOf(receiptPdf({ ...RECEIPT, merchant_name: 'Kad\u0131', reference: 'O\ufb03ce cafe\u0301' }))
  shows(pages, ['Kad\u0131', 'Office caf\u00e9'])
})

test('a poster shows the address of its page as text and QR code, and posterPdf refuses an address that no QR code holds', async () => {
  const [page] = await pagesOf(posterPdf(POSTER))
  assert.ok(page !== undefined)
  assert.equal(qrTextOf(page), URL_TO_PAY)
  isTidy(page, 32)
  shows([page], ['Lipa hapa kwa simu', 'Duka la Asha', 'TZS\u00a025,000', URL_TO_PAY])
  assert.throws(() => posterPdf({ ...POSTER, page_url: `https://a.tz/${'a'.repeat(2_400)}` }), RangeError)
})

test('the same input makes the same bytes, even after other documents', async () => {
  const office = { ...RECEIPT, merchant_name: 'Office \u0645\u062d' }
  const first = await receiptPdf(office)
  await receiptPdf({ ...RECEIPT, merchant_name: 'O\ufb03ce \ufee1' })
  await invoicePdf(INVOICE)
  assert.ok((await receiptPdf(office)).equals(first))
  const later = { ...office, drawn_at: new Date(AT.getTime() + 1000) }
  assert.ok(!(await receiptPdf(later)).equals(first))
  // Two concurrent documents must not mix their texts.
  const [a, b] = await Promise.all([receiptPdf(office), invoicePdf(INVOICE)])
  assert.ok(a.equals(first) && b.equals(await invoicePdf(INVOICE)))
})

test('an invoice contains its title, language and creation time, and tags for screen readers', async () => {
  const { catalog, info, xmp, pages } = readPdf(await invoicePdf({ ...INVOICE, merchant_name: 'Asha & <Wenzake>' }))
  assert.equal(info.Title, 'Ankara INV-000123 - Asha & <Wenzake>')
  assert.deepEqual([info.Producer, info.Creator, info.CreationDate], ['Malipo', 'Malipo', 'D:20261121150000Z'])
  assert.match(catalog, /\/Lang \(sw-TZ\)/)
  assert.match(catalog, /\/MarkInfo [\s\S]*\/ViewerPreferences|\/ViewerPreferences [\s\S]*\/MarkInfo/)
  assert.match(xmp, /<rdf:li xml:lang="x-default">Ankara INV-000123 - Asha &amp; &lt;Wenzake&gt;<\/rdf:li>/)
  const tags = pages[0]?.tags ?? []
  assert.deepEqual(tags.slice(0, 2), ['H1', 'P'])
  for (const tag of ['TH', 'TD', 'Figure', 'Link', 'H2']) assert.ok(tags.includes(tag), tag)
})
