// Tests pages with an attempt that has no answer. No payer pays twice, and no stranger can send a prompt to a payer.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import type { Answer, Provider } from '../../adapters/providers/port.ts'
import { TEXTS } from './texts.ts'

let world: World
/**
 * The status that the provider reports for each reference. For a reference without an entry, the provider reports accepted.
 */
const reported_statuses = new Map<string, Answer>()
const OPEN = { kind: 'accepted', provider_status: 'PENDING' } as const
const queried_references: string[] = []
const provider: Provider = {
  name: 'mock',
  capabilities: { methods: ['wallet_push', 'qr'], whole_shillings: false, payout_methods: [] },
  push: async () => OPEN,
  qr: async () => ({ ...OPEN, payment_token: '12345678', qr_payload: '000201' }),
  status: async (requests) =>
    requests.map(({ reference }) => {
      queried_references.push(reference)
      return reported_statuses.get(reference) ?? OPEN
    }),
  payout: async () => OPEN,
  payoutStatus: async (requests) => requests.map(() => OPEN),
  verifyCallback: () => ({ verified: false }),
}
before(async () => {
  const env = { PROMPTS_PER_PHONE: '0', TRIES_PER_LINK: '0', TRIES_PER_ADDRESS: '0' }
  world = await createWorld({ env, compose: { providers: [provider] } })
})
after(() => world.close())

/** Makes a new session of an operator, because sessions expire when the clock moves. */
const operator = async () => (await world.newSession('SUPER_ADMIN')).token

const MINOR = 2_500_000n
const SUCCESS: Answer = { kind: 'succeeded', amount_minor: MINOR, currency: 'TZS', provider_status: 'COMPLETED' }
const WRONG_PIN: Answer = { kind: 'declined', reason: 'wrong_pin', provider_status: 'FAILED' }
const MORE: Answer = { ...SUCCESS, amount_minor: MINOR + 10_000n }
const REVERSED: Answer = { ...MORE, kind: 'reversed', provider_status: 'REVERSED' }
const [A, B] = ['0754123101', '0754124102'] as const

async function newLink(body: object = {}) {
  const made = await world.post('/v1/payment-links', { amount: '25000.00', ...body }, { key: world.live_key })
  assert.equal(made.status, 201, made.text)
  return { id: made.body.data.id as string, slug: made.body.data.public_slug as string }
}
async function newPage(body: object = {}) {
  const made = await world.post('/v1/collections', { amount: '25000.00', ...body }, { key: world.live_key })
  const { collection_id, payment_url } = made.body.data
  return { collection_id: collection_id as string, slug: String(payment_url).split('/pay/')[1] as string }
}
const tap = (slug: string, phone: string | null, idempotency_key = randomUUID()) =>
  world.post(
    `/public/payment-links/${slug}/collect`,
    phone === null ? { method: 'TANQR' } : { method: 'WALLET_PUSH', customer_phone: phone },
    { key: null, idempotency_key },
  )
const pay = async (slug: string, phone: string | null) => {
  const reply = await tap(slug, phone)
  assert.equal(reply.status, 202, reply.text)
  return reply.body.data.collection_id as string
}
const applyAnswer = (collection_id: string, number: number, answer: Answer) =>
  world.system.driver.settle({ merchant_id: world.merchant.id, collection_id, number, answer })
const promptsEnd = () => world.deps.clock.advance(world.deps.config.push_lifetime_s * 1_000 + 1_000)
const look = async (path: string, lang = 'en') =>
  (await world.call({ method: 'GET', url: `${path}?lang=${lang}`, key: null })).text
const stateOf = async (path: string) =>
  (await world.call({ method: 'GET', url: `${path}/state`, key: null })).body.state as string
const watched = (page: string) => ({
  poll: /data-poll="([^"]+)"/.exec(page)?.[1] ?? assert.fail('nothing is watched'),
  state: /data-state="([^"]+)"/.exec(page)?.[1],
})
/** Checks that a page warns about an attempt without an answer, and that the response to a poll has the same state. */
const warns = async (page: string, key: 'unanswered' | 'unanswered_code' = 'unanswered') => {
  assert.ok(page.includes(TEXTS.en[key]), page)
  const { poll, state } = watched(page)
  assert.equal(await stateOf(poll.replace('/state', '')), state)
  return poll.replace('/state', '')
}
const silent = (page: string) => {
  assert.ok(!page.includes(TEXTS.en.unanswered), page)
  assert.ok(!page.includes(TEXTS.en.unanswered_code), page)
}
const clear = async (id: string, decision = 'approve') => {
  const payload = { decision, reason: 'Seen' }
  const reply = await world.call({
    method: 'POST',
    url: `/v1/operator/collections/${id}/clear`,
    key: await operator(),
    payload,
  })
  assert.equal(reply.status, 200, reply.text)
}

describe('older attempts without an answer', () => {
  for (const kind of ['payment link', 'hosted page'] as const) {
    test(`the pages of a failed newer attempt and of the ${kind} warn about an older attempt, and the poll reports its later success`, async () => {
      const { slug } = kind === 'payment link' ? await newLink() : await newPage()
      const first = await pay(slug, A)
      promptsEnd()
      const second = await pay(slug, B)
      await applyAnswer(second, kind === 'payment link' ? 1 : 2, WRONG_PIN)
      const failed = await look(`/pay/${slug}/c/${second}`)
      assert.ok(failed.includes(TEXTS.en.unanswered_wrong_pin))
      assert.doesNotMatch(failed, /No money left your account/)
      const watches = await warns(failed)
      await warns(await look(`/pay/${slug}`))
      await applyAnswer(first, 1, SUCCESS)
      assert.equal(await stateOf(watches), kind === 'payment link' ? 'paid' : 'success')
      silent(await look(`/pay/${slug}`))
    })

    test(`an expired page warns about a ${kind} attempt without an answer`, async () => {
      const { now } = world.deps.clock
      const body = { expires_at: new Date(now().getTime() + 300_000).toISOString() }
      const { slug } = kind === 'payment link' ? await newLink(body) : await newPage(body)
      await pay(slug, A)
      promptsEnd()
      const second = await pay(slug, B)
      await applyAnswer(second, kind === 'payment link' ? 1 : 2, WRONG_PIN)
      world.deps.clock.advance(300_000)
      const page = await look(`/pay/${slug}`)
      assert.ok(page.includes(TEXTS.en.expired))
      await warns(page)
    })
  }

  test('a cancelled link warns about an attempt without an answer', async () => {
    const { id, slug } = await newLink()
    await pay(slug, A)
    promptsEnd()
    await applyAnswer(await pay(slug, B), 1, WRONG_PIN)
    await world.call({ method: 'POST', url: `/v1/payment-links/${id}/cancel`, key: world.live_key })
    const page = await look(`/pay/${slug}`)
    assert.ok(page.includes(TEXTS.en.cancelled))
    await warns(page)
  })

  test('if every attempt has an answer, the page shows that the provider took no money, and does not poll', async () => {
    const { slug } = await newLink()
    const only = await pay(slug, A)
    await applyAnswer(only, 1, WRONG_PIN)
    const failed = await look(`/pay/${slug}/c/${only}`)
    assert.ok(failed.includes(TEXTS.en.why_wrong_pin))
    silent(failed)
    const open = await look(`/pay/${slug}`)
    silent(open)
    assert.doesNotMatch(open, /data-poll/)
  })
})

describe('strangers who know the link', () => {
  test('a stranger who knows the link sees that a payment exists, but not who pays, and cannot prompt the phone again', async () => {
    for (const { slug } of [await newLink(), await newPage()]) {
      const mine = await pay(slug, A)
      promptsEnd()
      const page = await look(`/pay/${slug}`)
      await warns(page)
      assert.doesNotMatch(page, /that you started/)
      assert.doesNotMatch(page, new RegExp(`${mine}|name="again"|\\*\\*\\*`))
      // The server redirected the payer to this address, so the payer may repeat the prompt.
      assert.match(await look(`/pay/${slug}/c/${mine}`), /name="again"/)
    }
  })

  test('the page of a QR code whose link has expired says not to pay again after a payment by QR, and nothing about a PIN', async () => {
    const { id, slug } = await newLink()
    const mine = await pay(slug, null)
    await world.rows('update payment_links set expires_at = $2 where id = $1', [id, world.deps.clock.now()])
    world.deps.clock.advance(1)
    const page = await look(`/pay/${slug}/c/${mine}`)
    assert.ok(page.includes(TEXTS.en.do_not_pay_again_code), page)
    assert.ok(!page.includes(TEXTS.en.do_not_pay_again))
  })

  test('a stranger who knows the link sees a QR attempt without a text about a PIN, and minutes later no warning', async () => {
    const { slug } = await newLink()
    await pay(slug, null)
    const page = await look(`/pay/${slug}`)
    await warns(page, 'unanswered_code')
    assert.ok(!page.includes(TEXTS.en.unanswered))
    world.deps.clock.advance(15 * 60_000)
    silent(await look(`/pay/${slug}`))
  })

  test('the page of a link with an attempt without an answer has no automatic refresh', async () => {
    const { slug } = await newLink()
    await pay(slug, A)
    promptsEnd()
    assert.doesNotMatch(await look(`/pay/${slug}`), /http-equiv="refresh"/)
  })
})

describe('hosted pages', () => {
  test('a hosted page shows the same QR code after a hundred taps and stays open', async () => {
    const { collection_id, slug } = await newPage()
    const first = await tap(slug, null)
    for (let i = 0; i < 100; i++) {
      const again = await tap(slug, null)
      assert.deepEqual([again.status, again.body.data], [202, first.body.data])
    }
    const key = randomUUID()
    const replies = [await tap(slug, null, key), await tap(slug, null, key)]
    assert.equal(replies[1]?.headers['idempotency-replayed'], 'true')
    assert.equal(replies[0]?.text, replies[1]?.text)
    const attempts = await world.rows('select 1 from collection_attempts where collection_id = $1', [collection_id])
    assert.equal(attempts.length, 1)
    assert.equal((await tap(slug, A)).status, 202)
    promptsEnd()
    // After a payment by another method, or after a few minutes, the page makes a new QR code.
    assert.equal((await tap(slug, null)).status, 202)
    world.deps.clock.advance(15 * 60_000)
    assert.equal((await tap(slug, null)).status, 202)
    const later = await world.rows('select 1 from collection_attempts where collection_id = $1', [collection_id])
    assert.equal(later.length, 4)
  })

  test('a hosted page waits when it accepts no more attempts and the last attempt has no answer', async () => {
    const { collection_id, slug } = await newPage()
    await pay(slug, A)
    promptsEnd()
    await world.rows('update collection_attempts set number = 99 where collection_id = $1', [collection_id])
    await world.rows('update collections set attempts = 99 where id = $1', [collection_id])
    assert.deepEqual(codeOf(await tap(slug, B)), [409, 'payment_link_not_active'])
    assert.equal(await stateOf(`/pay/${slug}`), 'in_progress')
    const page = await look(`/pay/${slug}`)
    assert.ok(page.includes(TEXTS.en.unanswered))
    assert.doesNotMatch(page, /<form|did not succeed/)
  })

  test('a hosted page shows that the provider returned the held money', async () => {
    const { collection_id, slug } = await newPage()
    await pay(slug, A)
    await applyAnswer(collection_id, 1, MORE)
    assert.equal(await stateOf(`/pay/${slug}`), 'review')
    await applyAnswer(collection_id, 1, REVERSED)
    assert.equal(await stateOf(`/pay/${slug}`), 'reversed')
    const page = await look(`/pay/${slug}`)
    assert.ok(page.includes(TEXTS.en.reversed))
    assert.ok(page.includes(`/c/${collection_id}/receipt`))
  })
})

describe('records of hosted payments', () => {
  const heldOf = async (collection_id: string) => {
    const { items } = (await world.get('/v1/operator/collections?page_size=100', await operator())).body.data
    return items.find((item: { collection_id: string }) => item.collection_id === collection_id)
  }
  const listed = async (phone: string) =>
    (await world.get(`/v1/collections?phone=${phone}`, world.live_key)).body.data.items.map(
      (item: { collection_id: string }) => item.collection_id,
    )

  test('the record of a hosted payment shows the phone number that paid, whether the first, a later or an earlier attempt paid', async () => {
    const [C, D, E, F, G] = ['0754125201', '0754125202', '0754125203', '0754125204', '0754125205'] as const
    const one = await newPage()
    await pay(one.slug, C)
    await applyAnswer(one.collection_id, 1, MORE)
    assert.equal((await heldOf(one.collection_id)).customer_phone, `255${C.slice(1)}`)
    assert.deepEqual(await listed(C), [one.collection_id])
    const two = await newPage()
    await pay(two.slug, D)
    promptsEnd()
    await pay(two.slug, E)
    assert.deepEqual([await listed(D), await listed(E)], [[], [two.collection_id]])
    await applyAnswer(two.collection_id, 1, MORE)
    assert.equal((await heldOf(two.collection_id)).customer_phone, `255${D.slice(1)}`)
    assert.deepEqual([await listed(D), await listed(E)], [[two.collection_id], []])
    // A QR payment has no phone number. So the record shows the number in the merchant's request, not that of an earlier
    // attempt.
    const three = await newPage({ customer_phone: G })
    await pay(three.slug, F)
    promptsEnd()
    await pay(three.slug, null)
    await applyAnswer(three.collection_id, 2, MORE)
    assert.equal((await heldOf(three.collection_id)).customer_phone, `255${G.slice(1)}`)
  })

  test('the record of a hosted payment shows the provider status of the paying attempt, not of a newer attempt', async () => {
    const { collection_id, slug } = await newPage()
    await pay(slug, A)
    promptsEnd()
    await pay(slug, B)
    await applyAnswer(collection_id, 2, WRONG_PIN)
    await applyAnswer(collection_id, 1, SUCCESS)
    const { data } = (await world.get(`/v1/collections/${collection_id}`, world.live_key)).body
    assert.deepEqual([data.status, data.provider_payment_status], ['successful', 'COMPLETED'])
  })

  test('a refresh of a hosted payment queries the provider about every attempt without an answer', async () => {
    const { collection_id, slug } = await newPage()
    await pay(slug, A)
    promptsEnd()
    await pay(slug, B)
    await applyAnswer(collection_id, 2, WRONG_PIN)
    const rows = await world.rows<{ provider_reference: string }>(
      'select provider_reference from collection_attempts where collection_id = $1 order by number',
      [collection_id],
    )
    reported_statuses.set(rows[0]?.provider_reference as string, SUCCESS)
    const url = `/v1/collections/${collection_id}/refresh-status`
    const refreshed = await world.call({ method: 'POST', url, key: world.live_key })
    assert.equal(refreshed.body.data.status, 'successful')
    assert.ok(rows.every(({ provider_reference }) => queried_references.includes(provider_reference)))
  })

  test('the receipt shows the time at which the payer paid, not the time of the approval', async () => {
    const { slug } = await newLink()
    const collection_id = await pay(slug, A)
    const day = (page: string) => /\d+ \w{3} \d{4}, \d\d:\d\d/.exec(page)?.[0]
    await applyAnswer(collection_id, 1, MORE)
    const { clock } = world.deps
    const arrived = new Intl.DateTimeFormat('en-GB', { timeZone: 'Africa/Dar_es_Salaam', timeStyle: 'short' }).format(
      clock.now(),
    )
    clock.advance(2 * 86_400_000)
    await clear(collection_id)
    const receipt = day(await look(`/pay/${slug}/c/${collection_id}/receipt`))
    assert.ok(receipt?.endsWith(arrived), `${receipt}`)
    const date = new Date(clock.now().getTime() - 2 * 86_400_000)
    const expected = new Intl.DateTimeFormat('en-GB', { timeZone: 'Africa/Dar_es_Salaam', day: 'numeric' }).format(date)
    assert.ok(receipt?.startsWith(`${expected} `), `${receipt}`)
    assert.equal(day(await look(`/pay/${slug}`)), receipt)
  })
})

test('a refused request stores no idempotency key, and a later request can use the same key', async () => {
  const { slug } = await newLink()
  await pay(slug, A)
  const key = randomUUID()
  const before_keys = await world.rows('select 1 from idempotency_keys')
  for (let i = 0; i < 3; i++) assert.deepEqual(codeOf(await tap(slug, B, key)), [409, 'payment_in_progress'])
  assert.ok(Number((await tap(slug, B, key)).headers['retry-after']) > 0)
  assert.equal((await world.rows('select 1 from idempotency_keys')).length, before_keys.length)
  promptsEnd()
  const paid = await tap(slug, B, key)
  assert.equal(paid.status, 202, paid.text)
  assert.equal((await tap(slug, B, key)).text, paid.text)
})
