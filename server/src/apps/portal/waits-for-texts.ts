// What one payment waits for at this moment: the next step, who takes it, and until when.

import type { Status } from '../../money/collections/index.ts'

/** What a payment may wait for. */
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
type WaitsForWord = (typeof WAITS_FOR)[number]

/** The next step of a payment. Times are in the text as well. */
export type WaitsFor = {
  what: WaitsForWord
  text: string
  /** Since when it waits for this. Null: not recorded. */
  since: Date | null
  /** When the next step is due. Null: no clock decides it. */
  next_at: Date | null
  /** When the waiting ends by itself. Null: it does not. */
  until: Date | null
}

/** A try that is still open. */
export type OpenTry = {
  provider: string
  state: string
  due_at: Date
  deadline_at: Date
  sent_at: Date | null
  created_at: Date
  leased: boolean
}

/** All that decides what a payment waits for. `open`: of its tries that are due, the one with the earliest step. */
export type WaitsForFacts = {
  now: Date
  status: Status
  held_at: Date | null
  created_at: Date
  /** When its page may no longer be paid. Null: always, or it has no page. */
  expires_at: Date | null
  open: OpenTry | null
  /** When the open circuit of the next call is tried again. Null: the circuit is not open. */
  circuit_until: Date | null
}

/** What a payment waits for; null if nothing follows by itself. */
export function waitsFor(facts: WaitsForFacts): WaitsFor | null {
  const { status, open, held_at, created_at, expires_at } = facts
  if (status === 'pending_clearance') {
    const text = `Operators have to decide whose the money is. It is under review since ${at(held_at ?? created_at)}.`
    return { what: 'operator_review', text, since: held_at, next_at: null, until: null }
  }
  if (open !== null) return ofTry(facts, open)
  if (status !== 'created') return null
  const end = expires_at === null ? 'Its page has no end.' : `Its page can be paid until ${at(expires_at)}.`
  const text = `The payer has to choose how to pay. ${end}`
  return { what: 'payer_choice', text, since: created_at, next_at: null, until: expires_at }
}

function ofTry({ now, status, circuit_until }: WaitsForFacts, open: OpenTry): WaitsFor {
  const { provider, due_at, deadline_at, sent_at, created_at, leased, state } = open
  const ends = { next_at: due_at, until: deadline_at }
  // A decided payment keeps its status: only a payment that is under way fails at the deadline.
  const deadline = status === 'processing' ? ` Without an answer it fails at ${at(deadline_at)}.` : ''
  if (due_at <= now) {
    const text = `Its next step is due since ${at(due_at)}, and no worker has taken it.${deadline}`
    return { what: 'worker', text, since: due_at, ...ends }
  }
  if (leased) {
    const text = `A process calls ${provider} now. If it stops, another takes over at ${at(due_at)}.${deadline}`
    return { what: 'provider_call', text, since: null, ...ends }
  }
  if (circuit_until !== null) {
    const text = `The circuit of ${provider} is open until ${at(circuit_until)}: no call is made. The next step is due at ${at(due_at)}.${deadline}`
    return { what: 'circuit', text, since: null, ...ends }
  }
  if (status !== 'processing') {
    const text = `The payment is decided (${status}); another attempt may still be answered. ${provider} is asked again at ${at(due_at)}.`
    return { what: 'late_answer', text, since: sent_at ?? created_at, ...ends }
  }
  if (state === 'to_send') {
    const text = `The request is not known to have reached ${provider}. The next try is due at ${at(due_at)}.${deadline}`
    return { what: 'sending', text, since: created_at, ...ends }
  }
  const text = `The payer has to approve it until ${at(deadline_at)}. ${provider} is asked again at ${at(due_at)}.${deadline}`
  return { what: 'payer_approval', text, since: sent_at, ...ends }
}

function at(time: Date): string {
  return time.toISOString()
}
