// Reads the stream of events. If the connection ends, the stream continues after the last event.

import type * as Api from './api-types.ts'
import { MalipoError, NoAnswerError } from './errors.ts'
import { type Http, sleep } from './request.ts'

/** The options of `events.stream`: the event to yield, the start of the stream, and a signal. Every option is optional. */
export type EventStreamOptions = {
  /** The only event that the stream yields, such as `collection.success`. By default, the stream yields every event. */
  event?: Api.ListEventsFilters['event'] | undefined
  /** The id of the last event that your program has processed. Without an id, the stream begins with the next event. */
  after?: string | undefined
  /** A signal that ends the stream when it is aborted. */
  signal?: AbortSignal | undefined
}

/** An event of the stream. `data` is the body that a webhook endpoint receives. */
export type EventOfStream = Omit<Api.ListEventsAnswer['items'][number], 'data'> & { data: Api.WebhookEvent }

/**
 * The longest time without a byte, in milliseconds. The server sends a comment every 5 seconds, so a longer silence means a
 * lost connection.
 */
const SILENCE_MS = 15_000
const WAIT_S_MAX = 10
/**
 * The number of event ids that a stream keeps. After an interruption, the server repeats the events of the last 30 seconds.
 */
const IDS_MAX = 10_000
const REPEATED_MS = 30_000
const NO_EVENT = '00000000-0000-0000-0000-000000000000'
/** The greatest number of pages of events that a new stream reads first, and the size of each page. */
const PAGES_MAX = 10
const PAGE_SIZE = 100

/**
 * Yields each event once. If the first connection fails, or if the failure is not retryable, such as a refused key, throws the
 * error. After any other failure, connects again without a limit.
 */
export async function* readEventStream(
  http: Http,
  { event, after, signal }: EventStreamOptions = {},
  silence_ms = SILENCE_MS,
): AsyncGenerator<EventOfStream, void, undefined> {
  const seen = new Set<string | undefined>([after])
  let last = after
  let start = ''
  for (let failures = -1; !signal?.aborted; ) {
    const ending = new AbortController()
    const end = () => ending.abort()
    signal?.addEventListener('abort', end)
    const options = { signal: ending.signal }
    try {
      // The stream needs the id of the newest event. Otherwise an interruption before the first event would lose events.
      if (last === undefined) {
        const { newest, oldest, ids } = await readRecent(http, options)
        for (const id of ids) seen.add(id)
        start = oldest
        last = newest
      }
      const response = await http.file('/v1/events/stream', { event, after: last }, options)
      failures = 0
      for await (const item of itemsOf(response, silence_ms)) {
        if (item.id <= start || seen.has(item.id)) continue
        seen.add(item.id)
        if (seen.size > IDS_MAX) seen.delete(seen.values().next().value)
        if (item.id > last) last = item.id
        yield item
      }
    } catch (error) {
      if (signal?.aborted) return
      if (failures < 0 || (error instanceof MalipoError && !error.isRetryable)) throw error
      failures++
    } finally {
      signal?.removeEventListener('abort', end)
      end()
    }
    await sleep(Math.min(WAIT_S_MAX, 2 ** failures) * (0.5 + Math.random() / 2), signal)
  }
}

/**
 * Reads the ids of recent events, because the server repeats these events at the start of a stream. An event that commits late
 * can have a smaller id, so the stream needs all ids. If `ids` has every repeated event, `oldest` is empty.
 */
async function readRecent(http: Http, options: { signal: AbortSignal }) {
  const ids: string[] = []
  for (let page = 1; page <= PAGES_MAX; page++) {
    const { items } = await http.get<Api.ListEventsAnswer>('/v1/events', { page, page_size: PAGE_SIZE }, options)
    for (const { id } of items) ids.push(id)
    const [newest = NO_EVENT] = ids
    const oldest = ids.at(-1) ?? NO_EVENT
    if (items.length < PAGE_SIZE || timeOf(newest) - timeOf(oldest) > REPEATED_MS) return { newest, oldest: '', ids }
  }
  return { newest: ids[0] as string, oldest: ids.at(-1) as string, ids }
}

/** Returns the time of an event id in milliseconds, from the first 48 bits of the id. */
const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** Yields the events of one connection. If no byte arrives for `silence_ms` milliseconds, the connection ends. */
async function* itemsOf(response: Response, silence_ms: number): AsyncGenerator<EventOfStream> {
  const type = response.headers.get('content-type')
  const reader = response.body?.getReader()
  if (reader === undefined || !type?.startsWith('text/event-stream')) {
    throw new NoAnswerError({
      code: 'no_answer',
      status: response.status,
      message: `The server answered with ${type}, not with a stream of events. Check baseUrl, and the proxies before the server.`,
      details: null,
      requestId: null,
      retryAfter: null,
      idempotencyKey: null,
      isRetryable: false,
      outcomeUnknown: false,
    })
  }
  const stop = () => void reader.cancel().catch(() => {})
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const timer = setTimeout(stop, silence_ms)
      const { done, value } = await reader.read().finally(() => clearTimeout(timer))
      if (done) return
      const parts = (text + decoder.decode(value, { stream: true })).split('\n\n')
      text = parts.pop() as string
      for (const part of parts) {
        const data = /^data: (.*)$/m.exec(part)?.[1]
        if (data !== undefined) yield JSON.parse(data) as EventOfStream
      }
    }
  } finally {
    stop()
  }
}
