// Tests the first page of the installation, and the payment page that a visitor can try.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import type { Provider } from '../../adapters/providers/port.ts'
import { ensureDemoMerchant } from '../admin/demo.ts'
import { verify } from '../admin/verify.ts'

let world: World
before(async () => {
  world = await createWorld({ env: { BRAND_NAME: `Duka <b>"Pay"</b> & Co` } })
})
after(() => world.close())

const open = (url: string, language = 'en') =>
  world.call({ method: 'GET', url, key: null, headers: { 'accept-language': language } })
const tryIt = () => world.call({ method: 'POST', url: '/try-payment-page', key: null, payload: '', headers: FORM })
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

test('the first page links to both consoles and the documentation, in the language of the browser', async () => {
  const english = await open('/')
  const swahili = await open('/', 'sw-TZ,en;q=0.5')
  assert.match(english.text, /^<!doctype html>\n<html lang="en">/)
  assert.match(swahili.text, /^<!doctype html>\n<html lang="sw">/)
  assert.equal((await open('/?lang=sw')).text, swahili.text)
  for (const [language, { text }] of [
    ['en', english],
    ['sw', swahili],
  ] as const) {
    for (const door of ['/dashboard', '/operator', `/docs?lang=${language}`, '/openapi.json']) {
      assert.ok(text.includes(`href="${door}"`), door)
      assert.ok([200, 302].includes((await open(door)).status), door)
    }
    assert.equal([...text.matchAll(/<h1>/g)].length, 1)
    assert.ok(text.includes('Duka &lt;b&gt;&quot;Pay&quot;&lt;/b&gt; &amp; Co'))
    assert.doesNotMatch(text, /<script|<b>|\son\w+="|style="/)
    assert.ok(Buffer.byteLength(text) < 8_000, 'the page is light')
  }
  assert.match(
    String(english.headers['content-security-policy']),
    /^default-src 'none'; style-src 'self'; img-src data:/,
  )
  assert.match(String(english.headers.vary), /accept-language/i)
})

test('without a demo merchant, the first page offers no page to try, and the server makes no such page', async () => {
  assert.doesNotMatch((await open('/')).text, /<form/)
  const pages = () => world.rows('select count(*) as pages from payment_links')
  const before_request = await pages()
  assert.equal((await tryIt()).status, 404)
  assert.deepEqual(await pages(), before_request)
})

test('a visitor opens a page of the sandbox from the first page, and many visitors make at most 60 pages an hour', async () => {
  const demo = await createWorld()
  try {
    const merchant = await ensureDemoMerchant(demo.deps)
    const post = () => demo.call({ method: 'POST', url: '/try-payment-page', key: null, payload: '', headers: FORM })
    const first = await demo.call({ method: 'GET', url: '/', key: null })
    assert.match(first.text, /<form method="post" action="\/try-payment-page\?lang=sw"/)
    assert.match(String(first.headers['content-security-policy']), /form-action 'self' http:\/\/127\.0\.0\.1:\d+;/)
    const opened = await post()
    assert.equal(opened.status, 303)
    assert.match(String(opened.headers.location), /\?lang=sw$/)
    const in_english = {
      method: 'POST',
      url: '/try-payment-page?lang=en',
      key: null,
      payload: '',
      headers: FORM,
    } as const
    assert.match(String((await demo.call(in_english)).headers.location), /\?lang=en$/)
    const path = new URL(String(opened.headers.location)).pathname
    assert.match((await demo.call({ method: 'GET', url: path, key: null })).text, /15,000/)
    for (let i = 0; i < 61; i++) assert.equal((await post()).status, 303)
    const made = await demo.rows<{ environment: string; count: number }>(
      'select environment, count(*)::int as count from payment_links where merchant_id = $1 group by 1',
      [merchant.id],
    )
    assert.deepEqual(made, [{ environment: 'sandbox', count: 60 }])
    demo.deps.clock.advance(3_600_001)
    const later = await post()
    assert.notEqual(later.headers.location, opened.headers.location)
    assert.ok((await verify(demo.url)).checks.every(({ ok }) => ok))
  } finally {
    await demo.close()
  }
})

test('an installation that moves real money offers no page to try', async () => {
  const accepted = { kind: 'accepted', provider_status: 'PENDING' } as const
  const provider: Provider = {
    name: 'mock',
    capabilities: { methods: ['wallet_push'], whole_shillings: false, payout_methods: [] },
    push: async () => accepted,
    qr: async () => ({ ...accepted, payment_token: '12345678', qr_payload: '000201' }),
    status: async (requests) => requests.map(() => accepted),
    payout: async () => accepted,
    payoutStatus: async (requests) => requests.map(() => accepted),
    verifyCallback: () => ({ verified: false }),
  }
  const real = await createWorld({ compose: { providers: [provider] } })
  try {
    await ensureDemoMerchant(real.deps)
    assert.doesNotMatch((await real.call({ method: 'GET', url: '/', key: null })).text, /<form/)
    const reply = await real.call({ method: 'POST', url: '/try-payment-page', key: null, payload: '', headers: FORM })
    assert.equal(reply.status, 404)
  } finally {
    await real.close()
  }
})
