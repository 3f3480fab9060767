/**
 * Runs `npm test`: starts a temporary PostgreSQL, prepares a migrated template, runs the tests on it, and removes its data.
 * USAGE describes the arguments.
 */
import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startEmbedded } from '../src/kernel/db/embedded.ts'
import { migrate } from '../src/kernel/db/migrate.ts'
import { processesOf, writeEntries } from './runner/processes.ts'

const USAGE = `Usage: npm test [-- [OPTION ...] [FILE | FOLDER ...]]

Runs the named test files, the tests of the named folders, or all tests, on a throw-away PostgreSQL. An option goes to
Node's test runner, such as --test-name-pattern='NAME' for the tests whose names contain NAME. The run fails if no test ran.

Environment
  TEST_PG_BIN   Programs of another PostgreSQL, such as /usr/lib/postgresql/15/bin, instead of the packaged ones
  KILLS         Times that the crash test kills its server (4, with payouts 3; npm run crash: 20)
  LOSSES        Backends of PostgreSQL that the test kills, and its fast and immediate restarts
                (8,2,2; npm run restarts: 100,50,50 over each of socket and TCP)
  FULL_DISKS, CLOCK_STEPS
                Full disks and steps of the clock of npm run endurance (20 and 4)
  LOAD_S        Seconds of load of npm run pgbouncer (30), which needs the package pgbouncer of Debian
  PAYMENTS, PAYOUTS
                Size of the storm, with KILLS (300, 60 and 3; npm run storm: 20,000, 2,000 and 40)
  POINTS        "all" ends a process at each crash point of each flow (each point in one flow; npm run crash: all)
  RUNS          Number of simulations of withdrawals (100; npm run simulate: 3000)
  STEPS         Steps of the model of people who move money (500; npm run model: 100,000)
  REQUESTS      Generated requests to the documented calls (2,000; npm run fuzz: 50,000)
  WAYS          "all" opens every screen and journey of the pay page in each language both with scripts and without, and
                runs every journey through the consoles in each language (two of the four ways for each, and one
                language for each of the longest journeys; npm run journeys: all)
  STALL         "full" attacks a server with 400 sign-ins, 180 posters and hostile text for 30 seconds, and asserts the goals
                (one small wave; npm run stall: full)
  ROLLING       "full" restarts each process three times behind HAProxy, under 200 requests a second
                (once, behind a balancer of the test; npm run rolling: full)
  ROUNDS, FAULTS
                Rounds and faults of npm run ha, which describes them with --help (none here; npm run ha: 1 round of all)
  SEED          Seed of the random tests: the same seed repeats a run (random; each test prints its seed)
`

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const FOLDERS = ['server/src', 'server/twins', 'server/test', 'sdk', 'bench', 'scripts']
const PRELOADS = ['safe-hooks', 'no-async-hook'].map((name) => new URL(`runner/${name}.ts`, import.meta.url).href)
const COUNT_TESTS = new URL('runner/count-tests.ts', import.meta.url).href
const TEMPLATE = 'malipo_template'
/**
 * The number of processes of test files that run at the same time. Three keep two cores busy. Five take more time for the same
 * files, because they start more servers and browsers at once.
 */
const CONCURRENCY = 3
/**
 * Fast settings that are not durable, because the data is temporary. On a slow machine, files that run at once and each start several
 * processes can need more than 200 connections.
 */
const FAST_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '400' }
const QUIET = { info: () => {}, warn: (message: string) => console.error(message) }
const FOLDER_PREFIX = 'malipo-test-'
/** A file system in memory. On this file system, PostgreSQL copies and removes a database without a disk. */
const MEMORY = '/dev/shm'
const MEMORY_BYTES_MIN = 8 * 2 ** 30
const REMOVE_ATTEMPTS = 30

// If the reader of our output stops reading, the runner must still stop the server.
process.stdout.on('error', () => {})
process.exitCode = await main(process.argv.slice(2))

async function main(args: string[]): Promise<number> {
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    process.stdout.write(USAGE)
    return 0
  }
  await clearLeftovers()
  // PostgreSQL may run as another user, and that user needs access to the folder.
  const folder = await mkdtemp(join(await folderRoot(), `${FOLDER_PREFIX}${process.pid}-`))
  const temporary = join(folder, 'tmp')
  await mkdir(temporary)
  for (const path of [folder, temporary]) await chmod(path, 0o711)
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopping.abort(signal))
  let stopServer = async (): Promise<void> => {}
  try {
    const server = await startEmbedded({
      dataDir: folder,
      log: QUIET,
      settings: FAST_SETTINGS,
      binDir: process.env.TEST_PG_BIN || undefined,
    })
    stopServer = server.stop
    const template = await makeTemplate(server.url)
    return await runTests(await argumentsOf(args, temporary), server, template, temporary, stopping.signal)
  } finally {
    await stopServer()
    await removeData(folder)
  }
}

/**
 * Returns the arguments of Node's test runner. Without options, test files share processes. With an option, each file has its
 * own process, because a name pattern must not match the path of a file. Node reports an argument that is no file.
 */
async function argumentsOf(args: readonly string[], temporary: string): Promise<string[]> {
  const options = args.filter((arg) => arg.startsWith('-'))
  const paths = args.filter((arg) => !arg.startsWith('-'))
  const files = (paths.length === 0 ? FOLDERS : paths).flatMap(filesOf)
  const are_files = files.every((file) => statSync(resolve(ROOT, file), { throwIfNoEntry: false })?.isFile() ?? false)
  if (options.length > 0 || !are_files) return [...options, ...files]
  return await writeEntries(processesOf(files, ROOT, CONCURRENCY), ROOT, join(temporary, 'processes'))
}

/**
 * If the argument is a folder, returns its test files in the order of their names. If the folder has no test files, returns a
 * pattern. If the argument is no folder, returns the argument.
 */
function filesOf(arg: string): string[] {
  const path = relative(ROOT, resolve(ROOT, arg))
  if (!(statSync(join(ROOT, path), { throwIfNoEntry: false })?.isDirectory() ?? false)) return [arg]
  const names = readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
  const tests = names.filter((name) => name.endsWith('.test.ts') && !name.split('/').includes('node_modules'))
  return tests.length === 0 ? [join(arg, '**/*.test.ts')] : tests.sort().map((name) => join(path, name))
}

/**
 * Returns the folder of this run's data. If the memory has space and permits programs, the folder is in memory, otherwise on
 * the disk.
 */
async function folderRoot(): Promise<string> {
  try {
    const [{ bavail, bsize }, mounts] = await Promise.all([statfs(MEMORY), readFile('/proc/mounts', 'utf8')])
    const options = mounts
      .split('\n')
      .find((line) => line.split(' ')[1] === MEMORY)
      ?.split(' ')[3]
    const has_room = Math.min(bavail * bsize, process.availableMemory()) >= MEMORY_BYTES_MIN
    return has_room && options !== undefined && !options.split(',').includes('noexec') ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}

async function makeTemplate(adminUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  await client.query(`create database ${TEMPLATE}`)
  await client.end()
  const url = new URL(adminUrl)
  url.pathname = `/${TEMPLATE}`
  await migrate(url.href)
  return TEMPLATE
}

/** Runs Node's test runner with options and files, and returns the exit code. If no test ran, the run fails. */
async function runTests(
  args: string[],
  server: { url: string; runtime_url: string },
  template: string,
  temporary: string,
  stop: AbortSignal,
): Promise<number> {
  if (stop.aborted) return 1
  const countFile = join(temporary, 'number-of-tests')
  const options = [
    ...PRELOADS.map((url) => `--import=${url}`),
    `--test-concurrency=${CONCURRENCY}`,
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${COUNT_TESTS}`, `--test-reporter-destination=${countFile}`],
  ]
  const child = spawn(process.execPath, ['--test', ...options, ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      TEST_DATABASE_URL: server.url,
      TEST_RUNTIME_URL: server.runtime_url,
      TEST_TEMPLATE: template,
      TMPDIR: temporary,
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  stop.addEventListener('abort', () => child.kill(stop.reason))
  child.stdout.on('data', (chunk: Buffer) => process.stdout.write(chunk))
  const code = await new Promise<number>((done, failed) => {
    child.on('error', failed)
    child.on('close', (exitCode) => done(exitCode ?? 1))
  })
  if ((await readFile(countFile, 'utf8').catch(() => '')) === '0') {
    console.error(`no test ran: no test matches ${process.argv.slice(2).join(' ')}`)
    return code === 0 ? 1 : code
  }
  return code
}

/** Removes the folder of the run. If the data folder is elsewhere, also removes the data folder. */
async function removeData(folder: string): Promise<void> {
  const pointer = await readFile(join(folder, 'postgres.json'), 'utf8').catch(() => null)
  if (pointer !== null) {
    const { place } = JSON.parse(pointer) as { place: string }
    await rm(resolve(folder, place), { recursive: true, force: true })
  }
  await removeFolder(folder)
}

/** Cleans up after killed test runs of this user, because PostgreSQL continues when its parent has ended. */
async function clearLeftovers(): Promise<void> {
  for (const root of [MEMORY, tmpdir()]) await clearLeftoversIn(root)
}

async function clearLeftoversIn(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const runner = new RegExp(`^${FOLDER_PREFIX}(\\d+)-`).exec(name)?.[1]
    if (runner === undefined) continue
    const command = await readFile(`/proc/${runner}/cmdline`, 'utf8').catch(() => '')
    if (command.includes('server/test/run.ts')) continue // This test run is still active.
    const folder = join(root, name)
    const facts = await lstat(folder)
    if (facts.isDirectory() && facts.uid === process.getuid?.()) await removeFolder(folder)
  }
}

/** Ends the servers with data in `folder`, and removes the folder. Repeats the removal while a test that ends still writes. */
async function removeFolder(folder: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    for (const name of await readdir('/proc').catch(() => [])) {
      const work = await readlink(`/proc/${name}/cwd`).catch(() => '')
      if (work.startsWith(`${folder}/`) && work.endsWith('/postgres/data')) endServer(Number(name))
    }
    try {
      return await rm(folder, { recursive: true, force: true })
    } catch (error) {
      if (attempt === REMOVE_ATTEMPTS) throw error
      await sleep(100)
    }
  }
}

function endServer(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT')
  } catch {
    // The process ended before the signal arrived.
  }
}
