// Tests that pages show the texts of merchants and payers as plain text.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { screens, shop } from '../../../test/pay-page/screens.ts'
import { LANGUAGES } from '../../kernel/lib/index.ts'
import { compressPage, renderScreen, returnUrl, type Screen } from './index.ts'

const ATTACKS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' autofocus onfocus='alert(1)",
  '</title></style><script>alert(1)</script>',
  '{amount} {{7*7}} &lt;b&gt;',
  'javascript:alert(1)',
  '\u202eahsA al akuD\u202c \u2066x',
  'متجر عائشة',
  '👩🏾‍🍳 Mgahawa 🍛',
  'a\nb\r\nc\u2028d',
  `${'x'.repeat(10_240)}`,
  `${'Duka la Asha '.repeat(800)}`,
  '=1+1',
]

/** Returns every screen with this text in each field that a merchant, a customer or a provider fills. */
function attacked(text: string): { name: string; page: string; view: Screen }[] {
  return LANGUAGES.flatMap((language) => {
    const base = shop(language, {
      merchant_name: text,
      prompt_name: text,
      wallet_name: text,
      brand_name: text,
      description: text,
      reference: text,
      help: [{ code: 'X', name: text, menu_code: text.slice(0, 20), help: text }],
      test: { environment: 'live', outcomes: [{ ending: '001', phone: text, what: text }] },
      url: `/pay/x?lang=${language}&q=${encodeURIComponent(text)}`,
    })
    return Object.entries(screens(language, base)).map(([name, view]) => {
      const over = {
        support_reference: text,
        provider_reference: text,
        payment_token: text,
        customer_name: text,
        note: text,
        number: text,
        idempotency_key: text,
        typed: { phone: text, method: null },
        items: Array.from({ length: 40 }, () => ({
          description: text,
          quantity: '1',
          unit_price_minor: 1n,
          amount_minor: 1n,
        })),
      }
      const fields = Object.fromEntries(Object.entries(over).filter(([key]) => key in view))
      const whole = { ...view, ...fields } as Screen
      return { name: `${name} ${language}`, view: whole, page: renderScreen(whole) }
    })
  })
}

test('a text of a merchant, customer or provider never becomes an element, an attribute or a link of a screen', () => {
  const plain = new Map(attacked('Duka').map(({ name, page }) => [name, shape(page)]))
  for (const attack of ATTACKS) {
    for (const { name, page } of attacked(attack)) {
      assert.deepEqual(shape(page), plain.get(name), `${name}: ${attack.slice(0, 60)}`)
    }
  }
})

/** Returns the elements of a page with the names of their attributes. No text may change these elements. */
function shape(page: string): string[] {
  const body = page.replace(/<style>[\s\S]*?<\/style>/, '')
  return [...body.matchAll(/<(\/?[a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
    ([, element, attributes]) =>
      `${element} ${[...(attributes ?? '').replace(/="[^"]*"/g, '').matchAll(/\s([a-z-]+)/g)].map(([, name]) => name).join(' ')}`,
  )
}

test('direction marks in a merchant name do not reverse the sentence around the name', () => {
  for (const { name, page } of attacked('\u202eahsA\u202c al \u2066akuD\u200f')) {
    const shown = page.replace(/(?:value|href|data-copy|content)="[^"]*"/g, '')
    assert.doesNotMatch(shown, /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/, name)
  }
})

test('a page with a merchant name of 24 kilobytes stays small, and the page with the ways to pay still shows the amount', async () => {
  for (const { name, page, view } of attacked('Ж😀Ω'.repeat(3000))) {
    const { body } = await compressPage(page, 'br')
    assert.ok(body.length <= 10 * 1024, `${name} weighs ${body.length} bytes`)
    if (view.screen === 'choose') assert.match(page, /<p class="amount">TZS\u00a025,000<\/p>/)
  }
})

test("the return address adds reference, payment id and status, and keeps the query of the merchant's address", () => {
  const outcome = { reference: 'ODA 1&2', collection_id: 'c1', status: 'successful' }
  assert.equal(
    returnUrl('https://duka.example.com/asante?cart=a%20b&sig=%2B#top', outcome),
    'https://duka.example.com/asante?cart=a%20b&sig=%2B&reference=ODA+1%262&collection_id=c1&status=successful#top',
  )
  assert.equal(
    returnUrl('http://127.0.0.1:3000', { reference: null, collection_id: null, status: 'cancelled' }),
    'http://127.0.0.1:3000/?status=cancelled',
  )
})

test("unless the merchant's address is plain http or https, the return address is null", () => {
  const outcome = { reference: null, collection_id: null, status: 'successful' }
  const refused = [
    null,
    '',
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'intent://x#Intent;end',
    '/relative',
    '//duka.example.com',
    'duka.example.com',
    'https://',
    'https://user:pass@duka.example.com/',
    'https://user@duka.example.com/',
    'https://duka.example.com/\r\nset-cookie: a=b',
    'https://duka.example.com/\u0000',
    'https://duka.example.com/a b',
    `https://duka.example.com/${'x'.repeat(2048)}`,
  ]
  for (const address of refused) assert.equal(returnUrl(address, outcome), null, String(address))
})
