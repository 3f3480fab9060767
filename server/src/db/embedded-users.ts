/**
 * Which programs use an embedded server, so that it lives as long as any of them and no longer.
 *
 * Each program has a file in `place/users`, named by its process id and its start time: a process id that is used again is
 * not mistaken for it. A watcher, one small shell process for each server, stops a server that no living program uses. To
 * decide, it renames the folder: a program that registers in the same moment is either seen, or makes a new folder.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { exists, giveTo, readIfThere, type User } from './embedded-files.ts'

/** The watcher looks this often in the time that an unused server may live on. */
const LOOKS = 6
const LOOK_MS_MAX = 5_000

/** Makes the folder of users. True: it was there, or its watcher is ending the server right now. */
export async function prepareUsers(place: string, user: User | null): Promise<boolean> {
  const known = (await exists(join(place, 'users'))) || (await exists(join(place, 'users-ending')))
  await fs.mkdir(join(place, 'users'), { recursive: true, mode: 0o700 })
  await giveTo(user, join(place, 'users'))
  return known
}

/** Registers this program as a user of the server. Answers the function that takes it back. */
export async function registerUser(place: string, user: User | null): Promise<() => Promise<void>> {
  const name = `${process.pid}-${await startTimeOf(process.pid)}-${randomBytes(4).toString('hex')}`
  for (;;) {
    try {
      await fs.writeFile(join(place, 'users', name), '', { mode: 0o600 })
      break
    } catch (error) {
      // The watcher has just decided to end the server: it is started again then.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      await prepareUsers(place, user)
    }
  }
  return () => fs.rm(join(place, 'users', name), { force: true })
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

/** Makes sure that a watcher stops server `pid` once no living program has used it for `orphan_ms`. */
export async function watchUsers(place: string, pid: number, orphan_ms: number): Promise<void> {
  const file = join(place, 'watcher')
  const [watched, watcher, started] = ((await readIfThere(file)) ?? '').trim().split(' ')
  if (watched === String(pid) && started !== undefined && (await startTimeOf(Number(watcher))) === started) return
  const look_ms = Math.min(LOOK_MS_MAX, orphan_ms / LOOKS)
  const looks = Math.ceil(orphan_ms / look_ms)
  const args = [place, String(pid), (await startTimeOf(pid)) ?? '', String(look_ms / 1000), String(looks)]
  const child = spawn('/bin/sh', ['-c', WATCHER, 'malipo-watcher', ...args], {
    cwd: '/',
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
  })
  child.on('error', () => {})
  child.unref()
  if (child.pid === undefined) return
  // A full disk must not keep the server from starting: without the file there are two watchers, which do no harm.
  await fs.writeFile(file, `${pid} ${child.pid} ${await startTimeOf(child.pid)}\n`, { mode: 0o600 }).catch(() => {})
}

/** Whether the process that had this id at that start time still runs. */
export async function isAlive(process: { pid: number; started: string | null }): Promise<boolean> {
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
  unused=0
  rm -rf "$place/users-ending"
  mv "$place/users" "$place/users-ending" 2>/dev/null || [ ! -d "$place/users" ] || continue
  if used "$place/users-ending"; then
    mkdir -p "$place/users"
    mv "$place/users-ending"/* "$place/users/" 2>/dev/null
    continue
  fi
  lives "$server" "$start" && kill -INT "$server"
  while lives "$server" "$start"; do sleep 1; done
  rm -rf "$place/users-ending"
done
`
