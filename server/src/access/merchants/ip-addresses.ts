// Manages the IP allowlist for a merchant's live keys. The merchant adds an entry, and an operator approves it.

import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment, PageChoice } from '../../kernel/http/index.ts'
import { gather, isId, newId, refuse, refuseField, routingCodeOf } from '../../kernel/lib/index.ts'
import { canonicalAddress, canonicalNetwork, shownNetwork } from './ip-network.ts'

/** All statuses of an entry. Only APPROVED entries allow requests. */
export const IP_STATUSES = ['PENDING', 'APPROVED', 'REJECTED'] as const

/**
 * An allowlist entry. `address` is a canonical CIDR. `reason` is the operator's reason for a rejection; null means that the
 * entry has none. Null as `decided_at` means PENDING.
 */
export type IpAddress = {
  id: string
  merchant_id: string
  label: string
  address: string
  environment: Environment
  status: (typeof IP_STATUSES)[number]
  reason: string | null
  created_at: Date
  decided_at: Date | null
}

/** The greatest number of entries of a merchant. A network counts as one entry. */
const ENTRIES_MAX = 100

const COLUMNS = 'id, merchant_id, label, address, environment, status, reason, created_at, decided_at'

// Ids begin with their creation time, so the primary key sorts the entries by age.
const LIST = sql(
  'ip_addresses_of_merchant',
  `select ${COLUMNS} from ip_addresses
   where merchant_id = $1 and ($2::text is null or environment = $2) and ($3::text is null or status = $3)
   order by id desc limit $4 offset $5`,
)
const COUNT = sql(
  'ip_addresses_count',
  `select count(*)::int as total from ip_addresses
   where merchant_id = $1 and ($2::text is null or environment = $2) and ($3::text is null or status = $3)`,
)
// With this lock, concurrent requests that add an entry of the same merchant wait for each other, so that the limit holds.
const LOCK = sql('ip_addresses_lock', 'select 1 from merchants where id = $1 for no key update')
const SAME = sql(
  'ip_addresses_same',
  'select status from ip_addresses where merchant_id = $1 and environment = $2 and address = $3',
)
const INSERT = sql(
  'ip_addresses_insert',
  `insert into ip_addresses (merchant_id, id, label, address, environment, status, reason, created_at, decided_at)
   values ($1, $2, $3, $4, $5, 'PENDING', null, $6, null) returning ${COLUMNS}`,
)
const DELETE = sql(
  'ip_addresses_delete',
  `delete from ip_addresses where merchant_id = $1 and id = $2 returning ${COLUMNS}`,
)

/** Returns a page of a merchant's entries, newest first. Null in a field of the filter means every value. */
export async function listIpAddresses(
  reader: Reader,
  merchant_id: string,
  filter: { environment: Environment | null; status: IpAddress['status'] | null },
  { page = 1, page_size = 20 }: PageChoice,
): Promise<{ entries: IpAddress[]; total: number }> {
  const matching = [merchant_id, filter.environment, filter.status]
  const [entries, counted] = await Promise.all([
    reader.query<IpAddress>(LIST, [...matching, page_size, (page - 1) * page_size]),
    reader.query<{ total: number }>(COUNT, matching),
  ])
  return { entries, total: counted[0]?.total ?? 0 }
}

/**
 * Adds a PENDING entry. If the address is invalid, has host bits, or is too wide a network, refuses with 400. If the entry
 * exists, or the merchant has ENTRIES_MAX entries, refuses with invalid_state.
 */
export async function addIpAddress(
  deps: Deps,
  tx: Tx,
  input: { merchant_id: string; label: string; address: string; environment: Environment },
): Promise<IpAddress> {
  const { merchant_id, label, environment } = input
  const parsed = canonicalNetwork(input.address)
  if ('problem' in parsed) refuseField('address', parsed.problem)
  await tx.query(LOCK, [merchant_id])
  const [same] = await tx.query<{ status: string }>(SAME, [merchant_id, environment, parsed.network])
  if (same) {
    const hint = same.status === 'REJECTED' ? ' Remove the entry first to ask again.' : ''
    refuse('invalid_state', { message: `This address is on the list already, with status ${same.status}.${hint}` })
  }
  const [counted] = await tx.query<{ total: number }>(COUNT, [merchant_id, null, null])
  if ((counted?.total ?? 0) >= ENTRIES_MAX) {
    refuse('invalid_state', {
      message: `The list already has ${ENTRIES_MAX} addresses. Remove an address, or add a network.`,
    })
  }
  const id = newId(deps, routingCodeOf(merchant_id))
  const values = [merchant_id, id, label, parsed.network, environment, deps.clock.now()]
  const [entry] = await tx.query<IpAddress>(INSERT, values)
  return entry as IpAddress
}

/**
 * Removes an entry. From the next request on, the entry no longer allows requests. If the entry is unknown, refuses with
 * not_found.
 */
export async function removeIpAddress(tx: Tx, merchant_id: string, id: string): Promise<IpAddress> {
  const entry_id = id.toLowerCase()
  const [entry] = isId(entry_id) ? await tx.query<IpAddress>(DELETE, [merchant_id, entry_id]) : []
  return entry ?? refuse('not_found', { message: 'There is no such address on the list. Check the id.' })
}

/** Converts an entry to the form of the API. */
export function presentIpAddress(entry: IpAddress) {
  return {
    id: entry.id,
    merchant_id: entry.merchant_id,
    label: entry.label,
    address: shownNetwork(entry.address),
    environment: entry.environment,
    status: entry.status,
    reason: entry.reason,
    created_at: entry.created_at.toISOString(),
    decided_at: entry.decided_at?.toISOString() ?? null,
  }
}

const ALLOWED = sql(
  'ip_addresses_allowed',
  `select i.place from json_to_recordset($1::json) as i(place int, merchant_id uuid, address text)
   where exists (select from ip_addresses a where a.merchant_id = i.merchant_id and a.environment = 'live'
     and a.status = 'APPROVED' and a.address::inet >>= i.address::inet)`,
)

/**
 * Makes the function that returns whether an address is approved for a merchant. One query checks up to 200 waiting requests.
 * There is no cache, so every process applies an approval or a removal on the next request.
 */
export function createAllowlist(deps: Deps): (merchant_id: string, address: string) => Promise<boolean> {
  const isAllowed = gather<AddressOfMerchant, boolean>((pairs) => findAllowed(deps.db, pairs), {
    max_items: 200,
    max_running: 2,
  })
  return async (merchant_id, from) => {
    const address = canonicalAddress(from)
    return address !== null && isAllowed({ merchant_id, address })
  }
}

/** Returns whether an address is approved for a merchant, as the open transaction reads it. */
export async function isAllowedIn(tx: Tx, merchant_id: string, from: string): Promise<boolean> {
  const address = canonicalAddress(from)
  if (address === null) return false
  const [allowed = false] = await findAllowed(tx, [{ merchant_id, address }])
  return allowed
}

type AddressOfMerchant = { merchant_id: string; address: string }

async function findAllowed(reader: Reader, pairs: readonly AddressOfMerchant[]): Promise<boolean[]> {
  const rows = pairs.map((pair, place) => ({ ...pair, place }))
  const allowed = await reader.query<{ place: number }>(ALLOWED, [JSON.stringify(rows)])
  const places = new Set(allowed.map(({ place }) => place))
  return pairs.map((_, place) => places.has(place))
}
