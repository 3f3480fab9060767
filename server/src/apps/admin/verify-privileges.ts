// Compares the privileges that the migrations revoked with the grants of the database. After a restore without privileges, a
// role could change the ledger.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Reader, sql } from '../../kernel/db/index.ts'
import { MIGRATIONS_DIR } from '../../kernel/db/migrate.ts'

/** A privilege on a table that no role except a superuser may have. */
export type Revoked = { table: string; privilege: string }

/** The name of this check in the result of `verify`. */
export const PRIVILEGES_HOLD = 'No role may change or delete rows of append-only tables'

const REVOKE = /^revoke ([a-z, ]+) on ([a-z_, ]+) from current_user;$/gm

/** Returns the privileges that the migrations revoke, each once. Only the migrations define which tables are append-only. */
export function revokedPrivileges(dir = MIGRATIONS_DIR): Revoked[] {
  const names = readdirSync(dir).filter((name) => name.endsWith('.sql'))
  const text = names.map((name) => readFileSync(join(dir, name), 'utf8')).join('\n')
  const revoked = new Map<string, Revoked>()
  for (const [, privileges = '', tables = ''] of text.matchAll(REVOKE)) {
    for (const table of tables.split(',').map((name) => name.trim()))
      for (const privilege of privileges.split(',').map((name) => name.trim().toUpperCase()))
        revoked.set(`${table} ${privilege}`, { table, privilege })
  }
  return [...revoked.values()]
}

// `has_any_column_privilege` also finds an UPDATE of single columns. Both functions find grants to PUBLIC, inherited
// grants, and the role that may write all data. The query also checks the role of this connection, even a superuser.
const HELD_PRIVILEGES = sql(
  'verify_privileges',
  `select r.rolname || ' may ' || revoked.privilege || ' on ' || revoked.table_name || ': revoke ' || lower(revoked.privilege)
     || ' on ' || revoked.table_name || ' from ' || case when r.rolname = current_user then quote_ident(r.rolname)
       else quote_ident(r.rolname) || ', or from the role or PUBLIC through which it has it' end as finding
   from unnest($1::text[], $2::text[]) as revoked (table_name, privilege)
   join pg_class c on c.relname = revoked.table_name and c.relnamespace = current_schema()::regnamespace
   cross join pg_roles r
   where (r.rolname = current_user or (not r.rolsuper and r.rolname !~ '^pg_'))
     and case when revoked.privilege = 'UPDATE' then has_any_column_privilege(r.oid, c.oid, 'UPDATE')
       else has_table_privilege(r.oid, c.oid, revoked.privilege) end
   order by r.rolname <> current_user, c.relname, revoked.privilege, r.rolname`,
)

/**
 * Returns each privilege that a role has on a table although the migrations revoked the privilege, with the SQL statement that
 * revokes it.
 */
export async function lostRevocations(reader: Reader): Promise<string[]> {
  const revoked = revokedPrivileges()
  const rows = await reader.query<{ finding: string }>(HELD_PRIVILEGES, [
    revoked.map(({ table }) => table),
    revoked.map(({ privilege }) => privilege),
  ])
  return rows.map(({ finding }) => finding)
}
