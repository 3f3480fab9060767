// Runs the real server for the model of people: two processes over one database, and people with sessions and keys. The model
// judges each payout request that reaches the provider.

import assert from 'node:assert/strict'
import { revokeAllKeys } from '../../src/access/api-keys/index.ts'
import { issueAccessToken, issuerKey } from '../../src/access/identity/index.ts'
import { reclaimMerchants } from '../../src/access/merchants/index.ts'
import type { PayoutAnswer, PayoutRequest } from '../../src/adapters/providers/port.ts'
import { disableByEmail, enableByEmail, revokeOperator } from '../../src/apps/admin/people-rights.ts'
import { inTransaction } from '../../src/kernel/db/index.ts'
import { createTestDatabase } from '../database.ts'
import { createWorld, type World } from '../harness.ts'
import { fund, newPayoutScript, payoutAnswers, scriptedProvider } from '../payouts.ts'
import type { Paper, Person, Shop } from './people-rules.ts'

/** The answer to a call. `code` is `ok` or an error code. */
export type Answer = {
  code: string
  // biome-ignore lint/suspicious/noExplicitAny: the calls have answers of every shape
  data: any
}

/** The caller of a call: a person with a session, or an API key as text. */
export type Caller = Person | string

/** The provider of the rig. The model of people chooses its answers. */
export type Counter = {
  pay(request: PayoutRequest): PayoutAnswer
  status(request: PayoutRequest): PayoutAnswer
}

/** The processes with their people, merchants and calls. */
export type PeopleRig = {
  world: World
  counter: Counter
  now(): number
  newPerson(): Promise<Person>
  newOperator(): Promise<Person>
  /** Makes an active merchant with a founder, money, and a live key that no person made. */
  newShop(): Promise<Shop>
  call(
    caller: Caller,
    process: number,
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    body?: object,
  ): Promise<Answer>
  /** Makes a held payment of an amount in cents, and returns its id. */
  hold(shop: Shop, amount: bigint): Promise<string>
  setDisabled(person: Person, disabled: boolean): Promise<void>
  takeOperatorRole(person: Person): Promise<void>
  /** Confirms the founder's e-mail address. The server then removes the other members and all keys of the merchant. */
  reclaim(shop: Shop): Promise<void>
  /** Restarts the processes with other amounts in cents. Null turns a setting off. */
  restart(settings: { four_eyes: bigint | null; daily: bigint | null; destination: bigint | null }): void
  /** Reads the recorded status and money of withdrawals. */
  read(papers: readonly Paper[]): Promise<void>
  pass(ms: number): void
  work(processes: readonly number[]): Promise<void>
  idle(): Promise<void>
  close(): Promise<void>
}

const TOKEN_MS = 300_000

/** Builds a rig over a new database. */
export async function createPeopleRig(four_eyes: bigint): Promise<PeopleRig> {
  const database = await createTestDatabase()
  const counter: Counter = { pay: () => payoutAnswers.not_sent, status: () => payoutAnswers.unknown }
  const script = newPayoutScript({
    payout: (request) => counter.pay(request),
    status: (request) => counter.status(request),
  })
  const processes: World[] = []
  for (let i = 0; i < 2; i++) {
    processes.push(
      await createWorld({
        url: database.url,
        env: { FOUR_EYES_AMOUNT: String(four_eyes / 100n), NEW_DESTINATION: 'confirm', LOG_LEVEL: 'silent' },
        compose: { providers: [scriptedProvider(script)] },
      }),
    )
  }
  const [world] = processes as [World]
  const signing = await issuerKey(world.deps, 'http://127.0.0.1/identity')
  const tokens = new Map<Person, { at: number; token: string }>()
  const subjects = new Map<Person, string>()
  // If all sessions of a person end, the person gets another subject.
  const signInAgain = async (person: Person) => {
    const [row] = await world.rows<{ subject: string }>('select subject from users where id = $1', [person.id])
    subjects.set(person, row?.subject ?? '')
    tokens.delete(person)
  }
  const now = () => world.deps.clock.now().getTime()
  const tokenOf = async (person: Person) => {
    const known = tokens.get(person)
    if (known !== undefined && now() - known.at < TOKEN_MS) return known.token
    const token = await issueAccessToken(world.deps, signing, subjects.get(person) ?? person.id, ['pwd', 'otp'])
    tokens.set(person, { at: now(), token })
    return token
  }
  const personOf = async (roles: Parameters<World['newSession']>[0], operator: boolean): Promise<Person> => {
    const { user_id: id, email } = await world.newSession(roles)
    return { id, email, operator, disabled: false }
  }
  const idle = async () => {
    for (const { system } of processes) await system.payouts.task.idle()
  }
  return {
    world,
    counter,
    now,
    newPerson: () => personOf([], false),
    newOperator: () => personOf('SUPER_ADMIN', true),
    async newShop() {
      const merchant = await world.newMerchant()
      await world.rows(
        `update pricing_rules set percentage_hundredths = 0, flat_fee_minor = 0, processor_charge_minor = 0
         where merchant_id = $1`,
        [merchant.id],
      )
      const founder = await personOf([{ role: 'MERCHANT_ADMIN', merchant }], false)
      const [row] = await world.rows<{ id: string }>('select id from members where merchant_id = $1', [merchant.id])
      await fund(world, 50_000_000n, { merchant })
      const text = await world.newKey({ merchant, environment: 'live' })
      return {
        id: merchant.id,
        suspended: false,
        ties: new Set([founder]),
        founder,
        members: new Map([[founder, { id: row?.id ?? '', role: 'MERCHANT_ADMIN' }]]),
        keys: [{ id: '', text, maker: null }],
        limits: { daily: null, destination: null },
        paid: new Set(),
        papers: [],
        held: [],
      }
    },
    async call(caller, process, method, url, body) {
      const key = typeof caller === 'string' ? caller : await tokenOf(caller)
      const { call } = processes[process] as World
      const idempotency_key =
        url.includes('adjustments') || url.endsWith('withdrawals') || url.includes('disbursements')
      const reply = await call({
        ...{ method, url, key },
        ...(body === undefined ? {} : { payload: body }),
        ...(idempotency_key ? { idempotency_key: crypto.randomUUID() } : {}),
      })
      const code = reply.status < 300 ? 'ok' : (reply.body?.error?.code ?? String(reply.status))
      assert.ok(reply.status < 500, `${method} ${url}: ${reply.text}`)
      return { code, data: reply.body?.data }
    },
    async hold({ id }, amount) {
      const key = await world.newKey({ merchant: { id } as World['merchant'], environment: 'live' })
      const body = { amount: `${amount / 100n}.00`, phone: '0754123001' }
      const reply = await world.post('/v1/collections/wallet-push', body, { key })
      assert.equal(reply.status, 202, reply.text)
      const { collection_id } = reply.body.data
      await world.system.driver.task.idle()
      const answer = { kind: 'held', amount_minor: amount, currency: 'TZS', provider_status: 'HELD' } as const
      await world.system.driver.settle({ merchant_id: id, collection_id, number: 1, answer })
      return collection_id
    },
    async setDisabled(person, disabled) {
      await (disabled ? disableByEmail : enableByEmail)(world.deps, person.email)
      await signInAgain(person)
    },
    async takeOperatorRole(person) {
      await revokeOperator(world.deps, person.email)
      await signInAgain(person)
    },
    async reclaim({ founder }) {
      const act = { actor: { kind: 'user', id: founder.id, name: founder.email } } as const
      await inTransaction(world.deps.db, (tx) => reclaimMerchants(world.deps, tx, act, founder.id, revokeAllKeys))
    },
    restart({ four_eyes: amount, daily, destination }) {
      for (const { deps } of processes) {
        const settings = { payout_daily_limit: daily, payout_daily_limit_per_destination: destination }
        Object.assign(deps.config, settings, { four_eyes_amount: amount ?? 'off' })
      }
    },
    async read(papers) {
      if (papers.length === 0) return
      const rows = await world.rows<{ id: string; status: string; funds: string }>(
        `select w.id, w.status, w.funds from unnest($1::uuid[], $2::uuid[]) i(merchant_id, id)
         join withdrawals w on w.merchant_id = i.merchant_id and w.id = i.id`,
        [papers.map(({ shop }) => shop.id), papers.map(({ id }) => id)],
      )
      const found = new Map(rows.map((row) => [row.id, row]))
      for (const paper of papers) Object.assign(paper, found.get(paper.id))
    },
    pass(ms) {
      for (const { deps } of processes) deps.clock.advance(ms)
    },
    async work(which) {
      for (;;) {
        const taken = await Promise.all(which.map((i) => (processes[i] as World).system.payouts.task.runOnce()))
        await idle()
        if (taken.every((count) => count === 0)) return
      }
    },
    idle,
    async close() {
      for (const one of processes.toReversed()) await one.close()
      await database.drop()
    },
  }
}
