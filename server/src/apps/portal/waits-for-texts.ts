// Describes the next step of a payment in one to three sentences, with its known times.

import type { Status } from '../../money/collections/index.ts'

/** The kinds of next steps of a payment. */
export const WAITS_FOR = [
  'payer_choice',
  'sending',
  'payer_approval',
  'provider_call',
  'worker',
  'circuit',
  'late_answer',
  'operator_review',
] as const
type WaitsForCode = (typeof WAITS_FOR)[number]

/** The next step of a payment. `text` describes the step in one to three sentences, with its known times. */
export type WaitsFor = {
  what: WaitsForCode
  text: string
  /** When the wait began. Null means that the server has no record of the time. */
  since: Date | null
  /** When the next step is due. Null means that the step has no fixed time. */
  next_at: Date | null
  /** When the wait ends without an action. Null means that the wait has no end time. */
  until: Date | null
}

/** An attempt whose next step at the provider has a due time. */
export type OpenAttempt = {
  provider: string
  state: string
  due_at: Date
  deadline_at: Date
  sent_at: Date | null
  created_at: Date
  leased: boolean
}

/**
 * The facts that decide the next step of a payment. `open` is the attempt with the earliest next step. Null means that no
 * attempt has a next step.
 */
export type WaitsForFacts = {
  now: Date
  status: Status
  held_at: Date | null
  created_at: Date
  /** When the page of the payment expires. Null means that the page never expires, or that the payment has no page. */
  expires_at: Date | null
  open: OpenAttempt | null
  /** When the open circuit of the next call permits a call again. Null means that the circuit is not open. */
  circuit_until: Date | null
}

/** Returns the next step of a payment. If the payment waits for nothing, returns null. */
export function waitsFor(facts: WaitsForFacts): WaitsFor | null {
  const { status, open, held_at, created_at, expires_at } = facts
  if (status === 'pending_clearance') {
    const text = `An operator must decide about the held money. The payment has been under review since ${at(held_at ?? created_at)}.`
    return { what: 'operator_review', text, since: held_at, next_at: null, until: null }
  }
  if (open !== null) return waitsForAttempt(facts, open)
  if (status !== 'created') return null
  const end = expires_at === null ? 'The page never expires.' : `The payer can pay on the page until ${at(expires_at)}.`
  const text = `The payer must choose a method. ${end}`
  return { what: 'payer_choice', text, since: created_at, next_at: null, until: expires_at }
}

function waitsForAttempt({ now, status, circuit_until }: WaitsForFacts, open: OpenAttempt): WaitsFor {
  const { provider, due_at, deadline_at, sent_at, created_at, leased, state } = open
  const times = { next_at: due_at, until: deadline_at }
  // Only a payment in processing fails at the deadline.
  const deadline = status === 'processing' ? ` Without an answer the payment fails at ${at(deadline_at)}.` : ''
  if (due_at <= now) {
    const text = `The next step has been overdue since ${at(due_at)}: no worker has claimed the step.${deadline}`
    return { what: 'worker', text, since: due_at, ...times }
  }
  if (leased) {
    const text = `A process calls ${provider} now. If this process stops, another process takes over at ${at(due_at)}.${deadline}`
    return { what: 'provider_call', text, since: null, ...times }
  }
  if (circuit_until !== null) {
    const text = `The circuit of ${provider} is open until ${at(circuit_until)}, so the server makes no call. The next step is due at ${at(due_at)}.${deadline}`
    return { what: 'circuit', text, since: null, ...times }
  }
  if (status !== 'processing') {
    const text = `The payment is decided (${status}), but ${provider} may still answer another attempt. The server queries ${provider} again at ${at(due_at)}.`
    return { what: 'late_answer', text, since: sent_at ?? created_at, ...times }
  }
  if (state === 'to_send') {
    const text = `${provider} may not have the request yet. The next step is due at ${at(due_at)}.${deadline}`
    return { what: 'sending', text, since: created_at, ...times }
  }
  const text = `The payer can approve until ${at(deadline_at)}. The server queries ${provider} again at ${at(due_at)}.${deadline}`
  return { what: 'payer_approval', text, since: sent_at, ...times }
}

function at(time: Date): string {
  return time.toISOString()
}
