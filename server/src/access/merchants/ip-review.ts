// Applies decisions of operators about allowlist entries: approve and reject.

import { type Act, recordAudit, recordAudits } from '../../books/audit/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { COUNT_MAX, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { isId, refuse, routingCodeOf } from '../../kernel/lib/index.ts'
import { refuseConflict } from './conflict.ts'
import { type IpAddress, presentIpAddress } from './ip-addresses.ts'
import { notArchived } from './list.ts'
import type { ReviewedAddress } from './schema.ts'

type IpStatus = IpAddress['status']
type AddressMove = { from: readonly IpStatus[]; to: IpStatus; message: string }

/** The decisions of operators. If the entry has another status than `from`, the refusal contains `message`. */
const addressDecisions = {
  approve: { from: ['PENDING'], to: 'APPROVED', message: 'An operator can approve only a PENDING address.' },
  reject: {
    from: ['PENDING', 'APPROVED'],
    to: 'REJECTED',
    message: 'An operator can reject only a PENDING or APPROVED address.',
  },
} as const satisfies Record<string, AddressMove>

/** The name of a decision about an allowlist entry. */
export type AddressDecision = keyof typeof addressDecisions

type IpAddressRow = IpAddress & { merchant_code: string; merchant_name: string }

const COLUMNS = `a.id, a.merchant_id, m.merchant_code, m.name as merchant_name, a.label, a.address, a.environment, a.status,
   a.reason, a.created_at, a.decided_at`

const MATCHING = `($1::text is null or a.status = $1) and (a.merchant_id = $2 or ($2::uuid is null and ${notArchived('a.merchant_id')}))`
// The statements have no name, so that PostgreSQL plans them for the actual filters and can use the index on PENDING entries.
const LIST = sql(
  '',
  `select ${COLUMNS} from ip_addresses a join merchants m on m.id = a.merchant_id
   where ${MATCHING}
   order by a.id desc limit $3 offset $4`,
)
const COUNT = sql(
  '',
  `select count(*)::int as total from (
     select 1 from ip_addresses a where ${MATCHING} limit $3) counted`,
)

/** The filter of the list of allowlist entries for operators. Undefined as a field means all values. */
export type AddressesFilter = PageChoice & { status?: IpAddress['status']; merchant_id?: string }

/** Returns a page of the allowlist entries of all merchants, newest first. `total_items` counts up to 10,000. */
export async function listForReview(deps: Deps, filter: AddressesFilter) {
  const { page = 1, page_size = 20 } = filter
  const matching = [filter.status ?? null, filter.merchant_id ?? null]
  const [rows, counted] = await Promise.all([
    deps.db.query<IpAddressRow>(LIST, [...matching, page_size, (page - 1) * page_size]),
    deps.db.query<{ total: number }>(COUNT, [...matching, COUNT_MAX]),
  ])
  return pageOf(rows.map(reviewedAddress), counted[0]?.total ?? 0, filter)
}

// The id contains the routing code of the merchant, so the query finds the row by its primary key.
const FIND = sql(
  'ip_review_find',
  `select ${COLUMNS} from merchants m join ip_addresses a on a.merchant_id = m.id where m.routing_code = $1 and a.id = $2`,
)

async function getAddress(reader: Reader, address_id: string): Promise<ReviewedAddress> {
  const id = address_id.toLowerCase()
  const [row] = isId(id) ? await reader.query<IpAddressRow>(FIND, [routingCodeOf(id), id]) : []
  return row ? reviewedAddress(row) : refuse('not_found', { message: 'There is no such address. Check the id.' })
}

const LOCK = sql('ip_review_lock', 'select id from ip_addresses where merchant_id = $1 and id = $2 for update')
const DECIDE = sql(
  'ip_review_decide',
  `update ip_addresses set status = $4, reason = $5, decided_at = $6
   where merchant_id = $1 and id = $2 and status = any($3::text[]) returning id`,
)

/**
 * Approves or rejects an entry from the next request on. The merchant can read `reason`. Errors: not_found for an unknown
 * entry, invalid_state if the status does not allow the decision, and conflict_of_interest for an approval.
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
  if (input.decision === 'approve') await refuseConflict(tx, { merchant_id, act })
  const { from, to, message } = addressDecisions[input.decision]
  const decided = await tx.query(DECIDE, [merchant_id, id, from, to, input.reason, deps.clock.now()])
  if (decided.length === 0) {
    refuse('invalid_state', {
      message: `${message} This address is ${before.status}.`,
      details: { status: before.status },
    })
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

// With the lock of the merchant, the transaction waits for a request that adds or deletes an entry.
const LOCK_MERCHANT = sql('ip_review_lock_merchant', 'select 1 from merchants where id = $1 for no key update')
const LOCK_PENDING = sql(
  'ip_review_lock_pending',
  `select id, address, environment from ip_addresses where merchant_id = $1 and status = 'PENDING' order by id for update`,
)
const REJECT = sql(
  'ip_review_reject',
  `update ip_addresses set status = 'REJECTED', reason = $3, decided_at = $4 where merchant_id = $1 and id = any($2::uuid[])`,
)

/** Rejects all pending entries of a merchant. The merchant can read `reason`. */
export async function rejectPendingAddresses(
  deps: Deps,
  tx: Tx,
  act: Act,
  { merchant_id, reason }: { merchant_id: string; reason: string },
): Promise<void> {
  await tx.query(LOCK_MERCHANT, [merchant_id])
  const pending = await tx.query<Pick<IpAddress, 'id' | 'address' | 'environment'>>(LOCK_PENDING, [merchant_id])
  await tx.query(REJECT, [merchant_id, pending.map(({ id }) => id), reason, deps.clock.now()])
  const entries = pending.map(({ id: target_id, ...entry }) => {
    const [before, after] = [
      { ...entry, status: 'PENDING' },
      { ...entry, status: 'REJECTED' },
    ]
    const target = { action: 'ip_address.reject', target_type: 'ip_address', target_id } as const
    return { ...act, merchant_id, ...target, reason, before, after }
  })
  await recordAudits(deps, tx, entries)
}

function reviewedAddress(row: IpAddressRow): ReviewedAddress {
  const { merchant_code, merchant_name, ...entry } = row
  return { ...presentIpAddress(entry), merchant_code, merchant_name }
}
