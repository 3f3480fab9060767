// Tests that operators see the calls and circuits of all processes, and that a process writes its rows in one statement.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { createBreaker } from './breaker.ts'
import { combineCalls, readCalls, shareCallsTask } from './shared-calls.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

/** Makes another process with the same database. */
function newProcess(role: 'api' | 'worker') {
  const deps: Deps = { ...world.deps, process_id: randomUUID(), config: { ...world.deps.config, process: role } }
  const breaker = createBreaker(deps.clock)
  const call = (method: string, fault: boolean) => {
    const permit = breaker.permit('selcom', method)
    if (permit !== null) breaker.record(permit, { fault, duration_ms: role === 'api' ? 100 : 300 })
    breaker.count('selcom', method, fault)
  }
  return { deps, breaker, call, task: shareCallsTask(deps, breaker) }
}
const later = (ms: number) => world.deps.clock.advance(ms)
const stored = () =>
  world.rows('select process_id, method, calls::int as calls from provider_calls order by process, method')

test('the combined report has the sums and the worst circuit over all processes, and no process that has ended', async () => {
  const [api, worker] = [newProcess('api'), newProcess('worker')]
  assert.equal(await api.task.runOnce(), 0)
  assert.deepEqual(await stored(), [], 'a process without calls writes nothing')
  for (let i = 0; i < 3; i++) api.call('wallet_push', false)
  later(1_000)
  const failed_at = world.deps.clock.now()
  for (let i = 0; i < 5; i++) worker.call('wallet_push', true)
  later(1_000)
  worker.call('status', false)
  await api.task.runOnce()
  await worker.task.runOnce()

  const seen = combineCalls(await readCalls(api.deps, world.deps.db, api.breaker))
  assert.deepEqual(seen, combineCalls(await readCalls(worker.deps, world.deps.db, worker.breaker)))
  assert.deepEqual(
    seen.map(({ provider, method, state }) => [provider, method, state]),
    [
      ['selcom', 'status', 'closed'],
      ['selcom', 'wallet_push', 'open'],
    ],
  )
  assert.deepEqual(seen[1], {
    provider: 'selcom',
    method: 'wallet_push',
    state: 'open',
    processes: 2,
    open_in: 1,
    calls: 8,
    faults: 5,
    recent_calls: 8,
    recent_faults: 5,
    median_ms: 300,
    last_call_at: failed_at,
    last_fault_at: failed_at,
    since: failed_at,
    retry_at: new Date(failed_at.getTime() + 2_000),
  })

  later(91_000)
  const [own] = combineCalls(await readCalls(api.deps, world.deps.db, api.breaker))
  assert.deepEqual([own?.method, own?.processes, own?.calls], ['wallet_push', 1, 3], 'the worker has ended')
  later(3_600_000)
  api.call('qr', false)
  await api.task.runOnce()
  assert.deepEqual(
    await stored(),
    ['qr', 'wallet_push'].map((method) => ({
      process_id: api.deps.process_id,
      method,
      calls: method === 'qr' ? 1 : 3,
    })),
  )
})

test('a process writes all of its rows in one statement, and repeats unchanged rows only every half minute', async () => {
  const { deps, breaker, call } = newProcess('api')
  let statements = 0
  const query = (...args: Parameters<Deps['db']['query']>) => {
    statements++
    return deps.db.query(...args)
  }
  const task = shareCallsTask({ ...deps, db: { ...deps.db, query } as Deps['db'] }, breaker)
  for (const method of ['wallet_push', 'status', 'qr']) call(method, false)
  for (let i = 0; i < 6; i++) {
    await task.runOnce()
    later(5_000)
  }
  assert.equal(statements, 1)
  await task.runOnce()
  assert.equal(statements, 2)
  call('qr', false)
  await task.runOnce()
  assert.equal(statements, 3)
})

test('the report counts a call to a provider without circuits, and shows no circuit of that provider', async () => {
  const { deps, breaker } = newProcess('worker')
  breaker.count('sandbox', 'wallet_push', false)
  const found = combineCalls(await readCalls(deps, deps.db, breaker)).find(({ provider }) => provider === 'sandbox')
  assert.deepEqual([found?.state, found?.calls, found?.since], [null, 1, null])
})
