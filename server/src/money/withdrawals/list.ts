// A merchant's withdrawals, newest first, and one of them.

import type { PayoutMethod } from '../../adapters/providers/port.ts'
import { beginsWith, type Reader, sql } from '../../kernel/db/index.ts'
import { COUNT_MAX, type Environment, idsOfTime, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { isId, LAST_ID, refuse } from '../../kernel/lib/index.ts'
import { presentDetail, presentWithdrawal } from './present.ts'
import type { WithdrawalDetail } from './schema.ts'
import type { Status } from './state.ts'
import { findWithdrawal, historyOf, WITHDRAWAL_COLUMNS, type Withdrawal } from './store.ts'

/** Whose withdrawals, and which of them. */
export type Filter = PageChoice & {
  merchant_id: string
  environment: Environment
  status?: Status | undefined
  method?: PayoutMethod | undefined
  /** The beginning of one, in any case. */
  reference?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

const CONDITIONS = `w.merchant_id = $1 and w.environment = $2 and ($3::text is null or w.status = $3)
     and ($4::text is null or ${beginsWith('w.reference', '$4')}) and ($5::text is null or w.method = $5) and w.id >= $6 and w.id < $7`

// Without a name they are planned for the status at hand, so that one of the few open ones is found by its own index.
const LIST = sql(
  '',
  `select ${WITHDRAWAL_COLUMNS} from withdrawals w where ${CONDITIONS} and w.id < $8 order by w.id desc limit $9 offset $10`,
)
// In the order of the list, so that counting stops early.
const COUNT = sql(
  '',
  `select count(*)::int as total from (
     select 1 from withdrawals w where ${CONDITIONS} order by w.id desc limit $8) counted`,
)

// By reference, in the order of its index.
const COUNT_BY_REFERENCE = sql(
  '',
  `select count(*)::int as total from (select 1 from withdrawals w where ${CONDITIONS} limit $8) counted`,
)

function matching({ merchant_id, environment, status, reference, method, from, to }: Filter): unknown[] {
  const { from_id, until_id } = idsOfTime({ from, to })
  return [merchant_id, environment, status ?? null, reference ?? null, method ?? null, from_id, until_id]
}

/** Some of them, newest first. `before_id`: only those with ids before it. */
export function readWithdrawals(
  reader: Reader,
  filter: Filter,
  limit: number,
  offset = 0,
  before_id: string | null = null,
): Promise<Withdrawal[]> {
  return reader.query<Withdrawal>(LIST, [...matching(filter), before_id ?? LAST_ID, limit, offset])
}

/** A page of them. `total_items` counts up to 10,000. */
export async function listWithdrawals(reader: Reader, filter: Filter) {
  const { page = 1, page_size = 20 } = filter
  const [rows, counted] = await Promise.all([
    readWithdrawals(reader, filter, page_size, (page - 1) * page_size),
    reader.query<{ total: number }>(filter.reference === undefined ? COUNT : COUNT_BY_REFERENCE, [
      ...matching(filter),
      COUNT_MAX,
    ]),
  ])
  return pageOf(rows.map(presentWithdrawal), counted[0]?.total ?? 0, filter)
}

const ELSEWHERE = {
  message: 'There is no such withdrawal in this environment. A session names another one by ?environment=.',
}

/** One withdrawal with its history. Refuses another merchant's, another environment's and an unknown one with not_found. */
export async function getWithdrawal(
  reader: Reader,
  key: { merchant_id: string; environment: Environment; id: string },
): Promise<WithdrawalDetail> {
  const id = key.id.toLowerCase()
  const row = isId(id) ? await findWithdrawal(reader, { ...key, id }) : null
  if (row === null || row.environment !== key.environment) refuse('not_found', ELSEWHERE)
  // Read behind the record, it may be a move ahead: what the record does not show yet is left for the next time.
  const history = await historyOf(reader, row)
  return presentDetail(
    row,
    history.filter(({ seq }) => seq <= row.version),
  )
}
