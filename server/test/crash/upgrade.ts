// Upgrades a running installation from the previous version and rolls it back, under load behind HAProxy. Both versions run on one
// schema at the same time. `npm run upgrade-test -- REF` runs this file, with the folder of the previous version in PREVIOUS_DIR.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { SCOPES } from '../../src/kernel/http/index.ts'
import { createTestDatabase } from '../database.ts'
import { type Installation, startInstallation } from './installation.ts'
import { type Child, endOf, ROOT, startChild } from './processes.ts'
import { createRig, type Rig, type Shop } from './rig.ts'

const PREVIOUS = process.env.PREVIOUS_DIR ?? ''
const PER_SECOND = Number(process.env.PER_SECOND ?? 200)
/** The time in milliseconds for which both versions run together, and the time after each change of all processes. */
const TOGETHER_MS = 4_000
const LOCK_GOAL_MS = 100
const SHOPS = 2

let rig: Rig
let installation: Installation
const children = new Set<Child>()
const closers: (() => unknown)[] = []
after(async () => {
  for (const close of closers.reverse()) await close()
  await installation?.close()
  for (const child of children) await child.kill()
  await rig?.close()
})

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
async function watchLocks(url: string): Promise<{ postgres: string; longest_ms(): number; stop(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows: versions } = await client.query<{ server_version: string }>('show server_version')
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
    postgres: versions[0]?.server_version ?? '',
    longest_ms: () => Math.round(longest),
    async stop() {
      running = false
      await looking
      await client.end()
    },
  }
}

/**
 * Makes a database with the schema of the previous version. This program applies the migrations of that version, because an
 * older program cannot install on each PostgreSQL. Before migration 0070, only a superuser could apply 0013 on PostgreSQL 15
 * and 16.
 */
async function makePreviousDatabase() {
  const database = await createTestDatabase(null)
  await migrate(database.url, undefined, join(PREVIOUS, 'db/migrations'))
  return database
}

test('an upgrade and a rollback under load fail no request, lose no event and block no request for long', async () => {
  const say = (line: string) => process.stdout.write(`${line}\n`)
  const lastOf = (root: string) => readdirSync(join(root, 'db/migrations')).sort().at(-1)?.slice(0, 4)
  rig = await createRig({ shops: 0, delay_ms: 50, database: await makePreviousDatabase() })
  for (let i = 1; i <= SHOPS; i++) rig.shops.push(await makeShop(`Duka ${i}`))
  const locks = await watchLocks(rig.url)
  closers.push(locks.stop)
  say(
    `PostgreSQL ${locks.postgres}; previous version: migration ${lastOf(PREVIOUS)}; new version: migration ${lastOf(ROOT)}`,
  )
  const started = startInstallation(rig, { shape: 'haproxy', per_second: PER_SECOND, stop_delay_s: 4, root: PREVIOUS })
  installation = await started
  const { members, load, replace, assertNothingLost } = installation
  const { previous_version, pending } = await admin(ROOT, ['migrate', '--plan'])
  assert.equal(previous_version, 'continues', 'the previous version runs on the new schema')
  const { applied } = await admin(ROOT, ['migrate', '--apply'])
  assert.deepEqual(applied, pending)
  const names = (applied as string[]).join(', ')
  say(
    names === ''
      ? 'no migration is pending, so none runs under load'
      : `applied ${names} under load; longest wait for a lock ${locks.longest_ms()} ms`,
  )
  for (const root of [ROOT, PREVIOUS]) {
    for (const member of members) {
      await replace(member, root)
      await sleep(TOGETHER_MS)
    }
    say(`${root === ROOT ? 'upgraded' : 'rolled back'}: ${load.sent()} requests, ${load.failures.length} failed`)
  }
  const { deliveries, checks } = await assertNothingLost()
  say(
    `${load.sent()} requests, ${load.failures.length} failed, slowest ${load.slowest_ms()} ms; ${deliveries.length} events, none lost; ` +
      `${checks.length} checks of verify, all clean; longest wait for a lock ${locks.longest_ms()} ms`,
  )
  assert.ok(locks.longest_ms() <= LOCK_GOAL_MS, `a statement waited ${locks.longest_ms()} ms for the lock of a table`)
})
