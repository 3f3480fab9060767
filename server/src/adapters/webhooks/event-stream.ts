// Streams events to merchants as server-sent events. One statement reads the new events of all streams that are up to date; a stream that
// catches up reads in its own statements.
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
  readEvents,
  rereadFrom,
  type StoredEvent,
  scanEvents,
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
/** The greatest number of ids that a read of one stream scans, and of events that one read sends to one stream. */
const IDS_MAX = 1_000
const SENT_MAX = 200
/** A stream whose position is older catches up in its own statements. */
const BEHIND_MS = REREAD_MS + 10_000
/** The number of streams that catch up at the same time, and of reads of one before another has its turn. */
const CATCHING_UP_MAX = 4
const READS_PER_TURN = 20
/** The pause of a stream after a failed read of its own. The server ends the stream after this number of failures in sequence. */
const FAILED_MS = 5_000
const FAILURES_MAX = 3
/** The greatest number of streams of a process. */
const STREAMS_MAX = 100
/** The greatest number of streams of one key or person. */
export const STREAMS_PER_CALLER = 5
/** The greatest number of streams of one merchant in a process. */
export const STREAMS_PER_MERCHANT = 10
/** A client that reads so slowly that this many bytes wait gets no further event until it has read them. */
const WAITING_BYTES_MAX = 1_048_576
/** The server destroys the connection of a client that reads nothing for this time while bytes wait. */
const UNREAD_MS = 30_000
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
  /** The ids of the last REREAD_MS that the client has, or that are older than the stream. */
  seen: Set<string>
  is_catching_up: boolean
  failures: number
  /** The times in milliseconds of the next permitted own read, of its last turn, and of the last byte that the client read. */
  due_at: number
  turn_at: number
  read_at: number
  sent_bytes: number
  read_bytes: number
  raw: FastifyReply['raw']
  /** Throws a Refusal if the caller has lost the right to read events. */
  check(): Promise<void>
}

/** The open streams of this process. */
export type EventStreams = {
  /** Answers a request with a stream. Refuses a caller or merchant with too many streams. */
  open(reply: FastifyReply, of: StreamRequest, check: () => Promise<void>): Promise<void>
  /** Ends all streams. Later requests for streams get service_unavailable. */
  close(): void
}

/** Makes the streams of this process. If `draining()` becomes true, the process ends all streams. */
export function createEventStreams(deps: Deps, draining: () => boolean): EventStreams {
  const streams = new Set<OpenStream>()
  const starting = new Set<StreamRequest>()
  let is_closed = false
  let cancel: (() => void) | null = null
  let is_reading = false
  let beat_at = 0

  const close = () => {
    is_closed = true
    cancel?.()
    for (const stream of streams) endStream(stream)
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
      const ready = [...streams].filter((stream) => !isSlow(stream) && !stream.is_catching_up)
      const behind = ready.filter((stream) => isBehind(stream, now))
      catchUpSome(deps, streams, behind)
      has_more = await sendNew(
        deps,
        ready.filter((stream) => !behind.includes(stream)),
      )
    } catch (error) {
      deps.log.warn({ component: 'webhooks', err: error }, 'the server could not read new events and tries again')
    } finally {
      is_reading = false
      schedule(has_more ? 0 : EVERY_MS)
    }
  }
  return {
    async open(reply, of, check) {
      if (is_closed || draining()) refuse('service_unavailable', { retry_after_s: 5 })
      requireRoom([...streams, ...starting], of)
      starting.add(of)
      try {
        const position = await startPosition(deps, of)
        // The process may have closed its streams, and the client its connection, during the read.
        if (is_closed || draining()) refuse('service_unavailable', { retry_after_s: 5 })
        const stream = startStream(deps, reply, of, position, check)
        if (stream.raw.destroyed) return
        streams.add(stream)
        stream.raw.once('close', () => streams.delete(stream))
        schedule(0)
      } finally {
        starting.delete(of)
      }
    },
    close,
  }
}

/** Refuses a stream if the process, the caller or the merchant has too many. */
function requireRoom(open: readonly { caller_id: string; merchant_id: string }[], of: StreamRequest): void {
  if (open.length >= STREAMS_MAX) refuse('service_unavailable', { retry_after_s: 5 })
  const tooMany = (owner: string, most: number) => {
    const message = `${owner} can have ${most} open streams of events. Close one first.`
    refuse('rate_limited', { message, retry_after_s: 5 })
  }
  if (open.filter(({ caller_id }) => caller_id === of.caller_id).length >= STREAMS_PER_CALLER)
    tooMany('A key or person', STREAMS_PER_CALLER)
  if (open.filter(({ merchant_id }) => merchant_id === of.merchant_id).length >= STREAMS_PER_MERCHANT)
    tooMany('A merchant', STREAMS_PER_MERCHANT)
}

/**
 * Returns where a stream begins. Without `after`, the events that are committed now count as seen. The read ends before the client gets the
 * headers, so the client gets each event that commits after them.
 */
async function startPosition(deps: Deps, of: StreamRequest): Promise<Pick<OpenStream, 'from_id' | 'seen'>> {
  const now = deps.clock.now()
  const seen = new Set<string>()
  if (of.after !== null) {
    const resumed = rereadFrom(timeOfId(of.after), REREAD_MS)
    const oldest = oldestEventId(now)
    return { from_id: resumed < oldest ? oldest : resumed, seen }
  }
  const window_start = rereadFrom(now, REREAD_MS)
  let from_id = window_start
  for (;;) {
    const [found] = await scanEvents(deps.db, [streamPositionOf({ ...of, from_id }, 0)], IDS_MAX)
    for (const id of found?.ids ?? []) seen.add(id)
    if (found === undefined || found.scanned < IDS_MAX) return { from_id: window_start, seen }
    from_id = found.last_id
  }
}

/** Begins the answer. From here on, only this file writes to the connection. */
function startStream(
  deps: Deps,
  reply: FastifyReply,
  { after: _, ...of }: StreamRequest,
  position: Pick<OpenStream, 'from_id' | 'seen'>,
  check: () => Promise<void>,
): OpenStream {
  const now = deps.clock.now().getTime()
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
  const state = { is_catching_up: false, failures: 0, due_at: now, turn_at: now, read_at: now, sent_bytes: 0 }
  const stream = { ...of, ...position, ...state, read_bytes: 0, raw, check }
  write(stream, `retry: ${RETRY_MS}\n\n`)
  return stream
}

function write(stream: OpenStream, text: string): void {
  stream.raw.write(text)
  stream.sent_bytes += Buffer.byteLength(text)
}

function isSlow({ raw }: OpenStream): boolean {
  return raw.writableLength > WAITING_BYTES_MAX
}

/** Ends a stream. A client that has not read everything may never read the end, so the server destroys its connection. */
function endStream({ raw }: OpenStream): void {
  if (raw.writableLength > 0) return void raw.destroy()
  const { socket } = raw
  raw.end()
  socket?.destroySoon()
}

/** Sends a heartbeat to each stream. Ends the streams of callers who lost their rights, and of clients that do not read. */
function beat(deps: Deps, streams: Iterable<OpenStream>): void {
  const now = deps.clock.now().getTime()
  for (const stream of streams) {
    const waiting = stream.raw.writableLength
    const read_bytes = stream.sent_bytes - waiting
    if (waiting === 0 || read_bytes > stream.read_bytes) stream.read_at = now
    stream.read_bytes = read_bytes
    if (now - stream.read_at >= UNREAD_MS) {
      stream.raw.destroy()
      continue
    }
    write(stream, ': heartbeat\n\n')
    stream.check().catch((error) => {
      if (error instanceof Refusal) return endStream(stream)
      deps.log.warn(
        { component: 'webhooks', err: error },
        'the server could not check the rights of a stream of events',
      )
    })
  }
}

function isBehind({ from_id }: OpenStream, now: number): boolean {
  return from_id < rereadFrom(new Date(now), BEHIND_MS)
}

/** Gives a turn to the streams that wait longest, each with its own statements. */
function catchUpSome(deps: Deps, streams: Iterable<OpenStream>, behind: readonly OpenStream[]): void {
  const now = deps.clock.now().getTime()
  const free = CATCHING_UP_MAX - [...streams].filter(({ is_catching_up }) => is_catching_up).length
  const due = behind.filter(({ due_at }) => due_at <= now).sort((a, b) => a.turn_at - b.turn_at)
  for (const stream of due.slice(0, free)) void catchUp(deps, stream)
}

/** Reads the next pages of one stream. A failure delays this stream only, and ends it if failures follow each other. */
async function catchUp(deps: Deps, stream: OpenStream): Promise<void> {
  stream.is_catching_up = true
  try {
    for (let reads = 0; reads < READS_PER_TURN; reads++) {
      const now = deps.clock.now().getTime()
      if (stream.raw.destroyed || isSlow(stream) || !isBehind(stream, now)) break
      await sendNew(deps, [stream])
      stream.failures = 0
    }
  } catch (error) {
    stream.failures++
    stream.due_at = deps.clock.now().getTime() + FAILED_MS
    deps.log.warn({ component: 'webhooks', err: error }, 'the server could not read the old events of a stream')
    if (stream.failures >= FAILURES_MAX) endStream(stream)
  } finally {
    stream.turn_at = deps.clock.now().getTime()
    stream.is_catching_up = false
  }
}

function streamPositionOf(
  { merchant_id, environment, event, from_id }: Omit<EventPosition, 'number'>,
  number: number,
): EventPosition {
  return { number, merchant_id, environment, event, from_id }
}

/**
 * Reads the new events of some streams and sends them. Returns true if a stream has more. A stream changes only after all reads, so that a
 * failed read loses no event.
 */
async function sendNew(deps: Deps, streams: readonly OpenStream[]): Promise<boolean> {
  if (streams.length === 0) return false
  const window_start = rereadFrom(deps.clock.now(), REREAD_MS)
  const scans = await scanEvents(deps.db, streams.map(streamPositionOf), IDS_MAX)
  const by_number = new Map(scans.map((scan) => [scan.number, scan]))
  const due = streams.map((stream, number) => {
    const scan = by_number.get(number)
    const fresh = (scan?.ids ?? []).filter((id) => !stream.seen.has(id))
    const sent = fresh.slice(0, SENT_MAX)
    const is_cut = sent.length < fresh.length
    const is_full = is_cut || scan?.scanned === IDS_MAX
    // A full page continues at its last id. After the last page, the stream reads the window again.
    const next = (is_cut ? sent.at(-1) : is_full ? scan?.last_id : undefined) ?? window_start
    return { stream, sent, is_full, next }
  })
  const keys = due.flatMap(({ stream: { merchant_id, environment }, sent }) =>
    sent.map((id) => ({ merchant_id, environment, id })),
  )
  const events = keys.length === 0 ? [] : await readEvents(deps.db, keys)
  const by_id = new Map(events.map((event) => [event.id, event]))
  for (const { stream, sent, next } of due) {
    for (const event of inEventOrder(sent.flatMap((id) => by_id.get(id) ?? []))) {
      write(stream, eventText(event))
      stream.seen.add(event.id)
    }
    stream.from_id = next
    for (const id of stream.seen) if (id < window_start && id < next) stream.seen.delete(id)
  }
  return due.some(({ is_full }) => is_full)
}

/** Returns the text of one server-sent event. The data has the exact body that endpoints receive. */
function eventText({ id, event, environment, created_at, body }: StoredEvent): string {
  const head = JSON.stringify({ id, event, environment, created_at: created_at.toISOString() }).slice(0, -1)
  return `id: ${id}\nevent: ${event}\ndata: ${head},"data":${body}}\n\n`
}
