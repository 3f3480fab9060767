// Reads the request log for the commands of the tool, again and again. A request is in the log only after its response, so each
// read begins before the newest request that the tool has seen.

import { type Api, Unreachable } from './api.ts'
import { mayTryAgain } from './events.ts'
import { Problem } from './problem.ts'
import { sleep } from './sleep.ts'

/** A request of the log. For a gap of the log, `not_kept` is the number of requests, and the fields of a request are null. */
export type LoggedRequest = {
  id: string
  at: string
  request_id: string | null
  method: string | null
  path: string | null
  status: number | null
  duration_ms: number | null
  error_code: string | null
  key_id: string | null
  key_name: string | null
  not_kept: number
}

/**
 * The period that each read repeats, in milliseconds. The server writes requests of a burst up to 40 seconds late, and a slow
 * request can take 50 seconds more.
 */
const REREAD_MS = 90_000
const EVERY_MS = 2_000
const EVERY_MAX_MS = 30_000
const PAGE = 100
/** The greatest number of pages of one read, so that a busy log does not stop the tool. */
const PAGES_MAX = 20

/** The requests that `followRequests` reads, and the functions that it calls with each request and each state. */
export type FollowRequestsOptions = {
  /** A class such as `4xx`, or one status. Undefined means all requests. */
  status: string | undefined
  /** The time of the first request. Null means that the tool shows the requests that arrive from now on. */
  since: Date | null
  onRequest(request: LoggedRequest): void
  onState(state: 'open' | 'waiting', reason: string): void
  /** The tool calls this function if a read found more requests than it could show. */
  onGap(): void
  signal: AbortSignal
}

/**
 * Reads the requests of an account until `signal` aborts. If the server refuses the request, for example because of the key,
 * throws a Problem.
 */
export async function followRequests(api: Api, options: FollowRequestsOptions): Promise<void> {
  const { onRequest, onState, onGap, signal } = options
  /** The ids that the tool has shown or skipped, with their times. */
  const seen = new Map<string, string>()
  let from = options.since
  /** The start of the first read by the clock of the server, and the time of the tool at that read. */
  let start: { from: number; at: number } | null = null
  let is_first = true
  let is_open = false
  let pause_ms = EVERY_MS
  while (!signal.aborted) {
    try {
      if (is_first && from === null) from = await rereadFromNewest(api)
      const began_at = performance.now()
      if (from !== null) start ??= { from: from.getTime(), at: began_at }
      const { items, is_whole } = await readRequests(api, options.status, from)
      if (!is_open) onState('open', '')
      is_open = true
      pause_ms = EVERY_MS
      const fresh = items.filter(({ id }) => !seen.has(id)).reverse()
      if (!(is_first && options.since === null)) {
        for (const request of fresh) onRequest(request)
        if (!is_whole) onGap()
      }
      for (const { id, at } of fresh) seen.set(id, at)
      is_first = false
      from = laterOf(from, rereadBefore(items[0]?.at))
      // Without new requests, the period of the next read does not grow either.
      if (start !== null) from = laterOf(from, new Date(start.from + (began_at - start.at) - REREAD_MS))
      for (const [id, at] of seen) if (from !== null && Date.parse(at) < from.getTime()) seen.delete(id)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Problem && !(error instanceof Unreachable) && !mayTryAgain(error)) throw error
      onState('waiting', (error as Error).message)
      is_open = false
      pause_ms = Math.min(EVERY_MAX_MS, pause_ms * 2)
    }
    await sleep(pause_ms, signal)
  }
}

type RequestsPage = { items: LoggedRequest[] }

/** Returns the start of the first read, from the clock of the server. Null means that the log is empty. */
async function rereadFromNewest(api: Api): Promise<Date | null> {
  const { items } = await api.get<RequestsPage>('/v1/requests?page_size=1')
  return rereadBefore(items[0]?.at)
}

function rereadBefore(at: string | undefined): Date | null {
  return at === undefined ? null : new Date(Date.parse(at) - REREAD_MS)
}

function laterOf(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other
  return one > other ? one : other
}

/**
 * Reads at most `PAGES_MAX` pages since a time, newest first. If more pages exist, `is_whole` is false. Requests that arrive
 * during the reads move others to the next page, so the function drops repeated ones.
 */
async function readRequests(
  api: Api,
  status: string | undefined,
  from: Date | null,
): Promise<{ items: LoggedRequest[]; is_whole: boolean }> {
  const found = new Map<string, LoggedRequest>()
  for (let page = 1; page <= PAGES_MAX; page++) {
    const query = new URLSearchParams({ page: String(page), page_size: String(PAGE) })
    if (from !== null) query.set('from', from.toISOString())
    if (status !== undefined) query.set('status', status)
    const { items } = await api.get<RequestsPage>(`/v1/requests?${query}`)
    for (const item of items) found.set(item.id, item)
    if (items.length < PAGE) return { items: [...found.values()], is_whole: true }
  }
  return { items: [...found.values()], is_whole: false }
}
