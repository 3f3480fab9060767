// Restarts each process of an installation in turn under load. No client repeats a request, and no request fails. `npm run
// rolling` restarts two API processes and a worker behind HAProxy, under 200 requests a second. The short test restarts two
// processes that do all work, behind a balancer of the test.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProblems, gatherFacts, waitQuiet } from './facts.ts'
import { type Child, endOf, freePort, startChild, until } from './processes.ts'
import { createRig, type Rig } from './rig.ts'
import { createBalancer, createSender, type Sender, startHaproxy, startSteadyLoad } from './steady-load.ts'

const IS_FULL = process.env.ROLLING === 'full'
const PER_SECOND = IS_FULL ? 200 : 20
const ROUNDS = IS_FULL ? 3 : 1
const PAUSE_MS = IS_FULL ? 3_000 : 200
const SHOWN_MAX = 10

let rig: Rig
const children = new Set<Child>()
const closers: (() => unknown)[] = []
after(async () => {
  for (const close of closers.reverse()) await close()
  for (const child of children) await child.kill()
  await rig?.close()
})

/** One process of the installation, which the test restarts at the same address. */
type Member = { env: Record<string, string>; child: Child; isUp(child: Child): Promise<unknown> }

const startsServing = (child: Child) => child.ready()
const startsWorking = (child: Child) => until('the worker has started', () => child.output().includes('worker started'))

async function startMember(env: Record<string, string>, isUp: Member['isUp']): Promise<Member> {
  const child = startChild(env)
  children.add(child)
  await isUp(child)
  return { env, child, isUp }
}

async function restart(member: Member): Promise<void> {
  member.child.signal('SIGTERM')
  assert.deepEqual(await endOf(member.child, 60_000), { code: 0, signal: null }, member.child.output())
  member.child = (await startMember(member.env, member.isUp)).child
}

test('a restart of each process in turn, under load, fails no request and loses no event', async (t) => {
  rig = await createRig({ shops: 3, delay_ms: 50 })
  const more = { STOP_DELAY_S: IS_FULL ? '4' : '2', LOG_LEVEL: 'info' }
  // The provider sends its callbacks to `rig.port`.
  const ports = [IS_FULL ? await freePort() : rig.port, await freePort()]
  const serving = { ...more, PROCESS: IS_FULL ? 'api' : 'all' }
  const members = await Promise.all([
    ...ports.map((port) => startMember(rig.env({ ...serving, PORT: String(port) }), startsServing)),
    ...(IS_FULL ? [startMember(rig.env({ ...more, PROCESS: 'worker' }), startsWorking)] : []),
  ])
  const urls = members.slice(0, 2).map(({ child }) => child.url)
  await rig.configureWebhooks(urls[0] as string)
  let sender: Sender
  if (IS_FULL) {
    const proxy = await startHaproxy(rig.port, urls)
    closers.push(proxy.close)
    sender = createSender(`http://127.0.0.1:${rig.port}`)
  } else sender = createBalancer(urls)
  closers.push(sender.close)

  const load = startSteadyLoad(sender, rig.shops, PER_SECOND, 1)
  await until('the load runs', () => load.acks.length >= 10)
  for (let round = 0; round < ROUNDS; round++) {
    for (const member of members) {
      await restart(member)
      await sleep(PAUSE_MS)
    }
  }
  await load.stop()
  t.diagnostic(
    `${load.sent()} requests, ${load.failures.length} failed, slowest ${load.slowest_ms()} ms, ${ROUNDS * members.length} restarts`,
  )
  assert.deepEqual(load.failures.slice(0, SHOWN_MAX), [])
  const { left } = await waitQuiet(rig, 60_000)
  assert.deepEqual(left, { open: 0, due: 0, pending: 0 })
  const facts = await gatherFacts(rig, load.acks)
  t.diagnostic(`${facts.deliveries.length} events, ${facts.checks.length} checks of verify`)
  assert.deepEqual(findProblems(facts).slice(0, SHOWN_MAX), [], 'no payment and no event is lost, and verify is clean')
})
