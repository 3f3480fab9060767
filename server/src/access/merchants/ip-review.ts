// What operators decide about the addresses of merchants: approve, reject. (What merchants do with them: ip-addresses.ts.)

import { type Act, recordAudit } from '../../books/audit/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { COUNT_MAX, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { isId, refuse, routingCodeOf } from '../../kernel/lib/index.ts'
import { type IpAddress, presentIpAddress } from './ip-addresses.ts'
import { type AddressDecision, addressDecisions } from './ip-state.ts'
import type { ReviewedAddress } from './schema.ts'

type Row = IpAddress & { merchant_code: string; merchant_name: string }

const COLUMNS = `a.id, a.merchant_id, m.merchant_code, m.name as merchant_name, a.label, a.address, a.environment, a.status,
   a.reason, a.created_at, a.decided_at`

// Without a name they are planned for the filters at hand: those that wait have an index of their own.
const LIST = sql(
  '',
  `select ${COLUMNS} from ip_addresses a join merchants m on m.id = a.merchant_id
   where ($1::text is null or a.status = $1) and ($2::uuid is null or a.merchant_id = $2)
   order by a.id desc limit $3 offset $4`,
)
const COUNT = sql(
  '',
  `select count(*)::int as total from (
     select 1 from ip_addresses a where ($1::text is null or a.status = $1) and ($2::uuid is null or a.merchant_id = $2)
     limit $3) counted`,
)

/** Which addresses to list. */
export type AddressesFilter = PageChoice & { status?: IpAddress['status']; merchant_id?: string }

/** A page of the addresses of all merchants, newest first. `total_items` counts up to 10,000. */
export async function listForReview(deps: Deps, filter: AddressesFilter) {
  const { page = 1, page_size = 20 } = filter
  const matching = [filter.status ?? null, filter.merchant_id ?? null]
  const [rows, counted] = await Promise.all([
    deps.db.query<Row>(LIST, [...matching, page_size, (page - 1) * page_size]),
    deps.db.query<{ total: number }>(COUNT, [...matching, COUNT_MAX]),
  ])
  return pageOf(rows.map(view), counted[0]?.total ?? 0, filter)
}

// The id carries its merchant's routing code, so that it leads to its row through the primary key.
const FIND = sql(
  'ip_review_find',
  `select ${COLUMNS} from merchants m join ip_addresses a on a.merchant_id = m.id where m.routing_code = $1 and a.id = $2`,
)

async function getAddress(reader: Reader, address_id: string): Promise<ReviewedAddress> {
  const id = address_id.toLowerCase()
  const [row] = isId(id) ? await reader.query<Row>(FIND, [routingCodeOf(id), id]) : []
  return row ? view(row) : refuse('not_found', { message: 'There is no such address.' })
}

const LOCK = sql('ip_review_lock', 'select id from ip_addresses where merchant_id = $1 and id = $2 for update')
const DECIDE = sql(
  'ip_review_decide',
  `update ip_addresses set status = $4, reason = $5, decided_at = $6
   where merchant_id = $1 and id = $2 and status = any($3::text[]) returning id`,
)

/**
 * Decides about an address, which holds for live keys on the next request. `reason` is shown to the merchant. An
 * approval may be taken back by rejecting. Refuses an address in another state with invalid_state, an unknown one with
 * not_found.
 */
export async function decideAddress(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: { address_id: string; decision: AddressDecision; reason: string | null },
): Promise<ReviewedAddress> {
  const { merchant_id, id } = await getAddress(tx, input.address_id)
  await tx.query(LOCK, [merchant_id, id])
  const before = await getAddress(tx, id)
  const { from, to, message } = addressDecisions[input.decision]
  const decided = await tx.query(DECIDE, [merchant_id, id, from, to, input.reason, deps.clock.now()])
  if (decided.length === 0) {
    refuse('invalid_state', { message: `${message} This one is ${before.status}.`, details: { status: before.status } })
  }
  const { address, environment } = before
  await recordAudit(deps, tx, {
    ...act,
    merchant_id,
    action: `ip_address.${input.decision}`,
    target_type: 'ip_address',
    target_id: id,
    reason: input.reason,
    before: { address, environment, status: before.status },
    after: { address, environment, status: to },
  })
  return getAddress(tx, id)
}

function view(row: Row): ReviewedAddress {
  const { merchant_code, merchant_name, ...entry } = row
  return { ...presentIpAddress(entry), merchant_code, merchant_name }
}
