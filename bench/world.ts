// Starts the parts of a benchmark: the database, the server under test, and the other processes.

import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createKey } from '../server/src/access/api-keys/index.ts'
import { createMerchant } from '../server/src/access/merchants/index.ts'
import { PROVIDERS } from '../server/src/adapters/providers/registry.ts'
import { startEmbedded } from '../server/src/kernel/db/embedded.ts'
import { migrate } from '../server/src/kernel/db/migrate.ts'
import { SCOPES } from '../server/src/kernel/http/index.ts'
import { createLog, readConfig } from '../server/src/kernel/lib/index.ts'
import { realDeps } from '../server/src/process.ts'
import { freePort } from '../server/test/free-port.ts'
import type { LoadApi } from './load.ts'
import { cpuSeconds, cpuSecondsOfFamily, cpuSecondsOfMachine, parentOf } from './proc.ts'
import type { ReceiverApi } from './receiver.ts'
import { type Program, type Remote, startProgram, startRemote } from './rpc.ts'

/** The PostgreSQL server of the benchmark, with a folder for secrets. */
export type Database = {
  data_dir: string
  version: string
  settings: Record<string, string>
  /**
   * The process id of the postmaster. Null means that this process cannot find it, for example because PostgreSQL runs on
   * another machine.
   */
  pid: number | null
  /** Creates an empty database with the current schema. */
  create(name: string): Promise<{ url: string; drop(): Promise<void> }>
}

/** A merchant of the benchmark, and its live API key. */
export type BenchMerchant = { id: string; routing_code: number; key: string }

/** A running server under test, and its environment variables. */
export type Server = { program: Program; port: number; url: string; env: Record<string, string> }

/** The processes and data that a payment needs from request to webhook. */
export type BenchWorld = {
  server: Server
  provider: Program
  provider_url: string
  receiver: Remote<ReceiverApi>
  load: Remote<LoadApi>
  merchants: BenchMerchant[]
  database_url: string
}

/** The CPU seconds that each process has used until one moment, by its name. */
export type Cpu = Record<string, number>

const FOLDER_PREFIX = 'malipo-bench-'
const READY_TIMEOUT_MS = 30_000
const FSYNC_TRIES = 100
const SHOWN_SETTINGS = [
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'shared_buffers',
  'max_connections',
  'max_wal_size',
  'wal_compression',
]

/** The clean-up steps of the benchmark, or of a part of it. */
export type Cleanup = {
  add(step: () => Promise<void>): void
  /**
   * Runs every step once, in reverse order. If a step fails, the other steps still run. Each caller waits until all steps have
   * ended.
   */
  run(): Promise<void>
}

/** Creates an empty list of clean-up steps. */
export function createCleanup(): Cleanup {
  const steps: (() => Promise<void>)[] = []
  let running: Promise<void> = Promise.resolve()
  const runAll = async () => {
    for (let step = steps.pop(); step; step = steps.pop()) {
      await step().catch((error: Error) => process.stderr.write(`the benchmark could not clean up: ${error.message}\n`))
    }
  }
  return {
    add: (step) => void steps.push(step),
    run() {
      running = running.then(runAll)
      return running
    },
  }
}

/**
 * Opens the PostgreSQL of `DATABASE_URL`. Without this variable, starts an embedded PostgreSQL with the settings of a new
 * installation.
 */
export async function openDatabase(cleanup: Cleanup): Promise<Database> {
  const data_dir = await mkdtemp(join(tmpdir(), FOLDER_PREFIX))
  // If PostgreSQL runs as another user, that user needs access to this folder.
  await chmod(data_dir, 0o711)
  cleanup.add(() => removeData(data_dir))
  let admin_url = process.env.DATABASE_URL ?? ''
  if (admin_url === '') {
    const embedded = await startEmbedded({
      dataDir: data_dir,
      log: { info: () => {}, warn: (text) => process.stderr.write(`${text}\n`) },
    })
    cleanup.add(() => embedded.stop())
    admin_url = embedded.url
  }
  const rows = await query<{ name: string; setting: string }>(
    admin_url,
    `select name, current_setting(name) as setting from pg_settings where name = any($1)`,
    [[...SHOWN_SETTINGS, 'server_version']],
  )
  const all = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
  const { server_version = '', ...settings } = all
  return {
    data_dir,
    version: server_version,
    settings,
    pid: await postmaster(admin_url),
    async create(name) {
      const full_name = `bench_${name}_${randomBytes(4).toString('hex')}`
      let dropped = false
      const drop = async () => {
        if (dropped) return
        dropped = true
        await dropDatabase(admin_url, full_name)
      }
      cleanup.add(drop)
      await query(admin_url, `create database ${full_name}`)
      const url = new URL(admin_url)
      url.pathname = `/${full_name}`
      await migrate(url.href)
      return { url: url.href, drop }
    },
  }
}

/**
 * Drops a database. Only a superuser may end an autovacuum process in the database, so the function tries again for ten
 * seconds.
 */
async function dropDatabase(admin_url: string, name: string): Promise<void> {
  const give_up = performance.now() + 10_000
  for (;;) {
    try {
      await query(admin_url, `drop database if exists ${name} with (force)`)
      return
    } catch (error) {
      if ((error as { code?: string }).code !== '42501' || performance.now() > give_up) throw error
      await sleep(200)
    }
  }
}

/**
 * Measures how long this machine needs to make 8 KB durable. Returns the median in milliseconds. Every commit waits for this
 * operation.
 */
export async function fsyncMs(folder: string): Promise<number> {
  const path = join(folder, 'fsync')
  const file = await open(path, 'w')
  const times: number[] = []
  try {
    const page = randomBytes(8192)
    for (let i = 0; i < FSYNC_TRIES; i++) {
      const began = performance.now()
      await file.write(page, 0, page.length, 0)
      await file.datasync()
      times.push(performance.now() - began)
    }
  } finally {
    await file.close()
    await rm(path, { force: true })
  }
  times.sort((a, b) => a - b)
  return Number((times[FSYNC_TRIES / 2] ?? 0).toFixed(2))
}

/** Creates merchants with a live key each, with the code of `npm run admin`. */
export async function makeMerchants(database: Database, url: string, count: number): Promise<BenchMerchant[]> {
  const config = readConfig({ DATABASE_URL: url, DATA_DIR: database.data_dir }, PROVIDERS)
  const deps = await realDeps(config, createLog('silent'), url)
  try {
    const merchants: BenchMerchant[] = []
    for (let i = 0; i < count; i++) {
      const { id, routing_code } = await createMerchant(deps, { name: `Duka ${i + 1}`, approved: true })
      const scopes = Object.keys(SCOPES)
      const { plaintext_key } = await createKey(deps, { merchant_id: id, environment: 'live', scopes, name: 'Bench' })
      merchants.push({ id, routing_code, key: plaintext_key })
    }
    return merchants
  } finally {
    await deps.db.close()
  }
}

/** The settings that the server under test has in every case. */
export const SERVER_SETTINGS: Record<string, string> = {
  LOG_LEVEL: 'warn',
  RATE_LIMIT_PER_KEY: '0',
  RATE_LIMIT_PER_MERCHANT_LIVE: '0',
  RATE_LIMIT_PER_MERCHANT_SANDBOX: '0',
  RATE_LIMIT_PER_ADDRESS: '0',
  RATE_LIMIT_CALLBACKS: '0',
  CONNECTIONS_PER_ADDRESS: '0',
  // The databases of a run share one DATA_DIR, but a file of anchors is for one database only.
  AUDIT_ANCHOR_FILE: 'off',
  WEBHOOK_ALLOW_PRIVATE: 'true',
}

/** The settings of the process that simulates the provider. */
export const PROVIDER_SETTINGS: Record<string, string> = { MOCK_DELAY_MS: '0', MOCK_SUCCESS_RATE: '1' }

/** Starts the real server on `port`, and waits until it accepts requests. */
export async function startServer(
  cleanup: Cleanup,
  options: { database: Database; url: string; port: number; env: Record<string, string>; node_args: string[] },
): Promise<Server> {
  const { database, url, port } = options
  const env = { ...SERVER_SETTINGS, ...options.env, DATA_DIR: database.data_dir, DATABASE_URL: url, PORT: String(port) }
  const program = startProgram([...options.node_args, 'server/src/main.ts'], env)
  cleanup.add(() => program.stop())
  const base = `http://127.0.0.1:${port}`
  await until('the server is ready', READY_TIMEOUT_MS, async () => {
    if (!program.running()) throw new Error('the server ended before it was ready')
    const answer = await fetch(`${base}/readyz`).catch(() => null)
    await answer?.arrayBuffer()
    return answer?.status === 200
  })
  return { program, port, url: base, env }
}

/** Starts a worker beside `server`. The server must run with PROCESS=api. */
export function startWorker(cleanup: Cleanup, server: Server): Program {
  const program = startProgram(['server/src/main.ts'], { ...server.env, PROCESS: 'worker' })
  cleanup.add(() => program.stop())
  return program
}

/**
 * Starts the server, the mock provider, the webhook receiver and the load process, and makes merchants that receive webhooks.
 */
export async function startWorld(
  cleanup: Cleanup,
  database: Database,
  url: string,
  merchantCount: number,
  node_args: string[] = [],
  serverSettings: Record<string, string> = {},
): Promise<BenchWorld> {
  const merchants = await makeMerchants(database, url, merchantCount)
  const port = await freePort()
  const provider = startProgram(['server/src/adapters/providers/mock/server.ts'], {
    ...PROVIDER_SETTINGS,
    PORT: '0',
    MOCK_CALLBACK_URL: `http://127.0.0.1:${port}/callbacks/mock`,
  })
  cleanup.add(() => provider.stop())
  let provider_url = ''
  await until('the provider listens', READY_TIMEOUT_MS, async () => {
    if (!provider.running()) throw new Error('the provider ended before it was ready')
    provider_url = /http:\S+/.exec(provider.stdout())?.[0] ?? ''
    return provider_url !== ''
  })
  const receiver = startRemote<ReceiverApi>('receiver.ts')
  cleanup.add(() => receiver.stop())
  const load = startRemote<LoadApi>('load.ts')
  cleanup.add(() => load.stop())
  receiver.onNote = (finished) => load.note(finished)
  const receiver_port = await receiver.call('listen')
  const server = await startServer(cleanup, {
    database,
    url,
    port,
    env: { PROCESS: 'all', MOCK_URL: provider_url, ...serverSettings },
    node_args,
  })
  const secrets: string[] = []
  for (const [i, { key }] of merchants.entries()) {
    const answer = await fetch(`${server.url}/v1/merchant/webhook-config`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ webhook_url: `http://127.0.0.1:${receiver_port}/${i}` }),
    })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`the server did not configure the webhook: ${text}`)
    secrets.push((JSON.parse(text) as { data: { secret: string } }).data.secret)
  }
  await receiver.call('secrets', secrets)
  return { server, provider, provider_url, receiver, load, merchants, database_url: url }
}

/** Returns the CPU seconds that the machine, the processes and PostgreSQL have used so far. */
export function readCpu(database: Database, pids: Record<string, number>): Cpu {
  const cpu: Cpu = { machine: cpuSecondsOfMachine() }
  for (const [name, pid] of Object.entries(pids)) cpu[name] = cpuSeconds(pid)
  if (database.pid !== null) cpu.postgres = cpuSecondsOfFamily(database.pid)
  return cpu
}

/** Runs one query on a new connection. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

/**
 * Returns the process id of the postmaster: the parent of the process that serves a connection. Null means that the serving
 * process is not on this machine.
 */
async function postmaster(url: string): Promise<number | null> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const pid = rows[0]?.pid ?? 0
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return command.startsWith('postgres') ? parentOf(pid) : null
  } finally {
    await client.end()
  }
}

async function until(what: string, timeout_ms: number, ready: () => Promise<boolean>): Promise<void> {
  const give_up = performance.now() + timeout_ms
  while (!(await ready())) {
    if (performance.now() > give_up) throw new Error(`timeout: the benchmark waited too long until ${what}`)
    await sleep(25)
  }
}

/** Removes the folder. If the data of PostgreSQL is in another folder, also removes that folder. */
async function removeData(data_dir: string): Promise<void> {
  const pointer = await readFile(join(data_dir, 'postgres.json'), 'utf8').catch(() => null)
  if (pointer !== null)
    await rm(resolve(data_dir, (JSON.parse(pointer) as { place: string }).place), { recursive: true, force: true })
  await rm(data_dir, { recursive: true, force: true })
}
