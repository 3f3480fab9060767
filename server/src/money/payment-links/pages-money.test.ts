// Tests payments on pages with late, repeated or simultaneous answers, and after the installation changes its provider.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createTestDatabase } from '../../../test/database.ts'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import type { Answer, Method, PaymentRequest, Provider } from '../../adapters/providers/port.ts'
import { verify } from '../../apps/admin/verify.ts'

let world: World
let operator: string
before(async () => {
  world = await createWorld({ env: { PROMPTS_PER_PHONE: '0', TRIES_PER_LINK: '0', TRIES_PER_ADDRESS: '0' } })
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(() => world.close())

const MINOR = 2_500_000n
const SUCCESS: Answer = { kind: 'succeeded', amount_minor: MINOR, currency: 'TZS', provider_status: 'COMPLETED' }
const MORE: Answer = { ...SUCCESS, amount_minor: MINOR + 10_000n }
const REVERSED: Answer = { ...SUCCESS, kind: 'reversed', provider_status: 'REVERSED' }
const DECLINED: Answer = { kind: 'declined', reason: 'wrong_pin', provider_status: 'FAILED' }

async function newLink(of = world, body: object = {}, key = of.sandbox_key) {
  const made = await of.post('/v1/payment-links', { amount: '25000.00', ...body }, { key })
  assert.equal(made.status, 201, made.text)
  return made.body.data as { id: string; public_slug: string }
}
async function newPage(of = world, key = of.sandbox_key) {
  const made = await of.post('/v1/collections', { amount: '25000.00', reference: 'ORDER-1' }, { key })
  assert.equal(made.status, 202, made.text)
  const { collection_id, payment_url } = made.body.data
  return { collection_id: collection_id as string, slug: String(payment_url).split('/pay/')[1] as string }
}
const pay = (slug: string, phone: string | null, options: { method?: string; key?: string; of?: World } = {}) =>
  (options.of ?? world).post(
    `/public/payment-links/${slug}/collect`,
    { method: options.method ?? 'WALLET_PUSH', ...(phone === null ? {} : { customer_phone: phone }) },
    { key: null, ...(options.key === undefined ? {} : { idempotency_key: options.key }) },
  )
const applyAnswer = (collection_id: string, number: number, answer: Answer) =>
  world.system.driver.settle({ merchant_id: world.merchant.id, collection_id, number, answer })
const show = async (id: string) => (await world.get(`/v1/collections/${id}`)).body.data
const linkOf = async (slug: string) =>
  (await world.call({ method: 'GET', url: `/public/payment-links/${slug}`, key: null })).body.data
const clear = (id: string, decision: string, of = world, token = operator) =>
  of.call({
    method: 'POST',
    url: `/v1/operator/collections/${id}/clear`,
    key: token,
    payload: { decision, reason: 'Seen' },
  })
const html = async (path: string) => {
  const reply = await world.call({ method: 'GET', url: `${path}?lang=en`, key: null })
  return reply.text
}
const promptsEnd = () => world.deps.clock.advance(world.deps.config.push_lifetime_s * 1_000)
const booksHold = async (url = world.url) => {
  const { checks } = await verify(url)
  assert.deepEqual(
    checks.filter((check) => !check.ok),
    [],
  )
}

/** Returns a provider that moves real money. */
function realProvider(over: Partial<Provider> = {}): Provider {
  const accepted = { kind: 'accepted', provider_status: 'PENDING' } as const
  return {
    name: 'mock',
    capabilities: { methods: ['wallet_push', 'qr'], whole_shillings: false, payout_methods: [] },
    push: async () => accepted,
    qr: async () => ({ ...accepted, payment_token: '12345678', qr_payload: '000201' }),
    status: async (requests) => requests.map(() => accepted),
    payout: async () => accepted,
    payoutStatus: async (requests) => requests.map(() => accepted),
    verifyCallback: () => ({ verified: false }),
    ...over,
  }
}

describe('payments whose first answer is a reversal', () => {
  test('a payment whose first answer is a reversal closes its payment link', async () => {
    const { public_slug: slug } = await newLink()
    const first = (await pay(slug, '0754123007')).body.data.collection_id
    await applyAnswer(first, 1, REVERSED)
    assert.equal((await show(first)).status, 'reversed')
    assert.equal((await linkOf(slug)).status, 'PAID')
    assert.deepEqual(codeOf(await pay(slug, '0754123001')), [409, 'payment_link_not_active'])
    assert.match(await html(`/pay/${slug}`), /returned|reversed|went back/i)
    await booksHold()
  })

  test('one payment is reversed and the other payment waits for an operator when their reversal and success arrive at the same time', async () => {
    const { public_slug: slug } = await newLink()
    const first = (await pay(slug, '0754123007')).body.data.collection_id
    promptsEnd()
    const second = (await pay(slug, '0754123007')).body.data.collection_id
    await Promise.all([applyAnswer(first, 1, REVERSED), applyAnswer(second, 1, SUCCESS)])
    assert.deepEqual([(await show(first)).status, (await show(second)).status].sort(), [
      'pending_clearance',
      'reversed',
    ])
    await booksHold()
  })
})

test('the history of a second payment of a link records a repeated success once', async () => {
  const { public_slug: slug } = await newLink()
  const first = (await pay(slug, '0754123007')).body.data.collection_id
  promptsEnd()
  const second = (await pay(slug, '0754123007')).body.data.collection_id
  await applyAnswer(first, 1, SUCCESS)
  for (const answer of [SUCCESS, SUCCESS, MORE, MORE, SUCCESS]) await applyAnswer(second, 1, answer)
  const history = await world.rows<{ reason: string }>(
    "select reason from collection_history where collection_id = $1 and actor = 'provider' order by seq",
    [second],
  )
  assert.deepEqual(
    history.map(({ reason }) => reason),
    ['succeeded 25000.00 TZS, but its page took no more payments', 'succeeded 25100.00 TZS'],
  )
  assert.equal((await show(second)).status, 'pending_clearance')
  await booksHold()
})

describe('prompts at the same time as QR codes', () => {
  test('a page waits for its prompt even when a QR code of the same moment has the newer id', async () => {
    const live = await createWorld({
      env: { TRIES_PER_ADDRESS: '0' },
      compose: { providers: [realProvider()] },
    })
    try {
      for (let i = 0; i < 12; i++) {
        const { public_slug: slug } = await newLink(live, {}, live.live_key)
        await pay(slug, null, { method: 'TANQR', of: live })
        await pay(slug, `07541230${10 + i}`, { of: live })
        const { body } = await live.call({ method: 'GET', url: `/pay/${slug}/state`, key: null })
        assert.equal(body.state, 'in_progress')
        assert.deepEqual(codeOf(await pay(slug, '0754123099', { of: live })), [409, 'payment_in_progress'])
      }
    } finally {
      await live.close()
    }
  })
})

describe('earlier attempts that pay after the start of a later attempt', () => {
  test('a payment gets the fee, the method and the phone of an earlier attempt when the earlier attempt pays late', async () => {
    const merchant = await world.newMerchant()
    const rule = (method: Method, flat_fee: string) => ({
      flow: 'collection',
      method,
      destination_code: null,
      percentage: '0.00',
      flat_fee,
      processor_charge: '0.00',
      processor_fee_pass_through: false,
      label: method,
    })
    const payout = { ...rule('wallet_push', '100.00'), flow: 'withdrawal', method: 'MOBILE_MONEY', label: 'out' }
    const priced = await world.call({
      method: 'PUT',
      url: `/v1/operator/merchants/${merchant.id}/pricing`,
      key: operator,
      payload: { rules: [payout, rule('wallet_push', '700.00'), rule('provider_pesa', '300.00')], reason: 'Agreed' },
    })
    assert.equal(priced.status, 200, priced.text)
    const key = await world.newKey({ merchant })
    const { collection_id, slug } = await newPage(world, key)
    await pay(slug, '0754111007')
    promptsEnd()
    await pay(slug, '0754222007', { method: 'PROVIDER_PESA' })
    const settle = (number: number, answer: Answer) =>
      world.system.driver.settle({ merchant_id: merchant.id, collection_id, number, answer })
    await settle(2, DECLINED)
    await settle(1, SUCCESS)
    const shown = (await world.get(`/v1/collections/${collection_id}`, key)).body.data
    assert.deepEqual([shown.status, shown.method], ['successful', 'wallet_push'])
    assert.equal((await world.get('/v1/balance', key)).body.data.available, '24300.00')
    const receipt = await html(`/pay/${slug}/c/${collection_id}/receipt`)
    assert.match(receipt, /0754 \*\*\* 007/)
    // The second attempt took money too. Its duplicate payment waits for an operator, with the fee of the second attempt.
    await settle(2, SUCCESS)
    const [duplicate] = await world.rows<{ id: string; fee_minor: bigint }>(
      "select id, fee_minor from collections where merchant_id = $1 and status = 'pending_clearance'",
      [merchant.id],
    )
    assert.equal(duplicate?.fee_minor, 30_000n)
    await booksHold()
  })
})

describe('money under review', () => {
  test('a payment under review keeps its link closed, even after an attempt of another payer, and the page shows the review', async () => {
    const { public_slug: slug } = await newLink()
    const first = (await pay(slug, '0754123007')).body.data.collection_id
    promptsEnd()
    await pay(slug, '0754123002')
    await applyAnswer(first, 1, MORE)
    assert.deepEqual(codeOf(await pay(slug, '0754123001')), [409, 'payment_in_progress'])
    assert.match(await html(`/pay/${slug}`), /under review/)
  })

  test('the link becomes PAID and the receipt shows the received amount when an operator approves held money', async () => {
    const { public_slug: slug } = await newLink()
    const { collection_id } = (await pay(slug, '0754123011')).body.data
    assert.equal((await linkOf(slug)).status, 'ACTIVE')
    assert.equal((await clear(collection_id, 'approve')).status, 200)
    assert.equal((await linkOf(slug)).status, 'PAID')
    const receipt = await html(`/pay/${slug}/c/${collection_id}/receipt`)
    assert.match(receipt, /25,100/)
    assert.doesNotMatch(receipt, /25,000/)
  })

  test('a hosted page ends and offers no further attempt when an operator declines held money', async () => {
    const { collection_id, slug } = await newPage()
    await pay(slug, '0754123011')
    assert.deepEqual(codeOf(await pay(slug, '0754123001')), [409, 'payment_in_progress'])
    assert.equal((await clear(collection_id, 'decline')).status, 200)
    assert.deepEqual(codeOf(await pay(slug, '0754123001')), [409, 'payment_link_not_active'])
    for (const path of [`/pay/${slug}`, `/pay/${slug}/c/${collection_id}`]) {
      const page = await html(path)
      assert.match(page, /We reviewed this payment and did not accept it/)
      assert.doesNotMatch(page, /<form/)
    }
    await booksHold()
  })

  test('operators see the provider reference of the attempt that took the held money', async () => {
    const { collection_id, slug } = await newPage()
    await pay(slug, '0754123002')
    await pay(slug, '0754123007')
    await applyAnswer(collection_id, 1, MORE)
    const { items } = (await world.get('/v1/operator/collections?page_size=100', operator)).body.data
    const held = items.find((item: { collection_id: string }) => item.collection_id === collection_id)
    const [first] = await world.rows<{ provider_reference: string }>(
      'select provider_reference from collection_attempts where collection_id = $1 and number = 1',
      [collection_id],
    )
    assert.equal(held.provider_reference, first?.provider_reference)
  })

  test('a link takes payments again after an operator declines held money', async () => {
    const { public_slug: slug } = await newLink()
    const { collection_id } = (await pay(slug, '0754123011')).body.data
    await clear(collection_id, 'decline')
    assert.equal((await pay(slug, '0754123001')).status, 202)
    assert.equal((await linkOf(slug)).status, 'PAID')
  })

  test('the decision of an operator and the answer of a provider about one duplicate payment do not deadlock', async () => {
    const { collection_id, slug } = await newPage()
    await pay(slug, '0754123002')
    await pay(slug, '0754123007')
    await applyAnswer(collection_id, 1, SUCCESS)
    await applyAnswer(collection_id, 2, SUCCESS)
    const [duplicate] = await world.rows<{ id: string }>(
      "select id from collections where merchant_id = $1 and attempts = 0 and status = 'pending_clearance' and payment_link_id = (select payment_link_id from collections where id = $2)",
      [world.merchant.id, collection_id],
    )
    assert.ok(duplicate)
    // The transaction of the provider's answer pauses between its two locks. The first lock must not block the operator.
    let markReached = () => {}
    const reached = new Promise<void>((resolve) => {
      markReached = resolve
    })
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = await createWorld({
      url: world.url,
      before: async (name) => {
        if (name !== 'extras_find') return
        markReached()
        await gate
      },
    })
    try {
      const settling = slow.system.driver.settle({
        merchant_id: world.merchant.id,
        collection_id,
        number: 2,
        answer: REVERSED,
      })
      await reached
      const clearing = clear(duplicate.id, 'approve')
      await waitsForLock(1)
      release()
      const [, decided] = await Promise.all([settling, clearing])
      // The server settled the provider's answer first, so it refused the operator's decision.
      assert.deepEqual(codeOf(decided), [409, 'invalid_state'])
      assert.equal((await show(duplicate.id)).status, 'reversed')
    } finally {
      release()
      await slow.close()
    }
  })
})

/** Waits until `count` database connections wait for a lock. */
async function waitsForLock(count: number): Promise<void> {
  for (let look = 0; look < 2_000; look++) {
    const [row] = await world.rows<{ waiting: number }>(
      "select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    if ((row?.waiting ?? 0) >= count) return
  }
  assert.fail('too few statements wait for a lock')
}

describe('installations that change to a real provider', () => {
  test('a page for simulated money takes no real money after the installation changes to a real provider', async () => {
    const database = await createTestDatabase()
    const rehearsing = await createWorld({ url: database.url })
    const link = await newLink(rehearsing)
    const page = await newPage(rehearsing)
    await rehearsing.close()
    const pushed: PaymentRequest[] = []
    const real = realProvider({
      push: async (request) => {
        pushed.push(request)
        return { kind: 'accepted', provider_status: 'PENDING' }
      },
    })
    const live = await createWorld({ url: database.url, compose: { providers: [real] } })
    try {
      for (const slug of [link.public_slug, page.slug]) {
        const refused = await pay(slug, '0754123001', { of: live })
        assert.deepEqual(codeOf(refused), [409, 'payment_link_not_active'])
        const shown = await live.call({ method: 'GET', url: `/pay/${slug}?lang=en`, key: null })
        assert.doesNotMatch(shown.text, /<form/)
      }
      assert.equal(pushed.length, 0)
      assert.deepEqual(await live.rows('select 1 from collection_attempts'), [])
    } finally {
      await live.close()
      await database.drop()
    }
  })

  test('the live page of a suspended merchant offers no method and says that the business takes no payments', async () => {
    const live = await createWorld({ compose: { providers: [realProvider()] } })
    try {
      const { public_slug: slug } = await newLink(live, {}, live.live_key)
      await live.rows("update merchants set status = 'SUSPENDED' where id = $1", [live.merchant.id])
      assert.deepEqual(codeOf(await pay(slug, '0754123001', { of: live })), [409, 'payment_link_not_active'])
      const shown = await live.call({ method: 'GET', url: `/pay/${slug}?lang=en`, key: null })
      assert.equal(shown.status, 200)
      assert.doesNotMatch(shown.text, /<form/)
      assert.match(shown.text, /This business takes no payments/)
    } finally {
      await live.close()
    }
  })
})

describe('QR codes', () => {
  test('a payer gets a prompt while another payer of the link waits for the QR code of a slow provider', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    let markReached = () => {}
    const reached = new Promise<void>((resolve) => {
      markReached = resolve
    })
    const slow = realProvider({
      qr: async () => {
        markReached()
        await gate
        return { kind: 'accepted', provider_status: 'PENDING', payment_token: '12345678', qr_payload: '000201' }
      },
    })
    const live = await createWorld({ compose: { providers: [slow] } })
    try {
      const { public_slug: slug } = await newLink(live, {}, live.live_key)
      const code = pay(slug, null, { method: 'TANQR', of: live })
      await reached
      assert.equal((await pay(slug, '0754123456', { of: live })).status, 202)
      release()
      assert.equal((await code).status, 202)
    } finally {
      release()
      await live.close()
    }
  })

  test('a request that waited longer than two clocks differ starts no second QR code with the same key', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    let calls = 0
    let markReached = () => {}
    const reached = new Promise<void>((resolve) => {
      markReached = resolve
    })
    const slow = realProvider({
      qr: async () => {
        calls += 1
        markReached()
        if (calls === 1) await gate
        return { kind: 'accepted', provider_status: 'PENDING', payment_token: '12345678', qr_payload: '000201' }
      },
    })
    const live = await createWorld({ compose: { providers: [slow] } })
    const other = await createWorld({ url: live.url, compose: { providers: [slow] } })
    try {
      const { public_slug: slug } = await newLink(live, {}, live.live_key)
      // The clock of the other process is 8 seconds behind. A request that read the clock, then waited 8 seconds, has the same time.
      live.deps.clock.advance(8_000)
      const key = randomUUID()
      const code = pay(slug, null, { method: 'TANQR', of: live, key })
      await reached
      const late = pay(slug, null, { method: 'TANQR', of: other, key })
      void late.finally(release)
      assert.deepEqual(codeOf(await late), [409, 'idempotency_in_progress'])
      assert.equal((await code).status, 202)
      assert.equal(calls, 1)
    } finally {
      release()
      await other.close()
      await live.close()
    }
  })

  test('a page does not show its QR code after the merchant cancels the link', async () => {
    const live = await createWorld({ compose: { providers: [realProvider()] } })
    try {
      const link = await newLink(live, {}, live.live_key)
      const { public_slug: slug } = link
      const { collection_id } = (await pay(slug, null, { method: 'TANQR', of: live })).body.data
      const look = (path: string) => live.call({ method: 'GET', url: path, key: null })
      assert.match((await look(`/pay/${slug}/c/${collection_id}?lang=en`)).text, /qr\.png/)
      assert.equal((await look(`/pay/${slug}/c/${collection_id}/qr.png`)).status, 200)
      await live.call({ method: 'POST', url: `/v1/payment-links/${link.id}/cancel`, key: live.live_key })
      assert.doesNotMatch((await look(`/pay/${slug}/c/${collection_id}?lang=en`)).text, /qr\.png/)
      assert.equal((await look(`/pay/${slug}/c/${collection_id}/qr.png`)).status, 404)
      assert.equal((await look(`/pay/${slug}/c/${collection_id}/state`)).body.state, 'slow')
    } finally {
      await live.close()
    }
  })

  test('a request with a repeated key gets its QR code after the prompt of another payer has ended', async () => {
    const { public_slug: slug } = await newLink()
    await pay(slug, '0754123007')
    const key = randomUUID()
    const refused = await pay(slug, null, { method: 'TANQR', key })
    assert.deepEqual(codeOf(refused), [409, 'payment_in_progress'])
    promptsEnd()
    const again = await pay(slug, null, { method: 'TANQR', key })
    assert.equal(again.status, 202, again.text)
    assert.equal(again.headers['idempotency-replayed'], undefined)
    const repeated = await pay(slug, null, { method: 'TANQR', key })
    assert.deepEqual([repeated.text, repeated.headers['idempotency-replayed']], [again.text, 'true'])
  })
})

describe('limits and times of pages', () => {
  test('the server refuses a request without an Idempotency-Key before it searches the link', async () => {
    const nowhere = await world.call({
      method: 'POST',
      url: '/public/payment-links/nowhere/collect',
      key: null,
      payload: { method: 'WALLET_PUSH', customer_phone: '0754123001' },
    })
    assert.deepEqual(codeOf(nowhere), [400, 'idempotency_key_required'])
  })

  test('all IP addresses of one IPv6 network share one limit', async () => {
    const limited = await createWorld({
      env: { TRIES_PER_ADDRESS: '2', PROMPTS_PER_PHONE: '0', TRIES_PER_LINK: '0', TRUST_PROXY: '127.0.0.1' },
    })
    try {
      const from = async (address: string) => {
        const { public_slug } = await newLink(limited)
        return limited.post(
          `/public/payment-links/${public_slug}/collect`,
          { method: 'WALLET_PUSH', customer_phone: '0754123002' },
          { key: null, headers: { 'x-forwarded-for': address } },
        )
      }
      assert.equal((await from('2001:db8:1:2::1')).status, 202)
      assert.equal((await from('2001:db8:1:2::2')).status, 202)
      assert.deepEqual(codeOf(await from('2001:db8:1:2:ffff::3')), [429, 'rate_limited'])
      assert.equal((await from('2001:db8:1:3::1')).status, 202)
    } finally {
      await limited.close()
    }
  })

  test('the receipt shows the same time of payment after a later reversal', async () => {
    const { public_slug: slug } = await newLink()
    const { collection_id } = (await pay(slug, '0754123001')).body.data
    const path = `/pay/${slug}/c/${collection_id}/receipt`
    const [time] = /\d+ \w{3} \d{4}, \d\d:\d\d/.exec(await html(path)) ?? []
    assert.ok(time)
    world.deps.clock.advance(86_400_000)
    await applyAnswer(collection_id, 1, REVERSED)
    const later = await html(path)
    assert.match(later, /returned/i)
    assert.ok(later.includes(time), 'the receipt of a reversed payment shows when it was paid')
  })

  test('at most one of two concurrent payers of a link gets a prompt from two processes', async () => {
    const env = { PROMPTS_PER_PHONE: '0', TRIES_PER_ADDRESS: '0' }
    // Both processes share one clock, so no process treats an open prompt of the other as expired.
    const other = await createWorld({ url: world.url, clock: world.deps.clock, env })
    try {
      for (let round = 0; round < 5; round++) {
        const link = await newLink()
        const cancel = () =>
          other.call({ method: 'POST', url: `/v1/payment-links/${link.id}/cancel`, key: world.sandbox_key })
        const replies = await Promise.all([
          pay(link.public_slug, '0754123001'),
          pay(link.public_slug, '0754124001', { of: other }),
          ...(round % 2 === 0 ? [] : [cancel()]),
        ])
        const [a, b, cancelled] = replies.map((reply) => codeOf(reply).join(' '))
        assert.ok([a, b].filter((code) => code === '202 ok').length <= 1, `${a}, ${b}`)
        const rows = await world.rows<{ status: string }>('select status from collections where payment_link_id = $1', [
          link.id,
        ])
        assert.ok(rows.length <= 1)
        const { status } = await linkOf(link.public_slug)
        const paid = rows[0]?.status === 'successful'
        assert.equal(status, paid ? 'PAID' : 'CANCELLED')
        if (cancelled !== undefined)
          assert.ok(['200 ok', '409 payment_link_already_paid'].includes(cancelled), cancelled)
        if (!paid && rows.length === 1)
          assert.equal(rows[0]?.status, 'pending_clearance', 'approved after the merchant cancelled')
      }
      await booksHold()
    } finally {
      await other.close()
    }
  })
})
