/**
 * Registers the programs that use an embedded server, in files of `place/users` with process id and start time, because the
 * kernel reuses process ids. For each server, a small shell process, the watcher, stops a server without a running user. A
 * watcher changes no file, so two watchers do no harm.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { exists, giveTo, readIfPresent, type User } from './embedded-files.ts'

/** The smallest number of consecutive checks without a running user after which the watcher stops the server. */
const CHECKS_BEFORE_STOP = 6
const CHECK_MS_MAX = 5_000

/** A process. The start time distinguishes the process from a later process with the same id. */
export type ProcessIdentity = { pid: number; started: string | null }

/** The registration of this program. `keep` writes a missing registration again, and `leave` removes the registration. */
export type Registration = { keep(): Promise<void>; leave(): Promise<void> }

/** Registers this program as a user of the server, and removes the registrations of killed programs. */
export async function registerUser(place: string, user: User | null): Promise<Registration> {
  const name = `${process.pid}-${await startTimeOf(process.pid)}-${randomBytes(4).toString('hex')}`
  const users = join(place, 'users')
  const file = join(users, name)
  const keep = async (): Promise<void> => {
    if (await exists(file)) return
    // The function does not make the parent folders, so that a removed DATA_DIR stays removed.
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

/** Returns true if a running program has a registration. Removes the registrations of ended programs. */
export async function otherUsersLive(place: string): Promise<boolean> {
  let any = false
  for (const name of await fs.readdir(join(place, 'users')).catch(() => [])) {
    const [pid, start] = name.split('-')
    if (start !== undefined && (await startTimeOf(Number(pid))) === start) any = true
    else await fs.rm(join(place, 'users', name), { recursive: true, force: true })
  }
  return any
}

/**
 * Returns true if the watcher file names this server. Programs of older versions write no such file, so the result for their
 * servers is false.
 */
export async function isWatched(place: string, server: ProcessIdentity): Promise<boolean> {
  const [pid, started] = await readWatcher(place)
  return server.started !== null && pid === String(server.pid) && started === server.started
}

/**
 * The content of the watcher file: the process id and start time of the server, then the process id and start time of its
 * watcher.
 */
async function readWatcher(place: string): Promise<string[]> {
  return ((await readIfPresent(join(place, 'watcher'))) ?? '').trim().split(' ')
}

/**
 * If no watcher of `server` runs, starts a watcher. If the server has had no running user for `orphan_ms`, the watcher stops
 * `server`.
 */
export async function watchUsers(place: string, server: ProcessIdentity, orphan_ms: number): Promise<void> {
  const [, , watcher, started] = await readWatcher(place)
  const is_watching = await isAlive({ pid: Number(watcher), started: started ?? null })
  if (is_watching && (await isWatched(place, server))) return
  if (server.started === null) return // Without a start time, the server has ended and needs no watcher.
  const check_ms = Math.min(CHECK_MS_MAX, orphan_ms / CHECKS_BEFORE_STOP)
  const checks = Math.ceil(orphan_ms / check_ms)
  const args = [place, String(server.pid), server.started, String(check_ms / 1000), String(checks)]
  const child = spawn('/bin/sh', ['-c', WATCHER, 'malipo-watcher', ...args], {
    cwd: '/',
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
  })
  child.on('error', () => {})
  child.unref()
  if (child.pid === undefined) return
  // A full disk must not prevent the start. If this file is missing, later programs neither stop the server nor start another
  // watcher. Then only the first program and its watcher stop the server.
  const line = `${server.pid} ${server.started} ${child.pid} ${await startTimeOf(child.pid)}\n`
  await fs.writeFile(join(place, 'watcher'), line, { mode: 0o600 }).catch(() => {})
}

/** Returns true if a process with this id and start time is running. */
export async function isAlive(process: ProcessIdentity): Promise<boolean> {
  return process.started !== null && (await startTimeOf(process.pid)) === process.started
}

/**
 * Returns the start time of a process, in ticks since the start of the machine. Null means that the process has ended. Every
 * user may read the start time.
 */
export async function startTimeOf(pid: number): Promise<string | null> {
  const text = await fs.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  // The name of the program is between brackets and may itself contain spaces and brackets.
  const [state, ...fields] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? []
  return state === undefined || 'ZX'.includes(state) ? null : (fields[18] ?? null)
}

/**
 * The arguments of the script: $1 is the place, $2 the process id of the server, and $3 its start time. The script checks the
 * users every $4 seconds, and stops the server after $5 checks without a user.
 */
const WATCHER = `
lives() { # process id, start time
  line=
  { read -r line < "/proc/$1/stat"; } 2>/dev/null
  [ -n "$line" ] || return 1
  expected=$2
  set -- \${line##*) }
  case $1 in Z|X) return 1;; esac
  [ "\${20}" = "$expected" ]
}
used() { # folder
  for file in "$1"/*; do
    name=\${file##*/}
    rest=\${name#*-}
    lives "\${name%%-*}" "\${rest%%-*}" && return 0
  done
  return 1
}
place=$1 server=$2 start=$3 pause=$4 checks=$5 unused=0
while lives "$server" "$start"; do
  sleep "$pause"
  if used "$place/users"; then unused=0; continue; fi
  unused=$((unused + 1))
  [ "$unused" -ge "$checks" ] || continue
  lives "$server" "$start" && kill -INT "$server"
  while lives "$server" "$start"; do sleep 1; done
done
`
