// Tests the pages at rate limits, at unknown addresses, for ended links, and while a provider is unavailable.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type Reply, type World } from '../../../test/harness.ts'
import type { Answer, Provider } from '../../adapters/providers/port.ts'
import { LANGUAGES, showTime } from '../../kernel/lib/index.ts'
import { TEXTS } from './texts.ts'

let world: World
before(async () => {
  world = await createWorld({ env: { PROMPTS_PER_PHONE: '0' } })
})
after(() => world.close())

const look = (path: string, of = world, method: 'GET' | 'PUT' | 'DELETE' = 'GET') =>
  of.call({ method, url: path, key: null })
const newPage = async (body: object = {}) => {
  const made = await world.post('/v1/collections', { amount: '25000.00', reference: 'ORDER-8', ...body })
  const { collection_id, payment_url } = made.body.data
  return { collection_id: collection_id as string, slug: String(payment_url).split('/pay/')[1] as string }
}
const choose = async (slug: string, phone: string, method = 'WALLET_PUSH', of = world) => {
  const key = /name="idempotency_key" value="([^"]+)"/.exec((await look(`/pay/${slug}`, of)).text)?.[1] as string
  return of.call({
    method: 'POST',
    url: `/pay/${slug}?lang=en`,
    key: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ idempotency_key: key, method, phone }).toString(),
  })
}
const checkPage = (reply: Reply, status: number, sentence: string) => {
  assert.equal(reply.status, status, reply.text)
  assert.match(String(reply.headers['content-type']), /^text\/html/)
  assert.match(String(reply.headers['content-security-policy']), /default-src 'none'/)
  assert.ok(reply.text.includes(sentence.replaceAll("'", '&#39;')), sentence)
}

test('a payer who exceeds the rate limit gets a page that states when to try again', async () => {
  const careful = await createWorld({ env: { RATE_LIMIT_PAYERS: '1' } })
  try {
    const made = await careful.post('/v1/payment-links', { amount: '1000' })
    const path = `/pay/${made.body.data.public_slug}`
    await look(path, careful)
    for (const language of LANGUAGES) {
      const refused = await look(`${path}?lang=${language}`, careful)
      checkPage(refused, 429, TEXTS[language].too_many)
      assert.ok(!refused.text.includes(TEXTS[language].broken))
      const after_s = Number(refused.headers['retry-after'])
      const minute = Math.ceil((careful.deps.clock.now().getTime() + after_s * 1_000) / 60_000) * 60_000
      assert.ok(refused.text.includes(showTime(new Date(minute), language)))
    }
  } finally {
    await careful.close()
  }
})

test('for an unreadable address, an incomplete address or a wrong method, the server answers with a page', async () => {
  const { slug } = await newPage()
  for (const path of ['/pay', '/pay?x=1', '/pay/%E0%A4%A', '/pay/%']) {
    for (const language of LANGUAGES) {
      checkPage(await look(`${path}${path.includes('?') ? '&' : '?'}lang=${language}`), 404, TEXTS[language].unknown)
    }
  }
  for (const method of ['PUT', 'DELETE'] as const) {
    const refused = await look(`/pay/${slug}?lang=en`, world, method)
    checkPage(refused, 405, TEXTS.en.unknown)
    assert.equal(refused.headers.allow, 'GET, POST')
  }
  for (const path of ['/payments', '/v1/%E0%A4%A', '/v1/nothing', '/payx']) {
    assert.equal((await look(path)).body.error.code, 'not_found', path)
  }
  assert.equal((await look('/v1/payment-links', world, 'PUT')).body.error.code, 'method_not_allowed')
})

for (const [what, phone] of [
  ['the invisible marks of a contact', '\u202a+255 754 123 001\u202c'],
  ['brackets and dots', '(0754) 123.001'],
  ['a dialled prefix', '00255754123001'],
  ['a country code and a leading zero', '+255 0754 123 001'],
] as const) {
  test(`a payer pays by a pasted number with ${what}`, async () => {
    const { slug, collection_id } = await newPage()
    const reply = await choose(slug, phone)
    assert.equal(reply.status, 303, reply.text)
    const paid = await world.rows('select customer_phone from collections where id = $1', [collection_id])
    assert.deepEqual(paid, [{ customer_phone: '255754123001' }])
  })
}

test('a paid page links to its receipt, and links to the merchant only if the merchant gave a return address', async () => {
  const { collection_id, slug } = await newPage({ redirect_url: 'https://duka.example/asante' })
  await choose(slug, '0754123001')
  const page = await look(`/pay/${slug}?lang=en`)
  checkPage(page, 200, TEXTS.en.paid)
  assert.ok(page.text.includes(`href="/pay/${slug}/c/${collection_id}/receipt?lang=en"`))
  const back = `https://duka.example/asante?reference=ORDER-8&amp;collection_id=${collection_id}&amp;status=successful`
  assert.ok(page.text.includes(`href="${back}"`))
  assert.doesNotMatch(page.text, /data-auto/, 'a payer who opens the page again is not redirected')
  const plain = await newPage()
  await choose(plain.slug, '0754123001')
  assert.ok(!(await look(`/pay/${plain.slug}?lang=en`)).text.includes('Back to'))
})

test('the page of a returned payment shows the time and the method of the payment', async () => {
  const { slug } = await newPage()
  const paid_at = world.deps.clock.now()
  const path = String((await choose(slug, '0754123012')).headers.location)
  await world.pass(10_000)
  for (const address of [path, `/pay/${slug}?lang=en`]) {
    const page = await look(address)
    checkPage(page, 200, TEXTS.en.reversed)
    for (const fact of [showTime(paid_at, 'en'), TEXTS.en.method_wallet_push, '0754 *** 012'])
      assert.ok(page.text.includes(fact), `${address}: ${fact}`)
  }
})

test('when a provider is unavailable, the pay page offers another way to pay, or else another try', async () => {
  const open = { kind: 'accepted', provider_status: 'PENDING' } as const
  const away: Answer = { kind: 'declined', reason: 'provider_unavailable', provider_status: null }
  const provider = (methods: Provider['capabilities']['methods']): Provider => ({
    name: 'mock',
    capabilities: { methods, whole_shillings: false, payout_methods: [] },
    push: async () => away,
    qr: async () => away as never,
    status: async (requests) => requests.map(() => open),
    payout: async () => open,
    payoutStatus: async (requests) => requests.map(() => open),
    verifyCallback: () => ({ verified: false }),
  })
  for (const [methods, way] of [
    [['wallet_push', 'qr'], TEXTS.en.use_other_way],
    [['qr'], TEXTS.en.try_again],
  ] as const) {
    const broken = await createWorld({ compose: { providers: [provider([...methods])] } })
    try {
      const made = await broken.post('/v1/payment-links', { amount: 1_000 }, { key: broken.live_key })
      const slug = made.body.data.public_slug as string
      const refused = await choose(slug, '', 'TANQR', broken)
      checkPage(refused, 503, TEXTS.en.unavailable)
      assert.ok(refused.text.includes(`href="/pay/${slug}?lang=en">${way}</a>`))
    } finally {
      await broken.close()
    }
  }
})

test('only if every address of the installation is https, the server sends HSTS', async () => {
  for (const [env, expected] of [
    [{ BASE_URL: 'https://api.example', PAY_URL: 'https://lipa.example' }, 'max-age=31536000'],
    [{ BASE_URL: 'https://api.example' }, 'max-age=31536000'],
    [{ BASE_URL: 'https://api.example', HSTS_SUBDOMAINS: 'true' }, 'max-age=31536000; includeSubDomains'],
    [{ BASE_URL: 'http://api.example', HSTS_SUBDOMAINS: 'true' }, undefined],
    [{ BASE_URL: 'http://api.example', PAY_URL: 'https://lipa.example' }, undefined],
    [{}, undefined],
  ] as const) {
    const other = await createWorld({ env })
    try {
      for (const path of ['/pay/x', '/pay/%', '/v1/collections', '/v1/%', '/nothing']) {
        assert.equal((await look(path, other)).headers['strict-transport-security'], expected, path)
      }
    } finally {
      await other.close()
    }
  }
})
