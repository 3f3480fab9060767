import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { settableClock } from '../../../kernel/lib/index.ts'
import type { PaymentRequest } from '../port.ts'
import { createMockProvider } from './adapter.ts'
import type { MockProfile } from './engine.ts'
import { answerAt, timelineOf } from './engine.ts'
import { MAGIC_NUMBERS } from './magic.ts'
import { crc16, qrPayload } from './qr.ts'

const START = new Date('2026-01-05T08:00:00Z')
const SECRET = 'a secret of the tests'
const SANDBOX: MockProfile = { success_default: 'always', seed: 'test', delay_ms: 1000 }
const ANYONE = '255712345678'

function requestOf(fields: Partial<PaymentRequest>): PaymentRequest {
  return {
    reference: 'P1',
    method: 'wallet_push',
    phone: ANYONE,
    amount_minor: 500_000n,
    currency: 'TZS',
    simulate_status: null,
    sent_at: START,
    ...fields,
  }
}

/** Returns each step of a payment's timeline as three values: time, outcome, number of callbacks. */
function lifeOf(fields: Partial<PaymentRequest>, profile: MockProfile = SANDBOX): (string | number)[][] {
  return timelineOf(requestOf(fields), profile).map(({ at_ms, answer, callbacks }) => [
    at_ms,
    answer.kind === 'declined' ? answer.reason : answer.kind,
    callbacks,
  ])
}

function answerAfter(ms: number, fields: Partial<PaymentRequest>, profile: MockProfile = SANDBOX) {
  return answerAt(requestOf(fields), profile, new Date(START.getTime() + ms))
}

const TAKEN = [0, 'accepted', 0]
const MAGIC_LIVES: Record<string, (string | number)[][]> = {
  '001': [TAKEN, [1000, 'succeeded', 1]],
  '002': [TAKEN, [1000, 'wrong_pin', 1]],
  '003': [TAKEN, [1000, 'insufficient_balance', 1]],
  '004': [TAKEN, [1000, 'user_cancelled', 1]],
  '005': [TAKEN, [1000, 'provider_declined', 1]],
  '006': [TAKEN, [1000, 'expired', 1]],
  '007': [TAKEN],
  '008': [TAKEN, [1000, 'succeeded', 0]],
  '009': [TAKEN, [1000, 'succeeded', 3]],
  '010': [TAKEN, [1000, 'provider_declined', 1], [2000, 'succeeded', 1]],
  '011': [TAKEN, [1000, 'succeeded', 1]],
  '012': [TAKEN, [1000, 'succeeded', 1], [2000, 'reversed', 1]],
  '013': [[0, 'provider_unavailable', 0]],
  '014': [TAKEN, [1000, 'held', 1]],
}

describe('magic numbers', () => {
  for (const { ending, happens } of MAGIC_NUMBERS) {
    it(`the engine gives a payment from a phone that ends in ${ending} the timeline of its row, "${happens}"`, () => {
      // The magic number decides before the success rate, so the timeline is the same although this profile fails all other
      // payments.
      const failing = { ...SANDBOX, success_default: 0 }
      assert.deepEqual(lifeOf({ phone: `255712345${ending}` }), MAGIC_LIVES[ending])
      assert.deepEqual(lifeOf({ phone: `255712345${ending}` }, failing), MAGIC_LIVES[ending])
    })
  }

  it('the table of payment endings has each tested ending once, and no other ending', () => {
    assert.deepEqual(
      MAGIC_NUMBERS.map((row) => row.ending),
      Object.keys(MAGIC_LIVES).sort(),
    )
  })

  it('the engine lets a sandbox payment succeed when its phone has no magic ending or is missing', () => {
    assert.deepEqual(lifeOf({}), MAGIC_LIVES['001'])
    assert.deepEqual(lifeOf({ phone: null, method: 'qr' }), MAGIC_LIVES['001'])
  })

  it('the provider reports the requested amount as paid, and 100 shillings more for the ending 011', () => {
    assert.deepEqual(answerAfter(1000, { phone: '255712345001' }), {
      kind: 'succeeded',
      amount_minor: 500_000n,
      currency: 'TZS',
      provider_status: 'COMPLETED',
      provider_id: timelineOf(requestOf({}), SANDBOX)[0].answer.provider_id,
    })
    const other = answerAfter(1000, { phone: '255712345011' })
    assert.equal(other.kind === 'succeeded' && other.amount_minor, 510_000n)
  })

  it('simulate_status decides the outcome instead of the phone', () => {
    assert.deepEqual(lifeOf({ simulate_status: 'successful', phone: '255712345002' }), MAGIC_LIVES['001'])
    assert.deepEqual(lifeOf({ simulate_status: 'failed', phone: '255712345002' }), MAGIC_LIVES['005'])
    assert.deepEqual(lifeOf({ simulate_status: 'pending_clearance', phone: '255712345013' }), MAGIC_LIVES['014'])
    assert.deepEqual(lifeOf({ simulate_status: 'reversed', phone: '255712345001' }), MAGIC_LIVES['012'])
  })
})

describe('random outcomes', () => {
  const live: MockProfile = { success_default: 0.9, seed: 'test', delay_ms: 0 }
  const references = Array.from({ length: 5000 }, (_, i) => `P${i}`)
  const outcomes = (profile: MockProfile) => references.map((reference) => lifeOf({ reference }, profile)[1]?.[1])

  it('the engine lets about 90 of 100 payments succeed at a rate of 0.9, and fails the other payments for five reasons', () => {
    const succeeded = outcomes(live).filter((outcome) => outcome === 'succeeded').length
    assert.ok(succeeded > 4400 && succeeded < 4600, `${succeeded} of 5000`)
    assert.deepEqual([...new Set(outcomes(live))].sort(), [
      'expired',
      'insufficient_balance',
      'provider_declined',
      'succeeded',
      'user_cancelled',
      'wrong_pin',
    ])
  })

  it('the engine repeats the outcome of every payment for the same seed, and gives other outcomes for another seed', () => {
    assert.deepEqual(outcomes(live), outcomes({ ...live }))
    assert.notDeepEqual(outcomes(live), outcomes({ ...live, seed: 'other' }))
  })

  it('the engine fails no payment at a success rate of 1, and every payment at a rate of 0', () => {
    assert.ok(outcomes({ ...live, success_default: 1 }).every((outcome) => outcome === 'succeeded'))
    assert.ok(outcomes({ ...live, success_default: 0 }).every((outcome) => outcome !== 'succeeded'))
  })
})

describe('status queries', () => {
  const short = (ms: number, ending: string, profile?: MockProfile) => {
    const answer = answerAfter(ms, { phone: `255712345${ending}` }, profile)
    return [answer.kind, answer.provider_status, answer.ask_again_ms]
  }

  it('the provider reports a payment as not_found when the platform never sent the payment', () => {
    assert.deepEqual(answerAfter(5000, { sent_at: null }), { kind: 'not_found', provider_status: 'NOT_FOUND' })
  })

  it('the provider reports the pause until the next change of an answer only when the answer will change', () => {
    assert.deepEqual(short(0, '001'), ['accepted', 'PENDING', 1000])
    assert.deepEqual(short(999, '001'), ['accepted', 'PENDING', 1])
    assert.deepEqual(short(1000, '001'), ['succeeded', 'COMPLETED', undefined])
    assert.deepEqual(short(1500, '010'), ['declined', 'FAILED', 500])
    assert.deepEqual(short(2000, '010'), ['succeeded', 'COMPLETED', undefined])
    assert.deepEqual(short(1000, '012'), ['succeeded', 'COMPLETED', 1000])
    assert.deepEqual(short(2000, '012'), ['reversed', 'REVERSED', undefined])
    assert.deepEqual(short(1000, '014'), ['held', 'HELD', undefined])
    assert.deepEqual(short(365 * 86_400_000, '007'), ['accepted', 'PENDING', undefined])
    assert.deepEqual(short(0, '013'), ['declined', 'FAILED', undefined])
  })

  it('the engine decides the first outcome immediately and the second outcome 300 ms later when the profile has no pause', () => {
    const profile = { ...SANDBOX, delay_ms: 0 }
    assert.deepEqual(short(0, '001', profile), ['succeeded', 'COMPLETED', undefined])
    assert.deepEqual(short(0, '010', profile), ['declined', 'FAILED', 300])
    assert.deepEqual(short(299, '010', profile), ['declined', 'FAILED', 1])
    assert.deepEqual(short(300, '010', profile), ['succeeded', 'COMPLETED', undefined])
    assert.deepEqual(short(299, '012', profile), ['succeeded', 'COMPLETED', 1])
    assert.deepEqual(short(300, '012', profile), ['reversed', 'REVERSED', undefined])
  })

  it('the engine uses a pause shorter than 300 ms for the first result only', () => {
    const profile = { ...SANDBOX, delay_ms: 40 }
    assert.deepEqual(short(40, '010', profile), ['declined', 'FAILED', 300])
    assert.deepEqual(short(340, '010', profile), ['succeeded', 'COMPLETED', undefined])
    const on_page = timelineOf(requestOf({ phone: '255712345012', on_page: true }), SANDBOX)
    assert.deepEqual(
      on_page.map(({ at_ms }) => at_ms),
      [0, 0, 300],
    )
  })

  it("the provider reports a payment as accepted when the provider's clock is behind the sender's clock", () => {
    assert.deepEqual(short(-500, '001'), ['accepted', 'PENDING', 1000])
  })
})

describe('callbacks of the provider in this process', () => {
  type Received = { headers: Record<string, string>; body: Buffer }
  const setup = (fields: { delay_ms?: number; sinkFails?: boolean } = {}) => {
    const clock = settableClock(START)
    const received: Received[] = []
    const provider = createMockProvider({
      name: 'sandbox',
      profile: { ...SANDBOX, delay_ms: fields.delay_ms ?? 1000 },
      clock,
      secret: SECRET,
      sink: async (name, headers, body) => {
        assert.equal(name, 'sandbox')
        received.push({ headers, body })
        if (fields.sinkFails) throw new Error('the receiver is away')
      },
    })
    const statuses = () => received.map(({ body }) => JSON.parse(body.toString()).status)
    return { clock, provider, received, statuses }
  }

  it('the provider sends each callback at the time of its outcome', async () => {
    const { clock, provider, statuses } = setup()
    await provider.push(requestOf({ phone: '255712345010' }))
    clock.advance(999)
    assert.deepEqual(statuses(), [])
    clock.advance(1)
    assert.deepEqual(statuses(), ['FAILED'])
    clock.advance(1000)
    assert.deepEqual(statuses(), ['FAILED', 'COMPLETED'])
  })

  it('the provider sends callbacks in the order of their outcomes when the profile has no pause', async () => {
    const { clock, provider, statuses } = setup({ delay_ms: 0 })
    await provider.push(requestOf({ phone: '255712345012' }))
    clock.advance(299)
    assert.deepEqual(statuses(), ['COMPLETED'])
    clock.advance(1)
    assert.deepEqual(statuses(), ['COMPLETED', 'REVERSED'])
  })

  it('the provider sends three callbacks with the same bytes for the ending 009, and none for 007, 008 and 013', async () => {
    const { clock, provider, received } = setup()
    for (const ending of ['007', '008', '013', '009']) {
      await provider.push(requestOf({ reference: `P${ending}`, phone: `255712345${ending}` }))
    }
    clock.advance(10_000)
    assert.equal(received.length, 3)
    assert.equal(new Set(received.map(({ body }) => body.toString())).size, 1)
  })

  it('a callback names its payment and has a signature over the raw body', async () => {
    const { clock, provider, received } = setup()
    await provider.push(requestOf({}))
    clock.advance(1000)
    const [callback] = received
    assert.ok(callback)
    const { provider_id } = timelineOf(requestOf({}), SANDBOX)[0].answer
    assert.deepEqual(JSON.parse(callback.body.toString()), {
      reference: 'P1',
      status: 'COMPLETED',
      event_id: `${provider_id}-1`,
      sent_at: '2026-01-05T08:00:01.000Z',
    })
    const expected = createHmac('sha256', SECRET).update(callback.body).digest('hex')
    assert.equal(callback.headers['x-mock-signature'], expected)
    assert.deepEqual(provider.verifyCallback(callback.headers, callback.body), { verified: true, reference: 'P1' })
  })

  it('the provider sends no second callback for a repeated request', async () => {
    const { clock, provider, received } = setup()
    for (let i = 0; i < 3; i++) await provider.push(requestOf({}))
    clock.advance(1000)
    await provider.push(requestOf({}))
    clock.advance(10_000)
    assert.equal(received.length, 1)
  })

  it('the provider sends all callbacks even when the receiver fails', async () => {
    const { clock, provider, received } = setup({ sinkFails: true })
    await provider.push(requestOf({ phone: '255712345009' }))
    clock.advance(1000)
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(received.length, 3)
  })

  it('the adapter refuses a callback that has a wrong signature, is too long or names no payment', () => {
    const { provider } = setup()
    const verdictOf = (text: string, signature?: string) => {
      const body = Buffer.from(text)
      const right = createHmac('sha256', SECRET).update(body).digest('hex')
      return provider.verifyCallback({ 'x-mock-signature': signature ?? right }, body)
    }
    const good = '{"reference":"P1"}'
    assert.deepEqual(verdictOf(good), { verified: true, reference: 'P1' })
    const refused = { verified: false }
    assert.deepEqual(verdictOf(good, ''), refused)
    assert.deepEqual(verdictOf(good, 'ab'.repeat(32)), refused)
    assert.deepEqual(verdictOf(`{"reference":"P1","x":"${'x'.repeat(4096)}"}`), refused)
    for (const text of ['', 'no', 'null', '[]', '{}', '{"reference":1}']) assert.deepEqual(verdictOf(text), refused)
    assert.deepEqual(provider.verifyCallback({}, Buffer.from(good)), refused)
  })
})

describe('QR texts', () => {
  it('crc16 computes the checksum that the standard for QR texts defines', () => {
    assert.equal(crc16('123456789'), 0x29b1)
  })

  it('qrPayload makes a dynamic EMVCo text with the amount', () => {
    const text = qrPayload('63890400', 500_050n)
    assert.match(text, /^000201010212/)
    assert.match(text, /26390014tz\.go\.bot\.tips010509999020863890400/)
    assert.match(text, /530383454075000\.505802TZ5911MALIPO MOCK/)
    assert.match(qrPayload('63890400', 500_000n), /530383454045000/)
    assert.equal(text.slice(-8, -4), '6304')
  })

  it('the provider returns no QR text when the magic number simulates an outage of the provider', async () => {
    const clock = settableClock(START)
    const sink = async () => {}
    const provider = createMockProvider({ name: 'sandbox', profile: SANDBOX, clock, secret: SECRET, sink })
    const answer = await provider.qr(requestOf({ method: 'qr', phone: '255712345013' }))
    assert.equal(answer.kind, 'declined')
    assert.equal(answer.qr_payload, undefined)
  })
})

it("on a page, a prompt succeeds immediately, and a QR code waits for the payer's choice or expires, and a QR code with a phone waits for the scan", () => {
  assert.deepEqual(lifeOf({ on_page: true }), [TAKEN, [0, 'succeeded', 1]])
  assert.deepEqual(lifeOf({ on_page: true, method: 'qr', phone: null }), [TAKEN, [300_000, 'expired', 1]])
  const chosen_by_phone = { on_page: true, method: 'qr', phone: '255712345001' } as const
  assert.deepEqual(lifeOf(chosen_by_phone), [TAKEN, [5000, 'succeeded', 1]])
  const chosen = { on_page: true, method: 'qr', phone: null, simulate_status: 'failed' } as const
  assert.deepEqual(
    lifeOf(chosen),
    [TAKEN, [0, 'provider_declined', 1]],
    'the choice of the payer decides the code immediately',
  )
  assert.deepEqual(lifeOf({ method: 'qr', phone: null }), [TAKEN, [1000, 'succeeded', 1]])
})
