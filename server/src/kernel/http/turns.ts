// Shares each turn of the event loop. Requests that arrive together begin over several turns, and callers take turns, so that a
// burst of one caller delays neither the health checks nor the requests of others.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Log } from '../lib/index.ts'

/**
 * The requests that the server begins in one turn of the event loop: as many as begin within TURN_MS, and at least TURN_REQUESTS, so
 * that a process with little processor time still begins several. The other requests wait for the next turn.
 */
const TURN_MS = 10
const TURN_REQUESTS = 8
/** The paths of load balancers, which never wait. */
const HEALTH = ['/readyz', '/healthz']
/** The shortest time between two log lines about dropped requests. */
const LOG_EVERY_MS = 10_000

type Waiting = { request: IncomingMessage; response: ServerResponse }

/**
 * Returns true if the caller has closed its connection, or its half of the connection, so that no answer can reach the caller. A test
 * request without a network connection has a caller.
 */
export function hasCallerLeft({ socket }: IncomingMessage): boolean {
  return socket.destroyed === true || socket.writableEnded === true
}

/**
 * Lets the requests of a server begin in turns. If a caller leaves before its request begins, the server drops the request with `drop`.
 * Call this function after the framework has added its own listener.
 */
export function shareTurns(server: Server, drop: (request: IncomingMessage) => void): void {
  const [handle] = server.listeners('request') as [RequestListener]
  const waiting = createRequestLanes()
  /** The turn of the event loop in which the server has begun requests. Null means that it has begun none in this turn. */
  let turn: { since: number; begun: number } | null = null

  const beginTurn = () => {
    turn = { since: performance.now(), begun: 0 }
    setImmediate(endTurn)
    return turn
  }
  const isOver = ({ since, begun }: { since: number; begun: number }) =>
    begun >= TURN_REQUESTS && performance.now() - since >= TURN_MS
  const endTurn = () => {
    turn = null
    if (waiting.size() > 0) beginNext()
  }
  // The body and the hooks of a request run in ticks. Each request is a tick too, so that the time of a turn includes them.
  const beginNext = () => {
    const current = turn ?? beginTurn()
    const next = isOver(current) ? undefined : waiting.take()
    if (next === undefined) return
    current.begun += 1
    if (hasCallerLeft(next.request)) drop(next.request)
    else handle(next.request, next.response)
    process.nextTick(beginNext)
  }
  server.off('request', handle)
  server.on('request', (request, response) => {
    if (HEALTH.includes(request.url ?? '')) return handle(request, response)
    const current = turn ?? beginTurn()
    if (waiting.size() > 0 || isOver(current)) return waiting.add({ request, response })
    current.begun += 1
    handle(request, response)
  })
}

/**
 * Keeps the waiting requests in lanes, from which the server takes in turns. A lane has the requests of one credential, or the requests
 * without a credential to one part of the server, such as /pay.
 */
function createRequestLanes() {
  const lanes = new Map<string, Waiting[]>()
  let size = 0
  return {
    size: () => size,
    add(one: Waiting): void {
      const lane = requestLane(one.request)
      const others = lanes.get(lane)
      if (others) others.push(one)
      else lanes.set(lane, [one])
      size += 1
    },
    take(): Waiting | undefined {
      for (const [lane, requests] of lanes) {
        const first = requests.shift()
        // The lane moves to the end of the lanes.
        lanes.delete(lane)
        if (requests.length > 0) lanes.set(lane, requests)
        size -= 1
        return first
      }
      return undefined
    },
  }
}

function requestLane({ headers, url = '' }: IncomingMessage): string {
  const credential = headers.authorization ?? headers['x-api-key']
  return typeof credential === 'string' ? credential : (/^\/[^/?]*/.exec(url)?.[0] ?? '')
}

/** Makes the function that drops a request whose caller has left. It logs the number of dropped requests. */
export function createDrop(log: Log): (request: IncomingMessage) => void {
  let dropped = 0
  let logged_at = Number.NEGATIVE_INFINITY
  return (request) => {
    request.socket.destroy()
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
