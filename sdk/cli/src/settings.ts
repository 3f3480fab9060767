// Stores the server, the key and the positions of streams. The key is in the keyring of the system, or in a file that only its
// user can read.

import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Problem } from './problem.ts'

/** The address of a server, and a key for this server. */
export type Login = { base_url: string; key: string }

/** The server of a login without an address. */
export const DEFAULT_URL = 'http://127.0.0.1:8080'

const ATTRIBUTES = ['service', 'malipo-cli']
const KEYRING_MS = 10_000

function folder(): string {
  const { MALIPO_HOME, XDG_CONFIG_HOME } = process.env
  return MALIPO_HOME ?? join(XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'malipo')
}

function readJson<T>(name: string): T | null {
  try {
    return JSON.parse(readFileSync(join(folder(), name), 'utf8')) as T
  } catch {
    return null
  }
}

/** Writes a file that only its user can read. If the process dies, the old or the new file is complete. */
function writeJson(name: string, value: unknown): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 })
  const file = join(folder(), name)
  const next = `${file}.${process.pid}`
  writeFileSync(next, JSON.stringify(value), { mode: 0o600 })
  renameSync(next, file)
}

function keyring(args: string[], input = ''): { found: boolean; output: string } {
  const run = spawnSync('secret-tool', args, { input, encoding: 'utf8', timeout: KEYRING_MS })
  return { found: run.error === undefined && run.status === 0, output: run.stdout ?? '' }
}

/** Stores a login. If the system has no keyring, the key goes into a file. Returns the place of the key. */
export function saveLogin({ base_url, key }: Login): 'keyring' | 'file' {
  const stored = keyring(['store', '--label', 'Malipo API key', ...ATTRIBUTES], key)
  writeJson('login.json', stored.found ? { base_url } : { base_url, key })
  return stored.found ? 'keyring' : 'file'
}

/** Removes the stored login. If none was stored, returns false. */
export function removeLogin(): boolean {
  const before = readJson<Partial<Login>>('login.json')
  keyring(['clear', ...ATTRIBUTES])
  rmSync(join(folder(), 'login.json'), { force: true })
  return before !== null
}

/**
 * Returns the login: MALIPO_API_KEY and MALIPO_BASE_URL, or else the stored login. If there is no login, or if a stored key
 * would go to another server, throws a Problem.
 */
export function readLogin(): Login {
  const { MALIPO_API_KEY, MALIPO_BASE_URL } = process.env
  const stored = readJson<Partial<Login>>('login.json')
  const base_url = MALIPO_BASE_URL ?? stored?.base_url ?? DEFAULT_URL
  const is_other = stored !== null && checkedUrl(base_url) !== checkedUrl(stored.base_url ?? DEFAULT_URL)
  if (MALIPO_API_KEY === undefined && is_other) {
    throw new Problem(
      `The stored key is for ${stored.base_url}, and MALIPO_BASE_URL names ${base_url}. Set MALIPO_API_KEY too, or run "malipo login --base-url ${base_url}".`,
    )
  }
  const key = MALIPO_API_KEY ?? stored?.key ?? (stored === null ? '' : keyring(['lookup', ...ATTRIBUTES]).output.trim())
  if (key === '') throw new Problem('You are not logged in. Run "malipo login", or set MALIPO_API_KEY.')
  return { base_url: checkedUrl(base_url), key }
}

/** If a live key would travel through a network without encryption, throws a Problem. */
export function refuseUnsafeKey({ base_url, key }: Login): void {
  const { protocol, hostname } = new URL(base_url)
  const is_local = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  if (protocol === 'https:' || is_local || !/^[a-z][a-z0-9]*_live_/.test(key)) return
  throw new Problem(
    `${base_url} has no encryption, and this is a live key. Use the https:// address of the server, or a key of the sandbox.`,
  )
}

/** Returns the address of a server without a final slash. If the text is no http or https address, throws a Problem. */
export function checkedUrl(text: string): string {
  const url = URL.canParse?.(text) === false ? null : tryUrl(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new Problem(`"${text}" is no address of a server. Write it as https://pay.example.com.`)
  }
  return text.replace(/\/+$/, '')
}

function tryUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/**
 * The position of a listener. The listener has forwarded every event up to `last_id`, and the events in `forwarded`. It
 * forwards no event up to `start_id`, the newest event at its first start.
 */
export type Position = { start_id: string; last_id: string; forwarded: string[] }

/**
 * The address to which a listener forwards, and the only event that it forwards. Each target has a separate position.
 */
export type ListenTarget = { url: string; event?: string | undefined }

function positionName(base_url: string, account: string, { url, event }: ListenTarget): string {
  const name = JSON.stringify([base_url, account, url, event ?? null])
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 24)
  return `position-${hash}.json`
}

/** Reads and writes the position of a listener. Each server, account and target has a position of its own. */
export function positionOf(base_url: string, account: string, target: ListenTarget) {
  const name = positionName(base_url, account, target)
  return {
    read: () => readJson<Position>(name),
    write: (position: Position) => writeJson(name, position),
    forget: () => rmSync(join(folder(), name), { force: true }),
  }
}

/** Returns the secret with which this computer signs forwarded events. The first call makes and stores the secret. */
export function localSecret(): string {
  const stored = readJson<{ secret: string }>('secret.json')
  if (stored !== null) return stored.secret
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  writeJson('secret.json', { secret })
  return secret
}
