// Sends finished spans to an OpenTelemetry receiver with OTLP over HTTP, in JSON. The queue has a maximum size. If the receiver
// does not answer, the process drops spans and counts them. No request waits for the receiver.

import type { Deps } from '../db/index.ts'
import { createTracer, type FinishedSpan, noTracer, type SpanKind, type Tracer } from '../lib/index.ts'
import { createOutgoing, type Outgoing } from './outgoing.ts'

const QUEUE_MAX = 4_096
const BATCH_MAX = 512
const EVERY_MS = 2_000
const TIMEOUT_MS = 5_000
/** The longest time in milliseconds to send the last spans when the process stops. */
const CLOSE_MS = 3_000
const KINDS: Record<SpanKind, number> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }
const FAILED = 2

/** The dependencies that traces need. */
type TracingDeps = Pick<Deps, 'config' | 'clock' | 'random' | 'log' | 'process_id'>

/**
 * Makes the tracer of a process from its settings. Without OTEL_EXPORTER_OTLP_ENDPOINT, the process makes no spans. The
 * operator chooses the receiver, so it may have a private address.
 */
export function createTracing(deps: TracingDeps): Tracer {
  const { config, clock, random } = deps
  if (config.otel_exporter_otlp_endpoint === '') return noTracer
  const queue = createSpanQueue(deps, createOutgoing({ allow_private: true }))
  return createTracer({ clock, random, ratio: config.otel_traces_sampler_arg, ...queue })
}

/** Makes the queue of finished spans, and the function that sends the rest of the queue at the end. */
function createSpanQueue(deps: TracingDeps, outgoing: Outgoing) {
  const { config, clock } = deps
  const url = `${config.otel_exporter_otlp_endpoint}/v1/traces`
  const headers = ['content-type', 'application/json', ...[...config.otel_exporter_otlp_headers].flat()]
  const resource = resourceOf(deps)
  const losses = createLosses(deps)
  let waiting: FinishedSpan[] = []
  let sending: Promise<void> | null = null
  let cancelTimer: (() => void) | null = null

  const sendOne = async (spans: readonly FinishedSpan[]) => {
    const { status_code, error } = await outgoing.post(url, headers, exportBody(resource, spans), TIMEOUT_MS)
    if (error === null && status_code !== null && status_code >= 200 && status_code < 300) losses.end()
    else losses.add(spans.length, error ?? `status ${status_code}`)
  }
  const sendAll = async () => {
    while (waiting.length > 0) await sendOne(waiting.splice(0, BATCH_MAX))
  }
  const flush = (): Promise<void> => {
    cancelTimer?.()
    cancelTimer = null
    sending ??= sendAll().finally(() => {
      sending = null
    })
    return sending
  }
  return {
    take(span: FinishedSpan): void {
      if (waiting.length >= QUEUE_MAX) {
        losses.add(1, 'the queue of spans is full')
        return
      }
      waiting.push(span)
      if (waiting.length >= BATCH_MAX) void flush()
      else cancelTimer ??= clock.after(EVERY_MS, () => void flush())
    },
    async close(): Promise<void> {
      let cancel = () => {}
      const timeout = new Promise<void>((resolve) => {
        cancel = clock.after(CLOSE_MS, resolve)
      })
      await Promise.race([flush().then(flush), timeout])
      cancel()
      if (waiting.length > 0) losses.add(waiting.length, 'the process stopped')
      waiting = []
      losses.end()
      await outgoing.close()
    },
  }
}

/**
 * Counts dropped spans. Logs one line when the first span is lost, and one line with the number of lost spans when the losses
 * end.
 */
function createLosses({ log }: Pick<Deps, 'log'>) {
  let dropped = 0
  return {
    add(count: number, problem: string): void {
      if (dropped === 0)
        log.warn(
          { component: 'http', problem },
          'the receiver of traces does not take spans, so the server drops them: check OTEL_EXPORTER_OTLP_ENDPOINT and the receiver',
        )
      dropped += count
    },
    end(): void {
      if (dropped > 0) log.warn({ component: 'http', dropped }, 'the server dropped spans of traces')
      dropped = 0
    },
  }
}

function resourceOf({ config, process_id }: TracingDeps): object {
  return {
    attributes: attributesOf({
      'service.name': config.otel_service_name,
      'service.instance.id': process_id,
      'malipo.process': config.process,
    }),
  }
}

/** Returns the body of an export request: ExportTraceServiceRequest in the JSON form of OTLP. */
function exportBody(resource: object, spans: readonly FinishedSpan[]): string {
  return JSON.stringify({
    resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'malipo' }, spans: spans.map(otlpSpan) }] }],
  })
}

function otlpSpan(span: FinishedSpan): object {
  return {
    traceId: span.trace_id,
    spanId: span.span_id,
    ...(span.parent_id === null ? {} : { parentSpanId: span.parent_id }),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanosecondsOf(span.started_at_ms),
    endTimeUnixNano: nanosecondsOf(span.ended_at_ms),
    attributes: attributesOf(span.attributes),
    status: span.failed ? { code: FAILED } : {},
  }
}

function nanosecondsOf(ms: number): string {
  const whole = Math.floor(ms)
  return `${BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1_000_000))}`
}

function attributesOf(attributes: Readonly<Record<string, string | number>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))
}
