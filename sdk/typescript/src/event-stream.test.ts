// Tests the stream of events against scripted connections. tests/readme.test.ts reads the stream of a real server.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEventStream } from './event-stream.ts'
import { AuthenticationError, Malipo, NoAnswerError } from './index.ts'
import { checkedSettings } from './options.ts'
import { createHttp } from './request.ts'

const apiKey = 'service_sandbox_conformanceConformanceConforma1234'
const options = { apiKey, baseUrl: 'https://api.example.com', maxRetries: 0 }
const STREAM = { headers: { 'content-type': 'text/event-stream; charset=utf-8' } }

const eventText = (id: string) =>
  `id: ${id}\ndata: {"id":"${id}","event":"collection.success","environment":"sandbox","created_at":"2026-01-05T09:00:00.000Z","data":{"event":"collection.success"}}\n\n`

/** Makes an answer whose body sends these texts, and then ends. If `is_silent` is true, the body never ends. */
function connection(texts: readonly string[], is_silent = false): Response {
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      for (const text of texts) stream.enqueue(new TextEncoder().encode(text))
      if (!is_silent) stream.close()
    },
  })
  return new Response(body, STREAM)
}

const list = (...ids: string[]) => Response.json({ success: true, data: { items: ids.map((id) => ({ id })) } })
const refusal = (status: number, code: string) =>
  Response.json({ success: false, error: { code, message: 'No.', details: null } }, { status })

/** Makes a fetch that returns these answers one after another, and the list of the requested addresses. */
function answering(...answers: (() => Response)[]) {
  const sent: string[] = []
  const fetch = async (url: unknown) => {
    sent.push(String(url).slice(options.baseUrl.length))
    const answer = answers[sent.length - 1]
    if (answer === undefined) throw new TypeError('fetch failed')
    return answer()
  }
  return { sent, fetch: fetch as typeof globalThis.fetch }
}

async function take(events: AsyncIterable<{ id: string }>, count: number): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of events) if (ids.push(id) === count) break
  return ids
}

test('a new stream yields only events that commit after its start, each once over all its connections', async () => {
  const { sent, fetch } = answering(
    () => list('e4', 'e2'),
    // The event e3 commits after the list, and its id is smaller than the id of the newest event.
    () =>
      connection([
        'retry: 1000\n\n',
        eventText('e2'),
        eventText('e3'),
        eventText('e4'),
        eventText('e5').slice(0, 20),
        eventText('e5').slice(20),
      ]),
    () => refusal(503, 'service_unavailable'),
    () => connection([eventText('e4'), ': heartbeat\n\n', eventText('e5'), `${eventText('e6')}${eventText('e55')}`]),
    () => connection([eventText('e7')]),
  )
  const { events } = new Malipo({ ...options, fetch })
  assert.deepEqual(await take(events.stream({ event: 'collection.success' }), 5), ['e3', 'e5', 'e6', 'e55', 'e7'])
  assert.deepEqual(sent, [
    '/v1/events?page=1&page_size=100',
    '/v1/events/stream?event=collection.success&after=e4',
    '/v1/events/stream?event=collection.success&after=e5',
    '/v1/events/stream?event=collection.success&after=e5',
    '/v1/events/stream?event=collection.success&after=e6',
  ])
})

test('a new stream first reads the events of the last half minute, and at most ten pages', async () => {
  const idAt = (ms: number, n: number) => {
    const time = (1_800_000_000_000 + ms).toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-8000-8000-${String(n).padStart(12, '0')}`
  }
  const pageOf = (newest_ms: number, every_ms: number) => () =>
    list(...Array.from({ length: 100 }, (_, i) => idAt(newest_ms - i * every_ms, i)))
  const late = idAt(90_500, 1)
  const slow = answering(pageOf(100_000, 400), () => connection([eventText(idAt(100_000, 0)), eventText(late)]))
  assert.deepEqual(await take(new Malipo({ ...options, fetch: slow.fetch }).events.stream(), 1), [late])
  assert.equal(slow.sent.length, 2)

  const pages = Array.from({ length: 10 }, (_, page) => pageOf(100_000 - page * 100, 1))
  const next = idAt(100_001, 0)
  const busy = answering(...pages, () =>
    connection([eventText(idAt(70_000, 0)), eventText(idAt(99_500, 0)), eventText(next)]),
  )
  assert.deepEqual(await take(new Malipo({ ...options, fetch: busy.fetch }).events.stream(), 1), [next])
  assert.deepEqual(busy.sent.slice(8, 10), ['/v1/events?page=9&page_size=100', '/v1/events?page=10&page_size=100'])
})

test('a stream that continues after an event does not yield that event again', async () => {
  const { sent, fetch } = answering(() => connection([eventText('e2'), eventText('e1'), eventText('e3')]))
  const { events } = new Malipo({ ...options, fetch })
  // The event e1 commits late, so the program has not received it.
  assert.deepEqual(await take(events.stream({ after: 'e2' }), 2), ['e1', 'e3'])
  assert.deepEqual(sent, ['/v1/events/stream?after=e2'])
})

test('a silent connection ends, and the stream connects again', async () => {
  const { sent, fetch } = answering(
    () => connection([eventText('e1')], true),
    () => connection([eventText('e2')], true),
  )
  const http = createHttp(checkedSettings({ ...options, fetch }))
  assert.deepEqual(await take(readEventStream(http, { after: 'e0' }, 30), 2), ['e1', 'e2'])
  assert.equal(sent.length, 2)
})

test('the first failure, a refused key, and an answer that is no stream end the stream with an error', async () => {
  const unreachable = answering()
  await assert.rejects(take(new Malipo({ ...options, fetch: unreachable.fetch }).events.stream(), 1), NoAnswerError)
  const revoked = answering(
    () => connection([eventText('e1')]),
    () => refusal(401, 'api_key_revoked'),
  )
  await assert.rejects(
    take(new Malipo({ ...options, fetch: revoked.fetch }).events.stream({ after: 'e0' }), 2),
    AuthenticationError,
  )
  const page = answering(() => new Response('<h1>Proxy</h1>', { headers: { 'content-type': 'text/html' } }))
  await assert.rejects(
    take(new Malipo({ ...options, fetch: page.fetch }).events.stream({ after: 'e0' }), 1),
    /answered with text\/html, not with a stream of events/,
  )
})

test('an aborted signal ends the stream without an error, immediately and between two connections', async () => {
  const stop = new AbortController()
  const { sent, fetch } = answering(
    () => connection([eventText('e1')]),
    () => {
      stop.abort()
      return refusal(503, 'service_unavailable')
    },
  )
  const { events } = new Malipo({ ...options, fetch })
  assert.deepEqual(await take(events.stream({ after: 'e0', signal: stop.signal }), 9), ['e1'])
  assert.deepEqual(await take(events.stream({ signal: AbortSignal.abort() }), 1), [])
  assert.equal(sent.length, 2)
})
