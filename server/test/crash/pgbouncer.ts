// Runs the product through a real PgBouncer in transaction mode, with the files of deploy/pgbouncer (`npm run pgbouncer`; needs
// the package pgbouncer of Debian). Further tests of this file assert that the server refuses to start with a wrong
// configuration. LOAD_S is the time of the load in seconds.

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { verify } from '../../src/apps/admin/verify.ts'
import { createDb, rolesSql, sql } from '../../src/kernel/db/index.ts'
import { withPooler } from '../../src/kernel/lib/index.ts'
import { runtimeUrlOf } from '../database.ts'
import { freePort } from '../free-port.ts'
import { startOwnPostgres } from '../own-postgres.ts'
import { findProblems, gatherFacts, waitQuiet } from './facts.ts'
import { createClient, startLoad } from './load.ts'
import { type Child, endOf, ROOT, startChild, until } from './processes.ts'
import { createRig, type Rig, seededRandom } from './rig.ts'

const LOAD_S = Number(process.env.LOAD_S ?? 30)
/**
 * The number of connections to PostgreSQL. The two processes open more connections to PgBouncer, so their transactions share
 * connections.
 */
const POOL_SIZE = 5
const CONCURRENCY = 16
const PER_SECOND = 100
const QUIET_MS_MAX = 120_000
const INI = readFileSync(join(ROOT, 'deploy/pgbouncer/pgbouncer.ini'), 'utf8')

let rig: Rig
let bouncer: Pgbouncer
const children: Child[] = []
const closers: (() => unknown)[] = []
before(async () => {
  rig = await createRig({ shops: 3, delay_ms: 50 })
  bouncer = await startPgbouncer((ini) => ini)
})
after(async () => {
  for (const child of children) await child.kill()
  for (const close of closers.reverse()) await close()
  await rig?.close()
})

type Pgbouncer = { url: string; restart(): Promise<void> }

/** Starts PgBouncer with the configuration of deploy/pgbouncer, changed by `edit`. */
async function startPgbouncer(edit: (ini: string) => string): Promise<Pgbouncer> {
  const target = new URL(runtimeUrlOf(rig))
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'))
  chmodSync(folder, 0o711)
  const users = join(folder, 'userlist.txt')
  writeFileSync(users, `"${target.username}" "${decodeURIComponent(target.password)}"\n`)
  const host = target.searchParams.get('host') ?? target.hostname
  const file = join(folder, 'pgbouncer.ini')
  const ini = INI.replace(
    'host=127.0.0.1 port=5432 dbname=malipo',
    `host=${host} port=${target.port} dbname=${target.pathname.slice(1)}`,
  )
    .replace('listen_port = 6432', `listen_port = ${port}\nunix_socket_dir =`)
    .replace('/etc/pgbouncer/userlist.txt', users)
    .replace(/default_pool_size = \d+/, `default_pool_size = ${POOL_SIZE}`)
  writeFileSync(file, edit(ini))
  for (const readable of [users, file]) chmodSync(readable, 0o644)
  let child: ChildProcess
  const start = async () => {
    const user = process.getuid?.() === 0 ? ['-u', ownerOf(host)] : []
    child = spawn('/usr/sbin/pgbouncer', [...user, file], { stdio: 'ignore' })
    const failed = new Promise<never>((_, reject) => {
      child.on('error', () => reject(new Error('PgBouncer did not start: install the package pgbouncer of Debian')))
      child.on('exit', (code) => reject(new Error(`PgBouncer ended with code ${code}`)))
    })
    failed.catch(() => {})
    await Promise.race([until('PgBouncer accepts connections', () => accepts(port)), failed])
  }
  await start()
  closers.push(() => child.kill('SIGKILL'))
  const url = new URL(target)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${port}`
  url.pathname = '/malipo'
  return {
    url: url.href,
    async restart() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
      await start()
    },
  }
}

/**
 * Returns the user of the PgBouncer process, because PgBouncer refuses to run as root. For a Unix socket, this user is the
 * owner of the socket folder, who may open the socket.
 */
function ownerOf(host: string): string {
  if (!host.startsWith('/')) return 'nobody'
  return execFileSync('id', ['-nu', String(statSync(host).uid)], { encoding: 'utf8' }).trim()
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (result: boolean) => {
      socket.destroy()
      resolve(result)
    }
    socket.on('connect', () => end(true))
    socket.on('error', () => end(false))
  })
}

function start(url: string, env: Record<string, string> = {}): Child {
  const child = startChild(rig.env({ DATABASE_URL: url, MIGRATION_DATABASE_URL: rig.url, LOG_LEVEL: 'info', ...env }))
  children.push(child)
  return child
}

test('the product runs through PgBouncer in transaction mode under load, and the loss of PgBouncer loses no payment', async (t) => {
  const pooled = { DATABASE_POOLER: 'transaction' }
  const api = start(bouncer.url, { ...pooled, PROCESS: 'api' })
  const worker = start(bouncer.url, { ...pooled, PROCESS: 'worker' })
  await api.ready()
  await until('the worker has started', () => worker.output().includes('worker started'))
  await rig.configureWebhooks(api.url)
  const client = createClient(api.url, CONCURRENCY)
  const load = startLoad({
    client,
    shops: rig.shops,
    random: seededRandom(1),
    concurrency: CONCURRENCY,
    per_second: PER_SECOND,
    endings: ['001', '002', '004', '012', '555'],
  })
  await sleep((LOAD_S * 1_000) / 2)
  const before_loss = load.acks.length
  const backends = await rig.db.query<{ count: number }>(
    sql('', 'select count(*)::int as count from pg_stat_activity where usename = $1 and datname = current_database()'),
    [new URL(bouncer.url).username],
  )
  assert.ok((backends[0]?.count ?? 99) <= POOL_SIZE, 'the transactions share the connections')
  await bouncer.restart()
  const lost_at = Date.now()
  await until('the platform accepts payments again', () => load.acks.length > before_loss + CONCURRENCY)
  t.diagnostic(`accepted again ${Date.now() - lost_at} ms after the restart of PgBouncer`)
  await sleep((LOAD_S * 1_000) / 2)
  await load.stop()
  assert.deepEqual(load.problems, [])
  const { left } = await waitQuiet(rig, QUIET_MS_MAX)
  assert.deepEqual(left, { open: 0, due: 0, pending: 0 })
  const facts = await gatherFacts(rig, load.acks)
  assert.deepEqual(findProblems(facts).slice(0, 10), [])
  for (const child of [api, worker]) {
    assert.doesNotMatch(child.output(), /prepared statement/, 'no statement is bound to a connection')
    assert.ok(child.alive())
  }
  const report = await verify(withPooler(bouncer.url), { must_separate: true, statement_ms: 60_000 })
  assert.deepEqual(
    report.checks.filter(({ ok }) => !ok),
    [],
    'verify runs through PgBouncer',
  )
  t.diagnostic(`${load.acks.length} payments, ${backends[0]?.count} connections to PostgreSQL`)
  await client.close()
})

const IGNORES = (ini: string) =>
  `${ini}\nignore_startup_parameters = options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout\n`

test('named statements fail through PgBouncer in transaction mode', async () => {
  const { url } = await startPgbouncer((ini) => IGNORES(ini))
  const db = createDb({ url, max_connections: POOL_SIZE * 3 })
  closers.push(() => db.close())
  const named = sql('named', 'select $1::int, pg_sleep(0.01)')
  const failures: string[] = []
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.allSettled(Array.from({ length: POOL_SIZE * 3 }, () => db.query(named, [round])))
    failures.push(...answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.code] : [])))
  }
  assert.ok(
    failures.some((code) => ['26000', '42P05'].includes(code)),
    failures.join(),
  )
})

test('the server refuses to start with a wrong configuration of the pooler, and names the remedy', async () => {
  const without_query = (ini: string) => ini.replace(/ connect_query='[^']*'/, '')
  for (const [edit, env, words] of [
    [(ini: string) => ini, {}, /DATABASE_URL leads to PgBouncer: set DATABASE_POOLER=transaction/],
    [
      (ini: string) => IGNORES(without_query(ini)),
      {},
      /drops the settings of sessions .* set DATABASE_POOLER=transaction/,
    ],
    [without_query, { DATABASE_POOLER: 'transaction' }, /Copy connect_query of deploy\/pgbouncer\/pgbouncer\.ini/],
  ] as const) {
    const { url } = await startPgbouncer(edit)
    const child = start(url, { PROCESS: 'worker', ...env })
    const { code } = await endOf(child, 60_000)
    assert.equal(code, 1, child.output())
    assert.match(child.output(), words)
  }
})

test('the administrator of a managed service, who is no superuser, makes the two roles', async () => {
  const own = await startOwnPostgres()
  closers.push(() => own.close())
  await own.admin("create role boss login createrole createdb password 'boss'")
  await own.admin('create database pay owner boss')
  const { port } = new URL(own.url)
  const client = new pg.Client({ connectionString: `postgres://boss:boss@127.0.0.1:${port}/pay` })
  await client.connect()
  try {
    const text = rolesSql({ owner: 'pay_owner', runtime: 'pay_server', database: 'pay' })
    for (let run = 0; run < 2; run++) await client.query(text)
    const { rows } = await client.query(
      "select pg_get_userbyid(datdba) as owner, has_database_privilege('pay_server', 'pay', 'connect') as may from pg_database where datname = 'pay'",
    )
    assert.deepEqual(rows, [{ owner: 'pay_owner', may: true }])
  } finally {
    await client.end()
  }
})
