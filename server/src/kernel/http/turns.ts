// Divides the work of requests between the turns of the event loop. If many requests begin or continue at the same time, the
// server does a part of their steps in each turn, one caller after another. So many requests of one caller delay neither health
// checks nor other callers.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Log, Metrics } from '../lib/index.ts'

/**
 * The limits of the steps of requests in one turn. A turn ends after TURN_MS milliseconds, but has at least TURN_STEPS_MIN
 * steps, so that a slow process makes progress. A turn has at most TURN_STEPS_MAX steps, because the work of a step may follow
 * later in the turn.
 */
const TURN_MS = 10
const TURN_STEPS_MIN = 8
const TURN_STEPS_MAX = 64
/** The paths of load balancers. Their requests never wait. */
const HEALTH = ['/readyz', '/healthz']
/** The beginning of the paths of callbacks. */
const CALLBACKS = '/callbacks/'
/**
 * The largest number of waiting requests of one connection. If a connection has more, the server closes the connection.
 */
const WAITING_PER_CONNECTION = 16
/**
 * The largest number of known credentials. Above this number, the server drops all of them. After its next valid request, a
 * credential is known again.
 */
const CREDENTIALS_MAX = 5_000
/**
 * The parts of the server, each with a lane for requests without a known credential. All other paths share one lane.
 */
const PARTS = ['/v1', '/public', '/pay', '/callbacks', '/identity', '/dashboard', '/operator']
/** The shortest time in milliseconds between two log lines about dropped requests. */
const LOG_EVERY_MS = 10_000

/** The waits of begun requests in milliseconds. If a request did not wait, it is not in the map. */
const waits_ms = new WeakMap<IncomingMessage, number>()

/**
 * Returns the milliseconds from the arrival of a request, with its wait for a turn. The time ends now, or at the end of the
 * answer.
 */
export function msSinceArrival({ raw }: { raw: IncomingMessage }, { elapsedTime }: { elapsedTime: number }): number {
  return elapsedTime + (waits_ms.get(raw) ?? 0)
}

/** A step that waits for a turn. */
type WaitingStep = { request: IncomingMessage; run(): void }
/** The steps of one lane. The server takes the steps of requests in progress before requests that have not begun. */
type LaneSteps = { resumed: WaitingStep[]; unbegun: WaitingStep[] }

/**
 * Returns true if the client has closed the connection or its half of it, so that no answer can reach the client. A test
 * request without a network connection counts as connected.
 */
export function hasCallerLeft({ socket }: IncomingMessage): boolean {
  return socket.destroyed === true || socket.writableEnded === true
}

/** The functions with which the app shares the turns of the event loop. */
export type RequestTurns = {
  /**
   * Null means that the current turn has time for the next step of a request. Otherwise the promise resolves in a later turn.
   * Health checks never wait. Callbacks and requests with a live key wait only before they begin, because the payments of a
   * turn share their statements.
   */
  wait(request: IncomingMessage): Promise<void> | null
  /**
   * Gives a credential that was valid its own lane. Invalid credentials share lanes, because a client can invent any number of
   * them. `is_live` means that the credential is an API key for live payments.
   */
  rememberCredential(request: IncomingMessage, is_live: boolean): void
  /** Returns the number of requests that wait for a turn. */
  waiting(): number
}

/** Calls a function after a wait of `RequestTurns`. If `wait` is null, calls the function immediately. */
export function afterWait(wait: Promise<void> | null, then: () => void): void {
  if (wait === null) then()
  else void wait.then(then)
}

/**
 * Divides the requests of a server between turns. If a client disconnects before its request begins, calls `drop` for the
 * request. Call this function after the framework has added its own listener.
 */
export function shareTurns(server: Server, drop: (request: IncomingMessage) => void): RequestTurns {
  const [handle] = server.listeners('request') as [RequestListener]
  /** The known credentials. The value is true for a key of live payments. */
  const credentials = new Map<string, boolean>()
  const waiting = createRequestLanes(credentials)
  const waiting_of = new WeakMap<Socket, number>()
  const countOf = ({ socket }: IncomingMessage, change: number) => {
    const count = (waiting_of.get(socket) ?? 0) + change
    waiting_of.set(socket, count)
    return count
  }
  /**
   * The current turn of the event loop, and the number of its steps. Null means that the server has done no step in this turn.
   */
  let turn: { since: number; steps: number } | null = null

  const beginTurn = () => {
    turn = { since: performance.now(), steps: 0 }
    setImmediate(endTurn)
    return turn
  }
  const isPayment = (request: IncomingMessage) =>
    request.url?.startsWith(CALLBACKS) === true || credentials.get(readCredential(request) ?? '') === true
  const isOver = ({ since, steps }: { since: number; steps: number }) =>
    steps >= TURN_STEPS_MAX || (steps >= TURN_STEPS_MIN && performance.now() - since >= TURN_MS)
  const endTurn = () => {
    turn = null
    if (waiting.size() > 0) runNext()
  }
  // The body and the hooks of a request run in ticks. Each step is a tick too, so that the time of a turn includes the ticks of
  // its requests.
  const runNext = () => {
    const current = turn ?? beginTurn()
    const next = isOver(current) ? undefined : waiting.take()
    if (next === undefined) return
    current.steps += 1
    next.run()
    process.nextTick(runNext)
  }
  const begin = (request: IncomingMessage, response: ServerResponse, since: number) => {
    countOf(request, -1)
    if (hasCallerLeft(request)) return drop(request)
    waits_ms.set(request, performance.now() - since)
    handle(request, response)
  }
  server.off('request', handle)
  server.on('request', (request, response) => {
    if (HEALTH.includes(request.url ?? '')) return handle(request, response)
    const current = turn ?? beginTurn()
    if (waiting.size() > 0 || isOver(current)) {
      const since = performance.now()
      waiting.add('unbegun', { request, run: () => begin(request, response, since) })
      if (countOf(request, 1) > WAITING_PER_CONNECTION) request.socket.destroy()
      return
    }
    current.steps += 1
    handle(request, response)
  })
  return {
    wait(request) {
      if (HEALTH.includes(request.url ?? '') || isPayment(request)) return null
      const current = turn ?? beginTurn()
      if (!isOver(current)) {
        current.steps += 1
        return null
      }
      return new Promise((resolve) => waiting.add('resumed', { request, run: resolve }))
    },
    rememberCredential(request, is_live) {
      const credential = readCredential(request)
      if (credential === null || credentials.get(credential) === is_live) return
      if (credentials.size >= CREDENTIALS_MAX) credentials.clear()
      credentials.set(credential, is_live)
    },
    waiting: waiting.size,
  }
}

/**
 * Keeps the waiting steps in lanes, and takes one step from each lane in turn. A lane has the requests of one known credential,
 * or the other requests to one part of the server, such as /pay.
 */
function createRequestLanes(credentials: ReadonlyMap<string, boolean>) {
  const lanes = new Map<string, LaneSteps>()
  let size = 0
  return {
    size: () => size,
    add(kind: keyof LaneSteps, step: WaitingStep): void {
      const name = requestLane(step.request, credentials)
      const lane = lanes.get(name) ?? { resumed: [], unbegun: [] }
      lane[kind].push(step)
      lanes.set(name, lane)
      size += 1
    },
    take(): WaitingStep | undefined {
      for (const [name, lane] of lanes) {
        const first = lane.resumed.shift() ?? lane.unbegun.shift()
        // The lane moves to the end of the lanes.
        lanes.delete(name)
        if (lane.resumed.length + lane.unbegun.length > 0) lanes.set(name, lane)
        size -= 1
        return first
      }
      return undefined
    },
  }
}

function requestLane(request: IncomingMessage, credentials: ReadonlyMap<string, boolean>): string {
  const credential = readCredential(request)
  if (credential !== null && credentials.has(credential)) return credential
  const part = /^\/[^/?]*/.exec(request.url ?? '')?.[0] ?? ''
  return PARTS.includes(part) ? part : 'other'
}

function readCredential({ headers }: IncomingMessage): string | null {
  const credential = headers.authorization ?? headers['x-api-key']
  return typeof credential === 'string' ? credential : null
}

/** Exposes the number of requests that wait for a turn. */
export function exposeWaiting(metrics: Metrics, turns: RequestTurns): void {
  const waiting = metrics.gauge({
    name: 'malipo_http_requests_waiting',
    help: 'Requests of this process that wait for a turn of the event loop, to begin or to continue.',
  })()
  metrics.beforeScrape(() => waiting.set(turns.waiting()))
}

/**
 * Makes the function that drops a request whose client has disconnected. The function counts the dropped requests, and logs the
 * number of dropped requests.
 */
export function createDrop(log: Log, metrics: Metrics): (request: IncomingMessage) => void {
  const count = metrics.counter({
    name: 'malipo_http_requests_dropped_total',
    help: 'Requests that this process dropped before their work began, because their callers had left.',
  })()
  let dropped = 0
  let logged_at = Number.NEGATIVE_INFINITY
  return (request) => {
    request.socket.destroy()
    count.inc()
    dropped += 1
    const now = performance.now()
    if (now - logged_at < LOG_EVERY_MS) return
    log.warn(
      { component: 'http', count: dropped },
      'the server is overloaded: it dropped requests whose callers had left before the work began',
    )
    logged_at = now
    dropped = 0
  }
}
