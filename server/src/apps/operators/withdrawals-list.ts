// Reads withdrawals for operators: the list of all merchants, and one withdrawal with its details.

import { type DailySums, fourEyesMinor, payoutSums, readSums } from '../../access/four-eyes/index.ts'
import { notArchived } from '../../access/merchants/index.ts'
import { readBalance } from '../../books/ledger/index.ts'
import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import { ENVIRONMENTS, pageOf } from '../../kernel/http/index.ts'
import {
  assertInvariant,
  formatAmount,
  isId,
  refuse,
  refuseField,
  routingCodeOf,
  ZERO_ID,
} from '../../kernel/lib/index.ts'
import {
  type Approval,
  type DescribedHold,
  findApprovals,
  findHold,
  type HistoryEntry,
  historyOf,
  OPEN_STATUSES,
  type Payout,
  presentWhole,
  requiredApprovals,
  WITHDRAWAL_COLUMNS,
  type Withdrawal,
  withdrawalName,
} from '../../money/withdrawals/index.ts'
import { readDecisionFacts } from './decision-facts.ts'
import { checkDepth, DEPTH_MAX } from './depth.ts'
import {
  type OperatorWithdrawal,
  type OperatorWithdrawalDetail,
  presentActor,
  type WithdrawalsQuery,
} from './withdrawals-schema.ts'

type MerchantColumns = Pick<
  OperatorWithdrawal,
  'merchant_code' | 'merchant_name' | 'merchant_status' | 'merchant_verified'
>
type OperatorWithdrawalRow = Withdrawal & MerchantColumns

const MERCHANT_COLUMNS =
  'm.merchant_code, m.name as merchant_name, m.status as merchant_status, m.verified as merchant_verified'
const COLUMNS = `${WITHDRAWAL_COLUMNS}, ${MERCHANT_COLUMNS}`

// The query has no name, so that PostgreSQL plans it for the current filters. A partial index contains only the open
// withdrawals.
const OPEN = `withdrawals w where (w.merchant_id = $1 or ($1::uuid is null and ${notArchived('w.merchant_id')})) and w.environment = any($2::text[])
     and w.status = $3 and w.status in (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')})`
const listOpen = (direction: 'asc' | 'desc') =>
  sql(
    '',
    `select ${COLUMNS} from (select w.* from ${OPEN} order by w.id ${direction} limit $4 offset $5) w
     join merchants m on m.id = w.merchant_id order by w.id ${direction}`,
  )
const LIST_OPEN = { newest: listOpen('desc'), oldest: listOpen('asc') } as const
const COUNT_OPEN = sql('', `select count(*)::int as total from (select 1 from ${OPEN} limit $4) counted`)

const BOOKS = `select m.id as merchant_id, e.environment from merchants m cross join unnest($2::text[]) as e(environment)
       where m.id = $1 or ($1::uuid is null and m.archived_at is null)`
const ofBook = (condition: string) =>
  `select id from withdrawals where merchant_id = b.merchant_id and environment = b.environment ${condition}`

// The newest n withdrawals are in the n books with the newest rows. A sample of these books limits the age of the n-th
// withdrawal, so the query reads no older row. The cost grows with the merchants and the depth of the page.
const DEPTH = '($4::int + $5::int)'
const listMerged = (condition: string) =>
  sql(
    '',
    `with books as materialized (
       select b.* from (${BOOKS}) b cross join lateral (${ofBook(condition)} order by id desc limit 1) w
       order by w.id desc limit ${DEPTH}
     ), sample as (
       select w.id from books b cross join lateral (${ofBook(condition)} order by id desc
         limit (select 4 * ${DEPTH} / greatest(count(*), 1) + 1 from books)) w
     ), oldest as materialized (
       select coalesce((select id from sample order by id desc limit 1 offset ${DEPTH} - 1), '${ZERO_ID}') as id
     )
     select ${COLUMNS} from (
       select b.merchant_id, w.id from books b cross join lateral (
         ${ofBook(condition)} and id >= (select id from oldest) order by id desc limit ${DEPTH}) w
       order by w.id desc limit $4 offset $5
     ) found
     join withdrawals w on w.merchant_id = found.merchant_id and w.id = found.id
     join merchants m on m.id = w.merchant_id order by w.id desc`,
  )
const countMerged = (condition: string) =>
  sql(
    '',
    `select count(*)::int as total from (
       select 1 from (${BOOKS}) b cross join lateral (${ofBook(condition)} limit $4) w limit $4) counted`,
  )
const ANY_STATUS = 'and $3::text is null'
const ONE_STATUS = 'and status = $3'
const LIST_ALL = listMerged(ANY_STATUS)
const COUNT_ALL = countMerged(ANY_STATUS)
const LIST_OF_STATUS = listMerged(ONE_STATUS)
const COUNT_OF_STATUS = countMerged(ONE_STATUS)

/**
 * Returns a page of withdrawals of all merchants or of one merchant, newest first. A list of open withdrawals can also be
 * oldest first. `total_items` counts at most 10,000 withdrawals.
 */
export async function listWithdrawalsForOperators(deps: Deps, query: WithdrawalsQuery) {
  checkDepth(query)
  const { page = 1, page_size = 20, status = null, environment, merchant_id = null, order = 'newest' } = query
  const matching = [merchant_id, environment === undefined ? ENVIRONMENTS : [environment], status]
  const [list, count] = statementsFor(status, order)
  const [rows, counted] = await Promise.all([
    deps.db.query<OperatorWithdrawalRow>(list, [...matching, page_size, (page - 1) * page_size]),
    deps.db.query<{ total: number }>(count, [...matching, DEPTH_MAX]),
  ])
  const [records, facts] = await Promise.all([presentAll(deps, deps.db, rows), readDecisionFacts(deps, deps.db, rows)])
  const items = records.map((record, place) => ({ ...record, facts: facts[place] ?? null }))
  return pageOf(items, counted[0]?.total ?? 0, query)
}

function statementsFor(status: string | null, order: 'newest' | 'oldest') {
  if (OPEN_STATUSES.some((one) => one === status)) return [LIST_OPEN[order], COUNT_OPEN] as const
  // Only an open status limits how many old withdrawals a list can contain, so only such a list can be oldest first.
  if (order === 'oldest') refuseField('order', `can be oldest only if status is one of ${OPEN_STATUSES.join(', ')}`)
  return status === null ? ([LIST_ALL, COUNT_ALL] as const) : ([LIST_OF_STATUS, COUNT_OF_STATUS] as const)
}

/**
 * Adds the merchant and the approvals to a withdrawal. If the withdrawal has no approval, `sums` decides how many operators
 * must approve.
 */
export function presentForOperator(
  { config }: Pick<Deps, 'config'>,
  row: OperatorWithdrawalRow & { approvals: readonly Approval[] },
  sums: DailySums | null = null,
): OperatorWithdrawal {
  const { merchant_code, merchant_name, merchant_status, merchant_verified } = row
  const approvals = row.approvals.map(({ operator_name: operator, reason, at }) => ({
    operator,
    reason,
    at: at.toISOString(),
  }))
  return {
    ...presentWhole(row),
    merchant_code,
    merchant_name,
    merchant_status,
    merchant_verified,
    approvals_required: requiredApprovals(config, row, sums).approvals_required,
    approvals,
  }
}

/**
 * Adds the merchants and the approvals to withdrawals, in the given order, with at most two queries for all of them.
 */
export async function presentAll(
  deps: Pick<Deps, 'config' | 'clock'>,
  reader: Reader,
  rows: readonly OperatorWithdrawalRow[],
): Promise<OperatorWithdrawal[]> {
  const open = rows.filter(({ approvals_required }) => approvals_required === null)
  const keys = fourEyesMinor(deps.config) === null ? [] : open.flatMap(payoutSums)
  const [approvals, sums] = await Promise.all([findApprovals(reader, rows), readSums(deps, reader, keys)])
  return rows.map((row) =>
    presentForOperator(deps, { ...row, approvals: approvals.get(withdrawalName(row)) ?? [] }, sums),
  )
}

/** Adds the merchant and the approvals to one withdrawal. */
export async function presentOne(
  deps: Pick<Deps, 'config' | 'clock'>,
  tx: Reader,
  row: OperatorWithdrawalRow,
): Promise<OperatorWithdrawal> {
  const [record] = await presentAll(deps, tx, [row])
  assertInvariant(record !== undefined, 'each record has its answer')
  return record
}

// The id contains the routing code of the merchant, so the query finds the row by its primary key.
const FIND = sql(
  'operator_withdrawal_find',
  `select ${COLUMNS} from merchants m join withdrawals w on w.merchant_id = m.id where m.routing_code = $1 and w.id = $2`,
)
const PAYOUT = sql(
  'operator_payout_find',
  `select provider, state, asks, provider_status, provider_id, due_at, sent_at from payouts
   where merchant_id = $1 and withdrawal_id = $2`,
)

type PayoutColumns = Pick<Payout, 'provider' | 'state' | 'asks' | 'due_at' | 'sent_at'> & {
  provider_status: string | null
  provider_id: string | null
}

/**
 * Returns a withdrawal with its history, its payout and the current balance. If the withdrawal does not exist, refuses with
 * not_found.
 */
export async function getWithdrawalForOperator(
  deps: Pick<Deps, 'config' | 'clock' | 'db'>,
  withdrawal_id: string,
): Promise<OperatorWithdrawalDetail> {
  const { db: reader } = deps
  const id = withdrawal_id.toLowerCase()
  const [row] = isId(id) ? await reader.query<OperatorWithdrawalRow>(FIND, [routingCodeOf(id), id]) : []
  if (row === undefined) return refuse('not_found', { message: 'There is no such withdrawal. Check the id.' })
  const { merchant_id, environment } = row
  const [record, history, [payout], balance] = await Promise.all([
    presentOne(deps, reader, row),
    historyOf(reader, { merchant_id, id }),
    reader.query<PayoutColumns>(PAYOUT, [merchant_id, id]),
    readBalance(reader, merchant_id, environment),
  ])
  const { available, reserved, held } = balance
  const hold = payout?.state === 'to_send' ? await findHold(reader, { ...row, provider: payout.provider }) : null
  return {
    ...record,
    requested_by: presentActor(row.requested_by_kind, row.requested_by_id, row.requested_by_name),
    balance: { available: formatAmount(available), reserved: formatAmount(reserved), held: formatAmount(held) },
    payout: payout === undefined ? null : presentPayout(payout, hold),
    history: history.map(presentListed),
  }
}

function presentPayout({ due_at, sent_at, ...rest }: PayoutColumns, hold: DescribedHold | null) {
  const what = hold?.pause ? ('payout_pause' as const) : ('merchant_suspended' as const)
  const waits_for = hold === null ? null : { what, text: hold.text, pause_id: hold.pause?.id ?? null }
  return { ...rest, due_at: due_at?.toISOString() ?? null, sent_at: sent_at?.toISOString() ?? null, waits_for }
}

function presentListed({ from_status, to_status, actor_kind, actor_id, actor_name, reason, event, at }: HistoryEntry) {
  return {
    from_status,
    to_status,
    actor: presentActor(actor_kind, actor_id, actor_name),
    reason,
    event,
    at: at.toISOString(),
  }
}
