// Runs processes over one database, with a live provider that follows a script. The tests of sending payouts use these
// processes.

import assert from 'node:assert/strict'
import type { PayoutAnswer, Provider } from '../src/adapters/providers/port.ts'
import type { DbOptions } from '../src/kernel/db/index.ts'
import { payoutReference } from '../src/money/withdrawals/index.ts'
import { createWorld, type World } from './harness.ts'
import {
  booksHold,
  fund,
  insertWithdrawal,
  newPayoutScript,
  type PayoutCalls,
  type PayoutScript,
  payoutAnswers,
  payoutCallsOf,
  recordOf,
  scriptedProvider,
  traceOf,
  type WithdrawalKey,
} from './payouts.ts'

/** The amount of a withdrawal, in cents. */
export const A = 100_000n
/** An hour in milliseconds. */
export const HOUR = 3_600_000

/** One process: a world, and the calls of an operator and a merchant. */
export type PayoutProcess = { world: World; hands: PayoutCalls }

/** The processes, the script of the provider and the helpers of a test. */
export type PayoutWorld = PayoutProcess & {
  script: PayoutScript
  /** Returns how often the platform asked the provider to execute the payout. */
  executions(key: WithdrawalKey): number
  questions(key: WithdrawalKey): number
  /** Submits a withdrawal that the balance covers. */
  submitted(amount_minor?: bigint): Promise<WithdrawalKey>
  /** Starts another process on the same database with the same provider. */
  another(options?: { point?: (name: string) => void; sends?: boolean }): Promise<PayoutProcess>
  /** Runs the work that is due now. */
  work(process?: PayoutProcess): Promise<void>
}

type Options = {
  env?: Record<string, string>
  point?: (name: string) => void
  before?: DbOptions['before']
  adapt?: (provider: Provider) => Provider
  /** False means that the test breaks the books on purpose. */
  sound?: boolean
}

/** Runs a test in a world whose live provider follows a script. */
export async function withPayoutWorld(
  work: (stage: PayoutWorld) => Promise<void>,
  options: Options = {},
): Promise<void> {
  const { env, point, before, adapt = (provider) => provider } = options
  const script = newPayoutScript()
  const provider = adapt(scriptedProvider(script))
  const compose = { providers: [provider] }
  const worlds: World[] = []
  const open = async (more: Parameters<typeof createWorld>[0], sends = true): Promise<PayoutProcess> => {
    const world = await createWorld({ compose, ...(env ? { env } : {}), ...more })
    worlds.unshift(world)
    return { world, hands: payoutCallsOf(world, provider, { sends }) }
  }
  try {
    const first = await open({ ...(point ? { point } : {}), ...(before ? { before } : {}) })
    const count = (list: readonly string[], { id }: WithdrawalKey) =>
      list.filter((name) => name === payoutReference(id)).length
    await work({
      ...first,
      script,
      executions: (key) => count(script.sent, key),
      questions: (key) => count(script.asked, key),
      async submitted(amount_minor = A) {
        await fund(first.world, amount_minor)
        return insertWithdrawal(first.world, { amount_minor })
      },
      another: ({ sends = true, ...more } = {}) => open({ url: first.world.url, ...more }, sends),
      async work({ world } = first) {
        await world.system.payouts.task.runOnce()
        await world.system.payouts.task.idle()
      },
    })
    if (options.sound !== false) await booksHold(first.world)
  } finally {
    // If the test failed, these lines end the calls of the provider that still wait.
    for (const release of gates.splice(0)) release(payoutAnswers.unknown)
    for (const world of worlds) await world.close()
  }
}

const gates: ((answer: PayoutAnswer) => void)[] = []

/** Makes an answer of the provider that arrives when the test calls `open`. */
export function gate() {
  const { promise: answer, resolve: open } = Promise.withResolvers<PayoutAnswer>()
  gates.push(open)
  return { answer, open }
}

/** Waits until the condition is true. After five seconds, throws an error. */
export async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 5_000
  while (!(await holds())) {
    assert.ok(Date.now() < end, 'the condition did not become true')
    await new Promise((done) => setTimeout(done, 2))
  }
}

/** Returns a function that simulates the end of a process: it throws an error once, at this crash point. */
export function dieAt(point: string): (name: string) => void {
  let alive = true
  return (name) => {
    if (name !== point || !alive) return
    alive = false
    throw new Error('the process dies here')
  }
}

/** Waits until a process has no running work. */
export const idle = ({ world }: PayoutProcess) => world.system.payouts.task.idle()
/** Reads the status of a withdrawal. */
export const statusOf = async ({ world }: PayoutProcess, key: WithdrawalKey) => (await recordOf(world, key)).status
/** Sends a callback of the provider about a payout. */
export const hint = ({ world }: PayoutProcess, key: WithdrawalKey) =>
  world.system.receive('mock', {}, Buffer.from(payoutReference(key.id)))
/** Reads the status changes of a withdrawal, with their reasons. */
export const movesOf = async ({ world }: PayoutProcess, key: WithdrawalKey) => (await traceOf(world, key)).moves
