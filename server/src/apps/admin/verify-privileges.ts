// Compares the privileges that the migrations revoked with the grants of the database, and checks the rights of the server's
// role. If a restore loses the revocations, a role can change the ledger.

import { ownedTable, type Reader, revokedPrivileges, sql } from '../../kernel/db/index.ts'

/** The name of the check of append-only tables in the result of verify. */
export const PRIVILEGES_HOLD = 'No role may change or delete rows of append-only tables'

// `has_any_column_privilege` also finds an UPDATE of single columns. Both functions find grants to PUBLIC, inherited grants,
// and roles that may write all data. The query also checks the role of this connection, even a superuser.
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
 * Returns each privilege that a role has although the migrations revoked it, with the SQL statement that revokes it again.
 */
export async function lostRevocations(reader: Reader): Promise<string[]> {
  const revoked = revokedPrivileges()
  const rows = await reader.query<{ finding: string }>(HELD_PRIVILEGES, [
    revoked.map(({ table }) => table),
    revoked.map(({ privilege }) => privilege),
  ])
  return rows.map(({ finding }) => finding)
}

/** The name of the check of the server's role in the result of verify. */
export const ROLE_SEPARATED = 'The role of the server cannot rewrite history'

// The query never runs for a superuser, because a superuser has the rights of every owner.
const RUNTIME_RIGHTS = sql(
  'verify_runtime_rights',
  `select current_user || ' may ' || p.privilege || ' on ' || c.relname || ': revoke it' as finding
   from pg_class c
   cross join unnest(array['TRUNCATE', 'TRIGGER', 'SELECT WITH GRANT OPTION', 'INSERT WITH GRANT OPTION',
     'UPDATE WITH GRANT OPTION', 'DELETE WITH GRANT OPTION']) as p (privilege)
   where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and has_table_privilege(c.oid, p.privilege)
   union all select current_user || ' may create objects in the schema ' || current_schema() || ': revoke create on schema '
     || quote_ident(current_schema()) || ' from ' || quote_ident(current_user) || ', public'
     where has_schema_privilege(current_schema(), 'CREATE')
   union all select current_user || ' is a member of ' || r.rolname || ': revoke ' || quote_ident(r.rolname) || ' from '
     || quote_ident(current_user)
     from pg_roles r where r.rolname <> current_user and pg_has_role(r.oid, 'MEMBER')
   union all select rolname || ' has the attribute createrole, replication or bypassrls: alter role ' || quote_ident(rolname)
     || ' nocreaterole noreplication nobypassrls'
     from pg_roles where rolname = current_user and (rolcreaterole or rolreplication or rolbypassrls)`,
)

/**
 * Finds the rights with which the role of this connection could rewrite history, such as the ownership of a table or TRUNCATE.
 * If the configuration has two roles, `must_separate` is true. Otherwise an owner is no finding, and `note` describes the
 * owner.
 */
export async function runtimeRights(
  reader: Reader,
  must_separate: boolean,
): Promise<{ findings: string[]; note: string | null }> {
  const { role, table } = await ownedTable(reader)
  if (table !== null) {
    const owns = `${role} has the rights of the owner of ${table}`
    if (must_separate)
      return { findings: [`${owns}: alter table ${table} owner to the role that migrates`], note: null }
    return {
      findings: [],
      note: `not separated: ${owns}, migrates, and serves requests; "admin db roles --print" prints the SQL statements for two roles`,
    }
  }
  const rows = await reader.query<{ finding: string }>(RUNTIME_RIGHTS)
  return { findings: rows.map(({ finding }) => finding), note: null }
}
