// Tests the rule of sampling, the header traceparent, and the spans of a trace.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from './clock.ts'
import { seededRandom } from './random.ts'
import { createTracer, type FinishedSpan, noTracer, readTraceparent, traceIdOf, traceparentOf } from './trace.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const SPAN_ID = 'b7ad6b7169203331'
const SAMPLED = `00-${TRACE_ID}-${SPAN_ID}-01`

function tracerOf(ratio: number) {
  const spans: FinishedSpan[] = []
  const tracer = createTracer({
    clock: systemClock,
    random: seededRandom('traces'),
    ratio,
    take: (span) => void spans.push(span),
    close: async () => {},
  })
  return { tracer, spans }
}

const HOSTILE = {
  'a missing header': undefined,
  'a repeated header': [SAMPLED, SAMPLED],
  'two headers that Node joined': `${SAMPLED}, ${SAMPLED}`,
  'an empty header': '',
  'a trace id of zeros': `00-${'0'.repeat(32)}-${SPAN_ID}-01`,
  'a span id of zeros': `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
  'capital letters': SAMPLED.toUpperCase(),
  'the forbidden version': `ff-${TRACE_ID}-${SPAN_ID}-01`,
  'version 00 with more fields': `${SAMPLED}-more`,
  'a short trace id': `00-${TRACE_ID.slice(1)}-${SPAN_ID}-01`,
  'a line end': `${SAMPLED}\n`,
  'text after it': `${SAMPLED} x`,
  'a key': `00-sk_live_aaaaaaaaaaaaaaaaaaaaaaaa-${SPAN_ID}-01`,
  'a million characters': '0'.repeat(1_000_000),
}

test('the server ignores an invalid traceparent and begins a trace of its own', () => {
  for (const [name, value] of Object.entries(HOSTILE)) {
    assert.equal(readTraceparent(value), null, name)
    const { tracer, spans } = tracerOf(1)
    tracer.begin('GET /x', value)?.end()
    assert.equal(spans[0]?.parent_id, null, name)
    assert.notEqual(spans[0]?.trace_id, TRACE_ID, name)
  }
})

test('a valid traceparent continues the trace of the caller, also with a later version', () => {
  for (const header of [SAMPLED, `01-${TRACE_ID}-${SPAN_ID}-01-more`, `00-${TRACE_ID}-${SPAN_ID}-ff`]) {
    const { tracer, spans } = tracerOf(1)
    const span = tracer.begin('POST /v1/x', header)
    assert.equal(traceIdOf(span?.context), TRACE_ID)
    span?.end()
    span?.end(true)
    assert.equal(spans.length, 1)
    assert.deepEqual([spans[0]?.trace_id, spans[0]?.parent_id, spans[0]?.failed], [TRACE_ID, SPAN_ID, false])
  }
})

test('a caller can prevent the sampling of a request, and cannot raise the share of sampled requests', () => {
  const share = (header: string | undefined) => {
    const { tracer } = tracerOf(0.1)
    return Array.from({ length: 10_000 }, () => tracer.begin('GET /x', header)).filter((span) => span !== null).length
  }
  const usual = share(undefined)
  assert.ok(usual > 850 && usual < 1_150, String(usual))
  // The trace id and the flag of the client do not change the share.
  assert.ok(Math.abs(share(SAMPLED) - usual) < 150)
  assert.equal(share(`00-${TRACE_ID}-${SPAN_ID}-00`), 0)
  assert.equal(tracerOf(0).tracer.begin('GET /x', SAMPLED), null)
  assert.ok(tracerOf(1).tracer.begin('GET /x', undefined) !== null)
})

test('a child span has the trace of its parent, and a request without a trace has no child spans', () => {
  const { tracer, spans } = tracerOf(1)
  const span = tracer.begin('POST /v1/x', SAMPLED)
  const child = tracer.child(span?.context, 'payment push', 'client', { 'malipo.provider': 'mock' })
  child?.set('malipo.answer', 'accepted')
  child?.end(true)
  assert.equal(traceparentOf(child?.context ?? ''), `00-${child?.context}-01`)
  assert.equal(spans[0]?.parent_id, span?.context.slice(33))
  assert.deepEqual(spans[0]?.attributes, { 'malipo.provider': 'mock', 'malipo.answer': 'accepted' })
  assert.equal(spans[0]?.failed, true)
  assert.equal(tracer.child(null, 'payment push', 'client'), null)
  assert.equal(tracer.child('broken', 'payment push', 'client'), null)
  assert.equal(noTracer.child(span?.context, 'payment push', 'client'), null)
})
