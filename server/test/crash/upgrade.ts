// Upgrades a running installation from the previous version and rolls it back, under load behind HAProxy. Both versions run on one
// schema at the same time. `npm run upgrade-test -- REF` runs this file, with the folder of the previous version in PREVIOUS_DIR.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { SCOPES } from '../../src/kernel/http/index.ts'
import { createTestDatabase } from '../database.ts'
import { findProblems, gatherFacts, waitQuiet } from './facts.ts'
import { type Child, endOf, freePort, ROOT, startChild, until } from './processes.ts'
import { createRig, type Rig, type Shop } from './rig.ts'
import { createSender, startHaproxy, startSteadyLoad } from './steady-load.ts'

const PREVIOUS = process.env.PREVIOUS_DIR ?? ''
const PER_SECOND = Number(process.env.PER_SECOND ?? 200)
/** The time for which both versions run together, and the time after each change of all processes. */
const TOGETHER_MS = 4_000
const LOCK_GOAL_MS = 100
const START_MS_MAX = 180_000
const SHOPS = 2
const SHOWN_MAX = 10

let rig: Rig
const children = new Set<Child>()
const closers: (() => unknown)[] = []
after(async () => {
  for (const close of closers.reverse()) await close()
  for (const child of children) await child.kill()
  await rig?.close()
})

type Member = { env: Record<string, string>; child: Child }

async function start(root: string, env: Record<string, string>): Promise<Member> {
  const child = startChild(env, join(root, 'server/src/main.ts'))
  children.add(child)
  const isUp = () =>
    env.PROCESS === 'worker'
      ? child.output().includes('worker started')
      : fetch(`${child.url}/readyz`).then(
          (answer) => answer.status === 200,
          () => false,
        )
  await until('the process has started', isUp, START_MS_MAX)
  return { env, child }
}

/** Replaces a process by one of the program in `root`, at the same address. */
async function replace(member: Member, root: string): Promise<void> {
  member.child.signal('SIGTERM')
  assert.deepEqual(await endOf(member.child, 90_000), { code: 0, signal: null }, member.child.output())
  member.child = (await start(root, member.env)).child
}

/** Runs the admin command of the program in `root`, and returns its JSON. */
async function admin(root: string, args: readonly string[]): Promise<Record<string, unknown>> {
  const child = startChild(rig.env(), join(root, 'server/src/admin.ts'), [...args, '--json'])
  children.add(child)
  const { code } = await endOf(child, 120_000)
  const line = child
    .output()
    .split('\n')
    .find((text) => text.startsWith('{'))
  assert.ok(code === 0 && line !== undefined, `admin ${args.join(' ')}: ${child.output()}`)
  return JSON.parse(line) as Record<string, unknown>
}

/** Creates a merchant with a live key by the commands of the previous version. */
async function makeShop(name: string): Promise<Shop> {
  const { merchant_id } = await admin(PREVIOUS, ['merchant', 'create', '--name', name, '--approve'])
  const scopes = Object.keys(SCOPES).join(',')
  const key = ['key', 'create', '--merchant', String(merchant_id), '--environment', 'live', '--scopes', scopes]
  const { plaintext_key, id } = await admin(PREVIOUS, key)
  return { merchant: { id: merchant_id } as Shop['merchant'], key: String(plaintext_key), key_id: String(id) }
}

/** Watches how long statements wait for the lock of a table. */
async function watchLocks(url: string): Promise<{ longest_ms(): number; stop(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  let running = true
  let longest = 0
  const look = async () => {
    while (running) {
      const { rows } = await client.query<{ ms: number | null }>(
        `select max(extract(epoch from clock_timestamp() - waitstart) * 1000)::float8 as ms
         from pg_locks where not granted and locktype = 'relation'`,
      )
      longest = Math.max(longest, rows[0]?.ms ?? 0)
      await sleep(5)
    }
  }
  const looking = look()
  return {
    longest_ms: () => Math.round(longest),
    async stop() {
      running = false
      await looking
      await client.end()
    },
  }
}

test('an upgrade and a roll back under load fail no request, lose no event and block no request for long', async (t) => {
  const say = (line: string) => process.stdout.write(`${line}\n`)
  const lastOf = (root: string) => readdirSync(join(root, 'db/migrations')).sort().at(-1)?.slice(0, 4)
  say(`previous version: migration ${lastOf(PREVIOUS)}; new version: migration ${lastOf(ROOT)}`)
  rig = await createRig({ shops: 0, delay_ms: 50, database: await createTestDatabase(null) })
  for (let i = 1; i <= SHOPS; i++) rig.shops.push(await makeShop(`Duka ${i}`))
  const more = { STOP_DELAY_S: '4', LOG_LEVEL: 'info' }
  const ports = [await freePort(), await freePort()]
  const members = await Promise.all([
    ...ports.map((port) => start(PREVIOUS, rig.env({ ...more, PROCESS: 'api', PORT: String(port) }))),
    start(PREVIOUS, rig.env({ ...more, PROCESS: 'worker' })),
  ])
  const urls = members.slice(0, 2).map(({ child }) => child.url)
  await rig.configureWebhooks(urls[0] as string)
  closers.push((await startHaproxy(rig.port, urls)).close)
  const sender = createSender(`http://127.0.0.1:${rig.port}`)
  closers.push(sender.close)
  const locks = await watchLocks(rig.url)
  closers.push(locks.stop)

  const load = startSteadyLoad(sender, rig.shops, PER_SECOND, 1)
  closers.push(load.stop)
  await until('the load runs', () => load.acks.length >= 100)
  const { previous_version, pending } = await admin(ROOT, ['migrate', '--plan'])
  assert.equal(previous_version, 'continues', 'the previous version runs on the new schema')
  const { applied } = await admin(ROOT, ['migrate', '--apply'])
  assert.deepEqual(applied, pending)
  say(`applied ${(applied as string[]).join(', ')} under load; longest wait for a lock ${locks.longest_ms()} ms`)
  for (const root of [ROOT, PREVIOUS]) {
    for (const member of members) {
      await replace(member, root)
      await sleep(TOGETHER_MS)
    }
    say(`${root === ROOT ? 'upgraded' : 'rolled back'}: ${load.sent()} requests, ${load.failures.length} failed`)
  }
  await load.stop()
  const { left } = await waitQuiet(rig, 180_000)
  const facts = await gatherFacts(rig, load.acks)
  const problems = findProblems(facts)
  say(
    `${load.sent()} requests, ${load.failures.length} failed, slowest ${load.slowest_ms()} ms; ${facts.deliveries.length} events, ` +
      `${problems.length} problems in events, money and ${facts.checks.length} checks of verify; longest wait for a lock ${locks.longest_ms()} ms`,
  )
  t.diagnostic(`longest wait for the lock of a table ${locks.longest_ms()} ms`)
  assert.deepEqual(load.failures.slice(0, SHOWN_MAX), [])
  assert.deepEqual(left, { open: 0, due: 0, pending: 0 })
  assert.deepEqual(problems.slice(0, SHOWN_MAX), [], 'no payment and no event is lost, and verify is clean')
  assert.ok(locks.longest_ms() <= LOCK_GOAL_MS, `a statement waited ${locks.longest_ms()} ms for the lock of a table`)
})
