// Defines the invariants of merchants, members, addresses, prices and keys. Some checks compare these records with the audit
// log.

import { DESTINATIONS } from '../../kernel/lib/index.ts'

const DESTINATION_NAMES = DESTINATIONS.flatMap(({ code, aliases }) => [code, ...aliases])
  .map((name) => `'${name}'`)
  .join(', ')

/**
 * An invariant. The query `broken` finds the rows that break the invariant, and the column `finding` describes each row.
 */
export type Invariant = { name: string; broken: string }

/** The checks of `verify` about merchants, members, addresses, prices and keys. */
export const PEOPLE: Invariant[] = [
  {
    name: 'The state of every merchant equals the last state in its audit log',
    // If a merchant is older than the audit log, the log has no entries about it, and no operator has suspended it.
    broken: `select m.id || ' is ' || m.status || ', its audit log has ' || coalesce(audited.status, 'no entry') as finding
      from merchants m left join (${lastAudited('merchant', 'status')}) audited on audited.target_id = m.id::text
      where audited.status <> m.status or (audited.status is null and m.status = 'SUSPENDED')
      union all select m.id || case when m.verified then ' is' else ' is not' end || ' verified, its audit log has ' || audited.verified
      from merchants m join (${lastAudited('merchant', 'verified')}) audited on audited.target_id = m.id::text
      where audited.verified <> m.verified::text`,
  },
  {
    name: 'The state of every allowlist address equals the last state in the audit log',
    broken: `select a.merchant_id || ' ' || a.address || ' is ' || a.status || ', the audit log has ' || coalesce(audited.status, 'no entry') as finding
      from ip_addresses a left join (${lastAudited('ip_address', 'status')}) audited
        on audited.merchant_id = a.merchant_id and audited.target_id = a.id::text
      where audited.status is distinct from a.status`,
  },
  {
    name: 'Every audit entry is about a record that exists or that an audited action removed',
    broken: `select l.merchant_id || ' entry ' || l.seq || ' is about a missing ' || l.target_type || ' ' || l.target_id as finding from (
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
    name: 'Every member, address, price and key belongs to an existing merchant',
    broken: `select 'member ' || s.merchant_id || ' ' || s.id as finding from members s
      left join merchants m on m.id = s.merchant_id left join users u on u.id = s.user_id where m.id is null or u.id is null
      ${['ip_addresses', 'pricing_rules', 'api_keys']
        .map(
          (table) => `union all select '${table} ' || t.merchant_id || ' ' || t.id from ${table} t
      left join merchants m on m.id = t.merchant_id where m.id is null`,
        )
        .join('\n')}`,
  },
  {
    name: 'Every price in force names a known network or bank',
    broken: `select merchant_id || ' ' || label || ' names ' || destination_code as finding
      from pricing_rules where valid_until is null
        and upper(regexp_replace(btrim(destination_code), '[ -]', '_', 'g')) not in (${DESTINATION_NAMES})`,
  },
  {
    name: 'No two prices in force have the same flow, method and destination',
    broken: `select merchant_id || ' ' || flow || ' ' || coalesce(method, 'every method') || ' ' || coalesce(destination_code, 'everywhere') as finding
      from pricing_rules where valid_until is null group by merchant_id, flow, method, destination_code having count(*) > 1`,
  },
]

/** Returns an SQL query for the last value of a field in the audit log, as text, for each record of a type. */
function lastAudited(target_type: string, field: string): string {
  return `select distinct on (merchant_id, target_id) merchant_id, target_id, after ->> '${field}' as ${field}
    from audit_log where target_type = '${target_type}' and after ->> '${field}' is not null
    order by merchant_id, target_id, seq desc`
}
