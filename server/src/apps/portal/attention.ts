// Lists the problems of a merchant for the first page of the dashboard. They concern webhooks, withdrawals, held payments, the
// success rate, the balance, and keys that expire.

import { balanceMarkMinor } from '../../access/merchants/index.ts'
import { failingAddress, presentFailing, troubledEndpoints } from '../../adapters/webhooks/index.ts'
import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { DAY_MS, dayNumber, formatAmount, startOfDay } from '../../kernel/lib/index.ts'
import { readSlotSums, type SlotSum } from '../../money/collections/index.ts'
import type { AttentionView } from './attention-schema.ts'

/** The merchant and the environment whose problems the server lists. */
export type AttentionOwner = { merchant_id: string; environment: Environment }
type AttentionItem = AttentionView['items'][number]

/** The highest number of rows that the server counts for each kind. */
const COUNT_MAX = 1_000
/** The list contains a key from this number of days before the key expires. */
const KEY_WARNING_DAYS = 14
/** The number of days before today with which the server compares the success rate of today. */
const COMPARED_DAYS = 7
/** If fewer payments have ended today or on the days before, the server does not compare the two rates. */
const RATED_MIN = { today: 20, before: 50 }
/** If the rate of today is at least this many percentage points below the earlier rate, the rate is low. */
const RATE_DROP = 10

const READ = sql(
  'attention_read',
  `select h.held_count, h.held_since, coalesce((
       select balance_minor from ledger_accounts where merchant_id = $1 and environment = $2 and code = 'held'), 0)::bigint
       as held_minor, coalesce((
       select balance_minor from ledger_accounts where merchant_id = $1 and environment = $2 and code = 'available'), 0)::bigint
       as available_minor, k.key_count, k.key_at
   from (
     select count(*)::int as held_count, min(held_at) as held_since from (
       select held_at from held_collections where merchant_id = $1 and environment = $2 and decided_at is null
       limit ${COUNT_MAX}) held
   ) h cross join (
     select count(*)::int as key_count, min(expires_at) as key_at from (
       select expires_at from api_keys where merchant_id = $1 and environment = $2 and revoked_at is null
         and expires_at > $3 and expires_at <= $4 limit ${COUNT_MAX}) keys
   ) k`,
)

const WITHDRAWALS = sql(
  'attention_withdrawals',
  `select w.status, count(*)::int as count, min(w.updated_at) as since, sum(w.amount_minor)::bigint as amount_minor from (
     select status, updated_at, amount_minor from withdrawals where merchant_id = $1 and environment = $2
       and status in ('INFO_REQUESTED', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'NEEDS_ADMIN_ATTENTION')
     limit ${COUNT_MAX}) w
   group by w.status order by w.status = 'INFO_REQUESTED' desc, w.status`,
)

type AttentionRow = {
  held_count: number
  held_since: Date | null
  held_minor: bigint
  available_minor: bigint
  key_count: number
  key_at: Date | null
}
type WaitingWithdrawals = { status: string; count: number; since: Date; amount_minor: bigint }

/** Returns the time until which the list contains a key that expires. */
export const keysExpireBefore = (now: Date) => new Date(now.getTime() + KEY_WARNING_DAYS * DAY_MS)

const NO_FACTS = { status: null, amount: null, limit: null, rate: null, rate_before: null, webhook: null }

/**
 * Returns the problems of a merchant, the most urgent first. Problems of webhooks are from both environments, the other items from
 * the environment of `owner`.
 */
export async function attentionOf(deps: Deps, owner: AttentionOwner): Promise<AttentionItem[]> {
  const now = deps.clock.now()
  const { merchant_id, environment } = owner
  const values = [merchant_id, environment, now, keysExpireBefore(now)]
  const [endpoints, [row], withdrawals, rate, mark] = await Promise.all([
    troubledEndpoints(deps, deps.db, merchant_id),
    deps.db.query<AttentionRow>(READ, values),
    deps.db.query<WaitingWithdrawals>(WITHDRAWALS, [merchant_id, environment]),
    lowRate(deps.db, owner, now),
    balanceMarkMinor(deps.db, owner),
  ])
  const item = (
    kind: AttentionItem['kind'],
    count: number,
    since: Date | null,
    facts: Partial<AttentionItem> = {},
  ) => ({
    ...NO_FACTS,
    kind,
    environment,
    count,
    since: since?.toISOString() ?? null,
    ...facts,
  })
  const webhooks = endpoints.map((one) =>
    item(`webhooks_${one.state}`, one.failed, one.oldest_at, {
      environment: one.environment,
      webhook: { ...presentFailing(one), webhook_url: failingAddress(one), changed: one.changed },
    }),
  )
  if (row === undefined) return webhooks
  const { available_minor } = row
  return [
    ...webhooks,
    ...withdrawals.map(({ status, count, since, amount_minor }) =>
      item(status === 'INFO_REQUESTED' ? 'withdrawals_info_requested' : 'withdrawals_in_doubt', count, since, {
        status,
        amount: formatAmount(amount_minor),
      }),
    ),
    item('payments_held', row.held_count, row.held_since, {
      status: 'pending_clearance',
      amount: formatAmount(row.held_minor),
    }),
    ...(rate === null ? [] : [item('success_rate_low', rate.failed, startOfDay(dayNumber(now)), rate.facts)]),
    ...(mark === null || available_minor >= mark
      ? []
      : [item('balance_low', 1, null, { amount: formatAmount(available_minor), limit: formatAmount(mark) })]),
    item('keys_expiring', row.key_count, row.key_at),
  ].filter(({ count }) => count > 0)
}

type LowRate = { failed: number; facts: { rate: string; rate_before: string } }

/**
 * Compares the success rate of today with the rate of the days before. If the rate is not low, or too few payments have ended,
 * returns null.
 */
async function lowRate(reader: Reader, owner: AttentionOwner, now: Date): Promise<LowRate | null> {
  const today = dayNumber(now)
  const slots = Array.from({ length: COMPARED_DAYS + 1 }, (_, i) => ({
    from: startOfDay(today - COMPARED_DAYS + i),
    to: startOfDay(today - COMPARED_DAYS + i + 1),
  }))
  const sums = await readSlotSums(reader, owner, slots, 'day')
  const current = rateOf(sums.filter(({ slot }) => slot === COMPARED_DAYS))
  const before = rateOf(sums.filter(({ slot }) => slot < COMPARED_DAYS))
  if (current.ended < RATED_MIN.today || before.ended < RATED_MIN.before) return null
  if (current.percent > before.percent - RATE_DROP) return null
  return {
    failed: current.failed,
    facts: { rate: showTenths(current.percent), rate_before: showTenths(before.percent) },
  }
}

/** Returns a percentage rounded to one decimal. */
function showTenths(percent: number): string {
  const tenths = Math.round(percent * 10)
  return `${Math.floor(tenths / 10)}.${tenths % 10}`
}

function rateOf(sums: readonly SlotSum[]): { ended: number; failed: number; percent: number } {
  const count = (status: SlotSum['status']) =>
    Number(sums.filter((sum) => sum.status === status).reduce((all, { items }) => all + items, 0n))
  const [successful, failed] = [count('successful'), count('failed')]
  const ended = successful + failed
  return { ended, failed, percent: ended === 0 ? 0 : (100 * successful) / ended }
}
