/**
 * Tests the documented calls, except streams, with generated requests and with credentials of each kind, against the real app
 * with a real database. Each answer must match the OpenAPI document. `npm run fuzz` sends 50,000 requests.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createWorld, type Reply, type World } from '../harness.ts'
import { createAnswerCheck, readDocument } from './checks.ts'
import { type FuzzOperation, type FuzzRequest, requestArbitrary, type ValuePool } from './requests.ts'

const REQUESTS = Number(process.env.REQUESTS ?? 2_000)
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
/** The number of requests after which the test builds another world, because requests revoke keys and suspend merchants. */
const PER_WORLD = 2_500
/** The number of requests between two runs of the worker. */
const PER_WORK = 100
const POOL_MAX = 30

type Sent = { operation: FuzzOperation; request: FuzzRequest; credential: string; reply: Reply }

/** Returns the credentials by their kind. A null credential means that the request has no credential. */
async function credentialsOf(world: World): Promise<Record<string, string | null>> {
  const other = await world.newMerchant()
  return {
    sandbox: world.sandbox_key,
    live: world.live_key,
    'one scope': await world.newKey({ scopes: ['collections:read'] }),
    administrator: (await world.newSession('MERCHANT_ADMIN')).token,
    viewer: (await world.newSession('VIEWER')).token,
    'two merchants': (await world.newSession([{ role: 'MERCHANT_ADMIN' }, { role: 'FINANCE', merchant: other }])).token,
    'super admin': (await world.newSession('SUPER_ADMIN')).token,
    support: (await world.newSession('SUPPORT')).token,
    none: null,
    wrong: 'eyJhbGciOiJub25lIn0.e30.x',
  }
}

/** Makes records, so that requests reach them. */
async function fill(world: World, pool: ValuePool): Promise<void> {
  const made = [
    await world.post('/v1/merchant/webhook-endpoints', { webhook_url: 'http://127.0.0.1:1/hook' }),
    await world.post('/v1/collections/wallet-push', {
      amount: '25000.00',
      phone: '0754123001',
      reference: 'ORDER-1042',
    }),
    await world.post('/v1/collections/wallet-push', { amount: '900000.00', phone: '0754123014' }),
    await world.post('/v1/collections', { amount: '1000.00' }),
    await world.post('/v1/payment-links', { amount: '1000.00' }),
    await world.post('/v1/invoices', {
      customer_name: 'Asha Juma',
      customer_phone: '0754123001',
      due_date: '2030-01-31',
      items: [{ description: 'Rice', quantity: '2', unit_price: '500.00' }],
    }),
  ]
  world.deps.clock.advance(1_000)
  await world.work()
  made.push(
    await world.post('/v1/disbursements/mobile-money', {
      amount: '1000.00',
      destination_code: 'MPESA',
      destination_identifier: '0754123001',
      destination_name: 'Asha Juma',
    }),
  )
  for (const reply of made) {
    assert.ok(reply.status < 300, reply.text)
    gatherValues(reply.body, pool)
  }
  pool.set('merchant_id', [world.merchant.id, 'me'])
}

/** Adds the ids, slugs, references, periods and event names of an answer to the pool. */
function gatherValues(value: unknown, pool: ValuePool): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== 'string' || !/(^|_)(id|slug|reference|period|event)$/.test(name)) {
      gatherValues(inner, pool)
      continue
    }
    const known = pool.get(name) ?? []
    if (known.includes(inner) || inner.length > 200) continue
    pool.set(name, [...known, inner].slice(-POOL_MAX))
  }
}

/** Returns kinds of credentials with which a call can succeed. */
function fittingCredentials({ security, path }: FuzzOperation): string[] {
  if (path.startsWith('/v1/operator/')) return ['super admin']
  const of_keys = security.includes('api_key') ? ['sandbox', 'sandbox', 'live'] : []
  return [
    ...of_keys,
    ...(security.includes('session') ? ['administrator'] : []),
    ...(security.length === 0 ? ['none'] : []),
  ]
}

/**
 * The generators of the calls. After the worker has run, the test makes them again, because the pool has other values then.
 */
type Arbitraries = Map<FuzzOperation, fc.Arbitrary<FuzzRequest>>

/** Sends one generated request. The seed of the run and the number of the request determine the request. */
async function sendOne(
  world: World,
  operations: readonly FuzzOperation[],
  credentials: Record<string, string | null>,
  { pool, arbitraries }: { pool: ValuePool; arbitraries: Arbitraries },
  number: number,
): Promise<Sent> {
  const kinds = Object.keys(credentials)
  const choice = fc.record({
    at: fc.nat({ max: operations.length - 1 }),
    any: fc.constantFrom(...kinds),
    fitting: fc.nat(),
    fits: fc.integer({ min: 0, max: 9 }),
  })
  const seed = (SEED + number * 7_919) | 0
  const [chosen] = fc.sample(choice, { seed, numRuns: 1 }) as [
    { at: number; any: string; fitting: number; fits: number },
  ]
  const operation = operations[chosen.at] as FuzzOperation
  const fitting = fittingCredentials(operation)
  const credential = chosen.fits < 8 ? (fitting[chosen.fitting % fitting.length] as string) : chosen.any
  const made = arbitraries.get(operation) ?? requestArbitrary(operation, pool)
  arbitraries.set(operation, made)
  const [request] = fc.sample(made, { seed, numRuns: 1 }) as [FuzzRequest]
  const { method, url, headers, payload } = request
  const reply = await world.call({
    method: method as 'GET',
    url,
    headers,
    key: credentials[credential] ?? null,
    ...(payload === undefined ? {} : { payload }),
  })
  return { operation, request, credential, reply }
}

test(`every answer to ${REQUESTS} generated requests, and every webhook, matches the OpenAPI document`, async (t) => {
  t.diagnostic(`SEED=${SEED} REQUESTS=${REQUESTS}`)
  const check = createAnswerCheck()
  const problems = new Map<string, string>()
  const statuses = new Map<number, number>()
  const succeeded = new Set<string>()
  let calls = 0
  let events = 0
  for (let done = 0; done < REQUESTS; done += PER_WORLD) {
    const world = await createWorld()
    try {
      const { operations, events: schemas } = readDocument(world.system.app.swagger())
      calls = operations.length
      const credentials = await credentialsOf(world)
      const pool: ValuePool = new Map()
      const arbitraries: Arbitraries = new Map()
      await fill(world, pool)
      for (let i = done; i < Math.min(REQUESTS, done + PER_WORLD); i++) {
        const { operation, request, credential, reply } = await sendOne(
          world,
          operations,
          credentials,
          { pool, arbitraries },
          i,
        )
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
        if (reply.status < 300) succeeded.add(operation.name)
        if (reply.status < 300) gatherValues(reply.body, pool)
        for (const breach of check.breaches(operation, reply)) {
          const name = `${operation.name}: ${breach}`
          const sent = `request ${i} with ${credential}: ${request.method} ${request.url} ${request.payload ?? ''}`
          if (!problems.has(name)) problems.set(name, `${sent.slice(0, 600)} -> ${reply.text.slice(0, 300)}`)
        }
        if (i % PER_WORK !== PER_WORK - 1) continue
        arbitraries.clear()
        world.deps.clock.advance(1_000)
        await world.work()
      }
      for (const { event, body } of await world.rows<{ event: string; body: string }>(
        'select event, body from webhook_deliveries',
      )) {
        events += 1
        for (const breach of check.validate(schemas.get(event) ?? {}, JSON.parse(body)))
          problems.set(`${event}: ${breach}`, body)
      }
    } finally {
      await world.close()
    }
  }
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  t.diagnostic(`answers by status: ${counts.join(', ')}`)
  t.diagnostic(`${succeeded.size} of ${calls} calls succeeded at least once; ${events} events checked`)
  const listed = [...problems].map(([name, sent]) => `${name}\n    ${sent}`)
  assert.equal(problems.size, 0, `SEED=${SEED}\n${listed.join('\n')}`)
  assert.ok(succeeded.size > calls / 4, `only ${succeeded.size} of ${calls} calls succeeded`)
  assert.ok(events > 0)
})
