/**
 * Separates the two roles of a database: the owner migrates, and the role of the server (the runtime role) reads and writes
 * rows. The runtime role owns nothing, so it cannot grant itself the privileges that the migrations revoked.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { adminCommand, ConfigError, splitDatabaseUrl } from '../lib/index.ts'
import { beginInTurn, MIGRATIONS_DIR, type MigrateLog, withClient } from './migrate.ts'
import { type Reader, sql } from './pool.ts'

/** A privilege on a table that the migrations revoke from the owner of the table. */
export type Revoked = { table: string; privilege: string }

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

type Session = { role: string; database: string; schema: string | null }
type Change = { table: string; privilege: string; wanted: boolean }

const SESSION = 'select current_user as role, current_database() as database, current_schema() as schema'

const OWNED_BY = `select c.relname as table from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and pg_has_role($1, c.relowner, 'MEMBER')
  order by c.relname limit 1`

// The runtime role gets the rights on rows that the owner has and no migration revoked. So a table of a newer program, whose
// migration this program lacks, keeps its protection too. Only the owner records migrations.
const CHANGES = `select relname as table, privilege, wanted from (
    select c.relname, p.privilege, has_table_privilege($1, c.oid, p.privilege) as held,
      p.privilege in ('SELECT', 'INSERT', 'UPDATE', 'DELETE') and has_table_privilege(c.relowner, c.oid, p.privilege)
        and (c.relname <> 'schema_migrations' or p.privilege = 'SELECT')
        and not exists (select from unnest($2::text[], $3::text[]) as r (relname, privilege)
          where r.relname = c.relname and r.privilege = p.privilege) as wanted
    from pg_class c
    cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) as p (privilege)
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')) t
  where held <> wanted order by privilege, relname`

/**
 * Gives the role of `runtime_url` its rights on the tables of the owner, and revokes all other rights. Call this function after
 * each migration. If nothing differs, the function only reads. If the roles are not separate, or the URLs name different
 * databases or schemas, throws a ConfigError.
 */
export async function grantRuntime(owner_url: string, runtime_url: string, log?: MigrateLog): Promise<void> {
  await withClient(runtime_url, (runtime) =>
    withClient(owner_url, async (owner) => {
      const [served, owned] = [await sessionOf(runtime), await sessionOf(owner)]
      if (served.database !== owned.database) {
        throw new ConfigError(
          `DATABASE_URL names the database ${served.database}, but MIGRATION_DATABASE_URL names ${owned.database}: both must name the same database`,
        )
      }
      const { rows } = await owner.query<{ table: string }>(OWNED_BY, [served.role])
      if (rows[0] !== undefined || served.role === owned.role) {
        throw new ConfigError(
          `the role ${served.role} of DATABASE_URL ${rows[0] === undefined ? 'also migrates' : `has the rights of the owner of ${rows[0].table}`}: name a role without ownership in DATABASE_URL, ` +
            `or leave MIGRATION_DATABASE_URL empty. "${adminCommand('db roles --print')}" prints the SQL statements that make the role`,
        )
      }
      const changes = await applyGrants(owner, served.role)
      if (changes > 0) log?.info(`set ${changes} table privileges of the role ${served.role}`)
      const { schema } = await sessionOf(runtime)
      if (schema !== owned.schema) {
        throw new ConfigError(
          `the role ${served.role} of DATABASE_URL uses the schema ${schema}, but the tables are in ${owned.schema}: ` +
            `alter role ${quoted(served.role)} in database ${quoted(served.database)} set search_path = ${quoted(owned.schema ?? 'public')}`,
        )
      }
    }),
  )
}

/** Applies the differences under the lock of migrations. Returns the number of changed table privileges. */
async function applyGrants(owner: pg.Client, role: string): Promise<number> {
  const revoked = revokedPrivileges()
  const values = [role, revoked.map(({ table }) => table), revoked.map(({ privilege }) => privilege)]
  const readChanges = async () => (await owner.query<Change>(CHANGES, values)).rows
  const mayUseSchema = async () =>
    (await owner.query<{ may: boolean }>("select has_schema_privilege($1, current_schema(), 'USAGE') as may", [role]))
      .rows[0]?.may === true
  if ((await readChanges()).length === 0 && (await mayUseSchema())) return 0
  try {
    await beginInTurn(owner, () => {})
    const changes = await readChanges()
    for (const { table, privilege, wanted } of changes) {
      const rest = `${privilege} on ${quoted(table)} ${wanted ? 'to' : 'from'} ${quoted(role)}`
      await owner.query(`${wanted ? 'grant' : 'revoke'} ${rest}`)
    }
    if (!(await mayUseSchema())) {
      const { schema } = await sessionOf(owner)
      await owner.query(`grant usage on schema ${quoted(schema ?? 'public')} to ${quoted(role)}`)
    }
    await owner.query('commit')
    return changes.length
  } catch (error) {
    await owner.query('rollback').catch(() => {}) // The connection may be lost, and then the rollback fails too.
    throw error
  }
}

const OWNED = sql(
  'roles_owned',
  `select current_user::text as role, min(c.relname) as table from pg_class c
   where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and pg_has_role(c.relowner, 'MEMBER')`,
)

/**
 * Returns the role of this connection, and the first table that it owns or whose owner it can become. Null as `table` means
 * that the role cannot change the privileges of any table.
 */
export async function ownedTable(reader: Reader): Promise<{ role: string; table: string | null }> {
  const [row] = await reader.query<{ role: string; table: string | null }>(OWNED)
  return row ?? { role: '', table: null }
}

/** The names in the SQL statements of `rolesSql`. */
export type RoleNames = { owner: string; runtime: string; database: string }

/**
 * Returns the names of the two roles and the database, from the two URLs. If no URL gives a name, it is the default name.
 */
export function roleNames(database_url: string, migration_database_url: string): RoleNames {
  const parse = (url: string) => (url === '' ? null : new URL(splitDatabaseUrl(url).urls[0] as string))
  const [served, owned] = [parse(database_url), parse(migration_database_url)]
  const name = (url: URL | null) => decodeURIComponent(url?.username ?? '')
  const has_both = served !== null && owned !== null
  return {
    // If MIGRATION_DATABASE_URL is empty, the role of DATABASE_URL owns the tables, and the server needs a new role.
    owner: name(owned ?? served) || 'malipo',
    runtime: (has_both ? name(served) : '') || 'malipo_runtime',
    database: decodeURIComponent((served ?? owned)?.pathname.slice(1) ?? '') || 'malipo',
  }
}

/** Returns the SQL statements that make the two roles of an external database. A second run changes nothing. */
export function rolesSql({ owner, runtime, database }: RoleNames): string {
  const [o, r, d] = [owner, runtime, database].map(quoted)
  const make = (role: string) =>
    `do $do$ begin
  if not exists (select from pg_roles where rolname = ${literal(role)}) then create role ${quoted(role)} login; end if;
end $do$;`
  // Only a superuser may name an attribute such as NOSUPERUSER. So if the role lacks the attribute, the statements do not name
  // it.
  const limit = (role: string, attributes: readonly string[]) => {
    const has = attributes.map((attribute) => COLUMN_OF_ATTRIBUTE[attribute]).join(' or ')
    return `do $do$ begin
  if exists (select from pg_roles where rolname = ${literal(role)} and (${has})) then
    alter role ${quoted(role)} ${attributes.map((attribute) => `no${attribute}`).join(' ')};
  end if;
end $do$;`
  }
  return `-- Run these statements as a superuser, connected to the database ${database}. A second run changes nothing. On a managed service, run
-- them as its administrator: a role with CREATEROLE and CREATEDB that owns the database.
-- Then set a password for each new role: alter role ${r} password '...';
-- MIGRATION_DATABASE_URL names ${owner}, which owns the tables. DATABASE_URL names ${runtime}.
-- The next start, or "${adminCommand('migrate')}", grants the privileges on the tables.
${make(owner)}
${make(runtime)}
${limit(owner, ['superuser', 'bypassrls', 'replication'])}
${limit(runtime, ['superuser', 'createdb', 'createrole', 'bypassrls', 'replication'])}
do $do$ begin
  if not (select rolsuper from pg_roles where rolname = current_user) then grant ${o} to current_user; end if;
end $do$;
alter database ${d} owner to ${o};
revoke all on database ${d} from public;
grant connect on database ${d} to ${r};
revoke create on schema public from public;
grant create, usage on schema public to ${o};
grant usage on schema public to ${r};
`
}

const COLUMN_OF_ATTRIBUTE: Readonly<Record<string, string>> = {
  superuser: 'rolsuper',
  createdb: 'rolcreatedb',
  createrole: 'rolcreaterole',
  bypassrls: 'rolbypassrls',
  replication: 'rolreplication',
}

function quoted(name: string): string {
  return pg.escapeIdentifier(name)
}

function literal(value: string): string {
  return pg.escapeLiteral(value)
}

async function sessionOf(client: pg.Client): Promise<Session> {
  return (await client.query<Session>(SESSION)).rows[0] as Session
}
