// Runs the mock provider behind HTTP, with a book and with faults on demand. The process uses node:http directly and takes
// little processor time, because the benchmark runs on the same machine.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'
import { type Clock, systemClock } from '../../../kernel/lib/index.ts'
import { type BookEntry, type BookTotals, createMockBook } from './book.ts'
import { type Callback, scheduleCallbacks } from './callback.ts'
import type { MockProfile } from './engine.ts'
import { createPayoutBook, type PayoutEntry, type PayoutTotals } from './payout-book.ts'
import { PAYOUT_WORDS } from './payout-engine.ts'
import { post } from './post.ts'

const BODY_MAX_BYTES = 256 * 1024
const KEEP_ALIVE_MS = 60_000
/** The milliseconds that running requests may still take after the server stops. */
const CLOSE_GRACE_MS = 1000
/**
 * The greatest number of concurrent callbacks. The number is high because a receiver may answer only after it settled the
 * payment.
 */
const CALLBACK_CONNECTIONS_MAX = 512
const CALLBACK_RETRIES = 5
const CALLBACK_RETRY_PAUSE_MS = 1000
const CALLBACK_TIMEOUT_MS = 5000

/** The settings of a mock provider process. Without `clock`, the process uses the clock of the machine. */
export type MockServerOptions = {
  /** The port. 0 means that the operating system chooses a free port. */
  port: number
  host: string
  profile: MockProfile
  /** The secret that signs the callbacks. */
  secret: string
  /** The callback URL. Null means that the provider sends no callbacks. */
  callback_url: string | null
  clock?: Clock
}

/** The faults of the provider. Each rate is exact, and the faults are evenly spread over the answers. */
export type MockFaults = {
  /** The share of requests without an answer. */
  hang_rate: number
  /** The share of requests with the answer 500. */
  error_rate: number
  /** If true, the provider closes the connection of each request about payments or payouts and sends no answer. */
  down: boolean
}

/** The book and the counts of callbacks. `given_up` counts the callbacks whose last retry failed too. */
export type MockBook = BookTotals & {
  callbacks: { due: number; delivered: number; given_up: number; requests: number }
  entries?: BookEntry[]
  payouts: PayoutTotals & { entries?: PayoutEntry[] }
}

/** A running mock provider, with functions that read its book and set its faults. */
export type MockServer = {
  url: string
  book(options?: { full: boolean }): MockBook
  setFaults(faults: Partial<MockFaults>): MockFaults
  close(): Promise<void>
}

/** Starts the mock provider. The promise resolves as soon as the provider accepts connections. */
export async function startMockServer(options: MockServerOptions): Promise<MockServer> {
  const clock = options.clock ?? systemClock
  const callbacks = createCallbackSender(options.callback_url, clock)
  const faults = createFaults()
  const callBack = (reference: string, timeline: Parameters<typeof scheduleCallbacks>[3]) => {
    if (options.callback_url !== null) {
      scheduleCallbacks(clock, options.secret, reference, timeline, (callback) => callbacks.send(callback))
    }
  }
  const payments = createMockBook(clock, options.profile, callBack)
  const payouts = createPayoutBook(clock, options.profile, callBack)

  const book = ({ full } = { full: false }): MockBook => ({
    ...payments.totals(),
    callbacks: { ...callbacks.counts },
    ...(full ? { entries: payments.entries() } : {}),
    payouts: { ...payouts.totals(), ...(full ? { entries: payouts.entries() } : {}) },
  })

  /** Returns the answer to a request. Null means that the provider sends no answer. */
  const work = (method: string | undefined, url: string | undefined, content: unknown): [number, unknown] | null => {
    if (method === 'POST' && url === '/payments') return faults.strike(() => answer(payments.take(content)))
    if (method === 'POST' && url === '/payments/status') {
      return faults.strike(() => {
        const found = payments.statuses(content)
        return answer(found === 'malformed' ? found : { payments: found })
      })
    }
    if (method === 'POST' && url === '/payouts') return faults.strike(() => answer(payouts.take(content)))
    if (method === 'POST' && url === '/payouts/status') {
      return faults.strike(() => {
        const found = payouts.statuses(content)
        return answer(found === 'malformed' ? found : { payouts: found })
      })
    }
    if (method === 'POST' && url === '/faults') {
      const requested = faultsOf(content)
      return answer(requested === 'malformed' ? requested : faults.set(requested))
    }
    if (method === 'GET' && url === '/book') return [200, book()]
    if (method === 'GET' && url === '/book?full=1') return [200, book({ full: true })]
    return [404, { error: 'not found' }]
  }

  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    response.sendDate = false
    if (faults.current.down && /^\/pay(ments|outs)/.test(request.url ?? '')) {
      request.socket.destroy()
      return
    }
    readJsonBody(request, (content) => {
      const result = content === undefined ? answer('malformed') : work(request.method, request.url, content)
      if (result !== null) sendJson(response, result[0], result[1])
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const { port } = server.address() as AddressInfo

  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    book,
    setFaults: (changes) => faults.set(changes),
    async close() {
      const grace = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS)
      await new Promise<void>((resolve) => server.close(() => resolve()))
      clearTimeout(grace)
      await callbacks.close()
    },
  }
}

function answer(result: object | 'malformed' | 'full' | 'refused'): [number, unknown] {
  if (result === 'malformed') return [400, { error: 'malformed request' }]
  if (result === 'full') return [503, { error: 'the book of the mock provider is full; restart the process' }]
  if (result === 'refused') return [403, { status: PAYOUT_WORDS.refused, error: 'this address may not pay out' }]
  return [200, result]
}

/** Reads a JSON body. If the body is absent, the content is null. If the body is unreadable, the content is undefined. */
function readJsonBody(request: IncomingMessage, done: (content: unknown) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > BODY_MAX_BYTES) request.socket.destroy()
    else chunks.push(chunk)
  })
  request.on('end', () => {
    if (size === 0) return done(null)
    const [only] = chunks
    let content: unknown
    try {
      content = JSON.parse((chunks.length === 1 && only ? only : Buffer.concat(chunks)).toString('utf8'))
    } catch {
      content = undefined
    }
    done(content)
  })
}

function sendJson(response: ServerResponse, status: number, content: unknown): void {
  // If the body is a string, node:http writes head and body in one piece.
  const body = JSON.stringify(content)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

/** Makes faults at fixed intervals: a rate of 0.25 means every fourth request. */
function createFaults() {
  const current: MockFaults = { hang_rate: 0, error_rate: 0, down: false }
  const due = { hang_rate: 0, error_rate: 0 }
  let struck = 0

  const isDue = (rate: 'hang_rate' | 'error_rate'): boolean => {
    due[rate] += current[rate]
    // A sum of fractions may be slightly below 1.
    if (due[rate] < 1 - 1e-9) return false
    due[rate] -= 1
    return true
  }

  return {
    current,
    set: (changes: Partial<MockFaults>): MockFaults => Object.assign(current, changes),
    /**
     * Does the work and answers, or causes a fault. Every second fault prevents the work, and the other faults come after
     * the work.
     */
    strike(doWork: () => [number, unknown]): [number, unknown] | null {
      const hangs = isDue('hang_rate')
      const fails = isDue('error_rate')
      if (!hangs && !fails) return doWork()
      if (struck++ % 2 === 0) doWork()
      return hangs ? null : [500, { error: 'internal error' }]
    },
  }
}

function faultsOf(content: unknown): Partial<MockFaults> | 'malformed' {
  if (typeof content !== 'object' || content === null) return 'malformed'
  const faults: Partial<MockFaults> = {}
  for (const [name, value] of Object.entries(content)) {
    if (name === 'down' && typeof value === 'boolean') faults.down = value
    else if ((name === 'hang_rate' || name === 'error_rate') && typeof value === 'number' && value >= 0 && value <= 1) {
      faults[name] = value
    } else return 'malformed'
  }
  return faults
}

/**
 * Makes the sender of callbacks, which posts each callback in a separate request. The sender retries until the receiver accepts
 * the callback or no retry is left.
 */
function createCallbackSender(callback_url: string | null, clock: Clock) {
  const counts = { due: 0, delivered: 0, given_up: 0, requests: 0 }
  const target = new URL(callback_url ?? 'http://127.0.0.1')
  const path = target.pathname + target.search
  const pool = new Pool(target.origin, { connections: CALLBACK_CONNECTIONS_MAX, pipelining: 1 })
  let is_closed = false

  const attempt = async (callback: Callback, retries: number): Promise<void> => {
    if (is_closed) return
    counts.requests++
    const posted = await post(pool, path, callback.headers, callback.body, CALLBACK_TIMEOUT_MS)
    if ('status' in posted && posted.status >= 200 && posted.status < 300) counts.delivered++
    else if (retries === CALLBACK_RETRIES) counts.given_up++
    else clock.after(CALLBACK_RETRY_PAUSE_MS, () => void attempt(callback, retries + 1))
  }

  return {
    counts,
    send(callback: Callback): void {
      counts.due++
      void attempt(callback, 0)
    },
    async close(): Promise<void> {
      is_closed = true
      await pool.destroy()
    },
  }
}
