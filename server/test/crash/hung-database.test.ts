// Tests the real program over a hung PostgreSQL. The test stops the processes of PostgreSQL, which then neither answer nor
// close connections.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDb, sql } from '../../src/kernel/db/index.ts'
import { type OwnPostgres, startOwnPostgres } from '../own-postgres.ts'
import { type Child, startChild, until } from './processes.ts'
import { createRig, type Rig, type Shop } from './rig.ts'

/** The longest response times that the server guarantees, in milliseconds, as clients measure them. */
const ANSWER_MS_MAX = 2_500
const BACK_MS_MAX = 2_000
/** The longest delay of a busy machine that the test adds to BACK_MS_MAX. */
const MACHINE_MS_MAX = 5_000
/**
 * The number of requests. The server has fewer database connections, so some requests wait for a query, and others for a free
 * connection.
 */
const REQUESTS = 40

let own: OwnPostgres
let rig: Rig
let server: Child
before(async () => {
  own = await startOwnPostgres()
  rig = await createRig({ shops: 1, delay_ms: 0, database: { url: own.url, drop: async () => {} } })
  server = startChild(rig.env())
  await server.ready()
  // Until the process logs this text, it still makes its demo merchant.
  await until('the server has started', () => server.output().includes('is ready.'))
})
after(async () => {
  await server?.kill()
  own?.signal('SIGCONT')
  await rig?.close()
  await own?.close()
})

type Timed = { path: string; status: number; retry_after: string | null; text: string; ms: number }

async function ask(method: 'GET' | 'POST', path: string, key?: string): Promise<Timed> {
  const begin = performance.now()
  const [shop] = rig.shops as [Shop]
  const answer = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${shop.key}`,
      ...(key === undefined ? {} : { 'idempotency-key': key, 'content-type': 'application/json' }),
    },
    ...(key === undefined ? {} : { body: JSON.stringify({ amount: '10', phone: '0754123456', reference: key }) }),
  })
  const text = await answer.text()
  const retry_after = answer.headers.get('retry-after')
  return { path, status: answer.status, retry_after, text, ms: Math.round(performance.now() - begin) }
}
const push = (key: string) => ask('POST', '/v1/collections/wallet-push', key)

/**
 * Requests /healthz repeatedly. `stop` returns the slowest response time. /healthz needs no database, so this time measures the
 * machine.
 */
function startControl(): { stop(): Promise<number> } {
  let running = true
  let slowest = 0
  const asking = (async () => {
    while (running) slowest = Math.max(slowest, (await ask('GET', '/healthz')).ms)
  })()
  return {
    async stop() {
      running = false
      await asking
      return slowest
    },
  }
}

test('while the database hangs, the server answers each request with 503 within 2.5 s; afterwards a repeated key makes one payment', async (t) => {
  assert.equal((await push('before')).status, 202)
  const keys = Array.from({ length: REQUESTS }, (_, at) => `during-${at}`)
  // Some requests run at the moment when the database stops. Their callers cannot determine whether the COMMIT succeeded.
  const under_way = keys.slice(0, REQUESTS / 2).map(push)
  own.signal('SIGSTOP')
  const control = startControl()
  const answers = await Promise.all([
    ...keys.slice(REQUESTS / 2).map(push),
    ...['/v1/collections', '/v1/balance', '/v1/payment-links'].map((path) => ask('GET', path)),
  ])
  // The server reuses the result of /readyz for a second. The test waits until the result from before the hang is older.
  answers.push(await ask('GET', '/readyz'))
  // After the server has noticed that the database hangs, a new request does not wait.
  answers.push(await push('later'), await ask('GET', '/v1/collections'))
  const machine_ms = await control.stop()
  t.diagnostic(`the slowest answer took ${Math.max(...answers.map(({ ms }) => ms))} ms`)
  for (const { path, status, retry_after, text, ms } of answers) {
    assert.equal(status, 503, `${path}: ${text}`)
    assert.equal(JSON.parse(text).error.code, 'service_unavailable')
    assert.ok(Number(retry_after) >= 1, `${path} has Retry-After`)
    assert.ok(
      ms <= ANSWER_MS_MAX + machine_ms,
      `the server answered ${path} after ${ms} ms, and /healthz after ${machine_ms} ms`,
    )
  }
  for (const { status } of await Promise.all(under_way)) assert.ok(status === 202 || status === 503)

  own.signal('SIGCONT')
  const begin = performance.now()
  await until('the server accepts payments again', async () => (await push('after')).status === 202)
  const back = Math.round(performance.now() - begin)
  t.diagnostic(`the first payment came ${back} ms after the database went on`)
  assert.ok(back <= BACK_MS_MAX + Math.min(MACHINE_MS_MAX, machine_ms), `the first payment came after ${back} ms`)

  const settled = new Map<string, string>()
  await until('every key has its answer', async () => {
    for (const key of keys) {
      const { status, text } = await push(key)
      if (status === 202) settled.set(key, text)
    }
    return settled.size === keys.length
  })
  const made = await rig.db.query<{ key: string; payments: number }>(
    sql(
      'hung_made',
      `select reference as key, count(*)::int as payments from collections
       where reference like 'during-%' group by reference`,
    ),
  )
  assert.equal(made.length, keys.length)
  for (const { key, payments } of made) assert.equal(payments, 1, key)
  assert.ok(server.alive())
})

test('a pool answers a query of 4 seconds and reports no silence while the database answers', async () => {
  own.signal('SIGCONT')
  const silences: number[] = []
  const watch = { on_silent: () => void silences.push(1), on_answer: () => {} }
  const db = createDb({ url: own.url, max_connections: 2, watch })
  db.arm()
  try {
    const slow = sql('', 'select pg_sleep(4)::text as slept')
    assert.equal((await db.query(slow)).length, 1)
    assert.deepEqual(silences, [])
  } finally {
    await db.close()
  }
})
