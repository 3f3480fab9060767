// Sends the load of the benchmark over raw keep-alive sockets, one HTTP/1.1 request at a time on each connection. This process
// shares the machine with the server, so it parses only status, length and id of a response.

import { createConnection, type Socket } from 'node:net'
import { serve } from './rpc.ts'

/** The settings of a load: its target, its kind, its rate and its connections. */
export type LoadSettings = {
  port: number
  connections: number
  /**
   * `push` makes payments. `get` reads `paths` repeatedly. `post` sends an empty object to each of `paths` once, with an
   * Idempotency-Key.
   */
  kind: 'push' | 'get' | 'post'
  /** The API keys. The requests of `push` use the keys in turn. */
  keys: string[]
  /** For `get`: additional header lines, each with its line break. */
  head?: string
  /** For `get` and `post`: the paths, each with the index of its API key. */
  paths: { path: string; key: number }[]
  /** The prefix of every Idempotency-Key and reference, so that no two runs share a key or a reference. */
  run: string
  /**
   * The number of requests per second at fixed times. Null means that each connection sends its next request after a response.
   */
  rate: number | null
  /** The greatest number of unfinished payments. Null means no limit. */
  outstanding_max: number | null
  /** If true, the process keeps the id and the times of each record. */
  keep: boolean
}

/** The progress of the load. Times are milliseconds of the monotonic clock. */
export type Progress = { at: number; answered: number; refused: number }

/** The result of the load. Record `ids[i]` was due at `due[i]`, and its response arrived at `done[i]`. */
export type LoadResult = {
  answered: number
  refused: number
  /** The text of the first unexpected response. Null means that there was none. */
  first_refusal: string | null
  ids: string[]
  keys: Uint16Array
  due: Float64Array
  done: Float64Array
}

/**
 * The functions that the load process serves to the benchmark. A note from the parent has the number of finished payments.
 */
export type LoadApi = {
  start(options: LoadSettings): void
  progress(): Progress
  stop(): Promise<LoadResult>
}

type Connection = { socket: Socket; pending: string; due: number; key: number; busy: boolean }

const ID_MARKS = { push: '"collection_id":"', get: '"collection_id":"', post: '"id":"' }
const ID_CHARS = 36
const TICK_MS = 1
/** The first phone ending of the payers. The mock provider has no special outcome for the endings 400 to 899. */
const FIRST_ENDING = 400
const ENDINGS = 500

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

let stopRun: (() => Promise<LoadResult>) | null = null
let progress: () => Progress = () => ({ at: monotonicMs(), answered: 0, refused: 0 })
let finished_total = 0
let onFinished = () => {}

serve({
  start(options: LoadSettings) {
    const run = startRun(options)
    stopRun = run.stop
    progress = run.progress
  },
  progress: () => progress(),
  stop: () => (stopRun as () => Promise<LoadResult>)(),
  note(finished: number) {
    finished_total = finished
    onFinished()
  },
} satisfies LoadApi & { note(finished: number): void })

function startRun(options: LoadSettings) {
  const { kind, keys, paths, run, rate, outstanding_max, keep } = options
  const expected = kind === 'push' ? 'HTTP/1.1 202' : 'HTTP/1.1 200'
  const finished_before = finished_total
  const idle: Connection[] = []
  const all: Connection[] = []
  const queue: number[] = []
  const ids: string[] = []
  const used: number[] = []
  const due_times: number[] = []
  const done_times: number[] = []
  let sent = 0
  let answered = 0
  let refused = 0
  let first_refusal: string | null = null
  let stopping = false
  let whenQuiet: (() => void) | null = null
  let queue_start = 0

  const heads = keys.map(
    (key) =>
      `POST /v1/collections/wallet-push HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n` +
      'Content-Type: application/json\r\nIdempotency-Key: ',
  )
  const pushRequest = (n: number, key: number): string => {
    const name = `${run}-${n}`
    const ending = String(FIRST_ENDING + (n % ENDINGS))
    const phone = `0754${String(n % 1000).padStart(3, '0')}${ending}`
    const amount = `${1000 + (n % 9000)}.00`
    const body = `{"amount":"${amount}","phone":"${phone}","reference":"ORDER-${name}","customer_name":"Asha Juma"}`
    return `${heads[key]}${name}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  }
  const id_mark = ID_MARKS[kind]
  const requests = paths.map(({ path, key }, n) => {
    const [method, body] =
      kind === 'post'
        ? ['POST', `Content-Type: application/json\r\nIdempotency-Key: ${run}-${n}\r\nContent-Length: 2\r\n\r\n{}`]
        : ['GET', `${options.head ?? ''}\r\n`]
    const bearer = keys[key] === '' ? '' : `Authorization: Bearer ${keys[key]}\r\n`
    return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${bearer}${body}`
  })

  const hasCapacity = () =>
    (kind !== 'post' || sent < paths.length) &&
    (outstanding_max === null || sent - refused - (finished_total - finished_before) < outstanding_max)
  const sendOn = (connection: Connection, due: number) => {
    const n = sent++
    connection.busy = true
    connection.due = due
    connection.key = n % keys.length
    connection.socket.write(
      kind === 'push' ? pushRequest(n, connection.key) : (requests[n % requests.length] as string),
      'latin1',
    )
  }
  const pump = () => {
    if (stopping) return
    if (rate === null) {
      while (idle.length > 0 && hasCapacity()) sendOn(idle.pop() as Connection, keep ? monotonicMs() : 0)
      return
    }
    while (idle.length > 0 && queue_start < queue.length) {
      sendOn(idle.pop() as Connection, queue[queue_start++] as number)
    }
  }
  const answer = (connection: Connection, text: string) => {
    connection.busy = false
    if (text.startsWith(expected)) {
      answered++
      if (keep) {
        const mark = text.indexOf(id_mark) + id_mark.length
        ids.push(text.slice(mark, mark + ID_CHARS))
        used.push(connection.key)
        due_times.push(connection.due)
        done_times.push(monotonicMs())
      }
    } else {
      refused++
      first_refusal ??= text.slice(0, 1000)
    }
    idle.push(connection)
    if (stopping) quiet()
    else pump()
  }
  const quiet = () => {
    if (whenQuiet !== null && all.every((connection) => !connection.busy)) whenQuiet()
  }
  const read = (connection: Connection, chunk: Buffer) => {
    const text = connection.pending + chunk.toString('latin1')
    const head_end = text.indexOf('\r\n\r\n')
    const length = head_end < 0 ? null : lengthOf(text, head_end)
    if (length === null || text.length < head_end + 4 + length) {
      connection.pending = text
      return
    }
    connection.pending = ''
    answer(connection, text)
  }
  const connect = () => {
    const socket = createConnection({ port: options.port, host: '127.0.0.1', noDelay: true })
    const connection: Connection = { socket, pending: '', due: 0, key: 0, busy: false }
    all.push(connection)
    socket.on('data', (chunk) => read(connection, chunk))
    socket.on('connect', () => {
      idle.push(connection)
      pump()
    })
    socket.on('error', (error) => {
      first_refusal ??= error.message
    })
    socket.on('close', () => {
      all.splice(all.indexOf(connection), 1)
      if (idle.includes(connection)) idle.splice(idle.indexOf(connection), 1)
      if (connection.busy) {
        refused++
        first_refusal ??= 'the server closed the connection before its answer'
      }
      if (stopping) quiet()
      else setTimeout(() => stopping || connect(), 100)
    })
  }
  for (let i = 0; i < options.connections; i++) connect()

  onFinished = rate === null ? pump : () => {}
  // A request that is due at a fixed time waits for a free connection. Its latency includes this wait.
  const began = monotonicMs()
  let scheduled = 0
  const ticker =
    rate === null
      ? null
      : setInterval(() => {
          const now = monotonicMs()
          for (; began + (scheduled / rate) * 1000 <= now; scheduled++) queue.push(began + (scheduled / rate) * 1000)
          pump()
        }, TICK_MS)

  return {
    progress: (): Progress => ({ at: monotonicMs(), answered, refused }),
    async stop(): Promise<LoadResult> {
      stopping = true
      if (ticker) clearInterval(ticker)
      await new Promise<void>((resolve) => {
        whenQuiet = resolve
        quiet()
      })
      for (const { socket } of [...all]) socket.destroy()
      onFinished = () => {}
      return {
        answered,
        refused,
        first_refusal,
        ids,
        keys: Uint16Array.from(used),
        due: Float64Array.from(due_times),
        done: Float64Array.from(done_times),
      }
    },
  }
}

/** Returns the content length that the head of a response names. */
function lengthOf(text: string, head_end: number): number {
  const lower = text.indexOf('content-length: ')
  const at = lower >= 0 && lower < head_end ? lower : text.indexOf('Content-Length: ')
  if (at < 0 || at > head_end) throw new Error(`a response has no content-length: ${text.slice(0, head_end)}`)
  return Number.parseInt(text.slice(at + 16, at + 28), 10)
}
