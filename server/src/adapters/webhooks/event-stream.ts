// Streams events to merchants as server-sent events. Ids are not in the order of commits, because processes create an id before
// the commit and clocks differ. So each stream reads the last REREAD_MS again and sends each id once.

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
 * The period in milliseconds that a stream reads again. A statement ends within 12 seconds, an idle transaction within 10
 * seconds, and two clocks may differ by 5 seconds. If an event commits later than that, the stream misses the event.
 */
const REREAD_MS = 30_000
/** The pause in milliseconds between two reads while no stream has more events. */
const EVERY_MS = 500
/**
 * The pause between two heartbeats, in milliseconds. With each heartbeat, the server checks the rights of the caller again.
 */
const HEARTBEAT_MS = 5_000
/**
 * IDS_MAX is the greatest number of ids that one read scans for a stream. SENT_MAX is the greatest number of events that one
 * read sends to a stream.
 */
const IDS_MAX = 1_000
const SENT_MAX = 200
/** If the position of a stream is older than this, in milliseconds, the stream reads with its own statements. */
const BEHIND_MS = REREAD_MS + 10_000
/**
 * CATCHING_UP_MAX is the greatest number of streams that catch up at the same time. READS_PER_TURN is the greatest number of
 * reads in one turn of a stream.
 */
const CATCHING_UP_MAX = 4
const READS_PER_TURN = 20
/**
 * FAILED_MS is the pause of a stream after a failed read with its own statements, in milliseconds. After FAILURES_MAX
 * consecutive failures, the server ends the stream.
 */
const FAILED_MS = 5_000
const FAILURES_MAX = 3
/** The greatest number of open streams of a process. */
const STREAMS_MAX = 100
/** The greatest number of open streams of one API key or user in a process. */
export const STREAMS_PER_CALLER = 5
/** The greatest number of open streams of one merchant in a process. */
export const STREAMS_PER_MERCHANT = 10
/** If more than this number of bytes wait for a slow client, the server sends no further events to the client. */
const WAITING_BYTES_MAX = 1_048_576
/** If bytes wait and the client reads nothing for this time, in milliseconds, the server closes the connection. */
const UNREAD_MS = 30_000
/** The pause after which a client reconnects, in milliseconds. The server sends this value at the start of a stream. */
const RETRY_MS = 1_000

/**
 * The caller, the merchant and the event filter of a stream. `after` is the last event that the client received. Null as
 * `after` means that the stream starts now.
 */
export type StreamRequest = {
  caller_id: string
  merchant_id: string
  environment: Environment
  event: string | null
  after: string | null
}

type OpenStream = Omit<StreamRequest, 'after'> & {
  /** The id at which the next read begins, inclusive. */
  from_id: string
  /**
   * The ids of events of the last REREAD_MS that the server must not send, because the client has them or the stream started
   * later.
   */
  seen: Set<string>
  is_catching_up: boolean
  failures: number
  /**
   * The earliest time of the next own read, the time of the last turn, and the time at which the client last read. All are in
   * milliseconds.
   */
  due_at: number
  turn_at: number
  read_at: number
  sent_bytes: number
  read_bytes: number
  raw: FastifyReply['raw']
  /** If the caller has lost the right to read events, throws a Refusal. */
  check(): Promise<void>
}

/** The open streams of this process. */
export type EventStreams = {
  /** Answers a request with a stream. If the process, the caller or the merchant has too many streams, refuses. */
  open(reply: FastifyReply, of: StreamRequest, check: () => Promise<void>): Promise<void>
  /** Ends all streams. The server refuses later requests with service_unavailable. */
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
        // During the read, the process may have closed its streams, and the client its connection.
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

/**
 * If the process has too many streams, refuses with service_unavailable. If the caller or merchant has too many, refuses with
 * rate_limited.
 */
function requireRoom(open: readonly { caller_id: string; merchant_id: string }[], of: StreamRequest): void {
  if (open.length >= STREAMS_MAX) refuse('service_unavailable', { retry_after_s: 5 })
  const tooMany = (owner: string, most: number) => {
    const message = `${owner} can have ${most} open streams of events. Close a stream first.`
    refuse('rate_limited', { message, retry_after_s: 5 })
  }
  if (open.filter(({ caller_id }) => caller_id === of.caller_id).length >= STREAMS_PER_CALLER)
    tooMany('A key or user', STREAMS_PER_CALLER)
  if (open.filter(({ merchant_id }) => merchant_id === of.merchant_id).length >= STREAMS_PER_MERCHANT)
    tooMany('A merchant', STREAMS_PER_MERCHANT)
}

/**
 * Returns the start of a stream. If `after` is null, the stream skips all committed events. The server sends the headers after
 * this read, so the client gets each event of a later commit.
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

/** Sends the headers of a stream. After this call, only this file writes to the connection. */
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
    // The header tells proxies such as nginx not to buffer the stream.
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

/**
 * Ends a stream. If unsent bytes wait, the server destroys the connection, because a slow client may never read the end.
 */
function endStream({ raw }: OpenStream): void {
  if (raw.writableLength > 0) return void raw.destroy()
  const { socket } = raw
  raw.end()
  socket?.destroySoon()
}

/**
 * Sends a heartbeat to each stream. If the caller has lost the rights, or the client does not read, ends the stream.
 */
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

/** Starts own reads for the streams that have waited longest for a turn, up to CATCHING_UP_MAX. */
function catchUpSome(deps: Deps, streams: Iterable<OpenStream>, behind: readonly OpenStream[]): void {
  const now = deps.clock.now().getTime()
  const free = CATCHING_UP_MAX - [...streams].filter(({ is_catching_up }) => is_catching_up).length
  const due = behind.filter(({ due_at }) => due_at <= now).sort((a, b) => a.turn_at - b.turn_at)
  for (const stream of due.slice(0, free)) void catchUp(deps, stream)
}

/**
 * Reads the next events of one stream with its own statements. A failure delays only this stream. After FAILURES_MAX
 * consecutive failures, the server ends the stream.
 */
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
 * Reads the new events of the given streams and sends them. Returns true if a stream has more events. The positions change only
 * after all reads, so a failed read loses no event.
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
    // If the scan is full, the next read starts at the last id. Otherwise the stream reads the last REREAD_MS again.
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

/** Returns the text of one server-sent event. `data` contains the exact body that endpoints receive. */
function eventText({ id, event, environment, created_at, body }: StoredEvent): string {
  const head = JSON.stringify({ id, event, environment, created_at: created_at.toISOString() }).slice(0, -1)
  return `id: ${id}\nevent: ${event}\ndata: ${head},"data":${body}}\n\n`
}
