// Tests that the twin causes the requested faults, and that its books record the true state of each transaction.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { begin, C2B, c2b } from '../../test/providers/vodacom-twin-caller.ts'

describe('faults', () => {
  test('each fault has its described effect, and the twin executes the request only when the fault allows the execution', async () => {
    const { twin, send, openSession } = await begin()
    const secret = await openSession()
    const outcome = async (kind: string) => {
      twin.setChances({ rates: { c2b: { [kind]: 1 } } })
      const fields = c2b()
      const reply = await send('POST', C2B, fields, { secret }).catch(() => null)
      const executed = (twin.transaction(fields.input_ThirdPartyConversationID)?.executions ?? 0) === 1
      return [reply === null ? 'none' : `${reply.status} ${reply.json === null ? 'no JSON' : reply.code}`, executed]
    }
    assert.deepEqual(await outcome('reset_before'), ['none', false])
    assert.deepEqual(await outcome('reset_after'), ['none', true])
    assert.deepEqual(await outcome('html_before'), ['502 no JSON', false])
    assert.deepEqual(await outcome('html_after'), ['502 no JSON', true])
    assert.deepEqual(await outcome('error_before'), ['500 INS-1', false])
    assert.deepEqual(await outcome('error_after'), ['500 INS-1', true])
    assert.deepEqual(await outcome('empty'), ['200 no JSON', true])
    assert.deepEqual(await outcome('truncated'), ['201 no JSON', true])
    assert.deepEqual(await outcome('limited'), ['429 no JSON', false])
    assert.deepEqual(await outcome('wall'), ['403 no JSON', false])
    assert.deepEqual(await outcome('session_ends'), ['401 undefined', false])
  })

  test('the twin never answers a request with the fault hang_before or hang_after, and executes only hang_after', async () => {
    const { twin, send, openSession } = await begin()
    const secret = await openSession()
    for (const [kind, executions] of [
      ['hang_before', 0],
      ['hang_after', 1],
    ] as const) {
      twin.setChances({ rates: { c2b: { [kind]: 1 } } })
      const fields = c2b()
      const hanging = send('POST', C2B, fields, { secret }).catch(() => 'closed')
      // The first request still has no answer after the twin has answered two other requests.
      for (let i = 0; i < 2; i++) {
        const answered = send('GET', '/getSession/', {})
        assert.equal(await Promise.race([hanging, answered]), await answered)
      }
      assert.equal(twin.totals().struck[`c2b.${kind}`], 1)
      assert.equal(twin.transaction(fields.input_ThirdPartyConversationID)?.executions ?? 0, executions)
    }
  })

  test('the twin repeats the faults for the same seed, whatever the order of requests', async () => {
    const rates = { c2b: { html_before: 0.2, html_after: 0.2 }, fate: { fails: 0.3 } }
    const names = Array.from({ length: 40 }, (_, i) => `repeatable${i}`)
    const run = async (seed: string, order: readonly string[]) => {
      const { twin, send, openSession } = await begin()
      twin.setChances({ seed, rates })
      const secret = await openSession()
      const seen = new Map<string, string>()
      for (const id of order) {
        const fields = c2b({ input_ThirdPartyConversationID: id, input_CustomerMSISDN: '255754000999' })
        const { status, code } = await send('POST', C2B, fields, { secret })
        seen.set(id, `${status} ${code}`)
      }
      return names.map((id) => seen.get(id))
    }
    const first = await run('a', names)
    assert.deepEqual(await run('a', [...names].reverse()), first)
    assert.notDeepEqual(await run('b', names), first)
    assert.ok(new Set(first).size >= 3)
  })

  test('the twin refuses an unknown fault', async () => {
    const { twin } = await begin()
    assert.throws(() => twin.setChances({ rates: { c2b: { tired: 1 } } }), /c2b\.tired/)
    assert.throws(() => twin.setChances({ rates: { lunch: { html_before: 1 } } as never }), /lunch/)
  })
})
