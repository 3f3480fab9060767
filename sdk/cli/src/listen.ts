// Forwards each event of the stream at least once, even if a signal kills the tool. The events of one record stay in order.

import type { Account, Api } from './api.ts'
import { followEvents, type StreamedEvent } from './events.ts'
import { brandOf, forwardEvent, recordOf, webhookHeaders } from './forward.ts'
import { type ListenTarget, localSecret, type Position, positionOf } from './settings.ts'

const SENDING_MAX = 8
/**
 * The pause between two writes of the position, in milliseconds. If a signal kills the tool during this pause, the next run
 * forwards the last events again.
 */
const WRITE_MS = 50
/**
 * The largest number of forwarded events that the position contains. After an interruption, the server repeats the events of
 * the last 30 seconds.
 */
const REMEMBERED_MAX = 50_000

/** The events of a listener that the command prints for the developer. */
export type ListenReport = {
  onStart(secret: string): void
  onForwarded(event: StreamedEvent, status: number, ms: number): void
  onState(state: 'open' | 'waiting', reason: string): void
  onUnreachable(event: StreamedEvent, reason: string): void
}

/** Forwards the events of an account to a target until `signal` aborts. */
export async function listen(
  api: Api,
  account: Account,
  target: ListenTarget,
  report: ListenReport,
  signal: AbortSignal,
): Promise<void> {
  const secret = localSecret()
  const brand = brandOf(api.key)
  const stored = positionOf(api.base_url, `${account.merchant_id} ${account.environment}`, target)
  const position = stored.read() ?? (await newestPosition(api))
  // If a signal kills the tool before its first event, the next run begins at this position too.
  stored.write(position)
  const line = createLine(position, stored.write)
  const send = async (event: StreamedEvent) => {
    const began = Date.now()
    const headers = () => webhookHeaders(event, secret, brand)
    const unreachable = (reason: string) => report.onUnreachable(event, reason)
    const status = await forwardEvent(target.url, event, headers, unreachable, signal)
    if (status === null) return false
    report.onForwarded(event, status, Date.now() - began)
    return true
  }
  report.onStart(secret)
  const lanes = createLanes(send, line.done)
  await followEvents(api, {
    event: target.event,
    after: line.last,
    onEvent: (event) => {
      if (line.add(event.id)) lanes.add(event)
    },
    onState: report.onState,
    signal,
  })
  await lanes.idle()
  line.flush()
}

const NO_EVENT = '00000000-0000-0000-0000-000000000000'

/** Returns the position after the newest event. If the account has no event, returns the position before all events. */
async function newestPosition(api: Api): Promise<Position> {
  const { items } = await api.get<{ items: { id: string }[] }>('/v1/events?page_size=1')
  const id = items[0]?.id ?? NO_EVENT
  return { start_id: id, last_id: id, forwarded: [] }
}

/**
 * Keeps the position of a listener. When the tool has forwarded an event and all events before it, the position moves to this
 * event.
 */
export function createLine(start: Position, write: (position: Position) => void) {
  const forwarded = new Set(start.forwarded)
  const { start_id } = start
  let last_id = start.last_id
  const waiting: { id: string; is_done: boolean }[] = []
  const open = new Map<string, { id: string; is_done: boolean }>()
  let timer: NodeJS.Timeout | null = null
  const flush = () => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    write({ start_id, last_id, forwarded: [...forwarded] })
  }
  return {
    last: () => last_id,
    /**
     * Returns false if the event is from before the first start of the listener. Returns false too if the tool has forwarded
     * the event, or is forwarding it now.
     */
    add(id: string): boolean {
      if (id <= start_id || forwarded.has(id) || open.has(id)) return false
      const place = { id, is_done: false }
      waiting.push(place)
      open.set(id, place)
      return true
    },
    done(id: string): void {
      const place = open.get(id)
      if (place === undefined) return
      place.is_done = true
      open.delete(id)
      forwarded.add(id)
      while (waiting[0]?.is_done) {
        const { id: next } = waiting.shift() as { id: string }
        // An event can commit late and have a smaller id. The server repeats recent events, so the position never moves back.
        if (next > last_id) last_id = next
      }
      if (forwarded.size > REMEMBERED_MAX) {
        for (const old of forwarded) {
          if (forwarded.size <= REMEMBERED_MAX / 2) break
          forwarded.delete(old)
        }
      }
      timer ??= setTimeout(flush, WRITE_MS)
    },
    flush,
  }
}

/** Sends up to `SENDING_MAX` events at the same time, but the events of one record one after another. */
function createLanes(send: (event: StreamedEvent) => Promise<boolean>, done: (id: string) => void) {
  const queue: StreamedEvent[] = []
  const busy = new Set<string>()
  let running = 0
  let wake: (() => void)[] = []
  const next = () => {
    for (let i = 0; i < queue.length && running < SENDING_MAX; ) {
      const event = queue[i] as StreamedEvent
      const record = recordOf(event)
      if (busy.has(record)) {
        i++
        continue
      }
      queue.splice(i, 1)
      busy.add(record)
      running++
      void run(event, record)
    }
    if (running > 0) return
    for (const resolve of wake) resolve()
    wake = []
  }
  const run = async (event: StreamedEvent, record: string) => {
    const is_sent = await send(event)
    if (is_sent) done(event.id)
    // After an abort, the tool has not forwarded this event, so it forwards no later event.
    else queue.length = 0
    busy.delete(record)
    running--
    next()
  }
  return {
    add(event: StreamedEvent) {
      queue.push(event)
      next()
    },
    idle: () => (running === 0 ? Promise.resolve() : new Promise<void>((resolve) => wake.push(resolve))),
  }
}
