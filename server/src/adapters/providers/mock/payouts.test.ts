// Tests that payouts and names at the mock provider in this process follow the tables of magic numbers. The test sets the
// clock.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { payoutOf, SECRET } from '../../../../test/mock-providers.ts'
import { settableClock } from '../../../kernel/lib/index.ts'
import { createMockProvider } from './adapter.ts'
import type { MockProfile } from './engine.ts'
import { NAME_MAGIC_NUMBERS, PAYOUT_MAGIC_NUMBERS } from './magic.ts'
import { payoutTimelineOf } from './payout-engine.ts'

const START = new Date('2026-01-05T08:00:00Z')
/** A profile with which all payments fail. The profile must not change the outcome of payouts. */
const PROFILE: MockProfile = { success_default: 0, seed: 'test', delay_ms: 1000 }

/** Returns each step of a payout's timeline as three values: time, outcome, number of callbacks. */
function lifeOf(ending: string, profile: MockProfile = PROFILE): (string | number)[][] {
  return payoutTimelineOf(payoutOf(ending), profile).map(({ at_ms, answer, callbacks }) => [
    at_ms,
    answer.kind === 'declined' ? answer.reason : answer.kind,
    callbacks,
  ])
}

const TAKEN = [0, 'accepted', 0]
const MAGIC_LIVES: Record<string, (string | number)[][]> = {
  '102': [TAKEN, [1000, 'provider_declined', 1]],
  '103': [[0, 'unknown', 0]],
  '104': [[0, 'blocked', 0]],
  '105': [TAKEN, [1000, 'succeeded', 1], [2000, 'reversed', 1]],
  '106': [TAKEN, [1000, 'succeeded', 0]],
}

describe('magic numbers of payouts', () => {
  for (const { ending, happens } of PAYOUT_MAGIC_NUMBERS) {
    it(`the engine gives a payout to a destination that ends in ${ending} the timeline of its row, "${happens}"`, () => {
      assert.deepEqual(lifeOf(ending), MAGIC_LIVES[ending])
    })
  }

  it('the table of payout endings has each tested ending once, and no other ending', () => {
    assert.deepEqual(
      PAYOUT_MAGIC_NUMBERS.map((row) => row.ending),
      Object.keys(MAGIC_LIVES).sort(),
    )
  })

  it('the engine pays a payout to any other destination, even when its ending is a magic number of payments', () => {
    for (const ending of ['456', '001', '002', '007', '013', '101', '107', '000', '']) {
      assert.deepEqual(lifeOf(ending), [TAKEN, [1000, 'succeeded', 1]], ending)
    }
  })

  it('the engine decides the first outcome immediately and the second outcome 300 ms later when the profile has no pause', () => {
    const profile = { ...PROFILE, delay_ms: 0 }
    assert.deepEqual(lifeOf('456', profile), [TAKEN, [0, 'succeeded', 1]])
    assert.deepEqual(lifeOf('105', profile), [TAKEN, [0, 'succeeded', 1], [300, 'reversed', 1]])
  })
})

describe('payouts of the provider in this process', () => {
  const setup = () => {
    const clock = settableClock(START)
    const called: string[] = []
    const start = () =>
      createMockProvider({
        name: 'sandbox',
        profile: PROFILE,
        clock,
        secret: SECRET,
        sink: async (_name, _headers, body) => {
          const { reference, status } = JSON.parse(body.toString())
          called.push(`${reference} ${status}`)
        },
      })
    return { clock, called, start, provider: start() }
  }

  it('the provider reports the pause until the next change of an answer about a payout only when the answer will change', async () => {
    const { clock, provider } = setup()
    const request = payoutOf('105')
    await provider.payout(request)
    const statusNow = async () => {
      const [answer] = await provider.payoutStatus([request])
      return [answer?.kind, answer?.provider_status, answer?.ask_again_ms]
    }
    assert.deepEqual(await statusNow(), ['accepted', 'PENDING', 1000])
    clock.advance(999)
    assert.deepEqual(await statusNow(), ['accepted', 'PENDING', 1])
    clock.advance(1)
    assert.deepEqual(await statusNow(), ['succeeded', 'COMPLETED', 1000])
    clock.advance(1000)
    assert.deepEqual(await statusNow(), ['reversed', 'REVERSED', undefined])
  })

  it('the provider sends one callback for a paid payout when the platform repeats the request', async () => {
    const { clock, called, provider } = setup()
    const paid = payoutOf('456')
    const quiet = ['103', '104', '106'].map((ending) => payoutOf(ending))
    for (const request of [paid, paid, ...quiet, ...quiet]) await provider.payout(request)
    clock.advance(999)
    assert.deepEqual(called, [])
    clock.advance(1)
    assert.deepEqual(called, [`${paid.reference} COMPLETED`])
    await provider.payout(paid)
    clock.advance(10_000)
    assert.equal(called.length, 1)
  })

  it('the provider finds a payout after a restart only when the query contains the time of the request', async () => {
    const { clock, provider, start } = setup()
    const noted = payoutOf('456')
    const unnoted = payoutOf('456')
    const unclear = payoutOf('103')
    for (const request of [noted, unnoted, unclear]) await provider.payout(request)
    const sent_at = clock.now()
    clock.advance(5000)
    const queries = [{ ...noted, sent_at }, unnoted, unclear]
    const kinds = (answers: { kind: string }[]) => answers.map(({ kind }) => kind)
    assert.deepEqual(kinds(await provider.payoutStatus(queries)), ['succeeded', 'succeeded', 'unknown'])
    assert.deepEqual(kinds(await start().payoutStatus(queries)), ['succeeded', 'not_found', 'unknown'])
  })

  it('the provider never answers a payout query with a payment of the same reference, or a payment query with a payout', async () => {
    const { provider } = setup()
    const request = payoutOf('456')
    const payment = { ...request, method: 'wallet_push', phone: '255754123001', simulate_status: null } as const
    await provider.push(payment)
    assert.equal((await provider.payoutStatus([request]))[0]?.kind, 'not_found')
    const other = payoutOf('456')
    await provider.payout(other)
    const { reference } = other
    assert.equal((await provider.status([{ ...payment, reference }]))[0]?.kind, 'not_found')
  })

  it("the provider reports a payout as accepted when the provider's clock is behind the sender's clock", async () => {
    const { clock, start } = setup()
    const sent_at = new Date(clock.now().getTime() + 500)
    assert.equal((await start().payoutStatus([payoutOf('456', { sent_at })]))[0]?.kind, 'accepted')
  })
})

describe('magic numbers of names', () => {
  const { lookupName } = createMockProvider({
    name: 'mock',
    profile: PROFILE,
    clock: settableClock(START),
    secret: SECRET,
    sink: async () => {},
  })
  const nameOf = async (destination_identifier: string) =>
    (await lookupName({ method: 'MOBILE_MONEY', destination_code: 'MPESA', destination_identifier }))?.name ?? null

  it('the provider returns the name of the row for a phone or account with its ending, and no name for another ending', async () => {
    for (const { ending, name } of NAME_MAGIC_NUMBERS) {
      assert.equal(await nameOf(`255754123${ending}`), name)
      assert.equal(await nameOf(`0150-${ending}`), name)
    }
    assert.equal(await nameOf('255754123201'), 'Asha Juma')
    for (const other of ['255754201123', '255754123456', '20', '']) assert.equal(await nameOf(other), null, other)
  })

  it('a payout succeeds when its destination ends in a magic number of names', () => {
    for (const { ending } of NAME_MAGIC_NUMBERS)
      assert.deepEqual(lifeOf(ending), [TAKEN, [1000, 'succeeded', 1]], ending)
  })
})
