// Tests a database connection that breaks after PostgreSQL has run a statement and before the answer arrives. The server then
// cannot determine whether the statement, such as a COMMIT, took effect. The test breaks the connection at each answer of a
// request.

import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { createWorld, type World } from './harness.ts'
import { fund } from './withdrawals.ts'

const READY_FOR_QUERY = 'Z'.charCodeAt(0)
/** A number that is larger than the number of database answers of any request in these tests. */
const ANSWERS_MAX = 40
/** The number of requests in turn without a lost answer after which the test has reached the last answer. */
const WHOLE = 2
/** A time longer than the lock of an Idempotency-Key whose first request died. */
const LOCK_PASSED_MS = 30_000

let database: TestDatabase
let gate: Awaited<ReturnType<typeof startGate>>
let world: World
before(async () => {
  database = await createTestDatabase()
  gate = await startGate(database.url)
  world = await createWorld({ url: gate.url })
  await fund(world, { amount: '100000', environment: 'sandbox' })
})
after(async () => {
  await world?.close()
  gate?.close()
  await database?.drop()
})

const REQUESTS = [
  ['a payment', '/v1/collections/wallet-push', { amount: '10', phone: '0754123001' }, 'collections'],
  ['a payment link', '/v1/payment-links', { amount: '10' }, 'payment_links'],
  [
    'a payout',
    '/v1/disbursements/mobile-money',
    { amount: '10', destination_code: 'MPESA', destination_identifier: '0754123456' },
    'withdrawals',
  ],
] as const

for (const [name, path, body, table] of REQUESTS) {
  test(`if an answer of the database is lost, the server makes ${name} once, and repeated requests get the same answer`, async (t) => {
    let refused = 0
    let committed = 0
    let whole = 0
    for (let place = 1; ; place++) {
      assert.ok(place < ANSWERS_MAX, 'the request waits for fewer answers')
      const count = async () => (await world.rows<{ n: number }>(`select count(*)::int as n from ${table}`))[0]?.n ?? 0
      const earlier = await count()
      const idempotency_key = `${table}-${place}`
      const cut = gate.cutAnswer(place)
      const first = await world.post(path, body, { idempotency_key })
      const was_cut = cut()
      await world.work()
      if (!was_cut) {
        assert.ok(first.status < 300, first.text)
        if (++whole === WHOLE) break
        continue
      }
      whole = 0
      if (first.status >= 300) {
        refused += 1
        assert.equal(first.status, 503, first.text)
        assert.equal(first.body.error.code, 'service_unavailable')
        assert.ok(Number(first.headers['retry-after']) > 0)
      }
      const in_between = await count()
      if (first.status === 503 && in_between > earlier) committed += 1
      world.deps.clock.advance(LOCK_PASSED_MS)
      const second = await world.post(path, body, { idempotency_key })
      assert.ok(second.status < 300, second.text)
      if (first.status < 300) assert.equal(second.text, first.text)
      assert.equal(await count(), earlier + 1, 'one record for each key')
      const third = await world.post(path, body, { idempotency_key })
      assert.deepEqual([third.status, third.text], [second.status, second.text])
    }
    t.diagnostic(`${refused} answers lost before the response, ${committed} of them after the commit`)
    assert.ok(committed > 0, 'the test has lost the answer to a commit')
  })
}

/** Returns a function that counts the answers which end in a chunk of the protocol of PostgreSQL: its messages ReadyForQuery. */
function answerCounter(): (chunk: Buffer) => number {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    let ends = 0
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      if (rest[0] === READY_FOR_QUERY) ends += 1
      rest = rest.subarray(rest.readInt32BE(1) + 1)
    }
    return ends
  }
}

/** Starts a TCP proxy in front of the database. `cutAnswer(n)` breaks the connection at the nth answer from now on. */
async function startGate(to: string) {
  const target = new URL(to)
  const folder = target.searchParams.get('host')
  const sockets = new Set<Socket>()
  let left = 0
  const server = createServer((socket) => {
    const upstream =
      folder === null ? connect(Number(target.port), target.hostname) : connect(join(folder, `.s.PGSQL.${target.port}`))
    for (const one of [socket, upstream]) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        socket.destroy()
        upstream.destroy()
      })
    }
    socket.on('data', (chunk) => upstream.write(chunk))
    const countEnds = answerCounter()
    upstream.on('data', (chunk) => {
      const answers = countEnds(chunk)
      const is_cut = left > 0 && left <= answers
      left -= answers
      if (is_cut) socket.destroy()
      else socket.write(chunk)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = new URL(to)
  url.searchParams.delete('host')
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    /**
     * Breaks the connection at this answer from now on. Returns a function that ends the cut, and that returns true if the gate
     * broke a connection.
     */
    cutAnswer(place: number): () => boolean {
      left = place
      return () => {
        const was_cut = left <= 0
        left = 0
        return was_cut
      }
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
