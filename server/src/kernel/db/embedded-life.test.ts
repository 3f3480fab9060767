// Tests the data folder, the start and the end of an embedded server. The tests start, kill and restart real servers and
// programs.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type EmbeddedDatabase, type EmbeddedOptions, findEmbedded, startEmbedded } from './embedded.ts'

const MODULE = new URL('./embedded.ts', import.meta.url).href
const FAST = { fsync: 'off', shared_buffers: '16MB' }
const SHORT = 1_500
const isRoot = process.getuid?.() === 0
/**
 * The command prefix that runs a program as root of a default container, which cannot read /proc/PID/cwd of processes of other
 * users.
 */
const WITHOUT_PTRACE = isRoot ? ['setpriv', '--bounding-set', '-sys_ptrace', '--inh-caps', '-sys_ptrace'] : []

const started: EmbeddedDatabase[] = []
const children: ChildProcess[] = []
const folders: string[] = []
after(async () => {
  await Promise.all(children.map(kill))
  await Promise.all(started.map((server) => server.stop()))
  for (const folder of folders) {
    for (const pid of serversIn(folder)) {
      try {
        process.kill(pid, 'SIGQUIT')
      } catch {
        // The process ended together with its postmaster.
      }
    }
    await until('no server is left', () => serversIn(folder).length === 0)
    await rm(folder, { recursive: true, force: true })
  }
})

describe('copied and moved folders', { concurrency: 2 }, () => {
  test('a program with a copied DATA_DIR opens the copied data while the original server runs', async () => {
    const folder = await newFolder()
    const [original, copy] = [join(folder, 'original'), join(folder, 'copy')]
    const first = await start(original)
    await query(first.url, 'create table marked (at text)')
    await first.stop()
    await cp(original, copy, { recursive: true })
    await keepOwners(copy)
    const again = await start(original)
    const other = await start(copy)
    assert.notEqual(other.url, again.url)
    await query(other.url, "insert into marked values ('copy')")
    assert.deepEqual(await query(again.url, 'select at from marked'), [])
    assert.equal(await findEmbedded(copy), other.url)
  })

  test('a program with a moved DATA_DIR opens its data, even with a postgres.json of an older version', async () => {
    const folder = await newFolder()
    const [before, between, now] = ['before', 'between', 'now'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    const first = await start(before)
    await query(first.url, 'create table marked (at text)')
    await first.stop()
    await rename(before, between)
    const second = await start(between)
    assert.deepEqual(await query(second.url, 'select at from marked'), [])
    await second.stop()
    const pointer = JSON.parse(await readFile(join(between, 'postgres.json'), 'utf8'))
    assert.equal(pointer.place, 'postgres')
    await writeFile(
      join(between, 'postgres.json'),
      JSON.stringify({ ...pointer, place: join(between, 'postgres'), url: '' }),
    )
    const same = await start(between)
    await same.stop()
    await writeFile(
      join(between, 'postgres.json'),
      JSON.stringify({ ...pointer, place: join(between, 'postgres'), url: '' }),
    )
    await rename(between, now)
    const third = await start(now)
    assert.deepEqual(await query(third.url, 'select at from marked'), [])
  })

  test('a program refuses a postgres.json that names the data of another DATA_DIR, and creates no file', async () => {
    const folder = await newFolder()
    const [original, copy] = [join(folder, 'original'), join(folder, 'copy')]
    await (await start(original)).stop()
    await cp(join(original, 'postgres.json'), join(await made(copy), 'postgres.json'))
    await assert.rejects(start(copy), /that folder has no database: restore the folder, or remove postgres\.json/)
    const pointer = JSON.parse(await readFile(join(original, 'postgres.json'), 'utf8'))
    await writeFile(join(copy, 'postgres.json'), JSON.stringify({ ...pointer, place: join(original, 'postgres') }))
    for (const open of [start, findEmbedded])
      await assert.rejects(open(copy), /is the database of another DATA_DIR.*this DATA_DIR is a copy/)
    assert.deepEqual(readdirSync(copy), ['postgres.json'])
  })

  test('a program refuses a copied DATA_DIR whose data are outside of the folder, and opens a moved DATA_DIR', async (t) => {
    if (!isRoot) return t.skip('data lie outside only when root starts the server')
    const [closed, outside] = [await newFolder(0o700), await newFolder()]
    const [original, copy, moved] = ['original', 'copy', 'moved'].map((name) => join(closed, name)) as [
      string,
      string,
      string,
    ]
    const first = await start(original, { outside })
    await query(first.url, 'create table marked (at text)')
    await first.stop()
    await cp(original, copy, { recursive: true })
    for (const open of [() => start(copy, { outside }), () => findEmbedded(copy)])
      await assert.rejects(open(), /is the database of another DATA_DIR.*this DATA_DIR is a copy/)
    await rename(original, moved)
    const second = await start(moved, { outside })
    assert.deepEqual(await query(second.url, 'select at from marked'), [])
    await assert.rejects(start(copy, { outside }), /is the database of another DATA_DIR/)
    // Older versions wrote an absolute path into postgres.json, and wrote no owner.json.
    await second.stop()
    const { id: _, ...old } = JSON.parse(await readFile(join(moved, 'postgres.json'), 'utf8'))
    await rm(join(old.place, 'owner.json'))
    await writeFile(join(moved, 'postgres.json'), JSON.stringify(old))
    await assert.rejects(start(moved, { outside }), /is the database of another DATA_DIR/)
    await rename(moved, original)
    assert.deepEqual(await query((await start(original, { outside })).url, 'select at from marked'), [])
  })
})

describe('starts and stops of an embedded server', { concurrency: 2 }, () => {
  test('a program restarts a killed server on the same address, and logs the end of the log of that server', async () => {
    const folder = await newFolder()
    const log_lines: string[] = []
    const log = { info: (text: string) => void log_lines.push(text), warn: (text: string) => void log_lines.push(text) }
    const server = await start(folder, { log })
    await query(server.url, 'create table kept (value text)')
    for (let round = 0; round < 2; round++) {
      const pid = await postmasterOf(folder)
      process.kill(pid, 'SIGKILL')
      await until('the server answers again', () =>
        query(server.url, 'select value from kept').then(
          () => true,
          () => false,
        ),
      )
      assert.notEqual(await postmasterOf(folder), pid)
    }
    const text = log_lines.join('\n')
    assert.match(
      text,
      /PostgreSQL ended; the program starts the server again in 500 ms\. The end of its log:\n.*database system is ready/s,
    )
    assert.match(text, /starts the server again in 1000 ms/, 'the pauses grow')
    await server.stop()
    assert.deepEqual(serversIn(folder), [])
  })

  test('the first program that stops leaves the shared server running, and the last program stops the server', async () => {
    const folder = await newFolder()
    const one = await startInProgram(folder)
    const two = await startInProgram(folder)
    assert.deepEqual([one.adopted, two.adopted], [false, true])
    await stopProgram(one)
    assert.equal((await query(two.url, 'select 1 as one')).length, 1)
    await stopProgram(two)
    assert.deepEqual(serversIn(folder), [])
  })

  test('the watcher stops a server whose programs all died, and the next start finds all committed rows', async () => {
    const folder = await newFolder()
    const programs = [
      await startInProgram(folder, { orphanMs: SHORT }),
      await startInProgram(folder, { orphanMs: SHORT }),
    ]
    await query(programs[0]?.url ?? '', "create table kept as select 'Asha' as value")
    await killProgram(programs[0] as Program)
    await sleep(SHORT * 3) // Without a program, the server would end during this wait.
    assert.equal(serversIn(folder).length > 0, true, 'the other program still uses the server')
    await killProgram(programs[1] as Program)
    await until('the server has ended', () => serversIn(folder).length === 0)
    const next = await start(folder)
    assert.equal(next.adopted, false)
    assert.deepEqual(await query(next.url, 'select value from kept'), [{ value: 'Asha' }])
  })

  test('a watcher that stops a server leaves all registrations, and the next program removes those of killed programs', async () => {
    const folder = await newFolder()
    const program = await startInProgram(folder, { orphanMs: SHORT })
    const users = join(folder, 'postgres', 'users')
    const registered = await readdir(users)
    assert.equal(registered.length, 1)
    await killProgram(program)
    await until('the server has ended', () => serversIn(folder).length === 0)
    assert.deepEqual(await readdir(users), registered)
    await start(folder)
    const [next, ...others] = await readdir(users)
    assert.notEqual(next, registered[0])
    assert.deepEqual(others, [])
  })

  test('a program gets a running server when the program finds a server that is about to stop', async () => {
    const folder = await newFolder()
    for (let round = 0; round < 4; round++) {
      const program = await startInProgram(folder, { orphanMs: 300 })
      await killProgram(program)
      await sleep(round * 150) // The waits end before, at and after the decision of the watcher.
      const server = await start(folder)
      await until('the server answers', () =>
        query(server.url, 'select 1').then(
          () => true,
          () => false,
        ),
      )
      await sleep(1_000) // The watcher of the killed program decides after 300 ms.
      await until('the server still answers', () =>
        query(server.url, 'select 1').then(
          () => true,
          () => false,
        ),
      )
      await server.stop()
      assert.deepEqual(serversIn(folder), [])
    }
  })

  test('a program does not stop a server that a program of an older version started', async () => {
    const folder = await newFolder()
    await forgetUsers(folder, await startInProgram(folder))
    for (const command of ['first', 'second']) {
      const server = await start(folder)
      assert.equal(server.adopted, true, command)
      await server.stop()
      assert.equal((await query(server.url, 'select 1 as one')).length, 1, command)
    }
  })

  test('a program whose registration file is missing registers again, and stops its server as the last user', async () => {
    const folder = await newFolder()
    const server = await start(folder)
    const users = join(server.place, 'users')
    const [name] = await readdir(users)
    await rm(users, { recursive: true })
    await until('the program is registered', () => existsSync(join(users, String(name))))
    await server.stop()
    assert.deepEqual(await readdir(users), [])
    assert.deepEqual(serversIn(folder), [])
  })

  test('the last program stops the server, even if a killed program started the server', async () => {
    const folder = await newFolder()
    await killProgram(await startInProgram(folder))
    const server = await start(folder)
    assert.equal(server.adopted, true)
    await server.stop()
    assert.deepEqual(serversIn(folder), [])
  })
})

describe('root without the right to read processes of other users', { concurrency: 2 }, () => {
  test('a program that root starts without CAP_SYS_PTRACE uses, restarts and stops its server', async () => {
    const folder = await newFolder()
    const first = await startInProgram(folder, { orphanMs: 600_000 }, WITHOUT_PTRACE)
    const kept = await postmasterOf(folder)
    await killProgram(first)
    const second = await startInProgram(folder, { orphanMs: 600_000 }, WITHOUT_PTRACE)
    assert.deepEqual([second.adopted, await postmasterOf(folder)], [true, kept])
    // A busy backend runs on after the end of its postmaster. Until the backend ends, no new postmaster can start.
    const busy = query(second.url, 'select count(*) from generate_series(1, 1000000000000)').catch(() => [])
    await until('the backend is busy', async () => {
      const seen = await query(second.url, "select 1 from pg_stat_activity where query like '%1000000000000%'")
      return seen.length > 1
    })
    assert.deepEqual(second.warnings, [])
    process.kill(kept, 'SIGKILL')
    await until('the server answers again', () => answers(second.url))
    await busy
    await stopProgram(second)
    assert.deepEqual(serversIn(folder), [])
    assert.match(second.warnings[0] ?? '', /^PostgreSQL ended/)
  })
})

// Helpers -------------------------------------------------------------------------------------------------------------

type Program = { child: ChildProcess; url: string; adopted: boolean; warnings: string[] }

async function start(dataDir: string, more: Partial<EmbeddedOptions> = {}): Promise<EmbeddedDatabase> {
  const log = { info() {}, warn() {} }
  const server = await startEmbedded({ dataDir, log, settings: FAST, ...more })
  started.push(server)
  return server
}

/** Starts the database from another process. When the input of that process ends, the process stops the database. */
async function startInProgram(
  dataDir: string,
  more: { orphanMs?: number } = {},
  under: string[] = [],
): Promise<Program> {
  const source = `
    import { startEmbedded } from ${JSON.stringify(MODULE)}
    const log = { info() {}, warn: (text) => console.log(JSON.stringify({ warning: text })) }
    const server = await startEmbedded({ log, ...${JSON.stringify({ dataDir, settings: FAST, ...more })} })
    console.log(JSON.stringify({ url: server.url, adopted: server.adopted }))
    process.stdin.resume().on('end', async () => {
      await server.stop()
      process.exit()
    })`
  const [command = process.execPath, ...first] = [...under, process.execPath]
  const args = [...first, '--input-type=module', '-e', source]
  const child = spawn(command, args, {
    cwd: '/',
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  const warnings: string[] = []
  const answer = await new Promise<{ url: string; adopted: boolean }>((done, failed) => {
    createInterface({ input: child.stdout as Readable }).on('line', (line) => {
      const message = JSON.parse(line) as { warning?: string; url: string; adopted: boolean }
      if (message.warning === undefined) done(message)
      else warnings.push(message.warning)
    })
    child.once('error', failed)
    child.once('exit', (code) => failed(new Error(`the program ended with ${code}`)))
  })
  return { child, warnings, ...answer }
}

async function stopProgram({ child }: Program): Promise<void> {
  const ended = new Promise((done) => child.once('close', done))
  child.stdin?.end()
  await ended
}

/**
 * Kills a program and its watcher, and removes the registrations. The server then runs as a server of an older version, without
 * registration and watcher.
 */
async function forgetUsers(dataDir: string, program: Program): Promise<void> {
  await killProgram(program)
  const place = join(dataDir, 'postgres')
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
    if (command.split('\0').includes('malipo-watcher') && command.includes(place)) process.kill(Number(name), 'SIGKILL')
  }
  for (const name of ['users', 'watcher']) await rm(join(place, name), { recursive: true, force: true })
}

async function killProgram({ child }: Program): Promise<void> {
  await kill(child)
}

/** Kills a program and waits for its end. Until its end, the program may write its registration again. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGKILL')
  await ended
}

async function newFolder(mode = 0o711): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-life-'))
  await chmod(folder, mode)
  folders.push(folder)
  return folder
}

async function made(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  return folder
}

/**
 * Gives the copied data the owner of the original data, as `cp -a` does. That owner is the user that runs PostgreSQL.
 */
async function keepOwners(dataDir: string): Promise<void> {
  if (!isRoot) return
  const original = join(dataDir, '..', 'original', 'postgres')
  const { uid, gid } = await stat(original)
  const place = join(dataDir, 'postgres')
  await chown(place, uid, gid)
  for (const name of await readdir(place, { recursive: true })) await chown(join(place, name), uid, gid).catch(() => {})
}

async function postmasterOf(dataDir: string): Promise<number> {
  const { place } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8')) as { place: string }
  return Number((await readFile(join(resolve(dataDir, place), 'data', 'postmaster.pid'), 'utf8')).split('\n')[0])
}

/** Returns all server processes whose data are in `folder`. */
function serversIn(folder: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) &&
        existsSync(`/proc/${name}`) &&
        readlinkSync(`/proc/${name}/cwd`).startsWith(`${folder}/`)
        ? [Number(name)]
        : []
    } catch {
      return [] // The process has just ended, or this user may not read its folder.
    }
  })
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`)
    await sleep(25)
  }
}

function answers(url: string): Promise<boolean> {
  return query(url, 'select 1').then(
    () => true,
    () => false,
  )
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}
