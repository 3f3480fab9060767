// Reads a withdrawal with the facts on which an operator decides: the merchant's money, the destination, and earlier
// withdrawals.

import { keyCreatedAt } from '../../access/api-keys/index.ts'
import { getMerchant, hasConflict } from '../../access/merchants/index.ts'
import { sameName } from '../../adapters/providers/name-lookup.ts'
import { actOf } from '../../books/audit/index.ts'
import { bookingsBetween, IS_BOOKING } from '../../books/ledger/index.ts'
import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import type { Routes } from '../../kernel/http/index.ts'
import { CURRENCY, firstIdAt, formatAmount } from '../../kernel/lib/index.ts'
import { getPayoutFacts, OPEN_STATUSES } from '../../money/withdrawals/index.ts'
import {
  CASE_COUNT_MAX,
  NEWEST_OTHERS,
  VELOCITY_HOURS,
  type WithdrawalCase,
  WithdrawalCaseAnswer,
} from './case-schema.ts'
import { listDecisions } from './decision-evidence.ts'
import { isWaiting, readDecisionFacts } from './decision-facts.ts'
import { compareIncome, incomePeriods, RECEIVED } from './income.ts'
import { listNameChecks } from './name-check.ts'
import { getWithdrawalForOperator } from './withdrawals-list.ts'
import { type OperatorWithdrawalDetail, WithdrawalParams } from './withdrawals-schema.ts'

const HOUR_MS = 3_600_000
/** The highest number of transfers that the sum of received money counts. */
const RECEIVED_MAX = 20_000
const OTHERS_MAX = 1_000
const EARLIER = 10

type ReceivedMoneyRow = {
  received_minor: bigint
  movements: number
  /** The payments of the days before and of the 24 hours before the request. */
  all_received_minor: bigint
  all_movements: number
  last_at: Date | null
  later_minor: bigint
  later_movements: number
}

// The query counts at most $4 transfers, newest first. The newest payment may be older than the period, so a subquery finds
// that payment.
const RECEIVED_LATELY = sql(
  'case_received',
  `select coalesce(sum(d.amount_minor) filter (where d.${RECEIVED} and d.sequence >= $5), 0)::bigint as received_minor,
     count(*) filter (where d.sequence >= $5)::int as movements,
     coalesce(sum(d.amount_minor) filter (where d.${RECEIVED}), 0)::bigint as all_received_minor,
     count(d.sequence)::int as all_movements, (
     select n.created_at from (
       select t.posting, t.created_at from ledger_transfers t
       where t.merchant_id = $1 and t.environment = $2 and ${IS_BOOKING} order by t.sequence desc limit $4) n
     where n.${RECEIVED} limit 1) as last_at,
     max(l.later_minor)::bigint as later_minor, max(l.later_movements)::int as later_movements
   from (
     select coalesce(sum(s.amount_minor) filter (where s.${RECEIVED}), 0)::bigint as later_minor,
       count(*)::int as later_movements
     from (
       select t.posting, t.amount_minor from ledger_transfers t
       where t.merchant_id = $1 and t.environment = $2 and t.sequence >= $6 order by t.sequence desc limit $4) s
   ) l left join (
     select t.posting, t.amount_minor, t.sequence from ledger_transfers t
     where t.merchant_id = $1 and t.environment = $2 and t.sequence >= $3 and t.sequence < $6
     order by t.sequence desc limit $4) d on true`,
)

const PAID = `merchant_id = $1 and destination_identifier = $3 and status = 'SUCCESS'
       and environment = $2 and destination_code = $4 and id <> $6`
const DESTINATION = sql(
  'case_destination',
  `select count(*)::int as paid_count, coalesce(sum(p.amount_minor), 0)::bigint as paid_minor,
     max(p.completed_at) as last_paid_at, (
       select completed_at from withdrawals where ${PAID} order by id limit 1) as first_paid_at
   from (select amount_minor, completed_at from withdrawals where ${PAID} order by id desc limit $5) p`,
)

// The partial index contains only the open withdrawals of the merchant.
const OPEN_PAYOUT = sql(
  'case_open_payout',
  `select id, status, amount_minor, updated_at from withdrawals
   where merchant_id = $1 and environment = $2 and destination_identifier = $3 and destination_code = $4 and id <> $5
     and status in (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')}) and funds = 'reserved'
   order by id desc limit 1`,
)

// The recursion jumps from merchant to merchant in the index of paid destinations, so its cost does not grow with the number of
// merchants or payouts. $1 may be one of these merchants, so the recursion finds one more than $5.
const PAID_HERE = `destination_identifier = $3 and destination_code = $4 and environment = $2 and status = 'SUCCESS'`
const OTHER_MERCHANTS = sql(
  'case_other_merchants',
  `with recursive payers(merchant_id, place) as (
     (select merchant_id, 0 from withdrawals where ${PAID_HERE} order by merchant_id limit 1)
     union all
     select next.merchant_id, p.place + 1 from payers p cross join lateral (
       select merchant_id from withdrawals where ${PAID_HERE} and merchant_id > p.merchant_id order by merchant_id limit 1
     ) next where p.place < $5
   )
   select m.id as merchant_id, m.name, latest.destination_name, latest.completed_at
   from payers p join merchants m on m.id = p.merchant_id
   cross join lateral (
     select destination_name, completed_at from withdrawals
     where merchant_id = p.merchant_id and ${PAID_HERE} order by id desc limit 1
   ) latest
   where p.merchant_id <> $1 order by latest.completed_at desc, m.id limit $5`,
)

const VELOCITY = sql(
  'case_velocity',
  `select h.hours, v.count, v.amount_minor from json_to_recordset($3::json) as h(hours int, since uuid)
   cross join lateral (
     select count(*)::int as count, coalesce(sum(w.amount_minor), 0)::bigint as amount_minor from (
       select amount_minor from withdrawals where merchant_id = $1 and environment = $2 and id >= h.since
       order by id desc limit $4) w) v
   order by h.hours`,
)

const BEFORE = sql(
  'case_earlier',
  `select id, status, amount_minor, destination_identifier, created_at, status_reason from withdrawals
   where merchant_id = $1 and environment = $2 and id < $3 order by id desc limit ${EARLIER}`,
)

type EarlierWithdrawalRow = {
  id: string
  status: OperatorWithdrawalDetail['status']
  amount_minor: bigint
  destination_identifier: string
  created_at: Date
  status_reason: string | null
}

/**
 * Returns the case of a withdrawal. `operator_id` is the operator whose conflict of interest the case shows. If the withdrawal
 * does not exist, refuses with not_found.
 */
export async function getCase(
  deps: Deps,
  reader: Reader,
  withdrawal_id: string,
  operator_id: string | null,
): Promise<WithdrawalCase> {
  const withdrawal = await getWithdrawalForOperator(deps, withdrawal_id)
  const { id, merchant_id, environment, requested_by: requester } = withdrawal
  const book = [merchant_id, environment]
  const now = deps.clock.now().getTime()
  const hoursAgo = (hours: number) => firstIdAt(new Date(now - hours * HOUR_MS))
  const [
    received,
    [facts],
    destination,
    name_checks,
    decisions,
    payout_limits,
    velocity,
    earlier,
    merchant,
    key_created_at,
    conflict_of_interest,
  ] = await Promise.all([
    receivedLately(reader, withdrawal),
    readDecisionFacts(deps, reader, [withdrawal], (status) => isWaiting(status) || status === 'REJECTED'),
    destinationOf(reader, withdrawal),
    listNameChecks(reader, withdrawal),
    listDecisions(reader, withdrawal),
    getPayoutFacts(deps, reader, {
      ...withdrawal,
      amount: withdrawal.requires_approval ? withdrawal.amount : '0.00',
    }),
    reader.query<{ hours: number; count: number; amount_minor: bigint }>(VELOCITY, [
      ...book,
      JSON.stringify(VELOCITY_HOURS.map((hours) => ({ hours, since: hoursAgo(hours) }))),
      CASE_COUNT_MAX,
    ]),
    reader.query<EarlierWithdrawalRow>(BEFORE, [...book, id]),
    getMerchant(reader, merchant_id),
    requester.kind === 'api_key' && requester.id !== null ? keyCreatedAt(reader, merchant_id, requester.id) : null,
    operator_id !== null && hasConflict(reader, merchant_id, operator_id),
  ])
  const { name, merchant_code, status, verified, created_at } = merchant
  return {
    withdrawal,
    api_key_created_at: key_created_at?.toISOString() ?? null,
    facts: facts ?? null,
    balance: {
      ...withdrawal.balance,
      currency: CURRENCY,
      ...presentReceived(received[0], Date.parse(withdrawal.created_at) - Date.parse(created_at)),
    },
    destination,
    name_checks,
    decisions,
    payout_limits,
    velocity: velocity.map(({ amount_minor, ...rest }) => ({ ...rest, amount: formatAmount(amount_minor) })),
    earlier: earlier.map(({ id: withdrawal_id, amount_minor, created_at, status_reason: reason, ...rest }) => ({
      withdrawal_id,
      ...rest,
      amount: formatAmount(amount_minor),
      created_at: created_at.toISOString(),
      reason,
    })),
    conflict_of_interest,
    merchant: { id: merchant_id, name, merchant_code, status, verified, created_at },
  }
}

/**
 * Returns the sum of the payments and the number of transfers: for the 24 hours before the request, for these with the days
 * before, and since the request. Also returns the time of the last payment.
 */
async function receivedLately(reader: Reader, withdrawal: OperatorWithdrawalDetail): Promise<ReceivedMoneyRow[]> {
  const { merchant_id, environment } = withdrawal
  const { usual_from, day_from, end } = incomePeriods(new Date(withdrawal.created_at))
  const [{ from, until: day }, { from: later }] = await Promise.all([
    bookingsBetween(reader, withdrawal, usual_from, day_from),
    bookingsBetween(reader, withdrawal, end, null),
  ])
  return reader.query<ReceivedMoneyRow>(RECEIVED_LATELY, [merchant_id, environment, from, RECEIVED_MAX, day, later])
}

/** Presents the received money of a merchant that was `age_ms` milliseconds old at the request. */
function presentReceived(row: ReceivedMoneyRow | undefined, age_ms: number) {
  const received = row?.received_minor ?? 0n
  const { daily_before_minor, is_burst } = compareIncome({
    received_minor: received,
    before_minor: (row?.all_received_minor ?? 0n) - received,
    movements: Math.max(row?.all_movements ?? 0, row?.later_movements ?? 0),
    age_ms,
  })
  return {
    last_received_at: row?.last_at?.toISOString() ?? null,
    received_24h: formatAmount(received),
    received_since: formatAmount(row?.later_minor ?? 0n),
    received_24h_complete: (row?.movements ?? 0) < RECEIVED_MAX,
    received_daily_before: daily_before_minor === null ? null : formatAmount(daily_before_minor),
    received_burst: is_burst,
  }
}

type PaidDestinationRow = {
  paid_count: number
  paid_minor: bigint
  first_paid_at: Date | null
  last_paid_at: Date | null
}

type OpenPayoutRow = {
  id: string
  status: OperatorWithdrawalDetail['status']
  amount_minor: bigint
  updated_at: Date
}

function presentOpen({ id, status, amount_minor, updated_at }: OpenPayoutRow) {
  return { withdrawal_id: id, status, amount: formatAmount(amount_minor), changed_at: updated_at.toISOString() }
}

type OtherMerchantRow = {
  merchant_id: string
  name: string
  destination_name: string | null
  completed_at: Date
}

async function destinationOf(
  reader: Reader,
  withdrawal: OperatorWithdrawalDetail,
): Promise<WithdrawalCase['destination']> {
  const { merchant_id, environment, destination_identifier, destination_code } = withdrawal
  const key = [merchant_id, environment, destination_identifier, destination_code]
  const [[paid], [open], others] = await Promise.all([
    reader.query<PaidDestinationRow>(DESTINATION, [...key, CASE_COUNT_MAX, withdrawal.id]),
    reader.query<OpenPayoutRow>(OPEN_PAYOUT, [...key, withdrawal.id]),
    reader.query<OtherMerchantRow>(OTHER_MERCHANTS, [...key, OTHERS_MAX]),
  ])
  return {
    first_time: (paid?.paid_count ?? 0) === 0,
    paid_count: paid?.paid_count ?? 0,
    paid_amount: formatAmount(paid?.paid_minor ?? 0n),
    first_paid_at: paid?.first_paid_at?.toISOString() ?? null,
    last_paid_at: paid?.last_paid_at?.toISOString() ?? null,
    open_payout: open === undefined ? null : presentOpen(open),
    other_merchants: others.length,
    newest_other_merchants: others.slice(0, NEWEST_OTHERS).map(({ completed_at, ...other }) => ({
      ...other,
      last_paid_at: completed_at.toISOString(),
    })),
    other_names: otherNamesOf(withdrawal.destination_name, others),
  }
}

/** Returns the names that other merchants gave the recipient and that differ from `name`, newest first, each once. */
function otherNamesOf(name: string | null, others: readonly OtherMerchantRow[]): string[] {
  if (name === null) return []
  const differing: string[] = []
  for (const { destination_name } of others) {
    if (differing.length === NEWEST_OTHERS) break
    if (destination_name === null || sameName(destination_name, name)) continue
    if (!differing.some((found) => sameName(found, destination_name))) differing.push(destination_name)
  }
  return differing
}

/** Adds the route that shows the case of a withdrawal. */
export function caseRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/operator/withdrawals/:withdrawal_id/case',
      {
        config: { access: 'operator:read' },
        schema: {
          tags: ['Operator'],
          operationId: 'getWithdrawalCase',
          summary: 'Show a withdrawal with the facts for a decision',
          description:
            'The record, the balance and payments of its merchant, earlier payouts to the destination, name checks, and recent and earlier withdrawals of the merchant. All facts are of one environment.',
          params: WithdrawalParams,
          response: { 200: WithdrawalCaseAnswer },
        },
      },
      async (request) => ({
        success: true as const,
        data: await getCase(deps, deps.db, request.params.withdrawal_id, actOf(request).actor.id),
      }),
    )
  }
}
