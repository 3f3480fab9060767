// Builds the timeline of a collection or withdrawal. The timeline hides the names of operators and the provider's statuses of a
// payout.

import { CIRCUIT_OPEN } from '../../adapters/providers/breaker.ts'
import type { Reader } from '../../kernel/db/index.ts'
import type { WithdrawalDetail } from '../../money/withdrawals/index.ts'
import {
  PART_MAX,
  type RecordKey,
  readAttempts,
  readMoves,
  readOrigin,
  readPayout,
  readTransfers,
  readWebhooks,
  type TimelineAttemptRow,
  type TimelineMoveRow,
  type TimelinePayoutRow,
} from './timeline-read.ts'
import type { AttemptItem, RecordTimeline, TimelineItem } from './timeline-schema.ts'

/** A request of the request log that created or named a record. */
export type FoundRequest = {
  id: string
  request_id: string
  at: Date | string
  method: string
  path: string
  status: number
  duration_ms: number
}

/** Finds the requests of a merchant that created or named a record. */
export type RequestsOf = (merchant_id: string, resource_id: string) => Promise<readonly FoundRequest[]>

const noRequests: RequestsOf = async () => []

/** The facts of a collection that its timeline needs. */
export type TimelineCollection = RecordKey & { status: string; created_at: Date }

/** Reads the timeline of a collection. If `requestsOf` is missing, the timeline has no requests. */
export async function timelineOfCollection(
  reader: Reader,
  collection: TimelineCollection,
  requestsOf: RequestsOf = noRequests,
): Promise<RecordTimeline> {
  const source = { ...collection, source_type: 'collection' } as const
  const [requests, origin, attempts, moves, transfers, webhooks] = await Promise.all([
    requestsOf(collection.merchant_id, collection.id),
    readOrigin(reader, collection),
    readAttempts(reader, collection),
    readMoves(reader, collection),
    readTransfers(reader, source),
    readWebhooks(reader, source),
  ])
  const oldest_first_moves = [...moves.rows].reverse()
  const creation = creationItem({
    at: collection.created_at,
    to: oldest_first_moves[0]?.from_status ?? collection.status,
    actor: origin.by_payer ? 'payer' : 'merchant',
  })
  // If the query did not read the oldest status changes, the timeline omits the creation too.
  const statuses = [...(moves.has_more ? [] : [creation]), ...oldest_first_moves.map(moveItem)]
  return mergeItems(
    [
      requestItems(requests),
      statuses.slice(0, 1),
      attemptItems([...attempts.rows].reverse(), oldest_first_moves, origin.settled_attempt),
      statuses.slice(1),
      [...transfers.rows].reverse(),
      webhooks.rows,
    ],
    [attempts, moves, transfers, webhooks].some(({ has_more }) => has_more) || requests.length > PART_MAX,
  )
}

/** Reads the timeline of a withdrawal. If `requestsOf` is missing, the timeline has no requests. */
export async function timelineOfWithdrawal(
  reader: Reader,
  withdrawal: WithdrawalDetail,
  requestsOf: RequestsOf = noRequests,
): Promise<RecordTimeline> {
  const { id, merchant_id, history } = withdrawal
  const source = { id, merchant_id, source_type: 'withdrawal' } as const
  const [requests, payout, transfers, webhooks] = await Promise.all([
    requestsOf(merchant_id, id),
    readPayout(reader, source),
    readTransfers(reader, source),
    readWebhooks(reader, source),
  ])
  const creation = creationItem({
    at: new Date(withdrawal.created_at),
    to: history[0]?.from_status ?? withdrawal.status,
    actor: 'merchant',
  })
  const moves = history.map(({ at, from_status: from, to_status: to, by, message: reason }) => {
    const actor = by === 'operator' ? ('platform' as const) : by
    return { at, kind: 'status' as const, from, to, actor, reason }
  })
  // With equal times, the reservation follows the approval, and the result follows the answer of the provider.
  const is_decision = ({ from }: { from: string }) => from === 'PENDING_ADMIN_APPROVAL' || from === 'INFO_REQUESTED'
  const is_reservation = (item: TimelineItem) => item.kind === 'transfer' && item.credit === 'reserved'
  const oldest_first = [...transfers.rows].reverse()
  return mergeItems(
    [
      requestItems(requests),
      [creation],
      moves.filter(is_decision),
      oldest_first.filter(is_reservation),
      payout === null ? [] : payoutItems(payout, moves),
      moves.filter((move) => !is_decision(move)),
      oldest_first.filter((item) => !is_reservation(item)),
      webhooks.rows,
    ],
    transfers.has_more || webhooks.has_more || requests.length > PART_MAX,
  )
}

/** Merges the parts by time. If items have the same time, they keep the order of the parts. */
function mergeItems(parts: readonly (readonly TimelineItem[])[], has_more: boolean): RecordTimeline {
  const items = parts.flat().map((item, position) => ({ item, position, at: Date.parse(item.at) }))
  items.sort((a, b) => a.at - b.at || a.position - b.position)
  return { items: items.map(({ item }) => item), complete: !has_more }
}

function requestItems(requests: readonly FoundRequest[]): TimelineItem[] {
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

function creationItem({ at, to, actor }: { at: Date; to: string; actor: 'merchant' | 'payer' }): TimelineItem {
  return { at: at.toISOString(), kind: 'status', from: null, to, actor, reason: null }
}

const ACTORS = ['provider', 'deadline', 'payer'] as const

function moveItem({
  from_status: from,
  to_status: to,
  actor: stored_actor,
  reason,
  at,
}: TimelineMoveRow): TimelineItem {
  const actor = ACTORS.find((one) => one === stored_actor) ?? 'platform'
  // The merchant does not see an operator's reason about held money, because the reason may be a suspicion.
  return { at: at.toISOString(), kind: 'status', from, to, actor, reason: actor === 'platform' ? null : reason }
}

/** The statuses that a collection has only after a provider took money. */
const STATUSES_WITH_MONEY = ['successful', 'pending_clearance', 'reversed']

/**
 * Returns the steps of each attempt. The times of answers come from the status changes, because an attempt stores only its last
 * change, and a provider may repeat an answer. Without such a status change, a final attempt has the time of its last change.
 */
export function attemptItems(
  attempts: readonly TimelineAttemptRow[],
  moves: readonly TimelineMoveRow[],
  settled_attempt: number | null,
): AttemptItem[] {
  return attempts.flatMap((attempt, position) => {
    const next = attempts[position + 1]
    const answers = moves.filter(({ actor, to_status, at }) => {
      if (actor !== 'provider') return false
      if (STATUSES_WITH_MONEY.includes(to_status))
        return attempts.length === 1 || attempt.number === (settled_attempt ?? 1)
      return at >= attempt.created_at && (next === undefined || at < next.created_at)
    })
    const times = new Set(answers.map(({ at }) => at.getTime()))
    if (times.size === 0 && attempt.state === 'final') times.add(attempt.updated_at.getTime())
    return attemptSteps(attempt, [...times], attempt.provider_status)
  })
}

/** If the provider changes a withdrawal to one of these statuses, the provider has answered. */
const STATUSES_AFTER_ANSWER = ['SUCCESS', 'FAILED', 'REVERSED', 'BLOCKED_IP_WHITELIST', 'NEEDS_ADMIN_ATTENTION']

function payoutItems(
  payout: TimelinePayoutRow,
  moves: readonly { at: string; to: string; actor: string }[],
): AttemptItem[] {
  const answers = moves.filter(({ to, actor }) => actor === 'provider' && STATUSES_AFTER_ANSWER.includes(to))
  // Only operators see the provider's status of a payout, so the step has no status.
  return attemptSteps(
    { ...payout, number: 1, provider_status: null },
    answers.map(({ at }) => Date.parse(at)),
    null,
  )
}

function attemptSteps(
  attempt: TimelineAttemptRow,
  answered: readonly number[],
  newest_status: string | null,
): AttemptItem[] {
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
    // If the circuit was open, the process made no call, so the newest status is not a status of the provider.
    provider_status: i === steps.length - 1 && newest_status !== CIRCUIT_OPEN ? newest_status : null,
  }))
}
