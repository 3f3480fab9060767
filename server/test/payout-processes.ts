// Processes over one database whose live provider follows a script, for the tests of sending payouts.

import assert from 'node:assert/strict'
import type { PayoutAnswer, Provider } from '../src/adapters/providers/port.ts'
import type { DbOptions } from '../src/kernel/db/index.ts'
import { payoutReference } from '../src/money/withdrawals/index.ts'
import { createWorld, type World } from './harness.ts'
import {
  booksHold,
  fund,
  type Hands,
  handsOf,
  insertWithdrawal,
  type Key,
  newScript,
  recordOf,
  type Script,
  said,
  scriptedProvider,
  storyOf,
} from './payouts.ts'

/** The amount of a withdrawal, in cents. */
export const A = 100_000n
/** In milliseconds. */
export const HOUR = 3_600_000

/** One process: a world, and the calls of its operator and merchant. */
export type Process = { world: World; hands: Hands }

/** The stage of a test. */
export type Stage = Process & {
  script: Script
  /** How often the provider was requested to execute a payout. */
  executions(key: Key): number
  questions(key: Key): number
  /** A submitted withdrawal that the balance covers. */
  submitted(amount_minor?: bigint): Promise<Key>
  /** Another process on the same database with the same provider. */
  another(options?: { point?: (name: string) => void; sends?: boolean }): Promise<Process>
  /** Runs the work that is due now. */
  work(process?: Process): Promise<void>
}

type Options = {
  env?: Record<string, string>
  point?: (name: string) => void
  before?: DbOptions['before']
  adapt?: (provider: Provider) => Provider
  /** False if the test breaks the books itself. */
  sound?: boolean
}

/** Runs a test in a world whose live provider follows a script. */
export async function stage(work: (stage: Stage) => Promise<void>, options: Options = {}): Promise<void> {
  const { env, point, before, adapt = (provider) => provider } = options
  const script = newScript()
  const provider = adapt(scriptedProvider(script))
  const compose = { providers: [provider] }
  const worlds: World[] = []
  const open = async (more: Parameters<typeof createWorld>[0], sends = true): Promise<Process> => {
    const world = await createWorld({ compose, ...(env ? { env } : {}), ...more })
    worlds.unshift(world)
    return { world, hands: handsOf(world, provider, { sends }) }
  }
  try {
    const first = await open({ ...(point ? { point } : {}), ...(before ? { before } : {}) })
    const count = (list: readonly string[], { id }: Key) => list.filter((name) => name === payoutReference(id)).length
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
    // After a failed test, no provider call keeps waiting.
    for (const release of gates.splice(0)) release(said.unknown)
    for (const world of worlds) await world.close()
  }
}

const gates: ((answer: PayoutAnswer) => void)[] = []

/** An answer of the provider that waits until the test opens it. */
export function gate() {
  const { promise: answer, resolve: open } = Promise.withResolvers<PayoutAnswer>()
  gates.push(open)
  return { answer, open }
}

/** Waits until the condition holds; fails if it does not in time. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 5_000
  while (!(await holds())) {
    assert.ok(Date.now() < end, 'the condition did not become true')
    await new Promise((done) => setTimeout(done, 2))
  }
}

/** Ends a process at this crash point, once. */
export function dieAt(point: string): (name: string) => void {
  let alive = true
  return (name) => {
    if (name !== point || !alive) return
    alive = false
    throw new Error('the process dies here')
  }
}

/** Waits until a process has no running work. */
export const idle = ({ world }: Process) => world.system.payouts.task.idle()
/** The status of a withdrawal. */
export const statusOf = async ({ world }: Process, key: Key) => (await recordOf(world, key)).status
/** A callback of the provider about a payout. */
export const hint = ({ world }: Process, key: Key) =>
  world.system.receive('mock', {}, Buffer.from(payoutReference(key.id)))
/** The moves of a withdrawal, with the provider's answers. */
export const movesOf = async ({ world }: Process, key: Key) => (await storyOf(world, key)).moves
