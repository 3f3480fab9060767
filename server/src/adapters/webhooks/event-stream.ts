// Streams events to merchants as server-sent events. One statement reads the new events of all open streams of this process.
//
// The order of ids is not the order of commits: a transaction makes the id of an event before it commits, and the clocks of processes
// differ. So each stream reads the ids of the last REREAD_MS again and sends each id once.

import type { FastifyReply } from 'fastify'
import type { Deps } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { Refusal, refuse, timeOfId } from '../../kernel/lib/index.ts'
import {
  type EventPosition,
  inEventOrder,
  oldestEventId,
  readEventIds,
  readEvents,
  rereadFrom,
  type StoredEvent,
} from './event-log.ts'

/**
 * The period that a stream reads again. A transaction makes the id of an event just before its last statements. A statement ends after
 * 12 s, an idle transaction after 10 s, and the clocks of two machines may differ by 5 s.
 */
const REREAD_MS = 30_000
/** The pause between two reads if no stream has more events. */
const EVERY_MS = 500
/** The pause between two heartbeats. With each heartbeat, the server checks the rights of the caller again. */
const HEARTBEAT_MS = 5_000
/** The greatest number of ids that a read of one stream returns, and of events that one read sends to one stream. */
const IDS_MAX = 1_000
const SENT_MAX = 200
/** The greatest number of streams of a process. */
const STREAMS_MAX = 100
/** The greatest number of streams of one key or person. */
export const STREAMS_PER_CALLER = 5
/** A client that reads so slowly that this many bytes wait gets no further event until it has read them. */
const WAITING_BYTES_MAX = 1_048_576
/** The pause after which a client connects again. The server names it at the beginning of a stream. */
const RETRY_MS = 1_000

/** The owner of a stream and the events that the stream sends. `after` is the last event that the client has. */
export type StreamRequest = {
  caller_id: string
  merchant_id: string
  environment: Environment
  event: string | null
  after: string | null
}

type OpenStream = Omit<StreamRequest, 'after'> & {
  /** The next read begins at this id. */
  from_id: string
  /** The ids of the last REREAD_MS that the client has. */
  seen: Set<string>
  /** True until the first read has noted the events that existed before the stream. */
  is_starting: boolean
  send(text: string): void
  isSlow(): boolean
  end(): void
  /** Throws a Refusal if the caller has lost the right to read events. */
  check(): Promise<void>
}

/** The open streams of this process. */
export type EventStreams = {
  /** Answers a request with a stream. Refuses a caller with too many streams. */
  open(reply: FastifyReply, of: StreamRequest, check: () => Promise<void>): void
  /** Ends all streams. Later requests for streams get service_unavailable. */
  close(): void
}

/** Makes the streams of this process. If `draining()` becomes true, the process ends all streams. */
export function createEventStreams(deps: Deps, draining: () => boolean): EventStreams {
  const streams = new Set<OpenStream>()
  let is_closed = false
  let cancel: (() => void) | null = null
  let is_reading = false
  let beat_at = 0

  const close = () => {
    is_closed = true
    cancel?.()
    for (const stream of streams) stream.end()
  }
  const schedule = (ms: number) => {
    cancel?.()
    cancel = streams.size === 0 || is_closed ? null : deps.clock.after(ms, () => void tick())
  }
  const tick = async () => {
    if (is_reading) return
    if (draining()) return close()
    is_reading = true
    let has_more = false
    try {
      const now = deps.clock.now().getTime()
      if (now - beat_at >= HEARTBEAT_MS || now < beat_at) {
        beat_at = now
        beat(deps, streams)
      }
      has_more = await sendNew(
        deps,
        [...streams].filter((stream) => !stream.isSlow()),
      )
    } catch (error) {
      deps.log.warn({ component: 'webhooks', err: error }, 'the server could not read new events and tries again')
    } finally {
      is_reading = false
      schedule(has_more ? 0 : EVERY_MS)
    }
  }
  return {
    open(reply, of, check) {
      if (is_closed || draining() || streams.size >= STREAMS_MAX) refuse('service_unavailable', { retry_after_s: 5 })
      const own = [...streams].filter(({ caller_id }) => caller_id === of.caller_id).length
      if (own >= STREAMS_PER_CALLER) {
        const message = `A key or person can have ${STREAMS_PER_CALLER} open streams of events. Close one first.`
        refuse('rate_limited', { message, retry_after_s: 5 })
      }
      const stream = startStream(deps, reply, of, check)
      streams.add(stream)
      reply.raw.once('close', () => streams.delete(stream))
      schedule(0)
    },
    close,
  }
}

/** Begins the answer. From here on, only this file writes to the connection. */
function startStream(
  deps: Deps,
  reply: FastifyReply,
  { after, ...of }: StreamRequest,
  check: () => Promise<void>,
): OpenStream {
  const now = deps.clock.now()
  reply.hijack()
  const { raw } = reply
  raw.on('error', () => {})
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Some proxies would hold the events back.
    'x-accel-buffering': 'no',
  })
  raw.write(`retry: ${RETRY_MS}\n\n`)
  const resumed = after === null ? null : rereadFrom(timeOfId(after), REREAD_MS)
  const oldest = oldestEventId(now)
  return {
    ...of,
    from_id: resumed === null ? rereadFrom(now, REREAD_MS) : resumed < oldest ? oldest : resumed,
    seen: new Set(),
    is_starting: after === null,
    send: (text) => void raw.write(text),
    isSlow: () => raw.writableLength > WAITING_BYTES_MAX,
    end: () => void raw.end(),
    check,
  }
}

/** Sends a heartbeat to each stream, and ends the streams of callers who lost their rights. */
function beat(deps: Deps, streams: Iterable<OpenStream>): void {
  for (const stream of streams) {
    stream.send(': heartbeat\n\n')
    stream.check().catch((error) => {
      if (error instanceof Refusal) return stream.end()
      deps.log.warn(
        { component: 'webhooks', err: error },
        'the server could not check the rights of a stream of events',
      )
    })
  }
}

/** Reads the new events of all streams and sends them. Returns true if a stream has more. */
async function sendNew(deps: Deps, streams: readonly OpenStream[]): Promise<boolean> {
  if (streams.length === 0) return false
  const now = deps.clock.now()
  const window_start = rereadFrom(now, REREAD_MS)
  const positions: EventPosition[] = streams.map(({ merchant_id, environment, event, from_id }, number) => ({
    number,
    merchant_id,
    environment,
    event,
    from_id,
  }))
  const found = Map.groupBy(await readEventIds(deps.db, positions, IDS_MAX), ({ number }) => number)
  let has_more = false
  const due = streams.map((stream, number) => {
    const ids = (found.get(number) ?? []).map(({ id }) => id)
    const fresh = ids.filter((id) => !stream.seen.has(id))
    const sent = stream.is_starting ? [] : fresh.slice(0, SENT_MAX)
    for (const id of stream.is_starting ? fresh : sent) stream.seen.add(id)
    const is_cut = !stream.is_starting && sent.length < fresh.length
    const is_full = is_cut || ids.length === IDS_MAX
    has_more ||= is_full
    // A full page continues at its last id. After the last page, the stream reads the window again.
    stream.from_id = is_full ? ((is_cut ? sent : ids).at(-1) as string) : window_start
    if (!is_full) stream.is_starting = false
    return { stream, sent }
  })
  const keys = due.flatMap(({ stream: { merchant_id, environment }, sent }) =>
    sent.map((id) => ({ merchant_id, environment, id })),
  )
  const events = keys.length === 0 ? [] : await readEvents(deps.db, keys)
  const by_id = new Map(events.map((event) => [event.id, event]))
  for (const { stream, sent } of due) {
    const own = sent.flatMap((id) => by_id.get(id) ?? [])
    for (const event of inEventOrder(own)) stream.send(eventText(event))
    for (const id of stream.seen) if (id < window_start && id < stream.from_id) stream.seen.delete(id)
  }
  return has_more
}

/** Returns the text of one server-sent event. The data has the exact body that endpoints receive. */
function eventText({ id, event, environment, created_at, body }: StoredEvent): string {
  const head = JSON.stringify({ id, event, environment, created_at: created_at.toISOString() }).slice(0, -1)
  return `id: ${id}\nevent: ${event}\ndata: ${head},"data":${body}}\n\n`
}
