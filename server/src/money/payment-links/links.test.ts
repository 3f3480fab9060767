// Tests how merchants create, show and cancel payment links, and how payers pay on them.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'
import { readPdf } from '../../../test/read-pdf.ts'

let world: World
let operator: string
before(async () => {
  world = await createWorld({ env: { PROMPTS_PER_PHONE: '0', TRIES_PER_ADDRESS: '0' } })
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(() => world.close())

const LINK = { amount: '25000.00', description: 'Viatu', customer_name: 'Juma' }

async function newLink(body: object = {}): Promise<{ id: string; public_slug: string; [field: string]: unknown }> {
  const made = await world.post('/v1/payment-links', { ...LINK, ...body })
  assert.equal(made.status, 201, made.text)
  return made.body.data
}
const show = async (id: string) => (await world.get(`/v1/payment-links/${id}`)).body.data
const pay = (
  slug: string,
  phone: string | null,
  method = 'WALLET_PUSH',
  key: string = randomUUID(),
  verb = 'collect',
) =>
  world.call({
    method: 'POST',
    url: `/public/payment-links/${slug}/${verb}`,
    key: null,
    idempotency_key: key,
    payload: { method, ...(phone === null ? {} : { customer_phone: phone }) },
  })
const statusOf = async (slug: string, collection_id: string): Promise<Reply> =>
  world.call({ method: 'GET', url: `/public/payment-links/${slug}/collections/${collection_id}/status`, key: null })
const balance = async () => (await world.get('/v1/balance')).body.data

describe('refusals with 409 of requests to pay', () => {
  const closed: [string, (link: { id: string; public_slug: string }) => Promise<unknown>][] = [
    ['is CANCELLED', ({ id }) => world.post(`/v1/payment-links/${id}/cancel`, {})],
    ['is PAID', ({ public_slug }) => pay(public_slug, '0754123001')],
    ['is EXPIRED', async () => world.deps.clock.advance(60_000)],
  ]
  for (const verb of ['collect', 'pay']) {
    for (const [state, close] of closed) {
      for (const method of ['WALLET_PUSH', 'TANQR']) {
        test(`a repeated key for the endpoint ${verb} with ${method} gets the stored refusal again on a link that ${state}`, async () => {
          const expires_at = new Date(world.deps.clock.now().getTime() + 60_000).toISOString()
          const link = await newLink({ expires_at })
          await close(link)
          const key = randomUUID()
          const ask = (phone: string) => pay(link.public_slug, phone, method, key, verb)
          const first = await ask('0754123001')
          assert.deepEqual(codeOf(first), [409, 'payment_link_not_active'])
          assert.equal(first.headers['idempotency-replayed'], undefined)
          for (let i = 0; i < 2; i++) {
            const again = await ask('0754123001')
            assert.deepEqual([again.status, again.text], [first.status, first.text])
            assert.equal(again.headers['idempotency-replayed'], 'true')
          }
          assert.deepEqual(codeOf(await ask('0754123002')), [422, 'idempotency_key_reused'])
          const made = await world.rows('select 1 from collections where payment_link_id = $1', [link.id])
          assert.equal(made.length, state === 'is PAID' ? 1 : 0)
        })
      }
    }
  }

  test('the server stores no key of a malformed request or of an unknown link, and refuses a request without a key', async () => {
    const link = await newLink()
    await world.post(`/v1/payment-links/${link.id}/cancel`, {})
    const key = randomUUID()
    const unknown = `${link.public_slug.slice(0, -1)}${link.public_slug.endsWith('A') ? 'B' : 'A'}`
    assert.deepEqual(codeOf(await pay(link.public_slug, '123', 'WALLET_PUSH', key)), [400, 'validation_failed'])
    assert.deepEqual(codeOf(await pay(link.public_slug, '0754123001', 'CASH', key)), [400, 'validation_failed'])
    assert.deepEqual(codeOf(await pay(unknown, '0754123001', 'WALLET_PUSH', key)), [404, 'not_found'])
    assert.deepEqual(codeOf(await pay(link.public_slug, '0754123001', 'WALLET_PUSH', '')), [
      400,
      'idempotency_key_required',
    ])
    assert.equal((await world.rows('select 1 from idempotency_keys where key = $1', [key])).length, 0)
    assert.deepEqual(codeOf(await pay(link.public_slug, '0754123001', 'WALLET_PUSH', key)), [
      409,
      'payment_link_not_active',
    ])
  })

  test('the server repeats the stored refusal of a key after the merchant accepts payments again', async () => {
    const { public_slug } = (await world.post('/v1/payment-links', LINK, { key: world.live_key })).body.data
    const move = (to: string) =>
      world.post(`/v1/operator/merchants/${world.merchant.id}/${to}`, { reason: 'Test' }, { key: operator })
    assert.equal((await move('suspend')).status, 200)
    const key = randomUUID()
    try {
      assert.deepEqual(codeOf(await pay(public_slug, '0754123001', 'WALLET_PUSH', key)), [
        409,
        'payment_link_not_active',
      ])
    } finally {
      assert.equal((await move('reactivate')).status, 200)
    }
    const again = await pay(public_slug, '0754123001', 'WALLET_PUSH', key)
    assert.deepEqual(codeOf(again), [409, 'payment_link_not_active'])
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal((await pay(public_slug, '0754123001')).status, 202)
  })

  test('16 identical requests at the same time on a closed link get one stored refusal', async () => {
    const link = await newLink()
    await world.post(`/v1/payment-links/${link.id}/cancel`, {})
    const key = randomUUID()
    const all = await Promise.all(
      Array.from({ length: 16 }, () => pay(link.public_slug, '0754123001', 'WALLET_PUSH', key)),
    )
    assert.deepEqual([...new Set(all.map((reply) => codeOf(reply).join(' ')))], ['409 payment_link_not_active'])
    assert.equal(all.filter((reply) => reply.headers['idempotency-replayed'] === undefined).length, 1)
  })

  test('a payer can repeat a refused request with the same key after the prompt of another payer has ended', async () => {
    const link = await newLink()
    await pay(link.public_slug, '0754123007')
    const key = randomUUID()
    assert.deepEqual(codeOf(await pay(link.public_slug, '0754123001', 'WALLET_PUSH', key)), [
      409,
      'payment_in_progress',
    ])
    assert.equal((await world.rows('select 1 from idempotency_keys where key = $1', [key])).length, 0)
    world.deps.clock.advance(world.deps.config.push_lifetime_s * 1_000)
    assert.equal((await pay(link.public_slug, '0754123001', 'WALLET_PUSH', key)).status, 202)
  })
})

describe('payment links', () => {
  test('a new payment link is ACTIVE with a public address, and its merchant can read and list the link', async () => {
    const link = await newLink({ merchant_id: world.merchant.id, currency: 'TZS', customer_phone: '0754 123 001' })
    assert.equal(link.status, 'ACTIVE')
    assert.equal(link.merchant_id, world.merchant.id)
    assert.equal(link.amount, '25000.00')
    assert.equal(link.customer_phone, '255754123001')
    assert.equal(link.expires_at, null)
    assert.match(link.public_slug, /^[A-Za-z0-9_-]{22,}$/)
    assert.ok(String(link.public_url).endsWith(`/pay/${link.public_slug}`))
    assert.deepEqual(await show(link.id), link)
    const list = await world.get('/v1/payment-links?status=ACTIVE')
    assert.equal(list.body.data.items[0].id, link.id)
  })

  test('a payer with the address of a payment link reads the link without ids', async () => {
    const link = await newLink()
    const view = await world.call({ method: 'GET', url: `/public/payment-links/${link.public_slug}`, key: null })
    assert.equal(view.status, 200)
    assert.deepEqual(view.body.data, {
      merchant_name: 'Duka la Asha',
      amount: '25000.00',
      currency: 'TZS',
      description: 'Viatu',
      customer_name: 'Juma',
      customer_phone: null,
      expires_at: null,
      status: 'ACTIVE',
    })
    const unknown = `${link.public_slug.slice(0, -1)}${link.public_slug.endsWith('A') ? 'B' : 'A'}`
    for (const slug of [unknown, 'x', '%00', '../v1/balance']) {
      const none = await world.call({
        method: 'GET',
        url: `/public/payment-links/${encodeURIComponent(slug)}`,
        key: null,
      })
      assert.deepEqual(codeOf(none), [404, 'not_found'])
    }
  })

  test('a payment credits the money and makes its link PAID, and the server refuses a second payment', async () => {
    const link = await newLink()
    const before_minor = (await balance()).available
    const paid = await pay(link.public_slug, '0754123001')
    assert.equal(paid.status, 202, paid.text)
    const { collection_id, status, method } = paid.body.data
    assert.deepEqual([status, method], ['processing', 'WALLET_PUSH'])
    const now = await statusOf(link.public_slug, collection_id)
    assert.equal(now.body.data.status, 'successful', 'the mock provider resolves it within the request')
    const shown = await show(link.id)
    assert.deepEqual([shown.status, shown.paid_collection_id], ['PAID', collection_id])
    assert.equal(Number((await balance()).available) - Number(before_minor), 25_000)
    const collection = await world.get(`/v1/collections/${collection_id}`)
    assert.equal(collection.body.data.status, 'successful')
    assert.deepEqual(codeOf(await pay(link.public_slug, '0754123001')), [409, 'payment_link_not_active'])
    const view = await world.call({ method: 'GET', url: `/public/payment-links/${link.public_slug}`, key: null })
    assert.equal(view.body.data.status, 'PAID')
  })

  test('a payer can pay a link by the endpoints /pay and /collect, with a wallet and with a QR code', async () => {
    for (const [method, verb] of [
      ['PROVIDER_PESA', 'pay'],
      ['TANQR', 'collect'],
    ] as const) {
      const link = await newLink()
      const paid = await pay(link.public_slug, '0754123001', method, randomUUID(), verb)
      assert.equal(paid.status, 202, paid.text)
      assert.equal(paid.body.data.method, method)
      if (method === 'TANQR') {
        assert.ok(paid.body.data.qr_payload && paid.body.data.payment_token)
        assert.equal((await show(link.id)).status, 'ACTIVE', 'the code waits to be scanned')
        await world.pass(10_000)
        const { collection_id } = paid.body.data
        assert.equal((await statusOf(link.public_slug, collection_id)).body.data.status, 'successful')
      }
      assert.equal((await show(link.id)).status, 'PAID')
    }
  })

  test('the server replays the answer of a used key of a link and sends one prompt, and refuses another body or a missing key', async () => {
    const link = await newLink()
    const key = randomUUID()
    const first = await pay(link.public_slug, '0754123007', 'WALLET_PUSH', key)
    const again = await pay(link.public_slug, '0754123007', 'WALLET_PUSH', key)
    assert.equal(again.text, first.text)
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.deepEqual(codeOf(await pay(link.public_slug, '0754123001', 'WALLET_PUSH', key)), [
      422,
      'idempotency_key_reused',
    ])
    const attempts = await world.rows('select 1 from collection_attempts where collection_id = $1', [
      first.body.data.collection_id,
    ])
    assert.equal(attempts.length, 1)
    const none = await world.call({
      method: 'POST',
      url: `/public/payment-links/${link.public_slug}/collect`,
      key: null,
      payload: { method: 'WALLET_PUSH', customer_phone: '0754123001' },
    })
    assert.deepEqual(codeOf(none), [400, 'idempotency_key_required'])
  })

  test('a link refuses a second payer until the first prompt has expired, and a late success of the first payer waits for an operator', async () => {
    const link = await newLink()
    const first = await pay(link.public_slug, '0754123007')
    const refused = await pay(link.public_slug, '0754123001')
    assert.deepEqual(codeOf(refused), [409, 'payment_in_progress'])
    assert.ok(Number(refused.headers['retry-after']) > 0)
    world.deps.clock.advance(world.deps.config.push_lifetime_s * 1_000)
    const second = await pay(link.public_slug, '0754123001')
    assert.equal(second.status, 202, second.text)
    assert.deepEqual((await show(link.id)).paid_collection_id, second.body.data.collection_id)
    const held_before = Number((await balance()).held)
    const available_before = Number((await balance()).available)
    for (let round = 0; round < 2; round++) {
      await world.system.driver.settle({
        merchant_id: world.merchant.id,
        collection_id: first.body.data.collection_id,
        number: 1,
        answer: { kind: 'succeeded', amount_minor: 2_500_000n, currency: 'TZS', provider_status: 'COMPLETED' },
      })
    }
    assert.equal(
      (await statusOf(link.public_slug, first.body.data.collection_id)).body.data.status,
      'pending_clearance',
    )
    assert.equal(Number((await balance()).held) - held_before, 25_000)
    assert.equal(Number((await balance()).available), available_before)
    assert.equal((await show(link.id)).paid_collection_id, second.body.data.collection_id)
  })

  test('a link accepts one of forty concurrent payers and refuses the other payers', async () => {
    const link = await newLink()
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, i) => pay(link.public_slug, `07541${String(20 + i).padStart(2, '0')}001`)),
    )
    const codes = replies.map((reply) => codeOf(reply).join(' '))
    assert.equal(codes.filter((code) => code === '202 ok').length, 1, codes.join())
    for (const code of codes)
      assert.ok(['202 ok', '409 payment_in_progress', '409 payment_link_not_active'].includes(code), code)
    assert.equal((await show(link.id)).status, 'PAID')
    const made = await world.rows('select status from collections where payment_link_id = $1', [link.id])
    assert.deepEqual(made, [{ status: 'successful' }])
  })

  test('a link stays ACTIVE after a failed payment, shows the reason, and makes another collection for the next payment', async () => {
    const link = await newLink()
    const failed = await pay(link.public_slug, '0754123003')
    const failed_status = (await statusOf(link.public_slug, failed.body.data.collection_id)).body.data
    assert.deepEqual([failed_status.status, failed_status.failure_reason_code], ['failed', 'insufficient_balance'])
    assert.ok(failed_status.failure_reason_message)
    assert.equal((await show(link.id)).status, 'ACTIVE')
    const paid = await pay(link.public_slug, '0754123001')
    assert.notEqual(paid.body.data.collection_id, failed.body.data.collection_id)
    assert.equal((await show(link.id)).status, 'PAID')
  })

  test('a link is EXPIRED after its end without a change of the stored status, and refuses payments', async () => {
    const expires_at = new Date(world.deps.clock.now().getTime() + 60_000).toISOString()
    const link = await newLink({ expires_at })
    assert.equal((await show(link.id)).status, 'ACTIVE')
    world.deps.clock.advance(60_000)
    assert.equal((await show(link.id)).status, 'EXPIRED')
    assert.deepEqual(codeOf(await pay(link.public_slug, '0754123001')), [409, 'payment_link_not_active'])
    assert.deepEqual(await world.rows('select status from payment_links where id = $1', [link.id]), [
      { status: 'ACTIVE' },
    ])
    const expired = await world.get('/v1/payment-links?status=EXPIRED')
    assert.ok(expired.body.data.items.some(({ id }: { id: string }) => id === link.id))
    const past = await world.post('/v1/payment-links', { ...LINK, expires_at })
    assert.deepEqual(codeOf(past), [400, 'validation_failed'])
  })

  test('a request with a repeated Idempotency-Key gets the first link or page again, even after the end of the link', async () => {
    const expires_at = new Date(world.deps.clock.now().getTime() + 60_000).toISOString()
    for (const path of ['/v1/payment-links', '/v1/collections']) {
      const idempotency_key = randomUUID()
      const body = path === '/v1/payment-links' ? { ...LINK, expires_at } : { amount: '25000.00', expires_at }
      const made = await world.post(path, body, { idempotency_key })
      assert.ok(made.status < 300, made.text)
      world.deps.clock.advance(60_000)
      const again = await world.post(path, body, { idempotency_key })
      assert.deepEqual([again.status, again.text], [made.status, made.text])
      assert.equal(again.headers['idempotency-replayed'], 'true')
      world.deps.clock.advance(-60_000)
    }
  })

  test('a link shows its end in UTC when the merchant names the end in another time zone or with a fraction of a second', async () => {
    for (const [written, expected] of [
      ['2032-02-29T23:59:59Z', '2032-02-29T23:59:59.000Z'],
      ['2030-01-01T00:30:00+03:00', '2029-12-31T21:30:00.000Z'],
      ['2030-12-31T23:30:00.250-05:00', '2031-01-01T04:30:00.250Z'],
    ]) {
      assert.equal((await newLink({ expires_at: written })).expires_at, expected)
    }
  })

  test('a merchant can print a link as a poster while the link takes payments', async () => {
    const link = await newLink()
    const poster = (id = link.id, rest = '', key?: string) =>
      world.call({ method: 'GET', url: `/v1/payment-links/${id}/poster.pdf${rest}`, ...(key ? { key } : {}) })
    for (const [rest, words] of [
      ['', 'Lipa hapa kwa simu'],
      ['?language=en', 'Pay here by phone'],
    ] as const) {
      const file = await poster(link.id, rest)
      assert.deepEqual([file.status, file.headers['content-type']], [200, 'application/pdf'], file.text)
      const { pages, links } = readPdf(file.bytes)
      const lines = pages.flatMap(({ texts }) => texts.map(({ text }) => text))
      for (const part of [words, 'TZS\u00a025,000', 'Duka la Asha', 'Viatu']) assert.ok(lines.includes(part), part)
      assert.deepEqual(links, [link.public_url])
    }
    const other = await world.newKey({ merchant: await world.newMerchant() })
    assert.deepEqual(codeOf(await poster(link.id, '', other)), [404, 'not_found'])
    assert.deepEqual(codeOf(await poster(randomUUID())), [404, 'not_found'])
    await world.call({ method: 'POST', url: `/v1/payment-links/${link.id}/cancel` })
    assert.deepEqual(codeOf(await poster()), [409, 'payment_link_not_active'])
  })

  test('a merchant can cancel a link twice, and cannot cancel a paid link', async () => {
    const link = await newLink()
    for (let round = 0; round < 2; round++) {
      const cancelled = await world.call({ method: 'POST', url: `/v1/payment-links/${link.id}/cancel` })
      assert.deepEqual([cancelled.status, cancelled.body.data.status], [200, 'CANCELLED'])
    }
    assert.deepEqual(codeOf(await pay(link.public_slug, '0754123001')), [409, 'payment_link_not_active'])
    const paid = await newLink()
    await pay(paid.public_slug, '0754123001')
    const refused = await world.call({ method: 'POST', url: `/v1/payment-links/${paid.id}/cancel` })
    assert.deepEqual(codeOf(refused), [409, 'payment_link_already_paid'])
    assert.equal((await show(paid.id)).status, 'PAID')
  })

  test('the money of a payer waits for an operator when the payer approves after the merchant cancelled the link', async () => {
    const link = await newLink()
    const first = await pay(link.public_slug, '0754123007')
    await world.call({ method: 'POST', url: `/v1/payment-links/${link.id}/cancel` })
    await world.system.driver.settle({
      merchant_id: world.merchant.id,
      collection_id: first.body.data.collection_id,
      number: 1,
      answer: { kind: 'succeeded', amount_minor: 2_500_000n, currency: 'TZS', provider_status: 'COMPLETED' },
    })
    assert.equal(
      (await statusOf(link.public_slug, first.body.data.collection_id)).body.data.status,
      'pending_clearance',
    )
    assert.equal((await show(link.id)).status, 'CANCELLED')
  })

  test('the server stores the name and the description of a link without marks that change the direction of text', async () => {
    const link = await newLink({
      customer_name: '\u202eamuJ\u202c محمد 👨‍👩‍👧',
      description: '\u2067Viatu\u2069\nmbili',
    })
    const { customer_name, description } = await show(link.id)
    assert.deepEqual([customer_name, description], ['amuJ محمد 👨‍👩‍👧', 'Viatu\nmbili'])
    assert.equal((await newLink({ description: '\u202e' })).description, null)
  })

  test('the server makes no link from an invalid body, and a refusal with 400 names the field', async () => {
    const before_count = (await world.rows('select 1 from payment_links')).length
    for (const [body, field] of [
      [{ amount: '0' }, 'amount'],
      [{ amount: 'x' }, 'amount'],
      [{ ...LINK, customer_phone: '12' }, 'customer_phone'],
      [{ ...LINK, expires_at: 'tomorrow' }, 'expires_at'],
      [{ ...LINK, expires_at: '2030-02-30T12:00:00Z' }, 'expires_at'],
      [{ ...LINK, expires_at: '2031-02-29T12:00:00+03:00' }, 'expires_at'],
      [{ ...LINK, expires_at: '2030-04-31T00:30:00+03:00' }, 'expires_at'],
      [{ ...LINK, expires_at: '2030-01-31T24:00:00Z' }, 'expires_at'],
      [{ ...LINK, expires_at: '9999-12-31T23:59:59-14:00' }, 'expires_at'],
      [{ ...LINK, customer_name: 'a\u0000b' }, 'customer_name'],
    ] as const) {
      const refused = await world.post('/v1/payment-links', body)
      assert.deepEqual(codeOf(refused), [400, 'validation_failed'], refused.text)
      assert.equal(refused.body.error.details.fields[0].field, field)
    }
    for (const [body, code] of [
      [{ ...LINK, currency: 'USD' }, 'unsupported_currency'],
      [{ ...LINK, amount: '99999999999' }, 'amount_not_supported'],
    ] as const)
      assert.deepEqual(codeOf(await world.post('/v1/payment-links', body)), [422, code])
    const foreign = await world.post('/v1/payment-links', { ...LINK, merchant_id: randomUUID() })
    assert.deepEqual(codeOf(foreign), [403, 'merchant_mismatch'])
    assert.equal((await world.rows('select 1 from payment_links')).length, before_count)
  })

  test('the server answers not_found when another merchant reads or cancels a link', async () => {
    const link = await newLink()
    const other = await world.newKey({ merchant: await world.newMerchant() })
    assert.deepEqual(codeOf(await world.get(`/v1/payment-links/${link.id}`, other)), [404, 'not_found'])
    const cancel = await world.call({ method: 'POST', url: `/v1/payment-links/${link.id}/cancel`, key: other })
    assert.deepEqual(codeOf(cancel), [404, 'not_found'])
    const bare = await world.newKey({ scopes: ['collections:write'] })
    assert.deepEqual(codeOf(await world.post('/v1/payment-links', LINK, { key: bare })), [403, 'insufficient_scope'])
  })
})

describe('limits of prompts', () => {
  test('the server refuses further prompts to a phone whose payer approves none, and not to a phone whose payer approves', async () => {
    const limited = await createWorld({ env: { PROMPTS_PER_PHONE: '3' } })
    try {
      const make = async () => (await limited.post('/v1/payment-links', LINK)).body.data.public_slug as string
      const on = (slug: string, phone: string, method = 'WALLET_PUSH') =>
        limited.post(`/public/payment-links/${slug}/collect`, { method, customer_phone: phone }, { key: null })
      for (let i = 0; i < 3; i++) assert.equal((await on(await make(), '0754123002')).status, 202)
      const refused = await on(await make(), '0754123002')
      assert.deepEqual(codeOf(refused), [429, 'rate_limited'])
      assert.ok(Number(refused.headers['retry-after']) <= 600)
      assert.equal((await on(await make(), '0754123002', 'TANQR')).status, 202, 'a QR code sends no prompt')
      for (let i = 0; i < 5; i++) assert.equal((await on(await make(), '0754123001')).status, 202)
      limited.deps.clock.advance(600_000)
      assert.equal((await on(await make(), '0754123002')).status, 202)
      const [row] = await limited.rows<{ subject: Buffer }>('select subject from payer_tries limit 1')
      assert.equal(row?.subject.length, 32)
    } finally {
      await limited.close()
    }
  })

  test('the server limits the number of attempts of each link and of each IP address', async () => {
    const limited = await createWorld({ env: { TRIES_PER_LINK: '3', TRIES_PER_ADDRESS: '5', PROMPTS_PER_PHONE: '0' } })
    try {
      const make = async () => (await limited.post('/v1/payment-links', LINK)).body.data.public_slug as string
      const on = (slug: string) =>
        limited.post(
          `/public/payment-links/${slug}/collect`,
          { method: 'WALLET_PUSH', customer_phone: '0754123002' },
          { key: null },
        )
      const slug = await make()
      for (let i = 0; i < 3; i++) assert.equal((await on(slug)).status, 202)
      assert.deepEqual(codeOf(await on(slug)), [429, 'rate_limited'])
      const other = await make()
      for (let i = 0; i < 2; i++) assert.equal((await on(other)).status, 202)
      assert.deepEqual(codeOf(await on(await make())), [429, 'rate_limited'])
    } finally {
      await limited.close()
    }
  })
})
