// Runs three database nodes with the files of deploy/ha: etcd, Patroni and PostgreSQL on each node, and HAProxy for the servers
// of Malipo.

import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, closeSync, copyFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { grantRuntime, rolesSql } from '../../src/kernel/db/index.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { ROOT, until } from '../crash/processes.ts'
import { createNetwork, type DatabaseNode, isEtcd, isPatroni, NODES, processesOf } from './network.ts'

/** The path of a file system in memory that exists only in the mount namespace of the test. */
const PLACE = '/mnt'
/** The size of the disk of one node. The ballast of the fault `disk-full` fills the disk. */
const DISK = '1G'
const PASSWORD = 'only-in-the-namespaces-of-this-test'
const AS_POSTGRES = ['setpriv', '--reuid', 'postgres', '--regid', 'postgres', '--init-groups']
const START_MS_MAX = 120_000
const HEALTHY_MS_MAX = 180_000

/** The URLs of the database over HAProxy: `owner` for migrations and the test, `server` for the processes of Malipo. */
export type ClusterUrls = { owner: string; server: string }

/** A standby, with the state that the leader reports about its replication. */
type Standby = { application_name: string; state: string; sync_state: string }

const template = (name: string) => readFileSync(join(ROOT, 'deploy/ha', name), 'utf8')

/** Returns the path of a node's disk, which contains the data of PostgreSQL. */
export const diskOf = ({ name }: DatabaseNode): string => join(PLACE, name)

/** Starts the nodes and HAProxy, makes the database with its two roles, and applies the migrations. */
export async function startCluster(): Promise<ClusterUrls> {
  createNetwork()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', PLACE])
  mkdirSync(process.env.TMPDIR as string, { mode: 0o711 })
  chmodSync(process.env.TMPDIR as string, 0o711)
  makeCertificates()
  for (const node of NODES) prepareNode(node)
  for (const node of NODES) startEtcd(node)
  await until('the members of etcd elect a leader', () => etcdIsHealthy(), START_MS_MAX)
  for (const node of NODES) startPatroni(node)
  startHaproxy()
  await untilHealthy()
  for (const node of NODES) startDiskGuard(node)
  return await makeDatabase()
}

/** Makes an authority and one certificate for all nodes, which also names the address of HAProxy. */
function makeCertificates(): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: PLACE, stdio: 'ignore' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc']
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=Database nodes', '-days', '2')
  openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=database')
  const names = ['127.0.0.1', ...NODES.map(({ address }) => address)].map((address) => `IP:${address}`)
  writeFileSync(join(PLACE, 'names'), `subjectAltName=${names.join(',')}\n`)
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-days', '2', '-extfile', 'names']
  openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.crt', ...signed)
}

/** Makes the disk of a node and its files from deploy/ha, with the paths of the test. */
function prepareNode(node: DatabaseNode): void {
  const disk = diskOf(node)
  mkdirSync(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=755`, 'tmpfs', disk])
  for (const folder of ['etc', 'sockets', 'data'])
    mkdirSync(join(disk, folder), { mode: folder === 'data' ? 0o700 : 0o755 })
  mkdirSync(join(PLACE, `etcd-${node.name}`), { mode: 0o700 })
  mkdirSync(join(PLACE, `run-${node.name}`))
  for (const name of ['ca.crt', 'server.crt', 'server.key']) {
    copyFileSync(join(PLACE, name), join(disk, 'etc', name))
    chmodSync(join(disk, 'etc', name), 0o600)
  }
  const config = template('patroni.yml')
    .replaceAll('/etc/patroni/', `${disk}/etc/`)
    .replaceAll('/var/run/postgresql', `${disk}/sockets`)
    .replace('/var/lib/postgresql/15/malipo', `${disk}/data`)
    .replace('/var/lib/postgresql/.pgpass-patroni', `${disk}/etc/pgpass`)
  writeFileSync(join(disk, 'etc/config.yml'), config)
  execFileSync('chown', ['-R', 'postgres:postgres', disk, join(PLACE, `run-${node.name}`)])
}

/** Reads a file of settings, and sets name and addresses of the node, and the passwords. */
function settingsOf(file: string, { name, address }: DatabaseNode): Record<string, string> {
  const lines = template(file)
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
  return Object.fromEntries(
    lines.map((line) => {
      const [setting, ...rest] = line.split('=') as [string, ...string[]]
      const value = rest.join('=')
      if (setting.endsWith('_PASSWORD')) return [setting, PASSWORD]
      if (setting.endsWith('_NAME')) return [setting, name]
      // The list of all members is the same on each node.
      return [setting, setting === 'ETCD_INITIAL_CLUSTER' ? value : value.replace(NODES[0]?.address ?? '', address)]
    }),
  )
}

/** Starts a program in the network namespace of a node. Its output goes to a file of its own. */
function startIn({ name }: DatabaseNode, log: string, env: Record<string, string>, command: readonly string[]): void {
  const output = openSync(join(PLACE, `${name}-${log}.log`), 'a')
  const child = spawn('ip', ['netns', 'exec', name, ...command], {
    cwd: PLACE,
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C.UTF-8', ...env },
    stdio: ['ignore', output, output],
  })
  child.on('error', (error) => process.stderr.write(`${command.join(' ')} did not start: ${error.message}\n`))
  closeSync(output)
}

/** If etcd does not run on a node, starts it. */
export function startEtcd(node: DatabaseNode): void {
  if (processesOf(node).some(({ command }) => isEtcd(command))) return
  const env = { ...settingsOf('etcd.conf', node), ETCD_DATA_DIR: join(PLACE, `etcd-${node.name}`) }
  startIn(node, 'etcd', { ...env, ETCD_UNSAFE_NO_FSYNC: 'true', ETCD_LOG_LEVEL: 'warn' }, ['etcd'])
}

/** If Patroni does not run on a node, starts it. Patroni starts PostgreSQL. */
export function startPatroni(node: DatabaseNode): void {
  if (processesOf(node).some(({ command }) => isPatroni(command))) return
  const command = [...AS_POSTGRES, '/usr/bin/patroni', join(diskOf(node), 'etc/config.yml')]
  startIn(node, 'patroni', { ...settingsOf('patroni_env.conf', node), HOME: diskOf(node) }, command)
}

/** Runs deploy/ha/disk-guard.sh on a node every two seconds, as its timer does, with limits that fit the small disk of the test. */
function startDiskGuard(node: DatabaseNode): void {
  const env = {
    ...settingsOf('patroni_env.conf', node),
    CONFIG: join(diskOf(node), 'etc/config.yml'),
    DATA_DIR: diskOf(node),
    FREE_MIN_MB: '64',
    PAUSE_MINUTES: '0',
    MARK: join(PLACE, `run-${node.name}`, 'handed-over'),
  }
  const loop = `while sleep 2; do sh ${join(ROOT, 'deploy/ha/disk-guard.sh')}; done`
  startIn(node, 'disk-guard', env, [...AS_POSTGRES, 'sh', '-c', loop])
}

/** Starts etcd and Patroni on each node on which they do not run. */
export function startMissing(): void {
  for (const node of NODES) {
    startEtcd(node)
    startPatroni(node)
  }
}

function startHaproxy(): void {
  const output = openSync(join(PLACE, 'haproxy.log'), 'a')
  spawn('haproxy', ['-db', '-f', join(ROOT, 'deploy/ha/haproxy.cfg')], { stdio: ['ignore', output, output] })
  closeSync(output)
}

const answerOf = (url: string, init: RequestInit = {}) =>
  fetch(url, { ...init, signal: AbortSignal.timeout(3_000) }).then(
    (answer) => answer,
    () => null,
  )

async function etcdIsHealthy(): Promise<boolean> {
  const answers = await Promise.all(NODES.map(({ address }) => answerOf(`http://${address}:2379/health`)))
  return answers.every((answer) => answer?.status === 200)
}

/** Returns the node whose Patroni holds the key of the leader. Null means that no node reports to be the leader. */
export async function findLeader(): Promise<DatabaseNode | null> {
  for (const node of NODES) {
    const answer = await answerOf(`http://${node.address}:8008/primary`)
    if (answer?.status === 200) return node
  }
  return null
}

/** Returns the node whose etcd leads. If no node leads, throws an error. */
export async function findEtcdLeader(): Promise<DatabaseNode> {
  for (const node of NODES) {
    const answer = await answerOf(`http://${node.address}:2379/v2/stats/self`)
    const state = answer === null ? null : ((await answer.json()) as { state: string }).state
    if (state === 'StateLeader') return node
  }
  throw new Error('no member of etcd leads')
}

/** Runs one statement as the superuser on a node. */
export async function runOn<Row extends pg.QueryResultRow>({ address }: DatabaseNode, text: string): Promise<Row[]> {
  const ca = readFileSync(join(PLACE, 'ca.crt'), 'utf8')
  const client = new pg.Client({
    ...{ host: address, port: 5432, user: 'postgres', password: PASSWORD, database: 'postgres', ssl: { ca } },
    connectionTimeoutMillis: 3_000,
    query_timeout: 10_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

/** Returns the standbys that are connected to a node. If the node does not answer, the list is empty. */
export function standbysOf(node: DatabaseNode): Promise<Standby[]> {
  return runOn<Standby>(node, 'select application_name, state, sync_state from pg_stat_replication').catch(() => [])
}

/**
 * Waits until each member of etcd is healthy and the leader streams to both other nodes. If `sync` is true, one of the two is a
 * synchronous standby, otherwise none.
 */
export async function untilHealthy(sync = true): Promise<void> {
  await until(
    'all nodes are healthy',
    async () => {
      const leader = await findLeader()
      if (leader === null || !(await etcdIsHealthy())) return false
      const standbys = (await standbysOf(leader)).filter(({ state }) => state === 'streaming')
      return standbys.length === 2 && standbys.some(({ sync_state }) => sync_state === 'sync') === sync
    },
    HEALTHY_MS_MAX,
  )
}

/** Changes the settings that the nodes share, as `patronictl edit-config` does. */
export async function configure(changes: Record<string, unknown>): Promise<void> {
  const leader = await findLeader()
  await callPatroni(leader, 'PATCH', 'config', changes)
}

/**
 * Hands the role of the leader to another node, as `patronictl switchover` does. Resolves when Patroni has accepted the
 * request.
 */
export async function switchOver(): Promise<void> {
  const leader = await findLeader()
  await callPatroni(leader, 'POST', 'switchover', { leader: leader?.name })
}

/** Gives a node a new copy of the leader's data, as `patronictl reinit` does. */
export function copyAgain(node: DatabaseNode): Promise<void> {
  return callPatroni(node, 'POST', 'reinitialize', { force: true })
}

async function callPatroni(node: DatabaseNode | null, method: string, path: string, body: unknown): Promise<void> {
  if (node === null) throw new Error('no node leads')
  const authorization = `Basic ${Buffer.from(`patroni:${PASSWORD}`).toString('base64')}`
  const answer = await fetch(`http://${node.address}:8008/${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  })
  if (!answer.ok) throw new Error(`Patroni refused ${method} /${path}: ${answer.status} ${await answer.text()}`)
}

/** Makes the database and its two roles with the statements of `admin db roles --print`, and applies the migrations. */
async function makeDatabase(): Promise<ClusterUrls> {
  const leader = await findLeader()
  if (leader === null) throw new Error('no node leads')
  await runOn(leader, 'create database malipo')
  const names = { owner: 'malipo', runtime: 'malipo_runtime', database: 'malipo' }
  const urlOf = (user: string, host: string) =>
    `postgres://${user}:${PASSWORD}@${host}/malipo?sslmode=verify-full&sslrootcert=${join(PLACE, 'ca.crt')}`
  const superuser = new pg.Client({ connectionString: urlOf('postgres', '127.0.0.1:5000') })
  await superuser.connect()
  await superuser.query(rolesSql(names))
  for (const role of [names.owner, names.runtime]) await superuser.query(`alter role ${role} password '${PASSWORD}'`)
  await superuser.end()
  const urls = { owner: urlOf(names.owner, '127.0.0.1:5000'), server: urlOf(names.runtime, '127.0.0.1:5000') }
  await migrate(urls.owner)
  await grantRuntime(urls.owner, urls.server)
  return urls
}

/** Returns the end of the output of Patroni on each node, for the message of a failed round. */
export function logsOf(): string {
  return NODES.map(
    ({ name }) => `--- ${name}\n${readFileSync(join(PLACE, `${name}-patroni.log`), 'utf8').slice(-3_000)}`,
  ).join('\n')
}
