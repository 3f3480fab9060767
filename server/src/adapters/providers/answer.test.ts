// Tests that the server can store every answer about a payment, whatever its texts, amounts and times. No answer keeps a
// payment open after its deadline.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { codeOf, createWorld } from '../../../test/harness.ts'
import { NO_PAYOUTS } from '../../../test/no-payouts.ts'
import { readAnswer, readPushAnswer, readQrAnswer, UNREADABLE } from './answer.ts'
import type { Answer, Provider, PushAnswer, QrAnswer } from './port.ts'

const paid = { kind: 'succeeded', amount_minor: 1_000n, currency: 'TZS', provider_status: 'COMPLETED' } as const
const open = { kind: 'accepted', provider_status: 'PENDING' } as const

const STRANGE: [string, Partial<Answer>][] = [
  ['NUL in the status', { provider_status: 'DO\0NE' }],
  ['NUL in the id', { provider_id: '\0' }],
  ['a lone surrogate', { provider_status: 'x\ud83d' }],
  ['a status that is cut within a character', { provider_status: `${'x'.repeat(63)}\u{1f4b0}y` }],
  ['a status of a megabyte', { provider_status: 'x\0'.repeat(500_000) }],
  ['a pause of 250,000 years', { ask_again_ms: 8e15 }],
  ['an infinite pause', { ask_again_ms: Number.POSITIVE_INFINITY }],
  ['a pause of a microsecond', { ask_again_ms: 0.001 }],
  ['a pause that is no number', { ask_again_ms: Number.NaN }],
]

async function withAnswers(
  answers: { push?: Answer; status?: Answer; qr?: () => QrAnswer },
  work: (world: Awaited<ReturnType<typeof createWorld>>, queries: () => number) => Promise<void>,
): Promise<void> {
  let queries = 0
  const provider: Provider = {
    name: 'mock',
    capabilities: { methods: ['wallet_push', 'provider_pesa', 'qr'], whole_shillings: false, payout_methods: [] },
    push: async () => answers.push ?? open,
    qr: async () => answers.qr?.() ?? open,
    status: async (requests) => {
      queries++
      return requests.map(() => answers.status ?? open)
    },
    ...NO_PAYOUTS,
    verifyCallback: () => ({ verified: false }),
  }
  const world = await createWorld({ compose: { providers: [provider] }, env: { COLLECTION_DEADLINE_H: '0.02' } })
  try {
    await work(world, () => queries)
  } finally {
    await world.close()
  }
}

describe('payments of a provider with strange answers', () => {
  for (const [name, fields] of STRANGE) {
    test(`the server settles a payment, or fails the payment at its deadline, when the provider's answers have ${name}`, async () => {
      const push = { ...open, ...fields } as Answer
      for (const [status, expected] of [
        [{ ...open, ...fields } as Answer, 'failed'],
        [{ ...paid, ...fields } as Answer, 'successful'],
      ] as const) {
        await withAnswers({ push, status }, async (world, queries) => {
          const { collection_id } = (
            await world.post(
              '/v1/collections/wallet-push',
              { amount: '10', phone: '0754123456' },
              { key: world.live_key },
            )
          ).body.data
          await world.pass(100_000)
          const shown = (await world.get(`/v1/collections/${collection_id}`, world.live_key)).body.data
          assert.equal(shown.status, expected)
          assert.ok(queries() <= 120, `${queries()} queries`)
        })
      }
    })
  }

  for (const [name, code] of [
    ['NUL in the token', { payment_token: '1\0', qr_payload: '000201' }],
    ['NUL in the code', { payment_token: '1', qr_payload: '0002\0' }],
    ['half a character in the code', { payment_token: '1', qr_payload: '\udc00' }],
    ['a code of a megabyte', { payment_token: '1', qr_payload: '0'.repeat(1_000_000) }],
    ['empty texts', { payment_token: '', qr_payload: '' }],
  ] as const) {
    test(`the server answers 503 for a QR code with ${name}, and accepts the same Idempotency-Key when the next code is valid`, async () => {
      let broken = true
      const good = { payment_token: '12345678', qr_payload: '000201' }
      await withAnswers({ qr: () => ({ ...open, ...(broken ? code : good) }) }, async (world) => {
        const options = { key: world.live_key, idempotency_key: randomUUID() }
        const ask = () => world.post('/v1/collections/qr', { amount: '10' }, options)
        assert.deepEqual(codeOf(await ask()), [503, 'provider_unavailable'])
        broken = false
        const reply = await ask()
        assert.equal(reply.status, 202)
        assert.equal(reply.body.data.qr_payload, good.qr_payload)
        const rows = await world.rows('select id as collection_id from collections')
        assert.deepEqual(rows, [{ collection_id: reply.body.data.collection_id }])
      })
    })
  }
})

describe('the readers of answers', () => {
  test('readAnswer and readQrAnswer return a valid answer unchanged', () => {
    const plain: Answer = { ...paid, provider_id: 'P-1 \u{1f4b0}', ask_again_ms: 1_500 }
    assert.deepEqual(readAnswer(plain), plain)
    const code = { ...open, provider_id: null, payment_token: '12345678', qr_payload: '00020101' }
    assert.deepEqual(readQrAnswer(code), code)
    const down = {
      kind: 'declined',
      reason: 'provider_unavailable',
      provider_status: '151',
      provider_id: null,
    } as const
    assert.deepEqual(readAnswer({ ...down, answered: true }), { ...down, answered: true })
    assert.deepEqual(readAnswer({ ...down, answered: 'yes' } as unknown as Answer), down)
  })

  test('only readPushAnswer accepts not_sent, and readAnswer and readQrAnswer return an unknown outcome', () => {
    const unsent = { kind: 'not_sent', busy: true, provider_status: null, ask_again_ms: 1_500 } as const
    assert.deepEqual(readPushAnswer(unsent), unsent)
    assert.deepEqual(readPushAnswer({ ...unsent, provider_status: 'x', ask_again_ms: -1 } as unknown as PushAnswer), {
      kind: 'not_sent',
      busy: true,
      provider_status: null,
    })
    assert.deepEqual(readPushAnswer(paid), { ...paid, provider_id: null })
    for (const nothing of [null, {}, 5]) assert.deepEqual(readPushAnswer(nothing as unknown as PushAnswer), UNREADABLE)
    assert.deepEqual(readAnswer(unsent as unknown as Answer), UNREADABLE)
    assert.deepEqual(readQrAnswer(unsent as unknown as QrAnswer), UNREADABLE)
  })

  test('readAnswer cuts long texts by characters and replaces characters that the database cannot store', () => {
    const { provider_status } = readAnswer({ ...open, provider_status: '\u{1f4b0}'.repeat(70) })
    assert.equal(provider_status, '\u{1f4b0}'.repeat(64))
    assert.equal(readAnswer({ ...open, provider_status: 'a\u0085b\ud800' }).provider_status, 'a\ufffdb\ufffd')
  })

  test('readAnswer keeps pauses between a quarter of a second and an hour', () => {
    for (const [pause, expected] of [
      [0.001, 250],
      [250, 250],
      [1_000.4, 1_001],
      [8e15, 3_600_000],
      [0, undefined],
      [-5, undefined],
      [Number.NaN, undefined],
      ['5' as unknown as number, undefined],
    ] as const) {
      assert.equal(readAnswer({ ...open, ask_again_ms: pause as number }).ask_again_ms, expected)
    }
  })

  test('readAnswer returns an unknown outcome for an unreadable answer, and replaces an unlisted reason', () => {
    for (const answer of [
      null,
      undefined,
      'COMPLETED',
      {},
      { kind: 'dancing' },
      { ...paid, currency: 5 },
      { ...paid, amount_minor: 5 },
    ])
      assert.deepEqual(readAnswer(answer as unknown as Answer), {
        kind: 'unknown',
        why: 'unreadable',
        provider_status: null,
      })
    const why = readAnswer({ kind: 'unknown', why: 'a\0b', provider_status: null } as unknown as Answer)
    assert.deepEqual([why.kind, 'why' in why && why.why], ['unknown', 'unreadable'])
    const strange = readAnswer({ kind: 'declined', reason: 'toString', provider_status: 5 } as unknown as Answer)
    assert.deepEqual(strange, {
      kind: 'declined',
      reason: 'unknown_provider_error',
      provider_status: null,
      provider_id: null,
    })
    assert.equal((readAnswer({ ...paid, currency: 'TZS\0' }) as { currency: string }).currency, 'TZS\ufffd')
  })
})
