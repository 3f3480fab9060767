// The invariants of merchants, members, addresses and prices: what they are is what the audit log says was done.

import { DESTINATIONS } from '../../kernel/lib/index.ts'

const DESTINATION_NAMES = DESTINATIONS.flatMap(({ code, aliases }) => [code, ...aliases])
  .map((name) => `'${name}'`)
  .join(', ')

/** One invariant: `broken` finds the rows that break it, each with a column `what` that names it. */
export type Invariant = { name: string; broken: string }

/** What `verify` checks of people and their rights, beside the chains of the audit log themselves. */
export const PEOPLE: Invariant[] = [
  {
    name: 'Every merchant is in the state that its audit log says last',
    // Merchants from before there was an audit log are not in it, and were never suspended.
    broken: `select m.id || ' is ' || m.status || ', its audit log says ' || coalesce(said.status, 'nothing') as what
      from merchants m left join (${lastSaid('merchant', 'status')}) said on said.target_id = m.id::text
      where said.status <> m.status or (said.status is null and m.status = 'SUSPENDED')
      union all select m.id || case when m.verified then ' is' else ' is not' end || ' verified, its audit log says ' || said.verified
      from merchants m join (${lastSaid('merchant', 'verified')}) said on said.target_id = m.id::text
      where said.verified <> m.verified::text`,
  },
  {
    name: 'Every address of an allowlist is in the state that the audit log says last',
    broken: `select a.merchant_id || ' ' || a.address || ' is ' || a.status || ', the audit log says ' || coalesce(said.status, 'nothing') as what
      from ip_addresses a left join (${lastSaid('ip_address', 'status')}) said
        on said.merchant_id = a.merchant_id and said.target_id = a.id::text
      where said.status is distinct from a.status`,
  },
  {
    name: 'Every audit entry is about something that exists, or was removed by an act',
    broken: `select l.merchant_id || ' entry ' || l.seq || ' tells of ' || l.target_type || ' ' || l.target_id as what from (
        select * from audit_log where target_type in ('merchant', 'member', 'ip_address', 'api_key')) l
      left join (
        select id as merchant_id, 'merchant' as target_type, id::text as target_id from merchants
        union all select merchant_id, 'member', id::text from members
        union all select merchant_id, 'ip_address', id::text from ip_addresses
        union all select merchant_id, 'api_key', id::text from api_keys
        union all select merchant_id, target_type, target_id from audit_log where action in ('member.remove', 'ip_address.delete')
      ) found using (merchant_id, target_type, target_id)
      where found.target_id is null`,
  },
  {
    name: 'No member, address, price or key belongs to nobody',
    broken: `select 'member ' || s.merchant_id || ' ' || s.id as what from members s
      left join merchants m on m.id = s.merchant_id left join users u on u.id = s.user_id where m.id is null or u.id is null
      ${['ip_addresses', 'pricing_rules', 'api_keys']
        .map(
          (table) => `union all select '${table} ' || t.merchant_id || ' ' || t.id from ${table} t
      left join merchants m on m.id = t.merchant_id where m.id is null`,
        )
        .join('\n')}`,
  },
  {
    name: 'Every price in force is of a network or bank that exists',
    broken: `select merchant_id || ' ' || label || ' names ' || destination_code as what
      from pricing_rules where valid_until is null
        and upper(regexp_replace(btrim(destination_code), '[ -]', '_', 'g')) not in (${DESTINATION_NAMES})`,
  },
  {
    name: 'No two prices in force say the same',
    broken: `select merchant_id || ' ' || flow || ' ' || coalesce(method, 'every method') || ' ' || coalesce(destination_code, 'everywhere') as what
      from pricing_rules where valid_until is null group by merchant_id, flow, method, destination_code having count(*) > 1`,
  },
]

/** What the audit log said last of one field of each record of a kind, as text. */
function lastSaid(target_type: string, field: string): string {
  return `select distinct on (merchant_id, target_id) merchant_id, target_id, after ->> '${field}' as ${field}
    from audit_log where target_type = '${target_type}' and after ->> '${field}' is not null
    order by merchant_id, target_id, seq desc`
}
