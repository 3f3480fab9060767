// Runs the real server for a simulation: processes over one database, a provider that records the payouts it executes, and
// users who call the API.

import assert from 'node:assert/strict'
import { issueAccessToken, issuerKey } from '../../src/access/identity/index.ts'
import type { Merchant } from '../../src/access/merchants/index.ts'
import type { PayoutAnswer, PayoutRequest } from '../../src/adapters/providers/port.ts'
import { findApprovals, withdrawalName } from '../../src/money/withdrawals/index.ts'
import { createTestDatabase } from '../database.ts'
import { createWorld, type Reply, type World } from '../harness.ts'
import { fund, newPayoutScript, reverseCollection, scriptedProvider } from '../payouts.ts'
import { type Crash, DEADLINE_H, FOUR_EYES, type ModelAnswer, type ModelBook, type Price } from './model.ts'

/** A merchant, its live API key, the id of its FINANCE user, and the destination of its withdrawals. */
export type Shop = { merchant: Merchant; key: string; person: string; destination: string }

/**
 * The provider's answers to status queries and to payout requests. `executes` is true if the provider executes the payout.
 */
export type ScriptedAnswers = {
  says(reference: string): ModelAnswer
  sends(reference: string): { answer: ModelAnswer; executes: boolean }
  /** Returns false while a pause or a suspension holds the payout. */
  mayLeave(reference: string): boolean
}

/** The processes, the provider, and the calls of users and operators. */
export type Rig = {
  world: World
  url: string
  script: ScriptedAnswers
  /** The number of executions by the provider, by reference. */
  executed: Map<string, number>
  /** The references of payout requests that reached the provider although they had to wait. */
  forbidden: string[]
  /** Makes a merchant whose withdrawals go to the phone number `destination`. */
  open(price: Price, destination: string): Promise<Shop>
  collect(shop: Shop, amount: bigint): Promise<string>
  reverseCollection(shop: Shop, collection_id: string): Promise<void>
  submit(shop: Shop, amount: bigint): Promise<{ code: string; id: string }>
  /**
   * Calls a process as the first or second operator. Processes 0 and 1 also send payouts; processes 2 and 3 only serve HTTP.
   * Returns 'ok' or the error code.
   */
  operate(process: number, path: string, body?: object, operator?: number): Promise<string>
  /** Reads the number of approvals of each withdrawal, as the console shows the number. */
  approvalsOf(keys: readonly { merchant_id: string; id: string }[]): Promise<number[]>
  respond(shop: Shop, id: string): Promise<string>
  /** Cancels a withdrawal as a member of the merchant. Returns 'ok' or the error code. */
  cancel(process: number, shop: Shop, id: string): Promise<string>
  callBack(process: number, reference: string): Promise<void>
  /** Moves the clocks of all processes. */
  pass(ms: number): void
  /** Lets these processes do all due work. */
  work(processes: readonly number[]): Promise<void>
  /**
   * Runs `work` while processes die at a crash point, and waits until all work has ended. Returns the result of `work`.
   */
  dying<Result>(point: Crash | 'approve', when: string, work: () => Promise<Result>): Promise<Result>
  booksOf(shop: Shop): Promise<ModelBook>
  close(): Promise<void>
}

/** Converts the model's answer to the provider's answer about one payout. */
function answerOf(answer: ModelAnswer, { amount_minor }: PayoutRequest): PayoutAnswer {
  const again = answer.again_ms === undefined ? {} : { ask_again_ms: answer.again_ms }
  const rest = { provider_status: answer.kind.toUpperCase(), ...again }
  switch (answer.kind) {
    case 'paid':
      return { kind: 'succeeded', amount_minor: amount_minor + answer.more, currency: 'TZS', ...rest }
    case 'reversed': {
      const charge_returned = answer.charge_returned === true
      return { kind: 'reversed', amount_minor: amount_minor + answer.more, currency: 'TZS', charge_returned, ...rest }
    }
    case 'declined':
      return { kind: 'declined', reason: 'provider_declined', ...rest }
    case 'unknown':
      return { kind: 'unknown', why: 'timeout', ...rest }
    default:
      return { kind: answer.kind, ...rest }
  }
}

/** Builds a rig over a new database. */
export async function createSimulation(): Promise<Rig> {
  const database = await createTestDatabase()
  const executed = new Map<string, number>()
  let died_at: string | null = null
  const script = newPayoutScript({
    payout(request) {
      if (!rig.script.mayLeave(request.reference)) rig.forbidden.push(request.reference)
      const { answer, executes } = rig.script.sends(request.reference)
      if (executes) executed.set(request.reference, (executed.get(request.reference) ?? 0) + 1)
      return answerOf(answer, request)
    },
    status: (request) => answerOf(rig.script.says(request.reference), request),
  })
  const processes: World[] = []
  for (const PROCESS of ['all', 'all', 'api', 'api']) {
    processes.push(
      await createWorld({
        url: database.url,
        env: {
          PROCESS,
          PAYOUT_DEADLINE_H: String(DEADLINE_H),
          FOUR_EYES_AMOUNT: String(FOUR_EYES / 100n),
          LOG_LEVEL: 'error',
        },
        compose: { providers: [scriptedProvider(script)] },
        point(name) {
          if (name === died_at) throw new Error('the process dies here')
        },
      }),
    )
  }
  const [world] = processes as [World]
  const operators = [await world.newSession('SUPER_ADMIN'), await world.newSession('SUPER_ADMIN')]
  const signing = await issuerKey(world.deps, 'http://127.0.0.1/identity')
  // The test issues a new token for each call, because hours pass between two calls.
  const tokenOf = (person: string) => issueAccessToken(world.deps, signing, person, ['pwd', 'otp'])
  const codeOf = (reply: Reply) => (reply.status < 300 ? 'ok' : (reply.body?.error?.code ?? String(reply.status)))
  const idle = async () => {
    for (const { system } of processes) await system.payouts.task.idle()
  }
  const rig: Rig = {
    world,
    url: database.url,
    executed,
    forbidden: [],
    script: {
      says: () => ({ kind: 'unknown' }),
      sends: () => ({ answer: { kind: 'not_sent' }, executes: false }),
      mayLeave: () => true,
    },
    async open({ hundredths, flat, processor, passed_on }, destination) {
      const merchant = await world.newMerchant()
      await world.rows(
        `update pricing_rules set percentage_hundredths = $2, flat_fee_minor = $3, processor_charge_minor = $4,
           processor_fee_pass_through = $5 where merchant_id = $1 and flow = 'withdrawal'`,
        [merchant.id, Number(hundredths), flat, processor, passed_on],
      )
      const key = await world.newKey({ merchant, environment: 'live' })
      const { user_id: person } = await world.newSession([{ role: 'FINANCE', merchant }])
      const events = ['disbursement.success', 'disbursement.failed', 'disbursement.reversed']
      const payload = { webhook_url: 'http://127.0.0.1:9/hook', events }
      await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload, key })
      return { merchant, key, person, destination }
    },
    collect: ({ merchant }, amount) => fund(world, amount, { merchant }),
    reverseCollection: ({ merchant }, collection_id) => reverseCollection(world, collection_id, merchant),
    async submit({ merchant, key, destination }, amount) {
      const reply = await world.post(
        '/v1/disbursements/mobile-money',
        {
          merchant_id: merchant.id,
          amount: `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`,
          destination_name: 'Asha',
          destination_identifier: destination,
          destination_code: 'MPESA',
        },
        { key },
      )
      return { code: codeOf(reply), id: reply.body?.data?.id ?? '' }
    },
    async operate(process, path, body = {}, operator = 0) {
      const { call } = processes[process] as World
      const idempotency = path.includes('adjustments') ? { idempotency_key: crypto.randomUUID() } : {}
      const key = await tokenOf((operators[operator] as { user_id: string }).user_id)
      return codeOf(await call({ method: 'POST', url: `/v1/operator/${path}`, payload: body, key, ...idempotency }))
    },
    async approvalsOf(keys) {
      const found = await findApprovals(world.deps.db, keys)
      return keys.map((key) => found.get(withdrawalName(key))?.length ?? 0)
    },
    async respond({ person }, id) {
      const url = `/v1/merchant/withdrawals/${id}/respond`
      const payload = { message: 'A supplier' }
      return codeOf(await world.call({ method: 'POST', url, payload, key: await tokenOf(person) }))
    },
    async cancel(process, { person }, id) {
      const url = `/v1/merchant/withdrawals/${id}/cancel`
      return codeOf(
        await (processes[process] as World).call({ method: 'POST', url, payload: {}, key: await tokenOf(person) }),
      )
    },
    async callBack(process, reference) {
      await (processes[process] as World).system.receive('mock', {}, Buffer.from(reference))
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
    async dying(point, when, work) {
      died_at = point === null ? null : point === 'approve' ? `approve.${when}` : `payout.${when}`
      try {
        return await work()
      } finally {
        await idle()
        died_at = null
      }
    },
    async booksOf({ merchant }) {
      const rows = await world.rows<{ code: string; balance_minor: bigint }>(
        "select code, balance_minor from ledger_accounts where merchant_id = $1 and environment = 'live'",
        [merchant.id],
      )
      const of = (code: string) => rows.find((row) => row.code === code)?.balance_minor ?? 0n
      assert.equal(rows.length, 6)
      const [available, reserved, fees] = [of('available'), of('reserved'), of('fee_income')]
      return { available, reserved, fees, costs: of('processor_cost'), float: of('provider_float') }
    },
    async close() {
      for (const one of processes.toReversed()) await one.close()
      await database.drop()
    },
  }
  return rig
}
