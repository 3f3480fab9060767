// Tests the HTML of every screen in both languages: its size, its headers, its texts, its links and its language.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { screens, shop, testShop } from '../../../test/pay-page/screens.ts'
import { MAGIC_NUMBERS } from '../../adapters/providers/mock/magic.ts'
import { TEXTS as PDF_TEXTS } from '../../kernel/documents/texts.ts'
import { escapeHtml, LANGUAGES, type Language } from '../../kernel/lib/index.ts'
import { payStyle } from './assets.ts'
import {
  compressPage,
  PAGE_HEADERS,
  payLanguage,
  payScript,
  pollAnswer,
  qrPng,
  renderScreen,
  SCRIPT_HEADERS,
  type Screen,
  screenStatus,
} from './index.ts'
import { TEXTS } from './texts.ts'

type Page = { name: string; language: Language; view: Screen; page: string }

const PAGES: Page[] = LANGUAGES.flatMap((language) =>
  [shop(language), testShop(language), testShop(language, 'sandbox')].flatMap((base, i) =>
    Object.entries(screens(language, base)).map(([name, view]) => ({
      name: `${name} ${language}${['', ' test', ' sandbox test'][i]}`,
      language,
      view,
      page: renderScreen(view),
    })),
  ),
)

/** Returns a page without its style sheet. The style sheet is the same on every page. */
const markup = (page: string) => page.replace(/<style>[\s\S]*?<\/style>/, '')

test('every compressed page has at most 10 KB, and at most 14 KB together with the script', async () => {
  const script = payScript().br.length
  assert.ok(script <= 3 * 1024, `the script weighs ${script} bytes`)
  for (const { name, page } of PAGES) {
    const { body } = await compressPage(page, 'br')
    assert.ok(body.length <= 10 * 1024, `${name} weighs ${body.length} bytes`)
    assert.ok(body.length + script <= 14 * 1024, `the first view of ${name} weighs ${body.length + script} bytes`)
  }
})

test('every page except the overdue invoice and test panels has at most 150 elements', () => {
  for (const { name, page } of PAGES) {
    if (/^invoice-overdue| test$/.test(name)) continue
    const elements = markup(page).match(/<[a-z]/g)?.length ?? 0
    assert.ok(elements <= 150, `${name} has ${elements} elements`)
  }
})

test('the response to a poll contains only the state and two times in seconds', () => {
  assert.equal(
    pollAnswer({ state: 'waiting_push', next_s: 3, left_s: 117 }),
    '{"state":"waiting_push","next_s":3,"left_s":117}',
  )
})

test('the headers of a page permit only its own style sheet and the resources of this server, and let no cache store the page', () => {
  const policy = PAGE_HEADERS['content-security-policy'] ?? ''
  for (const { name, page } of PAGES) {
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? ''
    assert.ok(policy.includes(`'sha256-${createHash('sha256').update(style).digest('base64')}'`), name)
  }
  assert.equal(
    policy.replace(payStyle().hash, 'HASH'),
    "default-src 'none'; style-src 'HASH'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  )
  assert.equal(PAGE_HEADERS['referrer-policy'], 'no-referrer')
  assert.equal(PAGE_HEADERS['cache-control'], 'no-store')
  assert.match(PAGE_HEADERS['x-robots-tag'] ?? '', /noindex/)
  assert.ok(!('set-cookie' in PAGE_HEADERS))
})

test('the name of the script contains a hash of its content, and its Cache-Control header is immutable', () => {
  const { path, plain, br, gzip } = payScript()
  assert.match(path, /^\/pay\/assets\/pay\.[0-9a-f]{16}\.js$/)
  assert.ok(path.includes(createHash('sha256').update(plain).digest('hex').slice(0, 16)))
  assert.deepEqual(brotliDecompressSync(br), plain)
  assert.deepEqual(gunzipSync(gzip), plain)
  assert.match(SCRIPT_HEADERS['cache-control'] ?? '', /immutable/)
})

test('no page contains inline scripts, event handlers, style attributes or resources of other sites', () => {
  for (const { name, page } of PAGES) {
    const text = markup(page)
    assert.doesNotMatch(text, /\sstyle=|\son[a-z]+=|javascript:/i, name)
    assert.deepEqual(text.match(/<script[^>]*>/g), [`<script type="module" src="${payScript().path}">`], name)
    assert.doesNotMatch(text, /<(?:link|img|iframe|script|source)[^>]+(?:src|href)="(?!data:,|\/)/, name)
  }
})

test('no page shows a complete phone number of a payer', () => {
  for (const { name, page } of PAGES) {
    // The merchant's number, the example numbers and the magic numbers are not secret.
    const text = markup(page).replace(/0754 000 111|255754000111|0754 123 456|255754123456|value="0754000\d{3}"/g, '')
    assert.doesNotMatch(
      text.replace(/[0-9a-f]{4,}-[0-9a-f-]+/g, ''),
      /(?:\+?255|\b0)[67]\d{2}[ -]?\d{3}[ -]?\d{3}\b/,
      name,
    )
  }
})

test('both languages have the same texts and placeholders, and at least one page shows each text', () => {
  const holes = (sentence: string) => (sentence.match(/\{\w+\}/g) ?? []).sort()
  assert.deepEqual(Object.keys(TEXTS.en).sort(), Object.keys(TEXTS.sw).sort())
  for (const language of LANGUAGES) {
    const shown = PAGES.filter((one) => one.language === language)
      .map(({ page }) => page)
      .join('\n')
    const decoded = `${shown}\n${shown.replace(/%20/g, ' ')}`
    for (const [key, sentence] of Object.entries(TEXTS[language])) {
      assert.deepEqual(holes(sentence), holes(TEXTS.sw[key as keyof typeof TEXTS.sw]), key)
      const longest =
        sentence
          .split(/\{\w+\}/)
          .sort((a, b) => b.length - a.length)[0]
          ?.trim() ?? ''
      assert.ok(
        decoded.includes(longest) || decoded.includes(escapeHtml(longest)),
        `no page shows "${sentence}" (${language} ${key})`,
      )
    }
  }
})

test('a page of a test says in no text that a message goes to a phone, and a page for real money shows no text of a test', () => {
  for (const { name, page, language, view } of PAGES) {
    const texts: Readonly<Record<string, string>> = TEXTS[language]
    for (const [key, for_test] of Object.entries(texts)) {
      const for_money = key.endsWith('_test') && texts[key.slice(0, -'_test'.length)]
      if (!for_money) continue
      const wrong = 'test' in view && view.test !== null ? for_money : for_test
      assert.ok(!page.includes(escapeHtml(wrong.split(/\{\w+\}/)[0] as string)), `${name} ${key}`)
    }
  }
  for (const { name, view, page } of PAGES) {
    if (!('test' in view) || view.test === null) continue
    const said = page.match(/no message goes|hakuna ujumbe unaotumwa/gi) ?? []
    assert.ok(said.length <= 1, `${name} says ${said.length} times that no message goes to the phone`)
  }
})

test('the pages of an open prompt show once by which minute of Tanzanian time the prompt expires', () => {
  const open = PAGES.filter(({ view }) => 'ends_at' in view)
  assert.equal(open.length, 18)
  for (const { name, page, language } of open) {
    const end = `${language === 'sw' ? 'subiri hadi' : 'wait until'} <strong><span class="whole">18:02 (EAT)</span></strong>:`
    assert.equal(page.split(end).length, 2, name)
  }
})

const REFUSALS = /<div class="problems"[^>]* autofocus>/

test('each page has one h1, one offline notice and the right title, and each but the first focuses its problems or its h1', () => {
  for (const { name, page, view } of PAGES) {
    assert.equal(page.match(/<h1/g)?.length, 1, name)
    assert.equal(page.match(/id="offline"/g)?.length, 1, name)
    const title = /<title>([^<]*)<\/title>/.exec(page)?.[1] ?? ''
    assert.match(title, 'merchant_name' in view ? / - Duka la Asha$/ : / - Malipo$/, name)
    const wrong = view.screen === 'choose' && view.problems.length > 0
    assert.equal(/^(?:Kosa|Problem): /.test(title), wrong, name)
    // The first page announces no change, so only the first page has no focused heading.
    const refusal = /^choose-(?:empty|refused)/.test(name) ? /<input id="phone"[^>]* autofocus>/ : REFUSALS
    const expected = wrong ? refusal : /<h1 tabindex="-1" autofocus>/
    if (view.screen === 'choose' && !wrong) assert.doesNotMatch(page, /autofocus/, name)
    else assert.match(page, expected, name)
  }
})

test('every page links to the same page in the other language, and its forms and links keep the language', () => {
  for (const { name, page, language } of PAGES) {
    const other = language === 'sw' ? 'en' : 'sw'
    assert.match(page, new RegExp(`<html lang="${language}">`), name)
    assert.match(
      page,
      new RegExp(`<a class="tap" href="/pay/[^"]*lang=${other}" lang="${other}" hreflang="${other}">`),
      name,
    )
    const ours = [...page.matchAll(/(?:href|action|data-go)="(\/pay\/[^"]*)"/g)].map(([, path]) => path ?? '')
    for (const path of ours) if (!path.endsWith('.png')) assert.match(path, /lang=(?:sw|en)/, `${name}: ${path}`)
  }
})

test('every page of a simulated payment says whether only the sandbox or the whole installation simulates payments', () => {
  for (const { name, page, view, language } of PAGES) {
    const { test_strip, rehearsal_strip } = TEXTS[language]
    const strip = { sandbox: test_strip, live: rehearsal_strip }
    const mark = 'test' in view && view.test !== null ? strip[view.test.environment] : undefined
    assert.equal(page.match(/<p class="test">(.*)<\/p>/)?.[1], mark, name)
  }
  for (const { ending } of MAGIC_NUMBERS) {
    const page = renderScreen(screens('en', testShop('en')).choose as Screen)
    assert.match(page, new RegExp(`<button type="submit" name="phone" value="0754000${ending}"><b>${ending}</b> `))
  }
})

test('the pages of a test name no sent message and no SMS, and offer the simulation before the check of the status', () => {
  for (const { name, page, view, language } of PAGES) {
    const { prompt_sent, request_sent, prompt_test, request_test, sms_is_proof, simulate_lead, i_have_paid } =
      TEXTS[language]
    const has = (text: string) => page.includes(text.split('{')[0] as string)
    const is_test = 'test' in view && view.test !== null
    if (view.screen === 'waiting_push')
      assert.deepEqual([has(prompt_test), has(prompt_sent)], [is_test, !is_test], name)
    if (view.screen === 'waiting_wallet') assert.equal(has(request_sent), !is_test, name)
    if (view.screen === 'waiting_wallet')
      assert.equal(page.includes(request_test.split('}')[1] as string), is_test, name)
    if (['success', 'receipt'].includes(view.screen)) assert.equal(has(sms_is_proof), !is_test, name)
    if (!['waiting_push', 'waiting_wallet', 'qr', 'slow'].includes(view.screen) || !is_test) continue
    assert.ok(page.includes(simulate_lead) && page.indexOf(simulate_lead) < page.indexOf(i_have_paid), name)
  }
})

test('the text of a shared receipt says that the payment is a test, and that of a real payment does not', () => {
  const shared = new Set<string>()
  for (const { name, page, view, language } of PAGES) {
    if (view.screen !== 'receipt') continue
    const text = decodeURIComponent(/href="https:\/\/wa\.me\/\?text=([^"]+)"/.exec(page)?.[1] ?? '')
    const { test_strip, rehearsal_strip, share_receipt } = TEXTS[language]
    const strip = view.test === null ? '' : `${view.test.environment === 'sandbox' ? test_strip : rehearsal_strip}. `
    assert.ok(text.startsWith(`${strip}${share_receipt.split('{')[0]}`), `${name}: ${text}`)
    shared.add(`${language} ${strip}`)
  }
  assert.equal(shared.size, 6)
})

test('a page warns a payer who may have paid, and does not offer a new payment first', () => {
  for (const { name, page, view } of PAGES) {
    if (!['slow', 'review', 'paid'].includes(view.screen) && !/^failed-(?:timeout|made_up)/.test(name)) continue
    assert.match(page, /usilipe tena|do not pay again/i, name)
    const first = /<a class="button first" href="([^"]*)"/.exec(page)?.[1] ?? ''
    assert.doesNotMatch(first, /^\/pay\/[^/]*$/, name)
  }
})

test('the page of a payment under review says what happens next, whom to ask, and which number to give', () => {
  for (const language of LANGUAGES) {
    const { review } = screens(language)
    const { reference, payment_id, review_ask } = TEXTS[language]
    const main = (over: object) => renderScreen({ ...review, ...over } as Screen).split('</main>')[0] as string
    const page = main({})
    assert.match(page, /<strong>(?:Usilipe tena|Do not pay again)\.<\/strong>/)
    assert.match(
      page,
      language === 'sw' ? /hatukuyapokea na tunakurudishia pesa/ : /did not accept it and return the money/,
    )
    assert.ok(page.includes(review_ask.split('{')[0] as string))
    assert.ok(page.includes(`<p>${reference}: <span class="copyable"><bdi>ODA-1042</bdi>`))
    for (const contact of ['tel:0222110000', 'mailto:duka%40asha.example', 'Kariakoo, Dar es Salaam'])
      assert.ok(page.includes(contact), contact)
    const number = `<p>${payment_id}: <span class="copyable"><bdi>0192f3a0-7b1c-8def-9012-3456789abcde</bdi>`
    assert.ok(main({ reference: null }).includes(number))
  }
})

test('after an expired QR code, "Try again" leads to the section of the QR code', () => {
  for (const { name, page, language } of PAGES) {
    const to_code = page.includes(`#by-qr">${TEXTS[language].try_again}</a>`)
    assert.equal(to_code, name.startsWith('failed-code-expired'), name)
    if (to_code) assert.match(page, /href="\/pay\/[^/"?]+\?lang=(?:sw|en)#by-qr"/, name)
    if (name.startsWith('choose ')) assert.ok(page.includes('id="by-qr"'), name)
  }
})

test('the help of a test names the buttons of the simulation, and only the help page also has the steps of real payments', () => {
  for (const { name, page, view, language } of PAGES) {
    if (!['help', 'waiting_push', 'waiting_wallet'].includes(view.screen) || !('test' in view)) continue
    const { help_phone, help_lead, help_real, simulate_paid, simulate_failed } = TEXTS[language]
    const is_test = view.test !== null
    const has_buttons = view.test !== null && view.test.outcomes.length > 0
    for (const button of [simulate_paid, simulate_failed]) assert.equal(page.includes(`"${button}"`), has_buttons, name)
    const is_help = view.screen === 'help'
    assert.equal(page.includes(help_phone), !is_test || is_help, name)
    assert.equal(page.includes('class="networks"'), is_help || (!is_test && view.screen === 'waiting_push'), name)
    const leads = [help_lead, help_real].map((lead) => page.includes(lead))
    assert.deepEqual(leads, [is_help && !is_test, is_help && is_test], name)
  }
})

test('a page of a QR code warns a payer who paid by QR, and does not speak of a PIN that the payer entered', () => {
  const codes = PAGES.filter(({ view }) => view.screen === 'qr' || ('kind' in view && view.kind === 'code'))
  for (const { name, page, view } of codes) {
    assert.doesNotMatch(
      page,
      /mobile network|Mtandao wa simu u|time to confirm|kuthibitisha umeisha|another number/,
      name,
    )
    if (view.screen === 'failed') continue
    assert.match(page, /Kama umeshalipa kwa QR, usi|If you paid by QR, do not/, name)
    assert.doesNotMatch(page, /umeshaweka PIN|entered your PIN|Mtandao wako wa simu|Your mobile network/, name)
  }
  assert.deepEqual([...new Set(codes.map(({ view }) => view.screen))].toSorted(), ['failed', 'qr', 'slow'])
})

test('each link within a page, such as that of a problem of a form, leads to an element of the page', () => {
  for (const { name, page } of PAGES) {
    const places = [...page.matchAll(/href="#([^"]*)"/g)].map(([, place]) => place)
    for (const place of places) assert.ok(page.includes(` id="${place}"`), `${name}: #${place}`)
  }
})

test('the page with the ways to pay labels the outcomes of magic numbers in the language of the page', () => {
  for (const language of LANGUAGES) {
    const page = renderScreen(screens(language, testShop(language)).choose as Screen)
    const labels = [...page.matchAll(/<li><button[^>]*><b>\d+<\/b> <span><bdi>(.*?)<\/bdi>/g)].map(([, label]) => label)
    const expected = MAGIC_NUMBERS.map(({ happens, happens_sw }) => (language === 'sw' ? happens_sw : happens))
    assert.deepEqual(labels, expected)
  }
})

test('the page of a rate limit rounds the time of the next attempt up to a whole minute', () => {
  assert.match(renderScreen(screens('en')['too-many'] as Screen), /18:10 \(EAT\)/)
  assert.match(renderScreen(screens('en')['too-many-requests'] as Screen), /18:11 \(EAT\)/)
})

test('each fact has the same label on the page and in the PDF', () => {
  for (const language of LANGUAGES) {
    const page = TEXTS[language]
    const { receipt, invoice } = PDF_TEXTS[language]
    const pairs = [
      [page.paid_at, receipt.paid_at],
      [page.method, receipt.method],
      [page.paying_phone, receipt.phone],
      [page.provider_reference, receipt.provider_reference],
      [page.payment_id, receipt.collection_id],
      [page.reference, receipt.reference],
      [page.description, receipt.description],
      [page.invoice_to, invoice.billed_to],
      [page.issued, invoice.issued],
      [page.due, invoice.due],
      [page.note, invoice.note],
      [page.total, invoice.total],
      [page.invoice_waiting, invoice.statuses.SENT],
      [page.invoice_overdue, invoice.statuses.OVERDUE],
      [page.invoice_paid, invoice.statuses.PAID],
      [page.invoice_cancelled, invoice.statuses.CANCELLED],
    ]
    for (const [on_page, on_paper] of pairs) assert.equal(on_page, on_paper)
  }
  assert.doesNotMatch(Object.values(TEXTS.sw).join(' '), /changanu/i)
})

test('no page asks for a PIN', () => {
  for (const { name, page } of PAGES) {
    assert.doesNotMatch(page, /type="password"|name="pin"|autocomplete="one-time-code"/i, name)
  }
})

test('for an unknown failure reason, the page shows the reference that the merchant needs', () => {
  const view = { ...screens('en')['failed-made_up'], reason_code: 'constructor' } as Screen
  assert.match(
    renderScreen(view),
    /do not pay again: contact <bdi>Duka la Asha<\/bdi> with the reference <bdi>ODA-1042<\/bdi>/,
  )
})

test('the server answers 200 for the state of a payment, and an error status for error pages and refused forms', () => {
  const status = (name: string) => screenStatus(screens('sw')[name] as Screen)
  assert.deepEqual(
    [
      'choose',
      'choose-wrong',
      'failed-timeout',
      'expired',
      'unknown',
      'too-many',
      'unavailable',
      'form-expired',
      'broken',
    ].map(status),
    [200, 422, 200, 200, 404, 429, 503, 422, 500],
  )
})

test('unless the address asks for English, or the browser prefers English and does not accept Swahili, a page is in Swahili', () => {
  const cases: [unknown, string | undefined, Language][] = [
    [undefined, undefined, 'sw'],
    [undefined, 'en-GB,en;q=0.9', 'en'],
    [undefined, 'en-US,en;q=0.9,sw;q=0.8', 'sw'],
    [undefined, 'fr,en;q=0.5', 'sw'],
    ['en', 'sw', 'en'],
    ['sw', 'en', 'sw'],
    [['en', 'sw'], 'de', 'sw'],
  ]
  for (const [requested, accept, language] of cases)
    assert.equal(payLanguage(requested, accept), language, `${requested} ${accept}`)
})

test('the server compresses a page with the best encoding that the browser accepts, and the browser can restore the page', async () => {
  const page = renderScreen(screens('sw').choose as Screen)
  const encodings = async (accept: string | undefined) => (await compressPage(page, accept)).encoding
  assert.equal(await encodings('gzip, deflate, br'), 'br')
  assert.equal(await encodings('gzip, br;q=0'), 'gzip')
  assert.equal(await encodings('GZIP;q=0.5'), 'gzip')
  assert.equal(await encodings('identity'), null)
  assert.equal(await encodings(undefined), null)
  assert.equal(brotliDecompressSync((await compressPage(page, 'br')).body).toString(), page)
  assert.equal(gunzipSync((await compressPage(page, 'gzip')).body).toString(), page)
  assert.equal((await compressPage('short', 'br')).encoding, null)
})

test('the size of the PNG of a QR code includes a border of four modules', () => {
  const png = qrPng('00020101021226')
  assert.equal(png.subarray(1, 4).toString(), 'PNG')
  const width = png.readUInt32BE(16)
  assert.equal(width, (21 + 8) * 8)
  assert.equal(png.readUInt32BE(20), width)
})
