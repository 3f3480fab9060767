/**
 * Which programs use an embedded server, so that it lives as long as any of them and no longer.
 *
 * Each program has a file in `place/users`, named by its process id and its start time: a process id that is used again is
 * not mistaken for it. A watcher, one small shell process for each server, stops a server that no living program uses. It
 * only reads the files, so that two watchers do no harm. Each program writes its file again when it is missing.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { exists, giveTo, readIfThere, type User } from './embedded-files.ts'

/** The watcher looks this often in the time that an unused server may live on. */
const LOOKS = 6
const LOOK_MS_MAX = 5_000

/** A process, named so that its id cannot mean a later one. */
export type Process = { pid: number; started: string | null }

/** The entry of this program among the users: `keep` writes it again when it is missing, `leave` takes it back. */
export type Registration = { keep(): Promise<void>; leave(): Promise<void> }

/** Registers this program as a user of the server, and removes the registrations of programs that were killed. */
export async function registerUser(place: string, user: User | null): Promise<Registration> {
  const name = `${process.pid}-${await startTimeOf(process.pid)}-${randomBytes(4).toString('hex')}`
  const users = join(place, 'users')
  const file = join(users, name)
  const keep = async (): Promise<void> => {
    if (await exists(file)) return
    // Not with its parents: a DATA_DIR that was removed is not made again.
    await fs.mkdir(users, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await giveTo(user, users)
    await fs.writeFile(file, '', { mode: 0o600 })
  }
  await otherUsersLive(place)
  await keep()
  return { keep, leave: () => fs.rm(file, { force: true }) }
}

/** Whether any living program is registered. Removes the files of those that have ended. */
export async function otherUsersLive(place: string): Promise<boolean> {
  let any = false
  for (const name of await fs.readdir(join(place, 'users')).catch(() => [])) {
    const [pid, start] = name.split('-')
    if (start !== undefined && (await startTimeOf(Number(pid))) === start) any = true
    else await fs.rm(join(place, 'users', name), { recursive: true, force: true })
  }
  return any
}

/** Whether a program that registers itself started this server. One of an older version uses its server unregistered. */
export async function isWatched(place: string, server: Process): Promise<boolean> {
  const [pid, started] = await readWatcher(place)
  return server.started !== null && pid === String(server.pid) && started === server.started
}

/** What the file says: process id and start time of the server, then of its watcher. */
async function readWatcher(place: string): Promise<string[]> {
  return ((await readIfThere(join(place, 'watcher'))) ?? '').trim().split(' ')
}

/** Makes sure that a watcher stops `server` once no living program has used it for `orphan_ms`. */
export async function watchUsers(place: string, server: Process, orphan_ms: number): Promise<void> {
  const [, , watcher, started] = await readWatcher(place)
  const is_watching = await isAlive({ pid: Number(watcher), started: started ?? null })
  if (is_watching && (await isWatched(place, server))) return
  if (server.started === null) return // it has ended
  const look_ms = Math.min(LOOK_MS_MAX, orphan_ms / LOOKS)
  const looks = Math.ceil(orphan_ms / look_ms)
  const args = [place, String(server.pid), server.started, String(look_ms / 1000), String(looks)]
  const child = spawn('/bin/sh', ['-c', WATCHER, 'malipo-watcher', ...args], {
    cwd: '/',
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
  })
  child.on('error', () => {})
  child.unref()
  if (child.pid === undefined) return
  // A full disk must not keep the server from starting. Without the file, later programs start no less, but leave this
  // server to the program that started it and to its watcher.
  const line = `${server.pid} ${server.started} ${child.pid} ${await startTimeOf(child.pid)}\n`
  await fs.writeFile(join(place, 'watcher'), line, { mode: 0o600 }).catch(() => {})
}

/** Whether the process that had this id at that start time still runs. */
export async function isAlive(process: Process): Promise<boolean> {
  return process.started !== null && (await startTimeOf(process.pid)) === process.started
}

/** When a process started, in ticks since the machine did; null when it has ended. Every user may read this. */
export async function startTimeOf(pid: number): Promise<string | null> {
  const text = await fs.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  // The name of the program, in brackets, may hold spaces and brackets.
  const [state, ...fields] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? []
  return state === undefined || 'ZX'.includes(state) ? null : (fields[18] ?? null)
}

/** $1 place, $2 the server's process id, $3 its start time, $4 seconds between looks, $5 looks until the end. */
const WATCHER = `
lives() { # process id, start time
  line=
  { read -r line < "/proc/$1/stat"; } 2>/dev/null
  [ -n "$line" ] || return 1
  wanted=$2
  set -- \${line##*) }
  case $1 in Z|X) return 1;; esac
  [ "\${20}" = "$wanted" ]
}
used() { # folder
  for file in "$1"/*; do
    name=\${file##*/}
    rest=\${name#*-}
    lives "\${name%%-*}" "\${rest%%-*}" && return 0
  done
  return 1
}
place=$1 server=$2 start=$3 pause=$4 looks=$5 unused=0
while lives "$server" "$start"; do
  sleep "$pause"
  if used "$place/users"; then unused=0; continue; fi
  unused=$((unused + 1))
  [ "$unused" -ge "$looks" ] || continue
  lives "$server" "$start" && kill -INT "$server"
  while lives "$server" "$start"; do sleep 1; done
done
`
