// Tests that one request at a time opens a session, before the current session ends, and that a new session replaces an
// ended session.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inSteps } from '../../../../test/steps.ts'
import { settableClock } from '../../../kernel/lib/index.ts'
import { createVodacomSessions, within } from './session.ts'

const LIFE_MS = 600_000
const SETTLE_MS = 30_000

/** Makes sessions. The test counts and answers the requests that open a session. */
function rig(life_ms = LIFE_MS) {
  const clock = settableClock(new Date('2026-03-01T09:00:00Z'))
  const openings: ((bearer: string | null) => void)[] = []
  const sessions = createVodacomSessions({
    life_ms,
    settle_ms: SETTLE_MS,
    clock,
    open: () => new Promise((resolve) => openings.push((bearer) => resolve(bearer === null ? null : { bearer }))),
  })
  const answer = async (bearer: string | null) => {
    openings.at(-1)?.(bearer)
    await new Promise((resolve) => setImmediate(resolve))
  }
  /** Takes the first session and answers the request that opens the session. */
  const first = async (bearer = 'first') => {
    const taking = sessions.take(1_000)
    await answer(bearer)
    const session = await taking
    assert.ok(session)
    return session
  }
  return { clock, sessions, openings, answer, first }
}

test('many concurrent callers wait for one request that opens a session', async () => {
  const { sessions, openings, answer } = rig()
  const taking = Array.from({ length: 50 }, () => sessions.take(1_000))
  await answer('one')
  const taken = await Promise.all(taking)
  assert.equal(openings.length, 1)
  for (const session of taken) assert.equal(session?.bearer, 'one')
})

test('a caller gets null after its timeout when no session is open', async () => {
  const { sessions, openings } = rig()
  // The request that opens the session never gets an answer, so that only the timeout ends the wait.
  const { result, took_ms } = await inSteps(sessions.take(30))
  assert.equal(result, null)
  assert.ok(took_ms < 1_000, `${took_ms} ms`)
  assert.equal(openings.length, 1)
})

test('the adapter requests no session for a second after a request for a session failed', async () => {
  const { sessions, openings, answer, clock } = rig()
  const taking = sessions.take(1_000)
  await answer(null)
  assert.equal(await taking, null)
  assert.equal(await sessions.take(1_000), null)
  assert.equal(openings.length, 1)
  clock.advance(999)
  assert.equal(await sessions.take(1_000), null)
  assert.equal(openings.length, 1)
  clock.advance(2)
  const again = sessions.take(1_000)
  await answer('second try')
  assert.equal((await again)?.bearer, 'second try')
  assert.equal(openings.length, 2)
})

test('the adapter opens a successor before the session ends, and uses the successor after the time to settle', async () => {
  const { sessions, openings, answer, first, clock } = rig()
  const session = await first()
  clock.advance(LIFE_MS - 60_000 - 1)
  assert.equal((await sessions.take(1_000))?.bearer, 'first')
  assert.equal(openings.length, 1, 'too early for a successor')
  clock.advance(1)
  for (let i = 0; i < 5; i++)
    assert.equal((await sessions.take(1_000))?.bearer, 'first', 'the old session is still used')
  assert.equal(openings.length, 2, 'the successor is opened once')
  await answer('next')
  assert.equal((await sessions.take(1_000))?.bearer, 'first', 'the successor is not settled yet')
  clock.advance(SETTLE_MS)
  assert.equal((await sessions.take(1_000))?.bearer, 'next')
  assert.equal(session.bearer, 'first')
  assert.equal(openings.length, 2)
})

test('a new session replaces an ended session that has no successor', async () => {
  const { sessions, answer, first, clock, openings } = rig()
  await first()
  clock.advance(LIFE_MS)
  const taking = sessions.take(1_000)
  await answer('second')
  assert.equal((await taking)?.bearer, 'second')
  assert.equal(openings.length, 2)
})

test('a refused session counts as ended when the gateway accepted a call before, or when the time to settle is over', async () => {
  const { sessions, answer, first, clock } = rig()
  const session = await first()
  assert.equal(sessions.refused(session), false)
  assert.equal((await sessions.take(1_000))?.bearer, 'first')
  session.proven = true
  assert.equal(sessions.refused(session), true)
  assert.equal(sessions.refused(session), true, 'a second refusal has the same result')
  const taking = sessions.take(1_000)
  await answer('second')
  const second = await taking
  assert.equal(second?.bearer, 'second')
  clock.advance(SETTLE_MS)
  assert.ok(second && sessions.refused(second), 'it had time to settle')
})

test('the new session stays in use when the gateway refuses the old session', async () => {
  const { sessions, answer, first } = rig()
  const old = await first()
  old.proven = true
  sessions.refused(old)
  const taking = sessions.take(1_000)
  await answer('new')
  assert.equal((await taking)?.bearer, 'new')
  sessions.refused(old)
  assert.equal((await sessions.take(1_000))?.bearer, 'new')
})

test('a successor replaces a session in time when the life of sessions is shorter than the time to settle', async () => {
  const { sessions, answer, first, clock, openings } = rig(20_000)
  await first()
  clock.advance(10_000)
  assert.equal((await sessions.take(1_000))?.bearer, 'first')
  assert.equal(openings.length, 2)
  await answer('next')
  clock.advance(10_000)
  assert.equal((await sessions.take(1_000))?.bearer, 'next')
})

test('within returns the value, or null after its timeout', async () => {
  assert.equal(await within(new Promise(() => {}), 5), null)
  assert.equal(await within(Promise.resolve('x'), 1_000), 'x')
})
