// Tests the embedded database as a program uses it. No two tests share a server or a folder.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, chmod, chown, constants, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type EmbeddedDatabase, findEmbedded, startEmbedded } from './embedded.ts'

const MODULE = new URL('./embedded.ts', import.meta.url).href
const NOBODY_UID = 65_534
const FAST = { fsync: 'off', shared_buffers: '16MB' }
const SILENT = { info: () => {}, warn: () => {} }
const isRoot = process.getuid?.() === 0

const started: EmbeddedDatabase[] = []
const children: ChildProcess[] = []
const folders: string[] = []

after(async () => {
  await Promise.all(children.map(kill))
  await Promise.all(started.map((server) => server.stop()))
  for (const folder of folders) {
    await stopLeftover(folder)
    const place = await placeOf(folder).catch(() => null)
    if (place !== null) await rm(place, { recursive: true, force: true })
    await rm(folder, { recursive: true, force: true })
  }
})

test('the server keeps its data and its address after a restart', async () => {
  const dataDir = await newFolder()
  const first = await start(dataDir)
  await query(first.url, 'create table kept (value text)')
  await query(first.url, "insert into kept values ('Asha')")
  await first.stop()
  assert.equal(await findEmbedded(dataDir), null)

  const second = await start(dataDir)
  assert.equal(second.adopted, false)
  assert.equal(second.url, first.url)
  assert.deepEqual(await query(second.url, 'select value from kept'), [{ value: 'Asha' }])
})

test('a second program uses the server of the first program, and leaves the server running when the second program stops', async () => {
  const dataDir = await newFolder()
  const first = await start(dataDir)
  const second = await start(dataDir)
  assert.deepEqual([first.adopted, second.adopted], [false, true])
  assert.equal(await findEmbedded(dataDir), first.url)
  await second.stop()
  assert.equal((await query(first.url, 'select 1 as one')).length, 1)
})

test('a program uses the running server of a killed program, and leaves the pid file of the server unchanged', async () => {
  const dataDir = await newFolder()
  const program = await startInProgram(dataDir)
  await query(program.url, 'create table kept (value text)')
  await kill(program.child)

  const pidFile = join(await placeOf(dataDir), 'data', 'postmaster.pid')
  const before = await readFile(pidFile, 'utf8')
  const server = await start(dataDir)
  assert.equal(server.adopted, true)
  assert.equal(server.url, program.url)
  assert.equal(await readFile(pidFile, 'utf8'), before)
  assert.deepEqual(await query(server.url, 'select value from kept'), [])
})

test('the database has all acknowledged rows after kill -9 of the server', async () => {
  const dataDir = await newFolder()
  const first = await startEmbedded({ dataDir, log: SILENT, settings: { shared_buffers: '16MB' } })
  started.push(first)
  await query(first.url, 'create table kept (value integer)')
  await query(first.url, 'insert into kept select generate_series(1, 1000)')
  process.kill(await postmasterOf(dataDir), 'SIGKILL')

  const second = await start(dataDir)
  assert.equal(second.adopted, false)
  assert.deepEqual(await query(second.url, 'select count(*)::int as count from kept'), [{ count: 1000 }])
})

test('a program starts the server after kill -9, even while the system still lists the killed server', async () => {
  const dataDir = await newFolder()
  const first = await startInProgram(dataDir)
  const killed = await postmasterOf(dataDir)
  first.child.kill('SIGSTOP') // A stopped parent does not read the end of its child, so the system keeps the child in its list.
  process.kill(killed, 'SIGKILL')
  const log = join(await placeOf(dataDir), 'postgres.log')
  const starting = start(dataDir)
  const refused = async () => (await readFile(log, 'utf8').catch(() => '')).includes('"postmaster.pid" already exists')
  while (!(await Promise.race([refused(), starting]))) await new Promise((done) => setTimeout(done, 5))
  first.child.kill('SIGCONT')
  const second = await starting
  assert.equal(second.adopted, false)
  assert.equal((await query(second.url, 'select 1 as one')).length, 1)
})

test('one of two programs that start at the same time starts the server, and the other program uses the same server', async () => {
  const dataDir = await newFolder()
  const programs = await Promise.all([startInProgram(dataDir), startInProgram(dataDir)])
  assert.deepEqual(programs.map(({ adopted }) => adopted).sort(), [false, true])
  assert.equal(programs[0].url, programs[1].url)
})

test('two programs with different DATA_DIR folders use different servers', async () => {
  const [one, two] = await Promise.all([start(await newFolder()), start(await newFolder())])
  assert.notEqual(new URL(one.url).port, new URL(two.url).port)
  assert.notEqual(new URL(one.url).password, new URL(two.url).password)
})

test('a program that Ctrl-C stops keeps its database until its work has finished', async () => {
  const program = await startInProgram(await newFolder(), { stopAfterSignal: true })
  process.kill(-(program.child.pid ?? 0), 'SIGINT')
  const output = await new Promise<string>((done) => program.child.stdout?.once('data', (chunk) => done(String(chunk))))
  assert.equal(output.trim(), 'still there')
})

test('only programs on this machine can connect to the server, and only with the password', async () => {
  const server = await start(await newFolder())
  assert.equal(new URL(server.url).hostname, '127.0.0.1')
  assert.deepEqual(await query(server.url, 'show listen_addresses'), [{ listen_addresses: '127.0.0.1' }])
  const guess = new URL(server.url)
  guess.password = 'guess'
  await assert.rejects(query(guess.href, 'select 1'), { code: '28P01' })
  guess.username = 'postgres'
  await assert.rejects(query(guess.href, 'select 1'), { code: '28P01' })
})

test('the role of the program is no superuser, so the protection of append-only tables applies to that role', async () => {
  const server = await start(await newFolder())
  const roles = await query(
    server.url,
    'select rolsuper, rolcreatedb, rolname from pg_roles where rolname = current_user',
  )
  assert.deepEqual(roles, [{ rolsuper: false, rolcreatedb: true, rolname: 'malipo' }])
  await query(server.url, 'create table facts (value text)')
  await query(server.url, 'revoke update on facts from current_user')
  await assert.rejects(query(server.url, "update facts set value = 'changed'"), { code: '42501' })
})

test('commits are durable by default, and text sorts by bytes', async () => {
  const server = await startEmbedded({ dataDir: await newFolder(), log: SILENT })
  started.push(server)
  const [settings] = await query(
    server.url,
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
            current_setting('full_page_writes') as pages, current_setting('server_encoding') as encoding,
            current_setting('TimeZone') as zone, 'Z' < 'a' as byte_order`,
  )
  assert.deepEqual(settings, {
    fsync: 'on',
    commit: 'on',
    pages: 'on',
    encoding: 'UTF8',
    zone: 'UTC',
    byte_order: true,
  })
})

test('only the owner of the server can read the files that contain passwords', async () => {
  const dataDir = await newFolder()
  await start(dataDir)
  const place = await placeOf(dataDir)
  for (const path of [join(dataDir, 'postgres.json'), join(place, 'secrets.json'), join(place, 'postgres.log')]) {
    assert.equal((await stat(path)).mode & 0o077, 0, path)
  }
  for (const path of [place, join(place, 'data'), join(place, 'run')]) {
    assert.equal((await stat(path)).mode & 0o077, 0, path)
  }
})

test('the server starts on a free port when another program has taken the old port', async () => {
  const dataDir = await newFolder()
  const first = await start(dataDir)
  await first.stop()
  const otherProgram = createServer()
  await new Promise<void>((done) => otherProgram.listen(Number(new URL(first.url).port), '127.0.0.1', done))
  try {
    const second = await start(dataDir)
    assert.notEqual(new URL(second.url).port, new URL(first.url).port)
    assert.equal(await findEmbedded(dataDir), second.url)
  } finally {
    otherProgram.close()
  }
})

test('a program refuses data of another major version, names that version, and leaves the data unchanged', async () => {
  const dataDir = await newFolder()
  const first = await start(dataDir)
  await first.stop()
  const file = join(await placeOf(dataDir), 'data', 'PG_VERSION')
  await writeFile(file, '17\n')
  await assert.rejects(start(dataDir), /PostgreSQL 17 made the data in .*, but this program brings PostgreSQL 18/)
  assert.equal(await readFile(file, 'utf8'), '17\n')
})

test('the database works in a folder that is closed to other users', async () => {
  const closed = await newFolder(0o700)
  const dataDir = join(closed, 'data')
  const outside = await newFolder()
  const server = await start(dataDir, outside)
  assert.equal((await query(server.url, 'select 1 as one')).length, 1)
  const place = await placeOf(dataDir)
  assert.ok(place.startsWith(isRoot ? outside : dataDir), place)
  await server.stop()
  const again = await start(dataDir, outside)
  assert.equal(await placeOf(dataDir), place)
  assert.equal(again.url, server.url)
})

test('an ordinary user can start the database, and its files are in the data folder of the user', async (t) => {
  if (!isRoot) return t.skip('without root, every other test already starts the database as an ordinary user')
  if (!(await reachableByAll(fileURLToPath(MODULE)))) return t.skip('this checkout is closed to other users')
  const dataDir = await newFolder(0o700)
  await chown(dataDir, NOBODY_UID, NOBODY_UID)
  const program = await startInProgram(dataDir, { uid: NOBODY_UID })
  assert.equal((await query(program.url, 'select 1 as one')).length, 1)
  assert.equal(await placeOf(dataDir), join(dataDir, 'postgres'))
  assert.equal((await stat(join(dataDir, 'postgres', 'data'))).uid, NOBODY_UID)
  assert.equal(existsSync(join(dataDir, 'home')), false)
})

// Helpers -------------------------------------------------------------------------------------------------------------

async function start(dataDir: string, outside?: string): Promise<EmbeddedDatabase> {
  const server = await startEmbedded({ dataDir, log: SILENT, settings: FAST, outside })
  started.push(server)
  return server
}

type Program = { child: ChildProcess; url: string; adopted: boolean }

/**
 * Starts the database from another process, which then waits. If `stopAfterSignal` is set, that process queries the database
 * after a SIGINT.
 */
async function startInProgram(
  dataDir: string,
  { uid, stopAfterSignal = false }: { uid?: number; stopAfterSignal?: boolean } = {},
): Promise<Program> {
  const source = `
    import { setTimeout as sleep } from 'node:timers/promises'
    import pg from ${JSON.stringify(import.meta.resolve('pg'))}
    import { startEmbedded } from ${JSON.stringify(MODULE)}
    const log = { info() {}, warn() {} }
    const server = await startEmbedded(${JSON.stringify({ dataDir, settings: FAST }).replace('{', '{ log, ')})
    if (${stopAfterSignal}) process.on('SIGINT', async () => {
      await sleep(300)
      const client = new pg.Client(server.url)
      await client.connect()
      await client.query('select 1')
      await client.end()
      console.log('still there')
      await server.stop()
      process.exit()
    })
    console.log(JSON.stringify({ url: server.url, adopted: server.adopted }))
    process.stdin.resume().on('close', () => process.exit()) // A signal interrupted the test.`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    cwd: '/',
    detached: true,
    env: { PATH: process.env.PATH, HOME: join(dataDir, 'home') },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  const answer = await new Promise<string>((done, failed) => {
    child.stdout?.once('data', (chunk: Buffer) => done(chunk.toString()))
    child.once('exit', (code) => failed(new Error(`the program ended with ${code}`)))
  })
  return { child, ...(JSON.parse(answer) as { url: string; adopted: boolean }) }
}

/** Kills a program and waits for its end. Until its end, the program may write its registration again. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGKILL')
  await ended
}

/** Makes a folder. With mode 711, other users can pass through the folder. With mode 700, they cannot. */
async function newFolder(mode = 0o711): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-embedded-'))
  await chmod(folder, mode)
  folders.push(folder)
  if (mode === 0o700) folders.unshift(join(folder, 'data'))
  return folder
}

async function placeOf(dataDir: string): Promise<string> {
  const pointer = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8')) as { place: string }
  return resolve(dataDir, pointer.place)
}

async function postmasterOf(dataDir: string): Promise<number> {
  return Number((await readFile(join(await placeOf(dataDir), 'data', 'postmaster.pid'), 'utf8')).split('\n')[0])
}

/** Ends a server whose program a test has killed, and waits for the end of the server. */
async function stopLeftover(dataDir: string): Promise<void> {
  const pid = await postmasterOf(dataDir).catch(() => null)
  if (pid === null) return
  try {
    process.kill(pid, 'SIGQUIT')
  } catch {
    return // The process has already ended, so it needs no signal.
  }
  // If no parent collects an ended process, its entry stays in /proc. So the test checks the working folder of the process
  // instead.
  while (existsSync(`/proc/${pid}/cwd`)) await new Promise((done) => setTimeout(done, 10))
}

async function reachableByAll(path: string): Promise<boolean> {
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false
  }
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  )
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}
