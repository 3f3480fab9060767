// Reads the stream of events. If the connection ends, the stream continues after the last event.

import type * as Api from './api-types.ts'
import { MalipoError, NoAnswerError } from './errors.ts'
import { type Http, sleep } from './request.ts'

/** The options of a stream. */
export type EventStreamOptions = {
  /** Only this event, such as `collection.success`. */
  event?: Api.ListEventsFilters['event'] | undefined
  /** The id of the last event that your program has processed. Without it, the stream begins with the next event. */
  after?: string | undefined
  /** Ends the stream when the signal is aborted. */
  signal?: AbortSignal | undefined
}

/** An event of the stream. `data` is the body that an endpoint receives. */
export type EventOfStream = Omit<Api.ListEventsAnswer['items'][number], 'data'> & { data: Api.WebhookEvent }

/** The server sends a comment every 5 seconds. */
const SILENCE_MS = 15_000
const WAIT_S_MAX = 10
/** The server repeats the events of 30 seconds after an interruption. */
const IDS_MAX = 10_000
const NO_EVENT = '00000000-0000-0000-0000-000000000000'

/**
 * Yields each event once. If the first connection fails, or if the server refuses the key, throws the error. Later the stream connects
 * again for as long as it takes.
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
      // Without a position, an interruption before the first event would lose events.
      if (last === undefined) {
        const { items } = await http.get<Api.ListEventsAnswer>('/v1/events', { page_size: 1 }, options)
        start = items[0]?.id ?? NO_EVENT
        last = start
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

/** Reads the events of one connection. A connection without a byte for `silence_ms` ends. */
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
