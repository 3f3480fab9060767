// Runs an installation of several processes under a steady load, for tests that replace one process after the other. The load
// and the other processes continue meanwhile.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { type Facts, findProblems, gatherFacts, waitQuiet } from './facts.ts'
import { type Child, endOf, ROOT, startChild, until } from './processes.ts'
import type { Rig } from './rig.ts'
import { createBalancer, type SteadyLoad, startHaproxy, startSteadyLoad } from './steady-load.ts'

const START_MS_MAX = 180_000
const STOP_MS_MAX = 90_000
const QUIET_MS_MAX = 180_000
const SHOWN_MAX = 10
/** The first change waits for as many acknowledged payments as the load makes in this time, in seconds. */
const WARM_S = 1

/** One process of the installation, with the settings of its address and its role. */
export type Member = { env: Record<string, string>; child: Child }

/**
 * The processes of the installation. `haproxy`: two API processes behind HAProxy, and a worker. `balancer`: two processes that do all
 * work, behind a balancer of the test, which needs no other program.
 */
export type Shape = 'haproxy' | 'balancer'

/** Running processes under load. */
export type Installation = {
  members: readonly Member[]
  load: SteadyLoad
  /**
   * Stops a process and starts the program in `root` at the same address. First waits until the balancer uses every process.
   * Asserts that the old process ends with code 0.
   */
  replace(member: Member, root?: string): Promise<void>
  /**
   * Ends the load, and waits until no work is left. Asserts that no request failed, that no payment and no event is lost, and that
   * verify finds nothing.
   */
  assertNothingLost(): Promise<Facts>
  /** Ends the load and the processes. The caller closes the rig afterwards. */
  close(): Promise<void>
}

/**
 * The options of an installation. `stop_delay_s` is the setting STOP_DELAY_S, and `root` is the folder of the program that runs
 * first.
 */
export type InstallationOptions = { shape: Shape; per_second: number; stop_delay_s: number; root?: string }

/** Starts an installation over the database of `rig`, and waits until the load runs. */
export async function startInstallation(rig: Rig, options: InstallationOptions): Promise<Installation> {
  const { shape, per_second, stop_delay_s, root = ROOT } = options
  const children = new Set<Child>()
  const closers: (() => unknown)[] = []
  const close = async () => {
    for (const closer of closers.reverse()) await closer()
    for (const child of children) await child.kill()
  }
  const start = async (env: Record<string, string>, from: string): Promise<Member> => {
    const child = startChild(env, join(from, 'server/src/main.ts'))
    children.add(child)
    await until('the process has started', () => isUp(env, child), START_MS_MAX)
    return { env, child }
  }
  try {
    const members = await Promise.all((await settingsOf(rig, shape, stop_delay_s)).map((env) => start(env, root)))
    const urls = members.slice(0, 2).map(({ child }) => child.url)
    await rig.configureWebhooks(urls[0] as string)
    const balancer = shape === 'haproxy' ? await startHaproxy(rig.port, urls) : createBalancer(urls)
    closers.push(balancer.close)
    const load = startSteadyLoad(balancer, rig.shops, per_second, 1)
    closers.push(load.stop)
    // A new process is slow until Node has compiled its code. Every other request is a payment.
    await until('the load runs', () => load.acks.length >= (per_second * WARM_S) / 2, START_MS_MAX)
    assert.deepEqual(
      load.failures.slice(0, SHOWN_MAX),
      [],
      `requests failed before the first change: this machine is too slow for ${per_second} requests a second`,
    )
    return {
      members,
      load,
      async replace(member, from = root) {
        await until('the balancer sends requests to every process', balancer.usesAll, START_MS_MAX)
        member.child.signal('SIGTERM')
        const end = await endOf(member.child, STOP_MS_MAX)
        assert.deepEqual(end, { code: 0, signal: null }, member.child.output())
        children.delete(member.child)
        member.child = (await start(member.env, from)).child
      },
      async assertNothingLost() {
        await load.stop()
        assert.deepEqual(load.failures.slice(0, SHOWN_MAX), [], `${load.failures.length} requests failed`)
        const { left } = await waitQuiet(rig, QUIET_MS_MAX)
        assert.deepEqual(left, { open: 0, due: 0, pending: 0 })
        const facts = await gatherFacts(rig, load.acks)
        const problems = findProblems(facts).slice(0, SHOWN_MAX)
        assert.deepEqual(problems, [], 'no payment and no event is lost, and verify is clean')
        return facts
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Returns the settings of each process. The provider sends its callbacks to `rig.port`. */
async function settingsOf(rig: Rig, shape: Shape, stop_delay_s: number): Promise<Record<string, string>[]> {
  const common = { STOP_DELAY_S: String(stop_delay_s), LOG_LEVEL: 'info' }
  const ports = [shape === 'haproxy' ? await freePort() : rig.port, await freePort()]
  const serving = ports.map((port) =>
    rig.env({ ...common, PROCESS: shape === 'haproxy' ? 'api' : 'all', PORT: String(port) }),
  )
  return shape === 'haproxy' ? [...serving, rig.env({ ...common, PROCESS: 'worker' })] : serving
}

async function isUp(env: Record<string, string>, child: Child): Promise<boolean> {
  if (!child.alive()) throw new Error(`the process ended before it had started:\n${child.output()}`)
  if (env.PROCESS === 'worker') return child.output().includes('worker started')
  return fetch(`${child.url}/readyz`).then(
    (answer) => answer.status === 200,
    () => false,
  )
}
