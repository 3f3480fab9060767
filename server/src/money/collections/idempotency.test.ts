// Tests that a repeated request with one Idempotency-Key makes one payment.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createWorld, type Reply, type World } from '../../../test/harness.ts'
import { NO_PAYOUTS } from '../../../test/no-payouts.ts'

const PUSH = '/v1/collections/wallet-push'
const QR = '/v1/collections/qr'
const BODY = { amount: '10', phone: '0754123001', reference: 'R-1' }
const DAY_MS = 86_400_000

let world: World
before(async () => {
  world = await createWorld()
})
after(async () => {
  await world.work()
  await world.close()
})

const codeOf = (reply: Reply): [number, string] => [reply.status, reply.body.error?.code ?? 'ok']
async function countOf(of: World = world): Promise<number> {
  return Number((await of.rows<{ n: bigint }>('select count(*) as n from collections'))[0]?.n)
}

test('the server refuses a payment with 400 when the Idempotency-Key header is missing or malformed', async () => {
  assert.deepEqual(codeOf(await world.post(PUSH, BODY, { idempotency_key: null })), [400, 'idempotency_key_required'])
  for (const idempotency_key of ['', ' ', 'a b', 'a\tb', 'é', 'x'.repeat(256), 'a\u007f']) {
    assert.deepEqual(
      codeOf(await world.post(PUSH, BODY, { idempotency_key })),
      [400, 'idempotency_key_required'],
      JSON.stringify(idempotency_key),
    )
  }
  for (const idempotency_key of ['x', '!', '~', 'x'.repeat(255), `"quoted-${randomUUID()}"`])
    assert.deepEqual(codeOf(await world.post(PUSH, BODY, { idempotency_key })), [202, 'ok'])
})

test('a repeated request gets the same bytes, marked as replayed, and makes no second payment', async () => {
  for (const path of [PUSH, '/v1/collections/provider-pesa', QR]) {
    const idempotency_key = randomUUID()
    const first = await world.post(path, BODY, { idempotency_key })
    assert.equal(first.status, 202)
    assert.equal(first.headers['idempotency-replayed'], undefined)
    const before = await countOf()
    for (let i = 0; i < 3; i++) {
      const again = await world.post(path, BODY, { idempotency_key })
      assert.equal(again.status, 202)
      assert.equal(again.text, first.text)
      assert.equal(again.headers['idempotency-replayed'], 'true')
      assert.equal(again.headers['content-type'], first.headers['content-type'])
      await world.work()
    }
    assert.equal(await countOf(), before)
  }
})

test('the server treats a request as a replay when only its field order, spaces, escapes or amount format differ', async () => {
  const idempotency_key = randomUUID()
  const first = await world.post(PUSH, { amount: '10', phone: '0754123001', reference: 'R' }, { idempotency_key })
  for (const payload of [
    '{"amount":"10.00","phone":"0754123001","reference":"R"}',
    '{"amount":10,"phone":"0754123001","reference":"R"}',
    '{"amount":10.0,"phone":"0754123001","reference":"R"}',
    '{ "reference" : "R",\n "phone":"0754123001", "amount":"10.0" }',
    '{"reference":"\\u0052","phone":"0754123001","amount":"010"}',
  ]) {
    const again = await world.call({
      method: 'POST',
      url: PUSH,
      payload,
      idempotency_key,
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(again.text, first.text, payload)
  }
})

test('the server answers 422 to a used key with another body, path or query, and makes no second payment', async () => {
  const idempotency_key = randomUUID()
  await world.post(PUSH, BODY, { idempotency_key })
  const before = await countOf()
  for (const body of [
    { ...BODY, amount: '10.01' },
    { ...BODY, phone: '0754123002' },
    { ...BODY, reference: 'R-2' },
    { ...BODY, reference: undefined },
    { ...BODY, x: null },
  ]) {
    assert.deepEqual(codeOf(await world.post(PUSH, body, { idempotency_key })), [422, 'idempotency_key_reused'])
  }
  assert.deepEqual(codeOf(await world.post('/v1/collections/provider-pesa', BODY, { idempotency_key })), [
    422,
    'idempotency_key_reused',
  ])
  assert.deepEqual(codeOf(await world.post(QR, BODY, { idempotency_key })), [422, 'idempotency_key_reused'])
  assert.deepEqual(codeOf(await world.post(`${PUSH}?environment=sandbox`, BODY, { idempotency_key })), [
    422,
    'idempotency_key_reused',
  ])
  assert.equal(await countOf(), before)
})

test('the server compares a request with the earlier request of its key before it applies the rules for payments', async () => {
  const idempotency_key = randomUUID()
  await world.post(PUSH, BODY, { idempotency_key })
  for (const wrong of [{ currency: 'USD' }, { amount: '0.01' }, { merchant_id: randomUUID() }]) {
    assert.deepEqual(codeOf(await world.post(PUSH, { ...BODY, ...wrong }, { idempotency_key })), [
      422,
      'idempotency_key_reused',
    ])
  }
})

test('two merchants, and two environments of one merchant, can each make a payment with the same key', async () => {
  const idempotency_key = randomUUID()
  const stranger = await world.newKey({ merchant: await world.newMerchant() })
  const replies = [
    await world.post(PUSH, BODY, { idempotency_key }),
    await world.post(PUSH, { ...BODY, amount: '11' }, { idempotency_key, key: world.live_key }),
    await world.post(PUSH, { ...BODY, amount: '12' }, { idempotency_key, key: stranger }),
  ]
  assert.deepEqual(
    replies.map((reply) => reply.status),
    [202, 202, 202],
  )
  assert.equal(new Set(replies.map((reply) => reply.body.data.collection_id)).size, 3)
})

test('a repeated request with another API key of the same merchant gets the same answer', async () => {
  const idempotency_key = randomUUID()
  const first = await world.post(PUSH, BODY, { idempotency_key })
  assert.equal((await world.post(PUSH, BODY, { idempotency_key, key: await world.newKey() })).text, first.text)
})

test('64 identical requests at the same time make one payment, one attempt and one credit', async () => {
  const own = await createWorld()
  try {
    const idempotency_key = randomUUID()
    const replies = await Promise.all(Array.from({ length: 64 }, () => own.post(PUSH, BODY, { idempotency_key })))
    assert.deepEqual([...new Set(replies.map((reply) => reply.status))], [202])
    assert.equal(new Set(replies.map((reply) => reply.text)).size, 1)
    assert.equal(replies.filter((reply) => reply.headers['idempotency-replayed'] === undefined).length, 1)
    await own.work()
    assert.equal(await countOf(own), 1)
    assert.equal((await own.rows('select 1 from collection_attempts')).length, 1)
    assert.equal((await own.rows('select 1 from ledger_transfers')).length, 1)
  } finally {
    await own.close()
  }
})

test('64 requests at the same time with one key and different bodies make one payment, and the server refuses the other requests', async () => {
  const own = await createWorld()
  try {
    const idempotency_key = randomUUID()
    const replies = await Promise.all(
      Array.from({ length: 64 }, (_, i) => own.post(PUSH, { ...BODY, reference: `R-${i}` }, { idempotency_key })),
    )
    assert.equal(replies.filter((reply) => reply.status === 202).length, 1)
    assert.equal(replies.filter((reply) => codeOf(reply)[1] === 'idempotency_key_reused').length, 63)
    assert.equal(await countOf(own), 1)
  } finally {
    await own.close()
  }
})

test('the server replays an answer for 30 days, and then refuses the key of the answer with 422 and makes no payment', async () => {
  const own = await createWorld()
  try {
    const idempotency_key = randomUUID()
    const first = await own.post(PUSH, BODY, { idempotency_key })
    await own.work()
    own.deps.clock.advance(30 * DAY_MS)
    assert.equal((await own.post(PUSH, BODY, { idempotency_key })).text, first.text)
    own.deps.clock.advance(1)
    assert.deepEqual(codeOf(await own.post(PUSH, BODY, { idempotency_key })), [422, 'idempotency_key_reused'])
    own.deps.clock.advance(1000 * DAY_MS)
    assert.deepEqual(codeOf(await own.post(PUSH, BODY, { idempotency_key })), [422, 'idempotency_key_reused'])
    assert.equal(await countOf(own), 1)
  } finally {
    await own.close()
  }
})

describe('the key of a refused request', () => {
  for (const [status, wrong, options] of [
    [400, { amount: 'ten' }, {}],
    [401, {}, { key: null }],
    [403, { merchant_id: randomUUID() }, {}],
    [422, { currency: 'USD' }, {}],
    [422, { amount: '0.10' }, {}],
  ] as const) {
    test(`the server stores no key with the answer ${status} to ${JSON.stringify(wrong)}, and accepts the key later`, async () => {
      const idempotency_key = randomUUID()
      assert.equal((await world.post(PUSH, { ...BODY, ...wrong }, { idempotency_key, ...options })).status, status)
      assert.equal((await world.rows('select 1 from idempotency_keys where key = $1', [idempotency_key])).length, 0)
      assert.equal((await world.post(PUSH, BODY, { idempotency_key })).status, 202)
    })
  }
  test('the server accepts the key of a request again after it refused the request with 403 for a missing scope', async () => {
    const idempotency_key = randomUUID()
    const key = await world.newKey({ scopes: ['collections:read'] })
    assert.equal((await world.post(PUSH, BODY, { idempotency_key, key })).status, 403)
    assert.equal((await world.post(PUSH, BODY, { idempotency_key })).status, 202)
  })
})

describe('a QR code that the provider makes', () => {
  test('a second request for a QR code gets 409 with Retry-After while the first request with the same key waits for the provider', async () => {
    let release = () => {}
    const gate = new Promise<void>((done) => {
      release = done
    })
    const accepted = {
      kind: 'accepted',
      provider_status: 'PENDING',
      payment_token: '12345678',
      qr_payload: '000201',
    } as const
    const own = await createWorld({
      compose: {
        providers: [
          {
            name: 'sandbox',
            capabilities: { methods: ['qr'], whole_shillings: false, payout_methods: [] },
            push: async () => accepted,
            qr: async () => {
              await gate
              return accepted
            },
            status: async (all) => all.map(() => accepted),
            ...NO_PAYOUTS,
            verifyCallback: () => ({ verified: false }),
          },
        ],
      },
    })
    try {
      const idempotency_key = randomUUID()
      const first = own.post(QR, { amount: 10 }, { idempotency_key })
      while ((await countOf(own)) === 0) await new Promise((done) => setTimeout(done, 5))
      const second = await own.post(QR, { amount: 10 }, { idempotency_key })
      assert.deepEqual(codeOf(second), [409, 'idempotency_in_progress'])
      assert.ok(Number(second.headers['retry-after']) >= 1)
      assert.deepEqual(codeOf(await own.post(QR, { amount: 11 }, { idempotency_key })), [422, 'idempotency_key_reused'])
      release()
      const answer = await first
      assert.equal(answer.status, 202)
      const third = await own.post(QR, { amount: 10 }, { idempotency_key })
      assert.equal(third.text, answer.text)
      assert.equal(await countOf(own), 1)
    } finally {
      release()
      await own.close()
    }
  })

  for (const crash_point of ['qr.before_call', 'qr.after_call']) {
    test(`30 seconds after a process died at ${crash_point}, the server accepts the key of its request again and continues the same payment`, async () => {
      let dies = true
      const own = await createWorld({
        env: { COLLECTION_DEADLINE_H: '0.05' },
        point: (name) => {
          if (name !== crash_point || !dies) return
          dies = false
          throw new Error('the process dies here')
        },
      })
      try {
        const idempotency_key = randomUUID()
        // The payer with this phone never pays, so the payment of the first request must end at its deadline.
        const body = { amount: 10, customer_phone: '0754123007' }
        assert.equal((await own.post(QR, body, { idempotency_key })).status, 500)
        assert.deepEqual(codeOf(await own.post(QR, body, { idempotency_key })), [409, 'idempotency_in_progress'])
        await own.pass(30_000)
        const again = await own.post(QR, body, { idempotency_key })
        assert.equal(again.status, 202)
        assert.equal((await own.post(QR, body, { idempotency_key })).text, again.text)
        await own.pass(240_000)
        const rows = await own.rows('select id, status, failure_reason_code from collections')
        assert.deepEqual(rows, [
          { id: again.body.data.collection_id, status: 'failed', failure_reason_code: 'timeout' },
        ])
      } finally {
        await own.close()
      }
    })
  }

  test('the server answers 503 while the provider makes no QR code, and later answers the same key with the code of the one payment', async () => {
    let down = true
    const references: string[] = []
    const unknown = { kind: 'unknown', why: 'unreachable', provider_status: null } as const
    const accepted = { kind: 'accepted', provider_status: 'PENDING' } as const
    const own = await createWorld({
      compose: {
        providers: [
          {
            name: 'sandbox',
            capabilities: { methods: ['qr'], whole_shillings: false, payout_methods: [] },
            push: async () => unknown,
            qr: async ({ reference }) => {
              references.push(reference)
              if (references.length === 2) throw new Error('bug in qr')
              return down ? unknown : { ...accepted, payment_token: '12345678', qr_payload: '000201' }
            },
            status: async (all) => all.map(() => (down ? unknown : accepted)),
            ...NO_PAYOUTS,
            verifyCallback: () => ({ verified: false }),
          },
        ],
      },
    })
    try {
      const idempotency_key = randomUUID()
      const ask = () => own.post(QR, { amount: 10 }, { idempotency_key })
      for (let i = 0; i < 3; i++) {
        const reply = await ask()
        assert.deepEqual(codeOf(reply), [503, 'provider_unavailable'])
        assert.ok(Number(reply.headers['retry-after']) >= 1)
        await own.pass(20_000)
      }
      assert.equal(await countOf(own), 1)
      assert.equal((await own.rows("select 1 from collections where status = 'processing'")).length, 1)
      down = false
      const replies = await Promise.all([ask(), ask(), ask()])
      const [shown] = replies.filter((reply) => reply.status === 202)
      assert.ok(shown)
      for (const reply of replies)
        assert.ok(reply.text === shown.text || codeOf(reply)[1] === 'idempotency_in_progress', reply.text)
      assert.equal((await ask()).text, shown.text)
      assert.equal(await countOf(own), 1)
      assert.equal(new Set(references).size, 1, 'every call has the same reference')
    } finally {
      await own.close()
    }
  })

  test('a process whose clock is behind accepts the key of a request that got no code again', async () => {
    const own = await createWorld()
    try {
      const idempotency_key = randomUUID()
      for (let i = 0; i < 3; i++) {
        const reply = await own.post(QR, { amount: 10, customer_phone: '0754123013' }, { idempotency_key })
        assert.deepEqual(codeOf(reply), [503, 'provider_unavailable'])
        own.deps.clock.step(-1_000)
      }
      assert.equal(await countOf(own), 1)
    } finally {
      await own.close()
    }
  })

  test('the payment fails once when the provider declines to give a code, even for repeated requests', async () => {
    const own = await createWorld()
    try {
      await own.call({
        method: 'PATCH',
        url: '/v1/merchant/webhook-config',
        payload: { webhook_url: 'http://127.0.0.1:9/' },
      })
      const idempotency_key = randomUUID()
      for (let i = 0; i < 3; i++) {
        const reply = await own.post(QR, { amount: 10, customer_phone: '0754123013' }, { idempotency_key })
        assert.deepEqual(codeOf(reply), [503, 'provider_unavailable'])
      }
      assert.deepEqual(await own.rows('select status, failure_reason_code from collections'), [
        { status: 'failed', failure_reason_code: 'provider_unavailable' },
      ])
      assert.equal((await own.rows('select 1 from webhook_deliveries')).length, 1)
      assert.equal((await own.rows('select 1 from idempotency_keys where status_code is not null')).length, 0)
      const other = { idempotency_key: randomUUID() }
      assert.equal((await own.post(QR, { amount: 10, customer_phone: '0754123001' }, other)).status, 202)
    } finally {
      await own.close()
    }
  })
})
