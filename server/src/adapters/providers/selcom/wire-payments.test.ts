// Tests over real sockets that the adapter prompts each payer at most once and reports the right outcome of each payment.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  adapterFor,
  existingOrder,
  FAIL,
  MADE,
  NO_ORDER,
  NO_PROMPT,
  PENDING,
  payment,
  payout,
  type ServerReaction,
  SUCCESS,
  start,
  why,
} from '../../../../test/providers/selcom.ts'
import { nowhere } from '../../../../test/providers/servers.ts'

const CREATE = '/v1/checkout/create-order-minimal'
const PROMPT = '/v1/checkout/wallet-payment'
const STATUS = '/v1/checkout/order-status'

describe('prompts', () => {
  it('a push makes an order and then sends the prompt, both with the same reference', async () => {
    const { provider, received } = await start(({ path }) => (path === CREATE ? MADE : PENDING))
    const request = payment()
    const answer = await provider.push(request)
    assert.deepEqual(answer, { kind: 'accepted', provider_status: 'PENDING', provider_id: '0289999288' })
    const [order, prompt] = received
    assert.equal(received.length, 2)
    assert.equal(
      order?.body,
      JSON.stringify({
        vendor: 'TILL1',
        order_id: request.reference,
        buyer_email: 'payments@example.com',
        buyer_name: 'Customer',
        buyer_phone: '255740000001',
        amount: 5000,
        currency: 'TZS',
        webhook: Buffer.from('https://pay.example.com/callbacks/selcom').toString('base64'),
        no_of_items: 1,
      }),
    )
    assert.deepEqual([order?.method, order?.path, prompt?.method, prompt?.path], ['POST', CREATE, 'POST', PROMPT])
    assert.deepEqual(prompt?.fields, {
      transid: request.reference,
      order_id: request.reference,
      msisdn: '255740000001',
    })
  })

  it('the adapter sends a prompt for Selcom Pesa to a separate path of the gateway', async () => {
    const { provider, paths } = await start(({ path }) => (path === CREATE ? MADE : PENDING))
    assert.equal((await provider.push(payment({ method: 'provider_pesa' }))).kind, 'accepted')
    assert.deepEqual(paths(), [CREATE, '/v1/checkout/selcompesa-payment'])
  })

  it('the adapter sends the configured end of prompts for a prompt only, and no callback URL when the setting is null', async () => {
    const options = { push_expiry_min: 10, callback_url: null }
    const { provider, received } = await start(({ path }) => (path === CREATE ? MADE : PENDING), options)
    await provider.push(payment())
    assert.equal(received[0]?.fields.expiry, 10)
    await provider.qr(payment({ method: 'qr' }))
    const orders = received.filter(({ path }) => path === CREATE).map(({ fields }) => fields)
    assert.deepEqual(
      orders.map((fields) => ['expiry' in fields, 'webhook' in fields]),
      [
        [true, false],
        [false, false],
      ],
    )
  })

  it('the adapter sends at most one prompt for repeated pushes, even when the gateway refuses the order as a duplicate', async () => {
    const duplicate = { content: { resultcode: '651', result: 'FAIL', message: 'Duplicate order' } }
    for (const [create, prompts] of [
      [MADE, 1],
      [duplicate, 0],
    ] as const) {
      const { provider, paths } = await start(({ path }) => (path === CREATE ? create : PENDING))
      const request = payment()
      const answers = await Promise.all([1, 2, 3].map(() => provider.push(request)))
      answers.push(await provider.push(request))
      for (const answer of answers) assert.deepEqual(answer, answers[0])
      assert.equal(paths().filter((path) => path === PROMPT).length, prompts)
      assert.equal(paths().filter((path) => path === CREATE).length, 1)
    }
  })

  it('the adapter sends no prompt for an existing order, because an earlier process may have sent the prompt', async () => {
    const taken: ServerReaction = { content: { resultcode: '651', result: 'FAIL', message: 'Duplicate order' } }
    for (const create of [taken, FAIL]) {
      for (const [status, kind] of [
        ['PENDING', 'accepted'],
        ['COMPLETED', 'succeeded'],
        ['USERCANCELLED', 'declined'],
      ] as const) {
        const { provider, paths } = await start((received) =>
          received.path === CREATE ? create : existingOrder(received, status),
        )
        assert.equal((await provider.push(payment())).kind, kind)
        assert.deepEqual(paths(), [CREATE, STATUS])
      }
    }
  })

  it('the adapter sends the prompt after a lost answer to its order request when a query finds the order', async () => {
    for (const act of [
      'hang',
      'reset',
      'half',
      { status: 502, content: '<html>' },
      { content: '' },
    ] as ServerReaction[]) {
      const { provider, paths } = await start((received) => {
        if (received.path === CREATE) return act
        return received.path === STATUS ? existingOrder(received) : PENDING
      })
      assert.equal((await provider.push(payment())).kind, 'accepted')
      assert.deepEqual(paths(), [CREATE, STATUS, PROMPT])
    }
  })

  it('a push reports a declined payment when the payer certainly got no prompt', async () => {
    const acts: ServerReaction[] = [
      'hang',
      'reset',
      'half',
      { status: 500, content: '' },
      { content: 'x' },
      { status: 429, content: '' },
    ]
    for (const create of acts) {
      for (const status of ['hang', NO_ORDER] as ServerReaction[]) {
        const options = { timeout_ms: 2_000 }
        const { provider, paths } = await start(({ path }) => (path === CREATE ? create : status), options)
        assert.deepEqual(await provider.push(payment()), NO_PROMPT)
        assert.deepEqual(paths(), [CREATE, STATUS])
      }
    }
    const { provider } = adapterFor(await nowhere())
    assert.deepEqual(await provider.push(payment()), NO_PROMPT)
  })

  it('a push sends no request when no connection is free, and a later push of the payment sends its order', async () => {
    const { provider, received } = await start(() => 'hang', { connections: 1, timeout_ms: 2_000 })
    const [first, second] = [payment(), payment()]
    const answers = await Promise.all([provider.push(first), provider.push(second)])
    assert.deepEqual(answers, [NO_PROMPT, { kind: 'not_sent', busy: true, provider_status: null }])
    assert.ok(received.every(({ fields }) => fields.order_id === first.reference))
    await provider.push(second)
    assert.ok(received.some(({ fields }) => fields.order_id === second.reference))
  })

  it('a repeated push sends the prompt when the payer certainly got no prompt', async () => {
    let is_up = false
    const { provider, paths } = await start(({ path }) => {
      if (!is_up) return { status: 503, content: '' }
      return path === CREATE ? MADE : PENDING
    })
    const request = payment()
    assert.deepEqual(await provider.push(request), NO_PROMPT)
    is_up = true
    assert.equal((await provider.push(request)).kind, 'accepted')
    assert.deepEqual(paths(), [CREATE, STATUS, CREATE, PROMPT])
  })

  it('the adapter reports an unknown outcome for a prompt that may have reached the payer, and sends no second prompt', async () => {
    const cases: [ServerReaction, string][] = [
      ['hang', 'timeout'],
      ['reset', 'unreachable'],
      ['half', 'unreachable'],
      [{ status: 500, content: '' }, 'unreachable'],
      [{ content: '' }, 'unreadable'],
      [{ content: { resultcode: '999', result: 'AMBIGOUS' } }, 'unseen_status'],
      [{ status: 403, content: '<html>' }, 'refused_us'],
      [{ content: { resultcode: '400', result: 'FAIL', message: 'Duplicate transid' } }, 'unseen_status'],
    ]
    for (const [act, reason] of cases) {
      const { provider, paths } = await start(({ path }) => (path === CREATE ? MADE : act))
      const request = payment()
      assert.equal(why(await provider.push(request)), reason)
      assert.equal(why(await provider.push(request)), reason)
      assert.deepEqual(paths(), [CREATE, PROMPT])
    }
  })

  it('the adapter reports a declined payment with a reason when the gateway refuses the prompt', async () => {
    const number: ServerReaction = { content: { resultcode: '010', result: 'FAIL', message: 'Invalid mobile number' } }
    const { provider } = await start(({ path }) => (path === CREATE ? MADE : number))
    assert.deepEqual(await provider.push(payment()), {
      kind: 'declined',
      reason: 'provider_declined',
      provider_status: '010 FAIL',
    })
  })

  it('the adapter sends no request when the gateway cannot take the amount, currency, phone or method', async () => {
    const { provider, received } = await start(() => MADE)
    for (const fields of [
      { amount_minor: 500_050n },
      { amount_minor: 0n },
      { amount_minor: -500_000n },
      { amount_minor: 100n * 2n ** 53n },
      { currency: 'USD' },
      { phone: null },
      { method: 'qr' },
    ] as const) {
      assert.equal((await provider.push(payment(fields))).kind, 'declined')
    }
    assert.equal((await provider.qr(payment({ method: 'qr', amount_minor: 1n }))).kind, 'declined')
    assert.deepEqual(received, [])
  })
})

describe('QR codes', () => {
  it('the adapter returns a QR code unchanged and requests the code once', async () => {
    const { provider, received } = await start(() => MADE)
    const request = payment({ method: 'qr', phone: null })
    const code = await provider.qr(request)
    assert.deepEqual(code, {
      kind: 'accepted',
      payment_token: '80008000',
      qr_payload: '0002 é&',
      provider_status: 'SUCCESS',
      provider_id: '0289999288',
    })
    assert.deepEqual(await Promise.all([provider.qr(request), provider.qr(request)]), [code, code])
    assert.equal(received.length, 1)
    // The gateway requires a phone for an order and sends no message to this phone.
    assert.equal(received[0]?.fields.buyer_phone, '255740000009')
  })

  it('the adapter reports an unknown outcome of a QR request when the answer gets lost, and reports a repeated request as accepted', async () => {
    let act: ServerReaction = 'reset'
    const { provider } = await start(() => act)
    const request = payment({ method: 'qr' })
    for (const [next, reason] of [
      ['reset', 'unreachable'],
      ['hang', 'timeout'],
      [{ content: '' }, 'unreadable'],
      [{ content: { ...SUCCESS, data: [] } }, 'unreadable'],
      [{ status: 500, content: '' }, 'unreachable'],
    ] as [ServerReaction, string][]) {
      act = next
      assert.equal(why(await provider.qr(request)), reason)
    }
    act = MADE
    assert.equal((await provider.qr(request)).kind, 'accepted')
    const { provider: alone } = adapterFor(await nowhere())
    assert.equal(why(await alone.qr(request)), 'unreachable')
  })

  it('a QR request fails when its unpaid order already exists, because no payer has the code', async () => {
    const { provider } = await start((received) => (received.path === CREATE ? FAIL : existingOrder(received)))
    assert.deepEqual(await provider.qr(payment({ method: 'qr' })), {
      kind: 'declined',
      reason: 'provider_unavailable',
      provider_status: 'PENDING',
    })
  })

  it('a QR request reports the payment as succeeded when a payer has already paid the order', async () => {
    const { provider } = await start((received) =>
      received.path === CREATE ? FAIL : existingOrder(received, 'COMPLETED'),
    )
    assert.equal((await provider.qr(payment({ method: 'qr' }))).kind, 'succeeded')
  })
})

describe('the status of payments', () => {
  it('the adapter sends many queries over few connections and answers in the order of the requests', async () => {
    const { provider, received } = await start(
      (call) => {
        const number = Number(String(call.fields.order_id).slice(-6))
        if (number % 5 === 0) return { status: 500, content: '' }
        return existingOrder(call, number % 2 === 0 ? 'COMPLETED' : 'PENDING')
      },
      { connections: 3, timeout_ms: 4_500 },
    )
    const requests = Array.from({ length: 120 }, () => payment())
    const answers = await provider.status(requests)
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      requests.map(({ reference }) => {
        const number = Number(reference.slice(-6))
        if (number % 5 === 0) return 'unknown'
        return number % 2 === 0 ? 'succeeded' : 'accepted'
      }),
    )
    assert.equal(received.length, 120)
    assert.ok(received.every(({ method, path }) => method === 'GET' && path === STATUS))
    assert.deepEqual(await provider.status([]), [])
  })

  it('the adapter reports an unknown outcome of a payment when its query hangs, and delays neither prompts nor payouts', async () => {
    const { provider } = await start(
      ({ path }) => {
        if (path === STATUS) return 'hang'
        return path === CREATE ? MADE : PENDING
      },
      { connections: 2, timeout_ms: 1_500 },
    )
    const answers = provider.status(Array.from({ length: 20 }, () => payment()))
    const [prompt, sent] = await Promise.all([provider.push(payment()), provider.payout(payout())])
    assert.deepEqual([prompt.kind, sent.kind], ['accepted', 'accepted'])
    for (const answer of await answers) assert.equal(answer.kind, 'unknown')
  })

  it('the adapter reports a payment as not_found only for a configured code', async () => {
    const { provider } = await start(() => NO_ORDER)
    assert.equal((await provider.status([payment()]))[0]?.kind, 'unknown')
    const sure = await start(() => NO_ORDER, { order_unknown_codes: ['651'] })
    assert.equal((await sure.provider.status([payment()]))[0]?.kind, 'not_found')
  })
})
