// The story of one payment or withdrawal, as its merchant may read it: what was asked, which tries there were, where it stood,
// what money moved and which events were sent. Who of the platform acted, and what a provider said of a payout, is left out.

import { CIRCUIT_OPEN } from '../../adapters/providers/breaker.ts'
import type { Reader } from '../../kernel/db/index.ts'
import type { WithdrawalDetail } from '../../money/withdrawals/index.ts'
import {
  type AttemptRow,
  attemptsOf,
  birthOf,
  type MoveRow,
  movesOf,
  PART_MAX,
  type PayoutRow,
  payoutOf,
  type Subject,
  transfersOf,
  webhooksOf,
} from './timeline-read.ts'
import type { AttemptItem, Timeline, TimelineItem } from './timeline-schema.ts'

/** A request that made or named a record, as the request log has it. */
export type FoundRequest = {
  id: string
  request_id: string
  at: Date | string
  method: string
  path: string
  status: number
  duration_ms: number
}

/** Finds the requests of a merchant that made or named a record. */
export type RequestsOf = (merchant_id: string, resource_id: string) => Promise<readonly FoundRequest[]>

/** Without a log of requests there are none. */
const noRequests: RequestsOf = async () => []

/** A payment, as far as its story begins with it. */
export type Begun = Subject & { status: string; created_at: Date }

/** What happened to a payment. */
export async function timelineOfCollection(
  reader: Reader,
  collection: Begun,
  requestsOf: RequestsOf = noRequests,
): Promise<Timeline> {
  const source = { ...collection, source_type: 'collection' } as const
  const [requests, birth, attempts, moves, transfers, webhooks] = await Promise.all([
    requestsOf(collection.merchant_id, collection.id),
    birthOf(reader, collection),
    attemptsOf(reader, collection),
    movesOf(reader, collection),
    transfersOf(reader, source),
    webhooksOf(reader, source),
  ])
  const story = [...moves.rows].reverse()
  const begin = beginning({
    at: collection.created_at,
    to: story[0]?.from_status ?? collection.status,
    actor: birth.by_payer ? 'payer' : 'merchant',
  })
  // Cut off, the oldest move that is shown is not the first.
  const statuses = [...(moves.cut ? [] : [begin]), ...story.map(statusOf)]
  return timeline(
    [
      presentRequests(requests),
      statuses.slice(0, 1),
      attemptItems([...attempts.rows].reverse(), story, birth.settled_attempt),
      statuses.slice(1),
      [...transfers.rows].reverse(),
      webhooks.rows,
    ],
    [attempts, moves, transfers, webhooks].some(({ cut }) => cut) || requests.length > PART_MAX,
  )
}

/** What happened to a withdrawal. */
export async function timelineOfWithdrawal(
  reader: Reader,
  withdrawal: WithdrawalDetail,
  requestsOf: RequestsOf = noRequests,
): Promise<Timeline> {
  const { id, merchant_id, history } = withdrawal
  const source = { id, merchant_id, source_type: 'withdrawal' } as const
  const [requests, payout, transfers, webhooks] = await Promise.all([
    requestsOf(merchant_id, id),
    payoutOf(reader, source),
    transfersOf(reader, source),
    webhooksOf(reader, source),
  ])
  const begin = beginning({
    at: new Date(withdrawal.created_at),
    to: history[0]?.from_status ?? withdrawal.status,
    actor: 'merchant',
  })
  const moves = history.map(({ at, from_status: from, to_status: to, by, message: reason }) => {
    const actor = by === 'operator' ? ('platform' as const) : by
    return { at, kind: 'status' as const, from, to, actor, reason }
  })
  return timeline(
    [
      presentRequests(requests),
      [begin],
      moves,
      [...transfers.rows].reverse(),
      payout === null ? [] : payoutItems(payout, moves),
      webhooks.rows,
    ],
    transfers.cut || webhooks.cut || requests.length > PART_MAX,
  )
}

/** Puts parts into one order: by time, and what bears one time in the order of the parts. */
function timeline(parts: readonly (readonly TimelineItem[])[], cut: boolean): Timeline {
  const items = parts.flat().map((item, place) => ({ item, place, at: Date.parse(item.at) }))
  items.sort((a, b) => a.at - b.at || a.place - b.place)
  return { items: items.map(({ item }) => item), complete: !cut }
}

function presentRequests(requests: readonly FoundRequest[]): TimelineItem[] {
  const newest = [...requests].sort((a, b) => timeAt(a) - timeAt(b)).slice(-PART_MAX)
  return newest.map((request) => {
    const { id, request_id, method, path, status, duration_ms } = request
    const at = new Date(timeAt(request)).toISOString()
    return { at, kind: 'request', id, request_id, method, path, status, duration_ms }
  })
}

function timeAt({ at }: FoundRequest): number {
  return at instanceof Date ? at.getTime() : Date.parse(at)
}

function beginning({ at, to, actor }: { at: Date; to: string; actor: 'merchant' | 'payer' }): TimelineItem {
  return { at: at.toISOString(), kind: 'status', from: null, to, actor, reason: null }
}

const ACTORS = ['provider', 'deadline', 'payer'] as const

function statusOf({ from_status: from, to_status: to, actor: who, reason, at }: MoveRow): TimelineItem {
  const actor = ACTORS.find((known) => known === who) ?? 'platform'
  // Why an operator decided so about held money is not for the merchant: it may be a suspicion.
  return { at: at.toISOString(), kind: 'status', from, to, actor, reason: actor === 'platform' ? null : reason }
}

/** Where a payment gets to when money was taken. */
const TAKEN = ['successful', 'pending_clearance', 'reversed']

/**
 * The steps of each try. When the provider answered is told by the moves that it made, because a try keeps only when
 * something was last heard of it, and the provider may repeat itself.
 */
export function attemptItems(
  attempts: readonly AttemptRow[],
  moves: readonly MoveRow[],
  settled_attempt: number | null,
): AttemptItem[] {
  return attempts.flatMap((attempt, place) => {
    const next = attempts[place + 1]
    const answers = moves.filter(({ actor, to_status, at }) => {
      if (actor !== 'provider') return false
      if (TAKEN.includes(to_status)) return attempts.length === 1 || attempt.number === (settled_attempt ?? 1)
      return at >= attempt.created_at && (next === undefined || at < next.created_at)
    })
    const times = new Set(answers.map(({ at }) => at.getTime()))
    if (times.size === 0 && attempt.state === 'final') times.add(attempt.updated_at.getTime())
    return stepsOf(attempt, [...times], attempt.provider_status)
  })
}

/** What a provider has answered of a payout when its withdrawal gets there. */
const ANSWERED = ['SUCCESS', 'FAILED', 'REVERSED', 'BLOCKED_IP_WHITELIST', 'NEEDS_ADMIN_ATTENTION']

function payoutItems(payout: PayoutRow, moves: readonly { at: string; to: string; actor: string }[]): AttemptItem[] {
  const answers = moves.filter(({ to, actor }) => actor === 'provider' && ANSWERED.includes(to))
  // What a provider said of a payout is for operators.
  return stepsOf(
    { ...payout, number: 1, provider_status: null },
    answers.map(({ at }) => Date.parse(at)),
    null,
  )
}

function stepsOf(attempt: AttemptRow, answered: readonly number[], word: string | null): AttemptItem[] {
  const { number, provider, method, provider_reference, created_at, sent_at } = attempt
  const steps = [
    { what: 'created' as const, at: created_at },
    ...(sent_at === null ? [] : [{ what: 'sent' as const, at: sent_at }]),
    ...answered.map((time) => ({ what: 'answered' as const, at: new Date(time) })),
  ]
  return steps.map(({ what, at }, i) => ({
    at: at.toISOString(),
    kind: 'attempt',
    number,
    what,
    provider,
    method,
    provider_reference,
    // Of a call that was not made the provider has said nothing.
    provider_status: i === steps.length - 1 && word !== CIRCUIT_OPEN ? word : null,
  }))
}
