// Starts the processes of the benchmark, calls their functions over Node's IPC channel, and stops each process by its id.

import { type ChildProcess, fork, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * The functions of a process. Each function takes at most one argument. The IPC channel clones arguments and results.
 */
export type Api<Names extends string = string> = Record<Names, (input: never) => unknown>

type RpcCall = { call: number; name: string; input: unknown }
type RpcReply = { reply: number; value?: unknown; error?: string }
type RpcNote = { note: number }

/** Serves `api` to the parent process. When the parent ends, the process ends. */
export function serve(api: object): void {
  const functions = api as Record<string, (input: unknown) => unknown>
  process.on('disconnect', () => process.exit(0))
  // Ctrl-C signals every process of the group, but only the parent decides when the processes end.
  process.on('SIGINT', () => {})
  process.on('message', (message: RpcCall | RpcNote) => {
    if ('note' in message) {
      functions.note?.(message.note)
      return
    }
    const send = (reply: RpcReply) => void process.send?.(reply)
    Promise.resolve()
      .then(() => functions[message.name]?.(message.input))
      .then(
        (value) => send({ reply: message.call, value }),
        (error: Error) => send({ reply: message.call, error: error.stack ?? String(error) }),
      )
  })
}

/** Sends a number to the parent, without a response. */
export function tellParent(note: number): void {
  process.send?.({ note })
}

/** A process that serves the functions `A`, as the benchmark calls it. */
export type Remote<A extends object> = {
  pid: number
  call<Name extends keyof A & string>(
    name: Name,
    ...input: A[Name] extends (...args: infer Args) => unknown ? Args : never
  ): Promise<A[Name] extends (...args: never[]) => infer Result ? Awaited<Result> : never>
  /** Sends a number to the process, without a response. */
  note(value: number): void
  /** The function that gets every number that the process sends. */
  onNote: (value: number) => void
  stop(): Promise<void>
}

/** Starts the program `file` of this folder as a process that serves the functions `A`. */
export function startRemote<A extends object>(file: string): Remote<A> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>()
  let calls = 0
  let ended = false
  child.on('message', (message: RpcReply | RpcNote) => {
    if ('note' in message) {
      remote.onNote(message.note)
      return
    }
    const caller = waiting.get(message.reply)
    waiting.delete(message.reply)
    if (message.error === undefined) caller?.resolve(message.value as never)
    else caller?.reject(new Error(`${file}: ${message.error}`))
  })
  child.on('exit', (code, signal) => {
    ended = true
    for (const { reject } of waiting.values()) reject(new Error(`${file} exited (${signal ?? code})`))
    waiting.clear()
  })
  const remote: Remote<A> = {
    pid: child.pid as number,
    call: (name, ...[input]) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(new Error(`${file} has ended`))
        calls += 1
        waiting.set(calls, { resolve, reject })
        child.send({ call: calls, name, input } satisfies RpcCall)
      }),
    note: (value) => {
      if (!ended) child.send({ note: value } satisfies RpcNote)
    },
    onNote: () => {},
    stop: () => end(child, 'SIGKILL'),
  }
  return remote
}

/** A running program of the product. `stop` sends SIGTERM, and kills the process after 30 seconds. */
export type Program = { pid: number; stdout(): string; stop(): Promise<void>; running(): boolean }

/** The environment variables of this process that every started process gets: those of Node and malloc, and DATABASE_POOLER. */
const HANDED_ON = [
  'NODE_OPTIONS',
  'NODE_COMPILE_CACHE',
  'MALLOC_ARENA_MAX',
  'MALLOC_TRIM_THRESHOLD_',
  'DATABASE_POOLER',
] as const

/** Returns the variables of HANDED_ON. Omits variables that are empty or not set. */
export function handedOn(): Record<string, string> {
  const set: Record<string, string> = {}
  for (const name of HANDED_ON) {
    const value = process.env[name]
    if (value) set[name] = value
  }
  return set
}

/** Starts a program with the Node executable and the Node flags of this process. */
export function startProgram(args: string[], env: Record<string, string>): Program {
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { PATH: process.env.PATH ?? '', ...handedOn(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // The program runs in a separate session, so that Ctrl-C stops only the benchmark, which then stops the program.
    detached: true,
  })
  let stdout = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    const text = chunk.toString()
    // The developer needs the warnings of the program, but not the messages about a new installation.
    if (!text.includes('is ready.')) process.stderr.write(text)
  })
  return {
    pid: child.pid as number,
    stdout: () => stdout,
    running: () => child.exitCode === null && child.signalCode === null,
    stop: () => end(child, 'SIGTERM'),
  }
}

/** The time in milliseconds after which the benchmark kills a process that does not stop. */
const STOP_MS = 30_000

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(late)
}
