// What a session goes through, and what becomes of the payments and payouts that need one.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  NO_PROMPT,
  payment,
  payout,
  script,
  shortly,
  start,
  type VodacomReaction,
} from '../../../../test/providers/vodacom.ts'
import { settableClock, systemClock } from '../../../kernel/lib/index.ts'

const INS_0: VodacomReaction = {
  status: 201,
  content: { output_ResponseCode: 'INS-0', output_TransactionID: 'receipt1' },
}

describe('sessions', () => {
  test('payments that come at once share one session', async () => {
    const { provider, twin } = await start()
    const answers = await Promise.all(Array.from({ length: 40 }, () => provider.push(payment())))
    for (const answer of answers) assert.equal(answer.kind, 'succeeded')
    assert.equal(twin.totals().sessions, 1)
    assert.equal(twin.totals().executions, 40)
  })

  for (const no_session of ['error', 'code'] as const) {
    test(`sessions that end in mid-flight are renewed once for all, and nobody notices (${no_session})`, async () => {
      const { provider, twin } = await start({ settings: { no_session } })
      await provider.push(payment())
      twin.endSessions()
      const requests = Array.from({ length: 20 }, () => payment())
      const answers = await Promise.all(requests.map((request) => provider.push(request)))
      for (const answer of answers) assert.equal(answer.kind, 'succeeded')
      assert.equal(twin.totals().sessions, 2)
      assert.deepEqual([twin.totals().executions, twin.totals().executed_more_than_once], [21, 0])
      twin.endSessions()
      const statuses = await provider.status(requests)
      for (const status of statuses) assert.equal(status.kind, 'succeeded')
      assert.equal(twin.totals().sessions, 3)
    })
  }

  test('a session is renewed before its life is over, and the one before is used until then', async () => {
    const clock = settableClock(systemClock.now())
    const { provider, twin } = await start({ clock }, { clock, session_life_ms: 600_000 })
    await provider.push(payment())
    clock.advance(570_000)
    assert.equal((await provider.push(payment())).kind, 'succeeded')
    clock.advance(31_000)
    assert.equal((await provider.push(payment())).kind, 'succeeded')
    assert.equal(twin.totals().sessions, 2)
    assert.equal(twin.totals().refusals.session, undefined, 'no call was ever refused')
  })

  test('a young session is tried with questions; money waits until it is let in', async () => {
    const clock = settableClock(systemClock.now())
    const { provider, twin } = await start(
      { clock, settings: { session_settle_ms: 20_000 } },
      { clock, timeout_ms: 800 },
    )
    assert.deepEqual(await provider.push(payment()), NO_PROMPT)
    assert.equal((await provider.payout(payout())).kind, 'not_sent')
    assert.equal(shortly((await provider.status([payment()]))[0]), 'unknown refused_us')
    assert.equal(twin.totals().requests.c2b, undefined, 'no payment was tried out')
    assert.equal(twin.totals().requests.b2c, undefined)
    assert.equal(twin.totals().sessions, 1, 'it is given its time')
    clock.advance(20_000)
    assert.equal((await provider.push(payment())).kind, 'succeeded')
    assert.equal((await provider.payout(payout())).kind, 'succeeded')
    assert.equal(twin.totals().sessions, 1)
  })

  test('a session that settles while a payment waits is used for it', async () => {
    const { provider, twin } = await start({ settings: { session_settle_ms: 400 } })
    assert.equal((await provider.push(payment())).kind, 'succeeded')
    assert.equal(twin.totals().sessions, 1)
  })

  test('one is opened ahead of the first payment when asked for', async () => {
    const { provider, twin } = await start()
    await provider.warm()
    assert.equal(twin.totals().sessions, 1)
    await provider.push(payment())
    assert.equal(twin.totals().sessions, 1)
  })

  test('a wrong key opens none: nobody is asked to pay, and an operator is told', async () => {
    const { provider, logged, twin } = await start({}, { api_key: 'another-key-of-the-tests' })
    assert.deepEqual(await provider.push(payment()), NO_PROMPT)
    assert.equal((await provider.payout(payout())).kind, 'not_sent')
    assert.equal(shortly((await provider.payoutStatus([payout()]))[0]), 'unknown unreachable')
    assert.equal(twin.totals().refusals['api key'], 1, 'for a second nobody asks again')
    assert.match(logged.join(), /INS-989/)
    assert.ok(!logged.join().includes('another-key-of-the-tests'))
  })

  test('sessions that are refused for ever are renewed once for each call, and money is kept back', async () => {
    const { provider, received } = await script(() => ({ status: 401, content: { output_error: 'Invalid session' } }), {
      session_settle_ms: 0,
    })
    assert.deepEqual(await provider.push(payment()), NO_PROMPT)
    assert.equal(received.filter(({ path }) => path.includes('getSession')).length, 2)
    assert.equal(received.filter(({ method }) => method === 'POST').length, 0)
  })

  test('a payout that is kept out under a session that was good is blocked, not lost', async () => {
    let is_open = true
    const { provider, received } = await script(
      ({ method }) => {
        if (method === 'GET') return { content: { output_ResponseCode: 'INS-0' } }
        return is_open ? INS_0 : { status: 401, content: { output_error: 'Invalid session' } }
      },
      { session_settle_ms: 0 },
    )
    assert.equal((await provider.payout(payout())).kind, 'succeeded')
    is_open = false
    const request = payout()
    assert.equal((await provider.payout(request)).kind, 'blocked')
    assert.deepEqual(await provider.push(payment()), NO_PROMPT)
    assert.equal(received.filter(({ body }) => body.includes(request.reference)).length, 2, 'renewed once')
    is_open = true
    assert.equal((await provider.payout(request)).kind, 'succeeded')
  })

  test('a page that refuses us is somebody else, and may stand between us and a payment that was made', async () => {
    const { provider, twin } = await start()
    await provider.push(payment())
    twin.set({ no_session: 'page' })
    twin.endSessions()
    assert.equal(shortly(await provider.push(payment())), 'unknown refused_us')
    assert.equal(twin.totals().sessions, 1, 'it is no word of the gateway')
  })
})
