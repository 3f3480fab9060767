// Tests random lives of pages: payers, providers, merchants, operators and time in random order, through two processes. After
// each life, each page shows its true state. At the end, `verify` accepts the books. RUNS sets the number of lives, and SEED=n
// repeats a run.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { issueAccessToken, issuerKey } from '../../src/access/identity/index.ts'
import type { Answer, Provider } from '../../src/adapters/providers/port.ts'
import { verify } from '../../src/apps/admin/verify.ts'
import { createTestDatabase } from '../database.ts'
import { createWorld, type World } from '../harness.ts'

const RUNS = Number(process.env.RUNS ?? 60)
const SEED = Number(process.env.SEED ?? randomInt(1, 1_000_000))
const MINOR = 100_000n
const MORE = 100n
const METHODS = ['WALLET_PUSH', 'PROVIDER_PESA', 'TANQR'] as const
const REFUSALS = ['payment_in_progress', 'payment_link_not_active']

type OutcomeName = 'succeeded' | 'more' | 'held' | 'declined' | 'reversed'
type Event =
  | { what: 'collect'; page: number; method: number; process: number; times: number }
  | { what: 'answer'; attempt: number; outcome: OutcomeName; process: number }
  | { what: 'answers'; outcomes: { attempt: number; outcome: OutcomeName }[] }
  | { what: 'cancel'; page: number }
  | { what: 'clear'; held: number; decision: 'approve' | 'decline'; process: number }
  | { what: 'pass'; seconds: number }
  | { what: 'race'; page: number; attempt: number; outcome: OutcomeName }

const page = fc.nat({ max: 2 })
const attempt = fc.nat({ max: 5 })
const process_ = fc.nat({ max: 1 })
const outcome = fc.constantFrom<OutcomeName>(
  'succeeded',
  'succeeded',
  'more',
  'held',
  'declined',
  'declined',
  'reversed',
)
const what = <Name extends Event['what']>(name: Name) => fc.constant(name)
const events = fc.array<Event>(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        what: what('collect'),
        page,
        method: fc.nat({ max: 2 }),
        process: process_,
        times: fc.constantFrom(1, 1, 3),
      }),
    },
    { weight: 6, arbitrary: fc.record({ what: what('answer'), attempt, outcome, process: process_ }) },
    {
      weight: 2,
      arbitrary: fc.record({
        what: what('answers'),
        outcomes: fc.array(fc.record({ attempt, outcome }), { minLength: 2, maxLength: 4 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ what: what('cancel'), page }) },
    {
      weight: 2,
      arbitrary: fc.record({
        what: what('clear'),
        held: fc.nat({ max: 3 }),
        decision: fc.constantFrom('approve', 'decline'),
        process: process_,
      }),
    },
    { weight: 3, arbitrary: fc.record({ what: what('pass'), seconds: fc.constantFrom(1, 200, 700) }) },
    { weight: 2, arbitrary: fc.record({ what: what('race'), page, attempt, outcome }) },
  ),
  { minLength: 8, maxLength: 30, size: 'max' },
)

/** A provider that accepts every request and gives no final answer. The events of the life settle the payments. */
const silent: Provider = {
  name: 'mock',
  capabilities: { methods: ['wallet_push', 'provider_pesa', 'qr'], whole_shillings: false, payout_methods: [] },
  push: async () => ({ kind: 'accepted', provider_status: 'PENDING' }),
  qr: async () => ({ kind: 'accepted', provider_status: 'PENDING', payment_token: '1', qr_payload: '000201' }),
  status: async (requests) => requests.map(() => ({ kind: 'accepted', provider_status: 'PENDING' })),
  payout: async () => ({ kind: 'accepted', provider_status: 'PENDING' }),
  payoutStatus: async (requests) => requests.map(() => ({ kind: 'accepted', provider_status: 'PENDING' })),
  verifyCallback: () => ({ verified: false }),
}

const answerOf = (outcome: OutcomeName): Answer => {
  const money = { amount_minor: MINOR, currency: 'TZS', provider_status: outcome.toUpperCase() }
  switch (outcome) {
    case 'declined':
      return { kind: 'declined', reason: 'wrong_pin', provider_status: 'FAILED' }
    case 'more':
      return { kind: 'succeeded', ...money, amount_minor: MINOR + MORE }
    default:
      return { kind: outcome, ...money }
  }
}

let processes: [World, World]
let drop: () => Promise<void>
let operator: string
const counts = new Map<string, number>()
const count = (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1)

before(async () => {
  const database = await createTestDatabase()
  const make = () =>
    createWorld({
      url: database.url,
      env: {
        PROMPTS_PER_PHONE: '0',
        TRIES_PER_LINK: '0',
        TRIES_PER_ADDRESS: '0',
        RATE_LIMIT_PAYERS: '0',
        LOG_LEVEL: 'error',
      },
      compose: { providers: [silent] },
    })
  processes = [await make(), await make()]
  operator = (await processes[0].newSession('SUPER_ADMIN')).user_id
  drop = database.drop
})
after(async () => {
  for (const process of processes) await process.close()
  await drop()
})

async function playLife(events_of_life: Event[]): Promise<void> {
  const [world] = processes
  const { merchant } = world
  const key = world.live_key
  const expires_at = new Date(world.deps.clock.now().getTime() + 900_000).toISOString()
  const link = async (body: object) => {
    const { id, public_slug } = (await world.post('/v1/payment-links', { amount: '1000.00', ...body }, { key })).body
      .data
    return { id: id as string, slug: public_slug as string }
  }
  const hosted = await world.post('/v1/collections', { amount: '1000.00' }, { key })
  const slug = String(hosted.body.data.payment_url).split('/pay/')[1] as string
  const pages = [await link({}), await link({ expires_at }), { id: null, slug }]
  const slugs = pages.map((page) => page.slug)
  const attempts = () =>
    world.rows<{ collection_id: string; number: number }>(
      `select a.collection_id, a.number from collection_attempts a join collections c on c.merchant_id = a.merchant_id
         and c.id = a.collection_id join payment_links l on l.merchant_id = c.merchant_id and l.id = c.payment_link_id
       where l.slug = any($1) order by a.created_at, a.collection_id, a.number`,
      [slugs],
    )
  const settle = async (which: number, outcome: OutcomeName, process: number) => {
    const all = await attempts()
    const chosen = all[which % Math.max(1, all.length)]
    if (chosen === undefined) return
    await (processes[process] as World).system.driver.settle({
      merchant_id: merchant.id,
      ...chosen,
      answer: answerOf(outcome),
    })
  }
  const collect = async (which: number, method: number, process: number) => {
    const reply = await (processes[process] as World).post(
      `/public/payment-links/${slugs[which]}/collect`,
      { method: METHODS[method], ...(method === 2 ? {} : { customer_phone: '0754123456' }) },
      { key: null },
    )
    const code = reply.status === 202 ? 'ok' : reply.body.error.code
    assert.ok(code === 'ok' || REFUSALS.includes(code), reply.text)
    count(`collect ${code}`)
    return code
  }
  const cancel = async (which: number) => {
    const { id } = pages[which] as (typeof pages)[number]
    if (id === null) return
    const reply = await processes[1].call({ method: 'POST', url: `/v1/payment-links/${id}/cancel`, key })
    assert.ok([200, 409].includes(reply.status), reply.text)
  }
  for (const event of events_of_life) {
    count(event.what)
    switch (event.what) {
      case 'collect': {
        const codes = await Promise.all(
          Array.from({ length: event.times }, (_, i) => collect(event.page, event.method, (event.process + i) % 2)),
        )
        // A QR code never blocks a new attempt. A prompt blocks new attempts of all payers.
        if (event.method !== 2) assert.ok(codes.filter((code) => code === 'ok').length <= 1, codes.join())
        break
      }
      case 'answer':
        await settle(event.attempt, event.outcome, event.process)
        break
      case 'answers':
        await Promise.all(event.outcomes.map((one, i) => settle(one.attempt, one.outcome, i % 2)))
        break
      case 'cancel':
        await cancel(event.page)
        break
      case 'clear': {
        const held = await world.rows<{ id: string }>(
          `select c.id from collections c join payment_links l on l.merchant_id = c.merchant_id and l.id = c.payment_link_id
           where l.slug = any($1) and c.status = 'pending_clearance' order by c.id`,
          [slugs],
        )
        const one = held[event.held % Math.max(1, held.length)]
        if (one === undefined) break
        const reply = await (processes[event.process] as World).call({
          method: 'POST',
          url: `/v1/operator/collections/${one.id}/clear`,
          key: await operatorToken(world),
          payload: { decision: event.decision, reason: 'Seen' },
        })
        assert.equal(reply.status, 200, reply.text)
        count(`clear ${event.decision}`)
        break
      }
      case 'pass':
        for (const { deps } of processes) deps.clock.advance(event.seconds * 1_000)
        break
      case 'race':
        await Promise.all([collect(event.page, 0, 0), settle(event.attempt, event.outcome, 1), cancel(event.page)])
    }
  }
  await lookAt(slugs)
}

/**
 * Asserts that each page has the same state at its address and for its script. The server must accept a payment only from a
 * page with a form.
 */
async function lookAt(slugs: readonly string[]): Promise<void> {
  for (const slug of slugs) {
    const shown = await processes[0].call({ method: 'GET', url: `/pay/${slug}`, key: null })
    const state_reply = await processes[1].call({ method: 'GET', url: `/pay/${slug}/state`, key: null })
    assert.equal(shown.status, 200, shown.text)
    count(`page ${state_reply.body.state}`)
    const watched = /data-state="(\w+)"/.exec(shown.text)?.[1]
    if (watched !== undefined) assert.equal(watched, state_reply.body.state)
    // A page shows a form only if the server accepts the form.
    const refused = await processes[0].post(`/public/payment-links/${slug}/collect`, { method: 'TANQR' }, { key: null })
    assert.equal(
      refused.status === 202,
      state_reply.body.state === 'choose',
      `${state_reply.body.state}: ${refused.text}`,
    )
  }
}

/** Issues a new token for each call, because hours pass between two calls. */
async function operatorToken(world: World): Promise<string> {
  const key = await issuerKey(world.deps, 'http://127.0.0.1/identity')
  return issueAccessToken(world.deps, key, operator, ['pwd', 'otp'])
}

test('in any order of events, each page is in the state choose exactly when the server accepts a payment, and verify accepts the books', async (t) => {
  t.diagnostic(`SEED=${SEED} RUNS=${RUNS}`)
  await fc.assert(fc.asyncProperty(events, playLife), {
    seed: SEED,
    numRuns: RUNS,
    interruptAfterTimeLimit: 60_000,
    markInterruptAsFailure: false,
  })
  const { checks } = await verify(processes[0].url)
  assert.deepEqual(
    checks.filter((check) => !check.ok),
    [],
  )
  t.diagnostic(
    [...counts]
      .sort()
      .map(([name, times]) => `${name} ${times}`)
      .join(', '),
  )
  for (const name of [
    'collect ok',
    'clear approve',
    'clear decline',
    'race',
    'page paid',
    'page review',
    'page choose',
  ])
    assert.ok((counts.get(name) ?? 0) > 0, `${name} never came`)
})
