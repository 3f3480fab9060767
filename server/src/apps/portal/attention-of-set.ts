// Tells which of a user's merchants have problems, so that the dashboard can mark them where the user changes the merchant.

import { troubledEndpointsOfSet } from '../../adapters/webhooks/index.ts'
import { type Deps, sql } from '../../kernel/db/index.ts'
import type { Environment, SessionPrincipal } from '../../kernel/http/index.ts'
import { keysExpireBefore } from './attention.ts'
import { ATTENTION_KINDS, type TroubledMerchants } from './attention-schema.ts'

type TroubledMerchant = TroubledMerchants['merchants'][number]
type Kind = TroubledMerchant['kinds'][number]

// The conditions are those of the items in attention.ts.
const READ = sql(
  'attention_read_of_set',
  `select * from (
     select m.merchant_id, array_remove(array[
       case when exists (select from withdrawals where merchant_id = m.merchant_id and environment = $2
         and status = 'INFO_REQUESTED') then 'withdrawals_info_requested' end,
       case when exists (select from withdrawals where merchant_id = m.merchant_id and environment = $2
         and status in ('NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'NEEDS_ADMIN_ATTENTION'))
         then 'withdrawals_in_doubt' end,
       case when exists (select from held_collections where merchant_id = m.merchant_id and environment = $2
         and decided_at is null) then 'payments_held' end,
       case when exists (select from balance_marks b
         left join ledger_accounts a on a.merchant_id = b.merchant_id and a.environment = b.environment and a.code = 'available'
         where b.merchant_id = m.merchant_id and b.environment = $2 and coalesce(a.balance_minor, 0) < b.mark_minor)
         then 'balance_low' end,
       case when exists (select from api_keys where merchant_id = m.merchant_id and environment = $2 and revoked_at is null
         and expires_at > $3 and expires_at <= $4) then 'keys_expiring' end
     ], null) as kinds
     from unnest($1::uuid[]) as m (merchant_id)
   ) t where cardinality(kinds) > 0`,
)

/**
 * Returns the merchants with problems among those of the session, in one set. Leaves out a merchant that requires a second
 * factor if the session has none. A session of the operators' console reads no merchant.
 */
export async function troubledMerchants(
  deps: Deps,
  { memberships, second_factor, console }: SessionPrincipal,
  environment: Environment,
): Promise<TroubledMerchant[]> {
  const readable = memberships.filter((one) => second_factor || !one.second_factor_required)
  const ids = readable.map(({ merchant }) => merchant.id)
  if (ids.length === 0 || console === 'operator') return []
  const now = deps.clock.now()
  const [endpoints, rows] = await Promise.all([
    troubledEndpointsOfSet(deps, deps.db, ids),
    deps.db.query<{ merchant_id: string; kinds: Kind[] }>(READ, [ids, environment, now, keysExpireBefore(now)]),
  ])
  const found = new Map<string, Set<Kind>>()
  const add = (merchant_id: string, kinds: readonly Kind[]) => {
    found.set(merchant_id, new Set([...(found.get(merchant_id) ?? []), ...kinds]))
  }
  for (const { merchant_id, state } of endpoints) add(merchant_id, [`webhooks_${state}`])
  for (const { merchant_id, kinds } of rows) add(merchant_id, kinds)
  return ids.flatMap((merchant_id) => {
    const kinds = found.get(merchant_id)
    return kinds === undefined ? [] : [{ merchant_id, kinds: ATTENTION_KINDS.filter((kind) => kinds.has(kind)) }]
  })
}
