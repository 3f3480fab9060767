// Reads the stream of events for the commands of the tool. If the stream ends, connects again.

import type { Api } from './api.ts'
import { Unreachable } from './api.ts'
import { Problem } from './problem.ts'
import { sleep } from './sleep.ts'

/** An event of the stream. `body` has the same bytes that a webhook endpoint receives. */
export type StreamedEvent = { id: string; event: string; created_at: string; body: string }

/**
 * The longest time without a byte. The server sends a comment every 5 seconds, so a longer silence means a lost connection.
 */
const SILENCE_MS = 15_000
const PAUSE_MS = 500
const PAUSE_MAX_MS = 10_000

/**
 * The options of `followEvents`. `event` is the name of the only event to read. If `event` is undefined, the stream has
 * all events.
 */
export type FollowOptions = {
  event?: string | undefined
  /** Returns the id of the last event that the caller has. Null means that the stream begins now. */
  after(): string | null
  onEvent(event: StreamedEvent): void
  /** When the stream opens, and before each pause between two connections, the tool calls this function. */
  onState(state: 'open' | 'waiting', reason: string): void
  signal: AbortSignal
}

/**
 * Reads the events of an account until `signal` aborts. If the server refuses the request, for example because of the key,
 * throws a Problem.
 */
export async function followEvents(api: Api, options: FollowOptions): Promise<void> {
  let pause_ms = PAUSE_MS
  while (!options.signal.aborted) {
    try {
      await readStream(api, options, () => {
        pause_ms = PAUSE_MS
      })
      options.onState('waiting', 'The server ended the stream.')
    } catch (error) {
      if (options.signal.aborted) return
      if (error instanceof Problem && !(error instanceof Unreachable) && !mayTryAgain(error)) throw error
      options.onState('waiting', (error as Error).message)
    }
    await sleep(pause_ms, options.signal)
    pause_ms = Math.min(PAUSE_MAX_MS, pause_ms * 2)
  }
}

/** Returns true if the server may accept the same request later. */
export function mayTryAgain(error: Problem): boolean {
  const { status } = error as { status?: number }
  return status === 429 || (status !== undefined && status >= 500)
}

async function readStream(api: Api, { event, after, onEvent, onState, signal }: FollowOptions, onOpen: () => void) {
  const stop = new AbortController()
  const abort = () => stop.abort()
  signal.addEventListener('abort', abort)
  let watchdog = setTimeout(abort, SILENCE_MS)
  try {
    const last_id = after()
    const headers = { accept: 'text/event-stream', ...(last_id === null ? {} : { 'last-event-id': last_id }) }
    const query = event === undefined ? '' : `?event=${encodeURIComponent(event)}`
    const response = await api.open(`/v1/events/stream${query}`, headers, stop.signal)
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      clearTimeout(watchdog)
      watchdog = setTimeout(abort, SILENCE_MS)
      text += decoder.decode(chunk, { stream: true })
      const parts = text.split('\n\n')
      text = parts.pop() as string
      for (const part of parts) {
        const found = eventIn(part)
        if (found !== null) onEvent(found)
        else if (part.startsWith('retry:')) {
          onOpen()
          onState('open', '')
        }
      }
    }
  } finally {
    clearTimeout(watchdog)
    signal.removeEventListener('abort', abort)
    stop.abort()
  }
}

const DATA = ',"data":'

/** Returns the event of a part of the stream. Null means that the part is a comment or a setting. */
export function eventIn(part: string): StreamedEvent | null {
  const line = part.split('\n').find((one) => one.startsWith('data: '))
  if (line === undefined) return null
  const text = line.slice('data: '.length)
  const at = text.indexOf(DATA)
  const { id, event, created_at } = JSON.parse(`${text.slice(0, at)}}`) as StreamedEvent
  return { id, event, created_at, body: text.slice(at + DATA.length, -1) }
}
