// Runs servers as child processes of a test. The test starts them over a database, watches them, and stops them by SIGKILL or
// by another signal.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** The root folder of the repository. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** The program that `npm start` runs. */
export const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

// A busy machine can make each step many times slower, so these bounds only end a test that hangs.
const READY_MS_MAX = 120_000
/**
 * The time in milliseconds between two requests to a server that starts. A refused request costs a millisecond of CPU time,
 * which the server needs.
 */
const READY_EVERY_MS = 50
const UNTIL_MS_MAX = 120_000
const END_MS_MAX = 120_000
const OUTPUT_CHARS_MAX = 200_000

const CLOCK_AHEAD = new URL('clock-ahead.ts', import.meta.url).href

/** Returns the settings of a process whose machine has a clock that is `ahead_ms` ahead. */
export function wrongClock(ahead_ms: number): Record<string, string> {
  return { NODE_OPTIONS: `--import=${CLOCK_AHEAD}`, CLOCK_AHEAD_MS: String(ahead_ms) }
}

/** The exit code and the signal with which a child ended. */
export type End = { code: number | null; signal: NodeJS.Signals | null }

/** A child process under test. */
export type Child = {
  pid: number
  url: string
  /** Resolves when the child has ended for any reason. */
  ended: Promise<End>
  alive(): boolean
  /** Returns the output of the child so far, stdout and stderr together. */
  output(): string
  /**
   * Resolves when the child answers 200 on /readyz. If the child ends first or does not answer in time, throws an error.
   */
  ready(): Promise<void>
  /** Kills the child. When this function resolves, no process of the child runs. */
  kill(): Promise<void>
  signal(name: NodeJS.Signals): void
  /** Calls the function with each message that the child sends by IPC. */
  onMessage(take: (message: unknown) => void): void
}

const children = new Set<ChildProcess>()
// When the process of the test exits, or gets one of the signals below, no server process remains.
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

/** Returns the settings of a server under test. `npm test` removes the folder with the secrets that the server generates. */
export function serverEnv(url: string, more: Record<string, string> = {}): Record<string, string> {
  return {
    NODE_ENV: 'test',
    DATABASE_URL: url,
    DATA_DIR: mkdtempSync(join(tmpdir(), 'crash-')),
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    WEBHOOK_ALLOW_PRIVATE: 'true',
    RATE_LIMIT_PER_KEY: '0',
    RATE_LIMIT_PER_MERCHANT_LIVE: '0',
    RATE_LIMIT_PER_MERCHANT_SANDBOX: '0',
    PROMPTS_PER_PHONE_HOUR: '0',
    PROMPTS_PER_PHONE_DAY: '0',
    RATE_LIMIT_PER_ADDRESS: '0',
    RATE_LIMIT_CALLBACKS: '0',
    CONNECTIONS_PER_ADDRESS: '0',
    AUDIT_ANCHOR_FILE: 'off',
    LOG_LEVEL: 'warn',
    ...more,
  }
}

/**
 * Starts a program of this repository. Its environment is `env` plus PATH, HOME, TMPDIR and NODE_COMPILE_CACHE of this process.
 * The IPC channel keeps an idle child alive. `ipc: false` starts the child without the channel, as in production.
 */
export function startChild(
  env: Record<string, string>,
  entry: string = MAIN,
  args: readonly string[] = [],
  options: { ipc: boolean } = { ipc: true },
): Child {
  const { PATH = '', HOME = '', TMPDIR, NODE_COMPILE_CACHE } = process.env
  // The compile cache of `npm start` halves the start time.
  const given = Object.entries({ TMPDIR, NODE_COMPILE_CACHE }).filter(([, value]) => value)
  const child = spawn(process.execPath, [entry, ...args], {
    cwd: ROOT,
    env: { PATH, HOME, ...Object.fromEntries(given), ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(options.ipc ? (['ipc'] as const) : [])],
  })
  children.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-OUTPUT_CHARS_MAX)
    })
  }
  const ended = new Promise<End>((resolve, reject) => {
    child.on('error', reject)
    // The event is 'close', not 'exit', because all output has arrived only at 'close'.
    child.on('close', (code, signal) => {
      children.delete(child)
      resolve({ code, signal })
    })
  })
  const alive = () => child.exitCode === null && child.signalCode === null
  const url = `http://${env.HOST ?? '127.0.0.1'}:${env.PORT ?? '8080'}`
  return {
    pid: child.pid ?? 0,
    url,
    ended,
    alive,
    output: () => output,
    async ready() {
      const answers = async () =>
        fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
          (answer) => answer.status === 200,
          () => false,
        )
      const end = Date.now() + READY_MS_MAX
      while (!(await answers())) {
        if (!alive()) throw new Error(`the server ended before it was ready:\n${output}`)
        if (Date.now() > end) throw new Error(`the server was not ready in time:\n${output}`)
        await sleep(READY_EVERY_MS)
      }
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    signal: (name) => void child.kill(name),
    onMessage: (take) => void child.on('message', take),
  }
}

/** Waits until a child ends. Sends no signal itself. If the child does not end in time, throws an error. */
export async function endOf(child: Child, within_ms = END_MS_MAX): Promise<End> {
  const timer = new AbortController()
  const late = sleep(within_ms, 'late' as const, { signal: timer.signal }).catch(() => 'late' as const)
  const end = await Promise.race([child.ended, late])
  timer.abort()
  if (end === 'late') throw new Error(`the server still ran after ${within_ms} ms:\n${child.output()}`)
  return end
}

/** Waits until `holds` returns true. If the time ends first, throws an error with `what`. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  within_ms = UNTIL_MS_MAX,
): Promise<void> {
  const end = Date.now() + within_ms
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`timeout: the test waited ${within_ms} ms until ${what}`)
    await sleep(25)
  }
}
