// Tests that pgBackRest, with the files of deploy/pgbackrest, restores a PostgreSQL that the test destroyed during payments and
// payouts (`npm run pgbackrest`). Needs root, and the packages postgresql-15 and pgbackrest of Debian. REPOSITORY=s3 keeps the
// backups in an S3-compatible server in place of a folder.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { sql } from '../../src/kernel/db/index.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { freePort } from '../free-port.ts'
import { S3_KEY, type S3Server, startS3Server } from '../s3-server.ts'
import { csvOf } from '../statements.ts'
import { waitQuiet } from './facts.ts'
import { type Ack, createClient, orderOf } from './load.ts'
import { type Cashier, openCashier, totalOf, waitPayoutsQuiet } from './payouts.ts'
import { type Child, endOf, ROOT, startChild, until } from './processes.ts'
import { createRig, type Rig, type Shop } from './rig.ts'

const BIN = process.env.PG_BIN ?? '/usr/lib/postgresql/15/bin'
const ADMIN = join(ROOT, 'server/src/admin.ts')
const read = (name: string) => readFileSync(join(ROOT, 'deploy/pgbackrest', name), 'utf8')
const IN_S3 = process.env.REPOSITORY === 's3'
const PAYMENTS = 20
const PAYOUTS = 5
const COMMAND_MS_MAX = 180_000

const folder = mkdtempSync(join(tmpdir(), 'pgbackrest-'))
const data = join(folder, 'data')
const config = join(folder, 'pgbackrest.conf')
let user: { uid: number; gid: number }
let port: number
let store: S3Server | null = null
let rig: Rig
let cashier: Cashier
const children: Child[] = []

/** Runs a program as the user of PostgreSQL. */
function run(program: string, args: readonly string[]): string {
  const env = { PATH: `${BIN}:/usr/bin:/bin`, LC_ALL: 'C', TZ: 'UTC' }
  return execFileSync(program, args, { ...user, env, cwd: '/', encoding: 'utf8' })
}

const backrest = (...args: string[]) => run('pgbackrest', [`--config=${config}`, '--stanza=malipo', ...args])
const startPostgres = () => run('pg_ctl', ['-D', data, '-w', '-t', '120', '-l', join(folder, 'postgres.log'), 'start'])

async function asSuperuser<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client({ host: folder, port, user: 'postgres', database: 'postgres' })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

before(async () => {
  if (process.getuid?.() !== 0) throw new Error('this test runs PostgreSQL as the user postgres: run it as root')
  for (const program of [join(BIN, 'initdb'), '/usr/bin/pgbackrest'])
    if (!existsSync(program)) throw new Error(`${program} is missing: install postgresql-15 and pgbackrest (Debian)`)
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })))
  user = { uid: uid as number, gid: gid as number }
  port = await freePort()
  chownSync(folder, user.uid, user.gid)
  for (const name of ['repo', 'log', 'lock']) {
    mkdirSync(join(folder, name))
    chownSync(join(folder, name), user.uid, user.gid)
  }
  if (IN_S3) store = await startS3Server(mkdtempSync(join(tmpdir(), 's3-')))
  if (store !== null) chmodSync(dirname(store.ca_file), 0o711)
  const edited = (store === null ? read('pgbackrest.conf') : inStore(read('pgbackrest.conf'), store))
    .replace('/backup/pgbackrest', join(folder, 'repo'))
    .replace('repo1-cipher-pass=REPLACE', 'repo1-cipher-pass=only-for-this-test-0123456789')
    .replace('log-level-console=warn', `log-level-console=warn\nlog-path=${folder}/log\nlock-path=${folder}/lock`)
    .replace('/var/lib/postgresql/15/main', data)
    .replace('pg1-port=5432', `pg1-port=${port}\npg1-socket-path=${folder}`)
  writeFileSync(config, edited)
  chmodSync(config, 0o640)
  chownSync(config, 0, user.gid)
  run('initdb', ['-D', data, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--data-checksums', '-U', 'postgres'])
  const archive = read('archive.conf').replace('pgbackrest --', `pgbackrest --config=${config} --`)
  const own = `port = ${port}\nunix_socket_directories = '${folder}'\nlisten_addresses = '127.0.0.1'\nfsync = off\n`
  appendFileSync(join(data, 'postgresql.conf'), `${archive}\n${own}`)
  startPostgres()
  await asSuperuser("create role malipo login password 'malipo'")
  await asSuperuser('create database malipo owner malipo')
  const url = `postgres://malipo:malipo@127.0.0.1:${port}/malipo`
  await migrate(url)
  rig = await createRig({ shops: 2, delay_ms: 50, database: { url, drop: async () => {} } })
  cashier = await openCashier(rig)
})
after(async () => {
  for (const child of children) await child.kill()
  await cashier?.close()
  await rig?.close()
  try {
    run('pg_ctl', ['-D', data, '-m', 'immediate', 'stop'])
  } catch {
    // PostgreSQL has already ended.
  }
  rmSync(folder, { recursive: true, force: true })
  await store?.close()
  if (store !== null) rmSync(dirname(store.ca_file), { recursive: true, force: true })
})

/** Returns the settings with their lines for an S3-compatible store. */
function inStore(settings: string, { port: store_port, bucket, ca_file }: S3Server): string {
  const values = { BUCKET: bucket, 'STORE.EXAMPLE.TZ': 'localhost', REGION: 'us-east-1', KEY: S3_KEY, SECRET: S3_KEY }
  const lines = settings.replace('repo1-path=/backup/pgbackrest\n', '').replace(/^# (repo1-)/gm, '$1')
  const filled = Object.entries(values).reduce(
    (text, [name, value]) => text.replace(`=${name}\n`, `=${value}\n`),
    lines,
  )
  const uri_style = 'repo1-s3-uri-style=path\n'
  return filled.replace(uri_style, `${uri_style}repo1-storage-port=${store_port}\nrepo1-storage-ca-file=${ca_file}\n`)
}

test('after pgBackRest restores the database to a second, the server sends nothing twice, and statements show the lost payments', async (t) => {
  const [payout_shop, shop] = rig.shops as [Shop, Shop]
  backrest('stanza-create')
  backrest('check')
  backrest('--type=full', 'backup')
  assert.match(backrest('--output=json', 'info'), /"cipher":"aes-256-cbc"/)
  // The store contains the whole repository, so the folder for a repository on disk stays empty.
  if (store !== null) {
    assert.deepEqual(readdirSync(join(folder, 'repo')), [])
    assert.ok(readdirSync(store.objects, { recursive: true }).length > 100)
  }

  let server = await start({ PROCESS: 'all' })
  await rig.configureWebhooks(server.url)
  const kept = await pay(shop, 'kept', server)
  await payOut(payout_shop, server)
  await quiet()
  await stop(server)

  // Without a worker, the API process accepts payments and approves payouts, but sends nothing. At the restored time, these
  // payments and payouts are unsent.
  const api = await start({ PROCESS: 'api' })
  const unsent = await pay(shop, 'unsent', api)
  await payOut(payout_shop, api)
  await sleep(1_100)
  const [row] = await asSuperuser<{ at: Date }>('select clock_timestamp() as at')
  assert.ok(row)
  const target = new Date(Math.floor(row.at.getTime() / 1_000) * 1_000)
  await sleep(1_100)

  // The restore loses the changes from here on: the worker sends the waiting rows, and the test makes more payments and
  // payouts.
  const worker = await start({ PROCESS: 'worker', LOG_LEVEL: 'info' })
  const lost = await pay(shop, 'lost', api)
  await payOut(payout_shop, api)
  await quiet()
  backrest('check')
  for (const child of [api, worker]) await child.kill()
  run('pg_ctl', ['-D', data, '-m', 'immediate', 'stop'])
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data, { mode: 0o700 })
  chownSync(data, user.uid, user.gid)
  const judged = rig.provider.book({ full: true })

  const begin = performance.now()
  const time = target.toISOString().replace('T', ' ').replace('Z', '+00')
  backrest('--type=time', `--target=${time}`, '--target-action=promote', 'restore')
  startPostgres()
  await until('PostgreSQL has recovered', async () => {
    const [state] = await asSuperuser<{ in_recovery: boolean }>('select pg_is_in_recovery() as in_recovery')
    return state?.in_recovery === false
  })
  const finished = await admin(['restore', 'finish', '--to-time', target.toISOString()])
  t.diagnostic(`restored and verified in ${Math.round(performance.now() - begin)} ms: ${JSON.stringify(finished)}`)
  assert.deepEqual([finished.ok, finished.payouts_in_doubt], [true, PAYOUTS])

  server = await start({ PROCESS: 'all' })
  const present = await rig.db.query<{ id: string }>(sql('pgbackrest_present', 'select id from collections'))
  const ids = new Set(present.map(({ id }) => id))
  assert.ok(
    [...kept, ...unsent].every(({ collection_id }) => ids.has(collection_id)),
    'nothing before the time is missing',
  )
  assert.ok(lost.every(({ collection_id }) => !ids.has(collection_id)))
  await quiet()
  const pauses = sql('pgbackrest_pauses', 'select id from payout_pauses where ended_at is null')
  const [pause] = await rig.db.query<{ id: string }>(pauses)
  assert.equal(
    await cashier.operate(server.url, `/v1/operator/payout-pauses/${pause?.id}/end`, { reason: 'checked' }),
    200,
  )
  await sleep(2_000)
  await quiet()

  const book = rig.provider.book({ full: true })
  const payments = book.entries ?? []
  const payouts = book.payouts.entries ?? []
  assert.equal(payouts.length, 3 * PAYOUTS)
  assert.deepEqual(
    new Set(payouts.map(({ requests, executions }) => `${requests} ${executions}`)),
    new Set(['1 1']),
    'no payout was sent twice',
  )
  assert.deepEqual(new Set(payments.map(({ prompts }) => prompts)), new Set([1]), 'no prompt was sent twice')
  assert.equal(payments.length, judged.entries?.length, 'the provider got no further payment')

  const at = new Date(target.getTime() + 1_000)
  const rows = [
    ...payments.map((entry) => ({ ...entry, kind: 'payment' as const })),
    ...payouts.map((entry) => ({ ...entry, kind: 'payout' as const })),
  ].map(({ reference, kind, amount_minor }) => {
    return { reference, provider_id: null, kind, amount_minor: BigInt(amount_minor), at }
  })
  const file = join(folder, 'statement.csv')
  writeFileSync(file, csvOf(rows))
  const period = ['--from', new Date(target.getTime() - 3_600_000).toISOString(), '--to', new Date().toISOString()]
  const imported = await admin(['statement', 'import', '--provider', 'mock', '--file', file, ...period])
  t.diagnostic(`statement: ${JSON.stringify(imported)}`)
  assert.equal(imported.lines, rows.length)
  // The provider has no record of the payments that fund the payouts, because the test settles these payments.
  const kinds = sql(
    'pgbackrest_cases',
    'select kind, count(*)::int as cases from reconciliation_exceptions group by kind',
  )
  const cases = await rig.db.query<{ kind: string; cases: number }>(kinds)
  const count = Object.fromEntries(cases.map(({ kind, cases: number }) => [kind, number]))
  const expected = { unknown_to_us: PAYMENTS + PAYOUTS, unknown_to_them: 2 * PAYOUTS }
  assert.deepEqual(count, expected, 'each lost payment and payout is a case')
  assert.equal((await admin(['verify'])).ok, true)
  await stop(server)
})

// Helpers -------------------------------------------------------------------------------------------------------------

async function start(env: Record<string, string>): Promise<Child> {
  const child = startChild(rig.env(env))
  children.push(child)
  if (env.PROCESS === 'worker') await until('the worker has started', () => child.output().includes('worker started'))
  else await child.ready()
  return child
}

async function stop(child: Child): Promise<void> {
  child.signal('SIGTERM')
  assert.deepEqual(await endOf(child, 60_000), { code: 0, signal: null }, child.output())
}

async function admin(args: readonly string[]): Promise<Record<string, unknown>> {
  const child = startChild(rig.env(), ADMIN, [...args, '--json'])
  const end = await endOf(child, COMMAND_MS_MAX)
  assert.deepEqual(end, { code: 0, signal: null }, child.output())
  return JSON.parse(child.output()) as Record<string, unknown>
}

async function pay(shop: Shop, name: string, server: Child): Promise<Ack[]> {
  const client = createClient(server.url, 4)
  const orders = Array.from({ length: PAYMENTS }, (_, i) => orderOf(shop, `${name}-${i}`, 1_000 + i, '001'))
  const acks = await Promise.all(orders.map((order) => client.order(order)))
  await client.close()
  return acks
}

/** Submits payouts and approves them at a server. */
async function payOut(payout_shop: Shop, server: Child): Promise<void> {
  for (let i = 0; i < PAYOUTS; i++) {
    const amount = 1_000n + BigInt(i)
    await cashier.fund(payout_shop, totalOf(amount))
    assert.equal(await cashier.approve(server.url, await cashier.submit(payout_shop, amount, '001')), 200)
  }
}

/** Waits until no payment, payout or delivery is open. If one remains open, the test fails. */
async function quiet(): Promise<void> {
  const { left } = await waitQuiet(rig, 90_000)
  assert.deepEqual(left, { open: 0, due: 0, pending: 0 })
  const payouts = await waitPayoutsQuiet(rig, 90_000)
  assert.equal(payouts.open + payouts.unsent, 0, JSON.stringify(payouts))
}
