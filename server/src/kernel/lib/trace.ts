// Defines traces: spans with explicit contexts, the rule of sampling, and the W3C header traceparent. A request that the server
// does not sample has no context, and costs no more than the draw and a check for null.

import type { Clock } from './clock.ts'
import type { Random } from './random.ts'

/**
 * The trace id and the span id of a span in hexadecimal digits, with a hyphen between them. Rows store this text. Only sampled
 * traces have contexts.
 */
export type TraceContext = string

/** The role of a span, as OpenTelemetry names it. */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer'

/** A finished span. Times are milliseconds since 1970, with fractions. */
export type FinishedSpan = {
  trace_id: string
  span_id: string
  /** Null means that the span is the first of its trace. */
  parent_id: string | null
  name: string
  kind: SpanKind
  started_at_ms: number
  ended_at_ms: number
  attributes: Readonly<Record<string, string | number>>
  failed: boolean
}

/** A running span of a sampled trace. */
export type TraceSpan = {
  /** The context for the children of this span. */
  readonly context: TraceContext
  /** Replaces the name of the span. Names must have few different values. */
  rename(name: string): void
  /** Adds an attribute. The value must contain no personal data, secret or text from a client. */
  set(name: string, value: string | number): void
  /** Ends the span. A second call has no effect. */
  end(failed?: boolean): void
}

/** Makes the spans of a process. */
export type Tracer = {
  /** False means that the process makes no spans. */
  readonly is_on: boolean
  /**
   * Begins the span of a request. Null means that the server does not sample the request. A valid `traceparent` continues the
   * trace of the client. The client can prevent the sampling, but cannot cause it.
   */
  begin(name: string, traceparent: unknown): TraceSpan | null
  /**
   * Begins a child span of `parent`. Null as `parent` means that the trace is not sampled, and the result is null too.
   */
  child(
    parent: TraceContext | null | undefined,
    name: string,
    kind: SpanKind,
    attributes?: Readonly<Record<string, string | number>>,
  ): TraceSpan | null
  /** Sends the remaining spans, for a few seconds at most. */
  close(): Promise<void>
}

/** The tracer of a process that makes no spans. */
export const noTracer: Tracer = {
  is_on: false,
  begin: () => null,
  child: () => null,
  close: () => Promise.resolve(),
}

/** The input of a tracer. `take` receives each finished span and must not throw. */
export type TracerOptions = {
  clock: Clock
  random: Random
  /** The share of requests that the tracer samples, from 0 to 1. */
  ratio: number
  take(span: FinishedSpan): void
  close(): Promise<void>
}

/** Makes a tracer that samples a share of the requests. */
export function createTracer({ clock, random, ratio, take, close }: TracerOptions): Tracer {
  const newSpanId = () => hexOf(random.bytes(SPAN_ID_BYTES))
  const start = (
    trace_id: string,
    parent_id: string | null,
    name: string,
    kind: SpanKind,
    attributes: Record<string, string | number>,
  ): TraceSpan => {
    const span_id = newSpanId()
    const started_at_ms = clock.now().getTime()
    // The clock of the machine may step while the span runs, so a monotonic clock measures the duration.
    const began = performance.now()
    let current_name = name
    let ended = false
    return {
      context: `${trace_id}-${span_id}`,
      rename(next) {
        current_name = next
      },
      set(attribute, value) {
        attributes[attribute] = value
      },
      end(failed = false) {
        if (ended) return
        ended = true
        const ended_at_ms = started_at_ms + (performance.now() - began)
        take({ trace_id, span_id, parent_id, name: current_name, kind, started_at_ms, ended_at_ms, attributes, failed })
      },
    }
  }
  return {
    is_on: true,
    begin(name, traceparent) {
      if (!isDrawn(random, ratio)) return null
      const caller = readTraceparent(traceparent)
      if (caller?.sampled === false) return null
      if (caller !== null) return start(caller.trace_id, caller.span_id, name, 'server', {})
      return start(hexOf(random.bytes(TRACE_ID_BYTES)), null, name, 'server', {})
    },
    child(parent, name, kind, attributes = {}) {
      if (parent === null || parent === undefined) return null
      const [trace_id, parent_id] = parent.split('-')
      if (trace_id === undefined || parent_id === undefined) return null
      return start(trace_id, parent_id, name, kind, { ...attributes })
    },
    close,
  }
}

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8
const DRAW_BYTES = 4

/** Draws whether the server samples a request. The draw uses no value of the client. */
function isDrawn(random: Random, ratio: number): boolean {
  if (ratio <= 0 || ratio >= 1) return ratio >= 1
  const [a = 0, b = 0, c = 0, d = 0] = random.bytes(DRAW_BYTES)
  return (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) / 2 ** (8 * DRAW_BYTES) < ratio
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

/** The form of the header: version, trace id, span id and flags. Versions after 00 may add fields. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\x21-\x7e]{1,200})?$/
const ZEROS = /^0+$/
const SAMPLED_FLAG = 1

/** Reads the header `traceparent`. Null means that the header is missing or invalid, and that the server ignores it. */
export function readTraceparent(value: unknown): { trace_id: string; span_id: string; sampled: boolean } | null {
  const found = typeof value === 'string' ? TRACEPARENT.exec(value) : null
  if (found === null) return null
  const [, version, trace_id = '', span_id = '', flags = '', more] = found
  if (ZEROS.test(trace_id) || ZEROS.test(span_id) || (version === '00' && more !== undefined)) return null
  return { trace_id, span_id, sampled: (Number.parseInt(flags, 16) & SAMPLED_FLAG) === SAMPLED_FLAG }
}

/** Returns the header `traceparent` for a request of this server in a sampled trace. */
export function traceparentOf(context: TraceContext): string {
  return `00-${context}-01`
}

/** Returns the trace id of a context, for log lines. Undefined means that there is no trace. */
export function traceIdOf(context: TraceContext | null | undefined): string | undefined {
  return context?.slice(0, 2 * TRACE_ID_BYTES)
}
