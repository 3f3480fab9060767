// Reads a page of a merchant's withdrawals, one withdrawal, or the withdrawals of a summary.

import type { PayoutMethod } from '../../adapters/providers/port.ts'
import { beginsWith, createMetadataSearch, metadataSearchSql, type Reader, sql } from '../../kernel/db/index.ts'
import { COUNT_MAX, type Environment, idsOfTime, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { DAY_MS, firstIdAt, isId, LAST_ID, type Metadata, refuse } from '../../kernel/lib/index.ts'
import { presentDetail, presentWithdrawal } from './present.ts'
import type { WithdrawalDetail } from './schema.ts'
import type { WithdrawalStatus } from './state.ts'
import { findWithdrawal, historyOf, WITHDRAWAL_COLUMNS, type Withdrawal } from './store.ts'

/** The merchant, the environment and the filters of a list of withdrawals. */
export type WithdrawalFilter = PageChoice & {
  merchant_id: string
  environment: Environment
  status?: WithdrawalStatus | undefined
  method?: PayoutMethod | undefined
  /** The beginning of a reference, in upper or lower case. */
  reference?: string | undefined
  from?: string | undefined
  to?: string | undefined
  metadata?: Metadata | undefined
}

const CONDITIONS = `w.merchant_id = $1 and w.environment = $2 and ($3::text is null or w.status = $3)
     and ($4::text is null or ${beginsWith('w.reference', '$4')}) and ($5::text is null or w.method = $5) and w.id >= $6 and w.id < $7`

// These queries are unnamed prepared statements, so PostgreSQL plans each query for its filters.
const LIST = sql(
  '',
  `select ${WITHDRAWAL_COLUMNS} from withdrawals w where ${CONDITIONS} and w.id < $8 order by w.id desc limit $9 offset $10`,
)
// The query counts in the order of the list. PostgreSQL then uses the same index and stops at the limit.
const COUNT = sql(
  '',
  `select count(*)::int as total from (
     select 1 from withdrawals w where ${CONDITIONS} order by w.id desc limit $8) counted`,
)

// The query counts the withdrawals of a reference without an order. PostgreSQL then uses the index of references.
const COUNT_BY_REFERENCE = sql(
  '',
  `select count(*)::int as total from (select 1 from withdrawals w where ${CONDITIONS} limit $8) counted`,
)

const searchMetadata = createMetadataSearch(
  'withdrawal_metadata',
  sql(
    '',
    metadataSearchSql({
      pairs: 'withdrawal_metadata',
      records: 'withdrawals',
      alias: 'w',
      conditions: CONDITIONS,
      from: '$6',
      until: '$7',
      next: 8,
    }),
  ),
)
const BY_IDS = sql(
  '',
  `select ${WITHDRAWAL_COLUMNS} from withdrawals w where w.merchant_id = $1 and w.id = any($2::uuid[]) order by w.id desc`,
)

function filterValues({ merchant_id, environment, status, reference, method, from, to }: WithdrawalFilter): unknown[] {
  const { from_id, until_id } = idsOfTime({ from, to })
  return [merchant_id, environment, status ?? null, reference ?? null, method ?? null, from_id, until_id]
}

/**
 * Returns withdrawals that match the filter, newest first. If `before_id` is not null, returns only withdrawals with smaller
 * ids.
 */
export function readWithdrawals(
  reader: Reader,
  filter: WithdrawalFilter,
  limit: number,
  offset = 0,
  before_id: string | null = null,
): Promise<Withdrawal[]> {
  return reader.query<Withdrawal>(LIST, [...filterValues(filter), before_id ?? LAST_ID, limit, offset])
}

/** Returns a page of withdrawals. `total_items` counts up to 10,000. */
export async function listWithdrawals(reader: Reader, filter: WithdrawalFilter) {
  const { page = 1, page_size = 20 } = filter
  if (filter.metadata !== undefined) return searchWithdrawals(reader, filter, filter.metadata)
  const [rows, counted] = await Promise.all([
    readWithdrawals(reader, filter, page_size, (page - 1) * page_size),
    reader.query<{ total: number }>(filter.reference === undefined ? COUNT : COUNT_BY_REFERENCE, [
      ...filterValues(filter),
      COUNT_MAX,
    ]),
  ])
  return pageOf(rows.map(presentWithdrawal), counted[0]?.total ?? 0, filter)
}

async function searchWithdrawals(reader: Reader, filter: WithdrawalFilter, metadata: Metadata) {
  const { page = 1, page_size = 20 } = filter
  const range = { count_max: COUNT_MAX, limit: page_size, offset: (page - 1) * page_size }
  const { total, ids } = await searchMetadata(reader, { ...filter, metadata }, filterValues(filter), range)
  const rows = ids.length === 0 ? [] : await reader.query<Withdrawal>(BY_IDS, [filter.merchant_id, ids])
  return pageOf(rows.map(presentWithdrawal), total, filter)
}

const NOT_IN_ENVIRONMENT = {
  message:
    'There is no such withdrawal in this environment. A session chooses the other environment with ?environment=.',
}

/** Returns a withdrawal with its history. If the merchant's environment has no such id, refuses with not_found. */
export async function getWithdrawal(
  reader: Reader,
  key: { merchant_id: string; environment: Environment; id: string },
): Promise<WithdrawalDetail> {
  const id = key.id.toLowerCase()
  const row = isId(id) ? await findWithdrawal(reader, { ...key, id }) : null
  if (row === null || row.environment !== key.environment) refuse('not_found', NOT_IN_ENVIRONMENT)
  // The function reads the history after the record. The history may contain a later move, so the function omits later entries.
  const history = await historyOf(reader, row)
  return presentDetail(
    row,
    history.filter(({ seq }) => seq <= row.version),
  )
}

/**
 * If the merchant submitted a paid withdrawal more than 31 days before the period, a summary omits the withdrawal. The reason
 * is that no index has the time of completion.
 */
const SUBMITTED_BEFORE_MS = 31 * DAY_MS
/** The greatest number of waiting withdrawals that a summary counts. */
const WAITING_MAX = 1_000

// Both parts use withdrawals_status_idx. PostgreSQL plans this unnamed prepared statement for the given range of ids.
const OF_DIGEST = sql(
  '',
  `select count(*)::int as paid_count, coalesce(sum(w.amount_minor), 0)::bigint as paid_minor, (
     select count(*)::int from (
       select 1 from withdrawals where merchant_id = $1 and environment = $2 and status = 'PENDING_ADMIN_APPROVAL'
       limit ${WAITING_MAX}) waiting) as waiting_count
   from withdrawals w
   where w.merchant_id = $1 and w.environment = $2 and w.status = 'SUCCESS' and w.id >= $3 and w.id < $4
     and w.completed_at >= $5 and w.completed_at < $6`,
)

/**
 * The withdrawals of a summary: the number and the cents of those paid in its period, and the number of those that wait now.
 */
export type DigestWithdrawals = { paid_count: number; paid_minor: bigint; waiting_count: number }

/**
 * Returns the withdrawals of the summary of a period. If a paid withdrawal of the period is no longer SUCCESS, the summary
 * omits the withdrawal.
 */
export async function withdrawalsOfDigest(
  reader: Reader,
  { merchant_id, environment }: { merchant_id: string; environment: Environment },
  { from, to }: { from: Date; to: Date },
): Promise<DigestWithdrawals> {
  const submitted_from = firstIdAt(new Date(from.getTime() - SUBMITTED_BEFORE_MS))
  const values = [merchant_id, environment, submitted_from, firstIdAt(to), from, to]
  const [row] = await reader.query<DigestWithdrawals>(OF_DIGEST, values)
  return row ?? { paid_count: 0, paid_minor: 0n, waiting_count: 0 }
}
