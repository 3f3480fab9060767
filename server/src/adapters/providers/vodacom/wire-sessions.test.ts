// Tests over HTTP that the adapter opens and renews sessions, and that no request moves money under a refused session.

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
  test('the adapter sends 40 concurrent payments under one session', async () => {
    const { provider, twin } = await start()
    const answers = await Promise.all(Array.from({ length: 40 }, () => provider.push(payment())))
    for (const answer of answers) assert.equal(answer.kind, 'succeeded')
    assert.equal(twin.totals().sessions, 1)
    assert.equal(twin.totals().executions, 40)
  })

  for (const no_session of ['error', 'code'] as const) {
    test(`the adapter renews an ended session once for all concurrent calls, and each call succeeds (${no_session})`, async () => {
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

  test('the adapter renews a session before the session ends, and uses the old session until the new session has settled', async () => {
    const clock = settableClock(systemClock.now())
    const { provider, twin } = await start({ clock }, { clock, session_life_ms: 600_000 })
    await provider.push(payment())
    clock.advance(570_000)
    assert.equal((await provider.push(payment())).kind, 'succeeded')
    clock.advance(31_000)
    assert.equal((await provider.push(payment())).kind, 'succeeded')
    assert.equal(twin.totals().sessions, 2)
    assert.equal(twin.totals().refusals.session, undefined, 'the gateway refused no call')
  })

  test('the adapter tests a young session by queries and sends no request that moves money before the gateway accepts the session', async () => {
    const clock = settableClock(systemClock.now())
    const { provider, twin } = await start(
      { clock, settings: { session_settle_ms: 20_000 } },
      { clock, timeout_ms: 2_000 },
    )
    assert.deepEqual(await provider.push(payment()), NO_PROMPT)
    assert.equal((await provider.payout(payout())).kind, 'not_sent')
    assert.equal(shortly((await provider.status([payment()]))[0]), 'unknown refused_us')
    assert.equal(twin.totals().requests.c2b, undefined, 'no payment was sent')
    assert.equal(twin.totals().requests.b2c, undefined)
    assert.equal(twin.totals().sessions, 1, 'the young session is not replaced')
    clock.advance(20_000)
    assert.equal((await provider.push(payment())).kind, 'succeeded')
    assert.equal((await provider.payout(payout())).kind, 'succeeded')
    assert.equal(twin.totals().sessions, 1)
  })

  test('the adapter sends a waiting payment when the session settles before the timeout of the call', async () => {
    const { provider, twin } = await start({ settings: { session_settle_ms: 400 } })
    assert.equal((await provider.push(payment())).kind, 'succeeded')
    assert.equal(twin.totals().sessions, 1)
  })

  test('warm opens a session before the first payment', async () => {
    const { provider, twin } = await start()
    await provider.warm()
    assert.equal(twin.totals().sessions, 1)
    await provider.push(payment())
    assert.equal(twin.totals().sessions, 1)
  })

  test('the adapter opens no session, prompts no payer and logs the problem when the API key is wrong', async () => {
    const { provider, logged, twin } = await start({}, { api_key: 'another-key-of-the-tests' })
    assert.deepEqual(await provider.push(payment()), NO_PROMPT)
    assert.equal((await provider.payout(payout())).kind, 'not_sent')
    assert.equal(shortly((await provider.payoutStatus([payout()]))[0]), 'unknown unreachable')
    assert.equal(twin.totals().refusals['api key'], 1, 'no session is opened for a second')
    assert.match(logged.join(), /INS-989/)
    assert.ok(!logged.join().includes('another-key-of-the-tests'))
  })

  test('a push renews the session once and sends no request that moves money when the gateway refuses every session', async () => {
    const { provider, received } = await script(() => ({ status: 401, content: { output_error: 'Invalid session' } }), {
      session_settle_ms: 0,
    })
    assert.deepEqual(await provider.push(payment()), NO_PROMPT)
    assert.equal(received.filter(({ path }) => path.includes('getSession')).length, 2)
    assert.equal(received.filter(({ method }) => method === 'POST').length, 0)
  })

  test('the adapter sends a payout again that the gateway refused under an accepted session', async () => {
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
    assert.equal(
      received.filter(({ body }) => body.includes(request.reference)).length,
      2,
      'the session was renewed once',
    )
    is_open = true
    assert.equal((await provider.payout(request)).kind, 'succeeded')
  })

  test('the adapter reports an unknown outcome of a payment and keeps the session when a proxy refuses the call', async () => {
    const { provider, twin } = await start()
    await provider.push(payment())
    twin.set({ no_session: 'page' })
    twin.endSessions()
    assert.equal(shortly(await provider.push(payment())), 'unknown refused_us')
    assert.equal(twin.totals().sessions, 1, 'the page is no answer of the gateway')
  })
})
