// Describes the state of a payment, payout or webhook delivery for `admin explain`: the next actor and the next time. Texts
// show the time in Tanzania.

import { adminCommand, dayOf, showTime } from '../../kernel/lib/index.ts'

/** The output of `admin explain`. `since` and `next` are in UTC. Null means that the record has no such time. */
export type Explanation = {
  kind: 'payment' | 'payout' | 'webhook_delivery'
  status: string
  /**
   * The actor of the next step: payer, merchant, operator, worker, the receiver of the webhook, or a provider. Null means that
   * no step follows.
   */
  waiting_for: string | null
  since: string | null
  next: string | null
  story: string
}

/**
 * The open step of a payment or payout at its provider. If a process holds the lease, `due_at` is the end of the lease.
 */
export type OpenStep = {
  provider: string
  state: string
  asks: number
  due_at: Date
  deadline_at: Date
  lease_owner: string | null
  sent_at: Date | null
  created_at: Date
}

/** The facts of a payment. `since` is the time of its last status. Null means that the status has never changed. */
export type ExplainedPayment = {
  status: string
  created_at: Date
  since: Date | null
  failure_reason_code: string | null
  open: OpenStep | null
}

/**
 * The facts of a payout. `hold` is the reason why the server does not send the payout now. Null means that there is no such
 * reason.
 */
export type ExplainedPayout = ExplainedPayment & {
  status_reason: string | null
  approvals_required: number | null
  hold: string | null
}

/** The facts of a webhook delivery, with its last attempt. */
export type ExplainedDelivery = {
  status: string
  event: string
  attempts: number
  due_at: Date | null
  lease_owner: string | null
  created_at: Date
  updated_at: Date
  last_at: Date | null
  last_status_code: number | null
  last_error: string | null
}

/** The actor of the next step, its times, and sentences about the step. */
type Step = { waiting_for: string | null; since: Date | null; next: Date | null; sentences: string[] }

const ZONE = 'Times: Africa/Dar_es_Salaam.'

function explanation(kind: Explanation['kind'], status: string, step: Step): Explanation {
  return {
    kind,
    status,
    waiting_for: step.waiting_for,
    since: step.since?.toISOString() ?? null,
    next: step.next?.toISOString() ?? null,
    story: [...step.sentences, ZONE].join(' '),
  }
}

/**
 * Returns a function that shows a time of Tanzania. If the time is on the day of `now`, the function shows only hours and
 * minutes.
 */
function clockOf(now: Date): (time: Date) => string {
  return (time) => {
    const [date, minutes = ''] = showTime(time, 'en').replace(' (EAT)', '').split(', ')
    return dayOf(time) === dayOf(now) ? minutes : `${date}, ${minutes}`
  }
}

const providerTitle = (provider: string) => provider.charAt(0).toUpperCase() + provider.slice(1)
const times = (count: number) => (count === 1 ? '1 time' : `${count} times`)

/** Describes the status and the next step of a payment at the time `now`. */
export function explainPayment(facts: ExplainedPayment, now: Date): Explanation {
  return explanation('payment', facts.status, paymentStep(facts, now))
}

function paymentStep({ status, created_at, since, failure_reason_code, open }: ExplainedPayment, now: Date): Step {
  const at = clockOf(now)
  const from = since ?? created_at
  if (status === 'pending_clearance') {
    const sentences = [
      `The provider took money, and the payment has been under review since ${at(from)}.`,
      'An operator must approve or decline the payment in the list of payments under review.',
    ]
    return { waiting_for: 'operator', since: from, next: null, sentences }
  }
  if (open !== null) {
    const step = providerStep(open, now)
    const decided = `The payment has had the status ${status} since ${at(from)}, but another attempt is open.`
    const deadline = `Without an answer the payment fails at the deadline, ${at(open.deadline_at)}.`
    const sentences = status === 'processing' ? [...step.sentences, deadline] : [decided, ...step.sentences]
    return { ...step, sentences }
  }
  if (status === 'created') {
    const sentences = [
      `Since ${at(from)}, the payer has not chosen a method. The server has sent no request to a provider.`,
    ]
    return { waiting_for: 'payer', since: from, next: null, sentences }
  }
  if (status === 'processing') return lostStep(from, at)
  const why = failure_reason_code === null ? '' : ` The reason is ${failure_reason_code}.`
  return finished(from, `The payment has had the status ${status} since ${at(from)}.${why} Nothing more happens.`)
}

const finished = (since: Date, sentence: string): Step => ({
  waiting_for: null,
  since,
  next: null,
  sentences: [sentence],
})

/** Explains a record in processing without a next step, which contradicts the rules of the data. */
function lostStep(since: Date, at: (time: Date) => string): Step {
  const sentences = [
    `The record has been in processing since ${at(since)}, but no step is due. Run "${adminCommand('verify')}".`,
  ]
  return { waiting_for: 'operator', since, next: null, sentences }
}

/** Describes the next step at a provider: in progress, overdue, not sent, or a later query. */
function providerStep(open: OpenStep, now: Date): Step {
  const at = clockOf(now)
  const provider = providerTitle(open.provider)
  const since = open.sent_at ?? open.created_at
  if (open.lease_owner !== null && open.due_at > now) {
    const sentences = [
      `Process ${open.lease_owner} calls ${provider} now.`,
      `If this process stops, another process takes over at ${at(open.due_at)}.`,
    ]
    return { waiting_for: open.provider, since, next: open.due_at, sentences }
  }
  if (open.due_at <= now) {
    const sentences = [
      `The next step has been overdue since ${at(open.due_at)}, and no worker has taken it.`,
      `Check that a worker runs: "${adminCommand('doctor')}".`,
    ]
    return { waiting_for: 'worker', since: open.due_at, next: open.due_at, sentences }
  }
  if (open.state === 'to_send') {
    const sentences = [
      `The server has not sent the request, or does not know whether ${provider} has the request. The next step is at ${at(open.due_at)}.`,
    ]
    return { waiting_for: 'worker', since: open.created_at, next: open.due_at, sentences }
  }
  const sentences = [
    `The server has waited for ${provider} since ${at(since)}, and has queried ${times(open.asks)}. The next query is at ${at(open.due_at)}.`,
  ]
  return { waiting_for: open.provider, since, next: open.due_at, sentences }
}

/** For each status that waits for a person, the person and a sentence about the next step. */
const PERSONS: Readonly<Record<string, { waiting_for: string; says: string }>> = {
  PENDING_ADMIN_APPROVAL: { waiting_for: 'operator', says: 'An operator must approve or reject the payout.' },
  INFO_REQUESTED: { waiting_for: 'merchant', says: 'The merchant must answer the question of the operator.' },
  NEEDS_RECONCILIATION: {
    waiting_for: 'operator',
    says: 'The outcome is not known. An operator must compare the payout with the statement of the provider and resolve it.',
  },
  BLOCKED_IP_WHITELIST: {
    waiting_for: 'operator',
    says: 'The provider refuses the platform: its address, credentials or float. After the correction, an operator must retry the payout.',
  },
  NEEDS_ADMIN_ATTENTION: {
    waiting_for: 'operator',
    says: 'An operator must compare the payout with the statement of the provider and resolve it.',
  },
}

/** Describes the status and the next step of a payout at the time `now`. */
export function explainPayout(facts: ExplainedPayout, now: Date): Explanation {
  return explanation('payout', facts.status, payoutStep(facts, now))
}

function payoutStep(facts: ExplainedPayout, now: Date): Step {
  const { status, created_at, since, failure_reason_code, status_reason, approvals_required, hold, open } = facts
  const at = clockOf(now)
  const from = since ?? created_at
  const person = PERSONS[status]
  if (person !== undefined) {
    const second = status === 'PENDING_ADMIN_APPROVAL' && (approvals_required ?? 1) > 1
    const sentences = [
      `The payout has had the status ${status} since ${at(from)}.`,
      second ? 'One operator has approved the payout; another operator must approve it too.' : person.says,
      ...(open === null ? [] : [`The server queries ${providerTitle(open.provider)} again at ${at(open.due_at)}.`]),
      ...(status_reason === null ? [] : [`Note: ${status_reason}`]),
    ]
    return { waiting_for: person.waiting_for, since: from, next: open?.due_at ?? null, sentences }
  }
  if (status !== 'PROCESSING') {
    const why = failure_reason_code === null ? '' : ` The reason is ${failure_reason_code}.`
    return finished(from, `The payout has had the status ${status} since ${at(from)}.${why} Nothing more happens.`)
  }
  if (open === null) return lostStep(from, at)
  const deadline = `At the deadline, ${at(open.deadline_at)}, an open payout becomes NEEDS_RECONCILIATION for operators.`
  if (hold !== null) {
    const sentences = [hold, `The server checks again at ${at(open.due_at)}.`, deadline]
    return { waiting_for: 'operator', since: from, next: open.due_at, sentences }
  }
  const step = providerStep(open, now)
  return { ...step, sentences: [...step.sentences, deadline] }
}

/** Describes the status and the next attempt of a webhook delivery at the time `now`. */
export function explainDelivery(facts: ExplainedDelivery, now: Date): Explanation {
  return explanation('webhook_delivery', facts.status, deliveryStep(facts, now))
}

function deliveryStep(facts: ExplainedDelivery, now: Date): Step {
  const { status, event, attempts, due_at, lease_owner, created_at, updated_at, last_at } = facts
  const at = clockOf(now)
  const last = last_at === null ? [] : [`The last attempt at ${at(last_at)} ${resultOf(facts)}.`]
  if (status !== 'pending' || due_at === null) {
    const hint = status === 'failed' ? ' The merchant can replay the delivery.' : ''
    return finished(
      updated_at,
      [`The event ${event} has had the status ${status} since ${at(updated_at)}.`, ...last].join(' ') + hint,
    )
  }
  const failed = attempts === 0 ? last : [`${attempts} failed attempt${attempts === 1 ? '' : 's'}.`, ...last]
  if (lease_owner !== null && due_at > now) {
    const sentences = [
      ...failed,
      `Process ${lease_owner} sends the event ${event} now, until ${at(due_at)} at the latest.`,
    ]
    return { waiting_for: 'receiver', since: created_at, next: due_at, sentences }
  }
  if (due_at <= now) {
    const overdue = `The event ${event} has been due since ${at(due_at)}, and no worker has taken it. Check that a worker runs: "${adminCommand('doctor')}".`
    return { waiting_for: 'worker', since: due_at, next: due_at, sentences: [...failed, overdue] }
  }
  const sentences = [...failed, `The server sends the event ${event} at ${at(due_at)}.`]
  return { waiting_for: 'receiver', since: last_at ?? created_at, next: due_at, sentences }
}

function resultOf({ last_status_code, last_error }: ExplainedDelivery): string {
  if (last_status_code !== null) return `got the status ${last_status_code}`
  return last_error === null ? 'was accepted' : `failed (${last_error})`
}
