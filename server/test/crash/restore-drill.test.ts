// Tests the restore of an embedded database with many payments to a chosen second, during payments and payouts. The test
// compares the restored database with the book of the provider's twin. `npm run restore-drill` restores a million payments, and
// PAYMENTS chooses another number.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { issueAccessToken, issuerKey } from '../../src/access/identity/index.ts'
import { createUser } from '../../src/access/merchants/index.ts'
import { findEmbedded } from '../../src/kernel/db/embedded.ts'
import { findPlace } from '../../src/kernel/db/embedded-place.ts'
import { inTransaction } from '../../src/kernel/db/index.ts'
import { settableClock, systemClock } from '../../src/kernel/lib/index.ts'
import { type Order, type Payout, type Simulator, startSimulator } from '../../twins/selcom/index.ts'
import { freePort } from '../free-port.ts'
import { testDeps } from '../harness.ts'
import { csvOf } from '../statements.ts'
import { statementOf } from '../storm/books.ts'
import { providerEnv } from '../storm/rig.ts'
import { type FilledShop, filledShops, fillPayments } from './fill-payments.ts'
import { type Ack, createClient, orderOf } from './load.ts'
import { type Child, endOf, ROOT, serverEnv, startChild, until } from './processes.ts'
import { type Hooks, openShop, type Shop, startHooks } from './rig.ts'

const PAYMENTS = Number(process.env.PAYMENTS ?? 3_000)
const IS_LONG = PAYMENTS >= 100_000
const SHOPS = IS_LONG ? 10 : 2
/**
 * The number of payments of each merchant, and the number of these that the backup contains. The restore replays the others
 * from the WAL.
 */
const OF_SHOP = Math.ceil(PAYMENTS / SHOPS)
const IN_BACKUP = Math.ceil(OF_SHOP * 0.9)
const PAYOUTS = IS_LONG ? 20 : 5
const PER_SECOND = 20
const CLIENTS = 4
/** The number of payments in each phase around the chosen second. */
const PHASE_PAYMENTS = IS_LONG ? 200 : 40

const DAY_MS = 86_400_000
/**
 * The number of milliseconds before now at which the filled payments end, outside of the period of the imported statement.
 */
const OLD_MS = 3 * 3_600_000
const STATEMENT_MS = 3_600_000
const RESTORE_MS_MAX = 300_000
const COMMAND_MS_MAX = 1_800_000
const QUIET_MS_MAX = 300_000
/** The length of a provider reference. The filled payments have longer references. */
const REFERENCE_CHARS = 28
const ADMIN = join(ROOT, 'server/src/admin.ts')

const folder = mkdtempSync(join(tmpdir(), 'restore-drill-'))
const place = join(folder, 'backups')
const data_dir = join(folder, 'data')
const restored_dir = join(folder, 'restored')

let simulator: Simulator
let hooks: Hooks
let env: Record<string, string>
const children: Child[] = []
after(async () => {
  for (const child of children) await child.kill()
  await simulator?.close()
  await hooks?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('a database restored to a second has every payment acknowledged before that second, and the server sends nothing twice', async (t) => {
  const say = IS_LONG ? (line: string) => void process.stdout.write(`${line}\n`) : t.diagnostic.bind(t)
  const timed = createSteps(say)
  say(`PAYMENTS=${PAYMENTS}, ${SHOPS} merchants; load of the machine ${loadavg()[0]?.toFixed(1)}`)
  await prepare()
  const { shops, operator, filled } = await openInstallation()
  const begin = Date.now() - OLD_MS - 60 * DAY_MS
  const fill = (from: number, to: number) =>
    owner((url) => fillPayments(url, filled, { from, to, begin, step_ms: (60 * DAY_MS) / OF_SHOP }))
  await timed(`fill ${IN_BACKUP * SHOPS} payments`, () => fill(1, IN_BACKUP))
  await stopAll()

  Object.assign(env, { BACKUP_DIR: place })
  const api = await start('api')
  const made = await timed('backup', () => admin(['backup', '--to', place]))
  say(`  ${Number(made.stored_bytes) / 1e6} MB in ${made.files} files`)
  await timed(`fill ${(OF_SHOP - IN_BACKUP) * SHOPS} payments after the backup`, () => fill(IN_BACKUP + 1, OF_SHOP))

  const live = await timed('payments and payouts around the second', () => makeTraffic(api, { shops, operator }))
  const rights = await readRights(data_dir)
  await timed('archive the write-ahead log', archiveAll)
  const judged = readTwin()
  await destroy()

  const restore_begin = performance.now()
  const restored = await timed('restore', () =>
    admin(['restore', '--from', place, '--data-dir', restored_dir, '--to-time', live.second.toISOString()]),
  )
  const restore_ms = performance.now() - restore_begin
  assert.equal(restored.ok, true, JSON.stringify(restored))
  assert.equal(restored.payouts_in_doubt, PAYOUTS)
  env.DATA_DIR = restored_dir
  const server = await timed('start', () => start('all'))
  assert.deepEqual(await readRights(restored_dir), rights, 'each role has the privileges as before')
  assert.equal((await timed('verify', () => admin(['verify']))).ok, true)

  const present = await presentOf(live.acks.map(({ ack }) => ack.collection_id))
  const missing = live.acks.filter(({ ack, at }) => at < live.second.getTime() && !present.has(ack.collection_id))
  assert.deepEqual(missing, [], 'no payment that was acknowledged before the second is missing')
  const lost = live.acks.filter(({ ack }) => !present.has(ack.collection_id))
  assert.ok(lost.length > 0, 'payments after the second are lost, so that the test restores to this second')
  await timed('wait until nothing is open', quiet)
  await endPause(server, operator)
  await sleep(3_000)
  await timed('wait again, after the end of the pause of payouts', quiet)
  assertSentOnce(judged)
  await assertBooksAgree(lost.length)

  const begin_at = new Date(live.second.getTime() - STATEMENT_MS).toISOString()
  const file = join(folder, 'statement.csv')
  writeFileSync(file, csvOf(statementOf(simulator)))
  const period = ['--from', begin_at, '--to', new Date().toISOString()]
  await admin(['statement', 'import', '--provider', 'selcom', '--file', file, ...period])
  const cases = await rows<{ kind: string; cases: number }>(
    'select kind, count(*)::int as cases from reconciliation_exceptions group by kind',
  )
  assert.deepEqual(
    cases,
    [{ kind: 'unknown_to_us', cases: lost.length + PAYOUTS }],
    'each lost payment and payout is a case, and nothing else',
  )
  assert.equal((await admin(['verify'])).ok, true)
  const count = `${live.acks.length - lost.length} kept, ${lost.length} lost after the second, 0 missing, 0 sent twice`
  say(`payments around the second: ${count}; payouts in doubt at the second: ${PAYOUTS}`)
  say(`restored in ${(restore_ms / 1_000).toFixed(1)} s; load of the machine ${loadavg()[0]?.toFixed(1)}`)
  assert.ok(restore_ms <= RESTORE_MS_MAX, `the restore took ${Math.round(restore_ms)} ms`)
})

// The installation ----------------------------------------------------------------------------------------------------

/** An operator whose session token the test makes itself, without the database. */
type DrillOperator = { token(): Promise<string> }
type AcknowledgedPayment = { ack: Ack; at: number }

async function prepare(): Promise<void> {
  // PostgreSQL may run as another user, and that user needs access to the folder.
  chmodSync(folder, 0o711)
  mkdirSync(place)
  // If the platform repeats a request, the twin executes it again, so that its book shows the second execution.
  simulator = await startSimulator({ float: 100_000_000_000n, settings: { duplicate_transid: 'execute' } })
  hooks = await startHooks()
  const { DATABASE_URL: _, ...settings } = serverEnv('', {
    ...providerEnv(simulator, await freePort()),
    DATA_DIR: data_dir,
    BACKUP_KEY: Buffer.alloc(32, 3).toString('base64'),
    MALIPO_EMBEDDED_DIR: join(folder, 'outside'),
    DISK_FREE_MIN_MB: '1',
    VERIFY_EVERY_H: '0',
    LOG_LEVEL: 'info',
  })
  env = settings
}

async function openInstallation(): Promise<{ shops: Shop[]; filled: FilledShop[]; operator: DrillOperator }> {
  const api = await start('api')
  return owner(async (url) => {
    const deps = testDeps(url, { clock: settableClock(new Date()) })
    try {
      const shops: Shop[] = []
      for (let i = 0; i < SHOPS; i++) shops.push(await openShop(deps, `Duka ${i + 1}`))
      const person = { email: 'operator@example.com', email_verified: true, name: 'Asha', language: 'sw' } as const
      const user = await inTransaction(deps.db, (tx) =>
        createUser(deps, tx, { ...person, identity: 'embedded', operator_role: 'SUPER_ADMIN' }),
      )
      const key = await issuerKey(deps, 'http://127.0.0.1/identity')
      const real = { ...deps, clock: systemClock }
      const operator = { token: () => issueAccessToken(real, key, user.id, ['pwd', 'otp']) }
      for (const { merchant, key: api_key } of shops) {
        const rules = [{ flow: 'withdrawal', percentage: '1.00', flat_fee: '500.00' }]
        await call(api, 'PUT', `/v1/operator/merchants/${merchant.id}/pricing`, await operator.token(), { rules })
        const hook = { webhook_url: `${hooks.url}/${merchant.id}` }
        await call(api, 'PATCH', '/v1/merchant/webhook-config', api_key, hook)
      }
      return { shops, filled: filledShops(shops), operator }
    } finally {
      await deps.close()
    }
  })
}

async function start(role: 'api' | 'worker' | 'all'): Promise<Child> {
  const child = startChild({ ...env, PROCESS: role })
  children.push(child)
  if (role === 'worker') await until('the worker has started', () => child.output().includes('worker started'))
  else await child.ready()
  return child
}

async function stop(child: Child): Promise<void> {
  child.signal('SIGTERM')
  assert.deepEqual(await endOf(child, 60_000), { code: 0, signal: null }, child.output())
}

async function stopAll(): Promise<void> {
  for (const child of children) if (child.alive()) await stop(child)
}

async function admin(args: readonly string[]): Promise<Record<string, unknown>> {
  const child = startChild(env, ADMIN, [...args, '--json'])
  const end = await endOf(child, COMMAND_MS_MAX)
  assert.deepEqual(end, { code: 0, signal: null }, child.output())
  return JSON.parse(child.output()) as Record<string, unknown>
}

async function call(server: Child, method: string, path: string, bearer: string, body: object) {
  const headers = {
    authorization: `Bearer ${bearer}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  }
  const answer = await fetch(`${server.url}${path}`, { method, headers, body: JSON.stringify(body) })
  const text = await answer.text()
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`)
  return (JSON.parse(text) as { data: Record<string, string> }).data
}

/** Runs a function with the URL of the owner of the database. */
async function owner<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  const url = await findEmbedded(env.DATA_DIR as string)
  assert.ok(url !== null, 'the database runs')
  return use(url)
}

async function rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  return owner((url) => query<Row>(url, text, values))
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

// Payments and payouts ------------------------------------------------------------------------------------------------

/**
 * Requests payments and approves payouts. At the chosen second, some payouts are settled and some are unsent. Afterwards, the
 * worker sends the unsent ones, and the drill makes more payouts, which the restore loses.
 */
async function makeTraffic(api: Child, { shops, operator }: { shops: readonly Shop[]; operator: DrillOperator }) {
  const worker = await start('worker')
  const load = startPayments(api, shops.slice(0, 3))
  try {
    await payOut(api, operator, shops[0] as Shop, 'settled')
    await until('the payouts are settled', async () => {
      const [{ count } = { count: 0 }] = await rows<{ count: number }>(
        "select count(*)::int as count from withdrawals where status = 'SUCCESS'",
      )
      return count === PAYOUTS
    })
    await load.waitFor(PHASE_PAYMENTS)
    // Without the worker, the server accepts payments and approves payouts, but sends nothing.
    await stop(worker)
    await payOut(api, operator, shops[0] as Shop, 'unsent')
    await load.waitFor(PHASE_PAYMENTS / 2)
    const second = new Date(Math.ceil((Date.now() + 1) / 1_000) * 1_000)
    await sleep(second.getTime() - Date.now() + 1_000)
    await start('worker')
    await payOut(api, operator, shops[0] as Shop, 'lost')
    await load.waitFor(PHASE_PAYMENTS)
    const acks = await load.stop()
    await quiet()
    return { second, acks }
  } finally {
    await load.stop()
  }
}

/** Starts clients that request payments. `stop` returns the acknowledged payments, with the time of each acknowledgement. */
function startPayments(api: Child, shops: readonly Shop[]) {
  const client = createClient(api.url, CLIENTS)
  const acks: AcknowledgedPayment[] = []
  let running = true
  let orders = 0
  const loop = async () => {
    while (running) {
      const number = ++orders
      const shop = shops[number % shops.length] as Shop
      const ack = await client.order(orderOf(shop, `live-${number}`, 100 * (1_000 + number), '001'))
      acks.push({ ack, at: Date.now() })
      await sleep((CLIENTS / PER_SECOND) * 1_000)
    }
  }
  const loops = Promise.all(Array.from({ length: CLIENTS }, loop))
  // `stop` throws the error. This handler only prevents an unhandled rejection.
  loops.catch(() => {})
  return {
    /** Waits for this number of further acknowledged payments. */
    async waitFor(count: number): Promise<void> {
      const wanted = acks.length + count
      await Promise.race([until('payments are acknowledged', () => acks.length >= wanted), loops])
    },
    async stop(): Promise<AcknowledgedPayment[]> {
      running = false
      await loops.finally(() => client.close())
      return acks
    },
  }
}

async function payOut(api: Child, operator: DrillOperator, shop: Shop, name: string): Promise<void> {
  for (let i = 0; i < PAYOUTS; i++) {
    const { id } = await call(api, 'POST', '/v1/disbursements/mobile-money', shop.key, {
      amount: String(1_000 + i),
      reference: `${name}-${i}`,
      destination_code: 'MPESA',
      destination_identifier: `2557541${String(i).padStart(2, '0')}101`,
      destination_name: 'Asha Juma',
    })
    await call(api, 'POST', `/v1/operator/withdrawals/${id}/approve`, await operator.token(), {})
  }
}

async function endPause(server: Child, operator: DrillOperator): Promise<void> {
  const pauses = await rows<{ id: string }>('select id from payout_pauses where ended_at is null')
  assert.equal(pauses.length, 1, 'the restore paused the payouts')
  const path = `/v1/operator/payout-pauses/${pauses[0]?.id}/end`
  await call(server, 'POST', path, await operator.token(), { reason: 'checked' })
}

const OPEN = `select (select count(*)::int from collection_attempts where due_at is not null) as payments,
  (select count(*)::int from withdrawals where status not in ('SUCCESS', 'FAILED')) as payouts,
  (select count(*)::int from webhook_deliveries where due_at is not null) as deliveries`

/** Waits until each payment and payout is settled, and each event is delivered. */
async function quiet(): Promise<void> {
  let left: object = {}
  await until(
    'nothing is open',
    async () => {
      // After a failed query, the worker waits longer each time. These statements end the wait.
      const now = [new Date()]
      await rows('update payouts set due_at = $1 where lease_owner is null and due_at > $1', now)
      await rows('update collection_attempts set due_at = $1 where lease_owner is null and due_at > $1', now)
      const [open] = await rows<{ payments: number; payouts: number; deliveries: number }>(OPEN)
      left = open ?? {}
      await sleep(500)
      return Object.values(left).every((count) => count === 0)
    },
    QUIET_MS_MAX,
  ).catch((error: Error) => assert.fail(`${error.message}: ${JSON.stringify(left)}`))
}

// The loss of the disk ------------------------------------------------------------------------------------------------

async function archiveAll(): Promise<void> {
  const url = (await findEmbedded(data_dir, 'superuser')) as string
  const [file] = await query<{ name: string }>(url, 'select pg_walfile_name(pg_switch_wal()) as name')
  const wal = () => join(place, 'wal', readdirSync(join(place, 'wal'))[0] as string)
  await until('the log is archived', () => readdirSync(wal()).includes(file?.name ?? ''), QUIET_MS_MAX)
}

/** Kills the processes of Malipo and PostgreSQL, and deletes the data directory and the folder of PostgreSQL. */
async function destroy(): Promise<void> {
  const server = (await findPlace(data_dir)) as string
  const pid = Number(readFileSync(join(server, 'data/postmaster.pid'), 'utf8').split('\n')[0])
  for (const child of children) await child.kill()
  process.kill(pid, 'SIGKILL')
  for (const lost of [server, data_dir]) rmSync(lost, { recursive: true, force: true, maxRetries: 20 })
}

const RIGHTS = `
  select 'role ' || rolname || ' ' || rolsuper || rolcreatedb || rolcreaterole || rolcanlogin || rolreplication as line from pg_roles
  where rolname not like 'pg\\_%'
  union all select 'member ' || roleid::regrole || ' ' || member::regrole from pg_auth_members
  union all select 'owner ' || oid::regclass || ' ' || relowner::regrole from pg_class where relnamespace = 'public'::regnamespace
  union all select 'relation ' || c.oid::regclass || ' ' || x.grantee::regrole || ' ' || x.privilege_type from pg_class c
    cross join lateral aclexplode(c.relacl) x where c.relnamespace = 'public'::regnamespace
  union all select 'database ' || datname || ' ' || datacl::text from pg_database where datname = current_database()
  order by line`

/**
 * Returns the roles and their memberships, the owners of the tables, and the privileges of each role on the database and its
 * tables.
 */
async function readRights(of: string): Promise<string[]> {
  const found = await query<{ line: string }>((await findEmbedded(of, 'superuser')) as string, RIGHTS)
  assert.ok(found.length > 100, 'the database has privileges')
  return found.map(({ line }) => line)
}

// The comparison with the provider's book -----------------------------------------------------------------------------

type TwinBook = { orders: Order[]; payouts: Payout[] }

function readTwin(): TwinBook {
  const all = <Item>(name: 'orders' | 'payouts') =>
    structuredClone(simulator.list(name, 1, Number.MAX_SAFE_INTEGER).items) as Item[]
  return { orders: all<Order>('orders'), payouts: all<Payout>('payouts') }
}

/** Asserts that the provider got each payment and payout once, and none after the loss of the disk. */
function assertSentOnce(judged: TwinBook): void {
  const { orders, payouts } = readTwin()
  const prompted = new Set(orders.map(({ requests, prompts }) => `${requests} ${prompts}`))
  assert.deepEqual(prompted, new Set(['1 1']), 'no order and no prompt was sent twice')
  assert.equal(payouts.length, 3 * PAYOUTS)
  const sent = new Set(payouts.map(({ requests, executions }) => `${requests} ${executions}`))
  assert.deepEqual(sent, new Set(['1 1']), 'no payout was sent or paid twice')
  const names = (book: TwinBook) => [
    ...book.orders.map(({ order_id }) => order_id),
    ...book.payouts.map(({ transid }) => transid),
  ]
  assert.deepEqual(names(readTwin()), names(judged), 'the provider got nothing new')
}

/**
 * Asserts that each payment and payout in our books has the status and the amount of the provider. `lost` is the number of
 * payments that our books lost.
 */
async function assertBooksAgree(lost: number): Promise<void> {
  const { orders, payouts } = readTwin()
  const ours = new Map(
    (
      await rows<{ reference: string; amount: string; status: string }>(
        `select a.provider_reference as reference, (coalesce(c.amount_received_minor, 0) / 100)::text as amount, c.status
         from collection_attempts a join collections c on c.merchant_id = a.merchant_id and c.id = a.collection_id
         where length(a.provider_reference) = ${REFERENCE_CHARS}`,
      )
    ).map((row) => [row.reference, row]),
  )
  const known = orders.filter(({ order_id }) => ours.has(order_id))
  assert.equal(known.length, orders.length - lost)
  assert.equal(known.length, ours.size, 'each of our payments is a payment of the provider')
  const wrong = known.filter(({ order_id, payment, amount }) => {
    const our = ours.get(order_id)
    return payment === null || our?.status !== 'successful' || our.amount !== String(amount)
  })
  assert.deepEqual(wrong, [])
  const paid = await rows<{ reference: string; status: string; amount: string }>(
    `select provider_reference as reference, status, (amount_minor / 100)::text as amount from withdrawals`,
  )
  assert.equal(paid.length, 2 * PAYOUTS, 'the payouts before the second are there, and the later ones are lost')
  for (const { reference, status, amount } of paid) {
    const their = payouts.find(({ transid }) => transid === reference)
    assert.deepEqual([status, amount, their?.truth], ['SUCCESS', String(their?.amount), 'paid'])
  }
}

async function presentOf(ids: readonly string[]): Promise<Set<string>> {
  const found = await rows<{ id: string }>('select id from collections where id = any($1::uuid[])', [ids])
  return new Set(found.map(({ id }) => id))
}

/** Returns a function that runs a step and prints its time. */
function createSteps(say: (line: string) => void) {
  return async <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
    const begin = performance.now()
    const result = await run()
    say(`${name}: ${((performance.now() - begin) / 1_000).toFixed(1)} s`)
    return result
  }
}
