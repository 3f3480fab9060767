// Tests that the role of the server can do its work, and that this role cannot change or delete append-only rows.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, runtimeUrlOf, type TestDatabase } from '../../../test/database.ts'
import { verify } from '../../apps/admin/verify.ts'
import { ROLE_SEPARATED } from '../../apps/admin/verify-privileges.ts'
import { ConfigError } from '../lib/index.ts'
import { migrate } from './migrate.ts'
import { grantRuntime, revokedPrivileges, roleNames, rolesSql } from './roles.ts'

const FORBIDDEN = '42501'
const HISTORY = 'ledger_transfers'

let database: TestDatabase
let runtime_url: string
let owner: pg.Client
let runtime: pg.Client
before(async () => {
  database = await createTestDatabase()
  runtime_url = runtimeUrlOf(database)
  await grantRuntime(database.url, runtime_url)
  owner = await connect(database.url)
  runtime = await connect(runtime_url)
})
after(async () => {
  await runtime.end()
  await owner.end()
  await database.drop()
})

describe('the role of the server', { concurrency: 1 }, () => {
  test('for every append-only table, the database refuses the server statements that change or delete rows', async () => {
    const { rows } = await owner.query<{ table: string; column: string }>(`
      select c.relname as table, min(a.attname) as column from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not a.attisdropped group by c.relname`)
    const columns = new Map(rows.map(({ table, column }) => [table, column]))
    const revoked = revokedPrivileges()
    const { rows: role } = await owner.query<{ name: string }>('select current_user as name')
    assert.ok(revoked.some(({ table }) => table === 'audit_log'))
    for (const { table, privilege } of revoked) {
      const column = columns.get(table)
      assert.ok(column !== undefined, `${table} exists`)
      const statements: Record<string, string> = {
        UPDATE: `update ${table} set ${column} = ${column}`,
        DELETE: `delete from ${table}`,
        TRUNCATE: `truncate ${table} cascade`,
      }
      await refused(statements[privilege] as string)
      await refused(`alter table ${table} disable trigger all`)
      await refused(`alter table ${table} owner to current_user`)
      await refused(`alter table ${table} add column added text`)
      await refused(`alter table ${table} rename to renamed`)
      await refused(`drop table ${table}`)
      await refused(`create rule rewritten as on insert to ${table} do instead nothing`)
      // Without a grant option, PostgreSQL answers a grant with a warning and changes nothing.
      await runtime.query(`grant ${privilege} on ${table} to current_user`)
      await refused(statements[privilege] as string)
    }
    await refused(`set role ${role[0]?.name}`)
    await refused('set session_replication_role = replica')
    await refused('create table added (id int)')
    await refused('create role added superuser')
  })

  test('the role of the server has exactly the rights on rows that the owner has, and only reads the list of migrations', async () => {
    const { rows } = await runtime.query(`
      select c.relname, p.privilege from pg_class c cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p(privilege)
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'schema_migrations'
        and has_table_privilege(c.relowner, c.oid, p.privilege) <> has_table_privilege(c.oid, p.privilege)`)
    assert.deepEqual(rows, [])
    await refused('delete from schema_migrations')
    assert.deepEqual(await migrate(runtime_url), [], 'a start without pending migrations needs no rights of the owner')
  })

  test('a second grant changes nothing, and a later grant revokes the privileges that the owner has given since then', async () => {
    const lines: string[] = []
    const log = { info: (line: string) => void lines.push(line) }
    await grantRuntime(database.url, runtime_url, log)
    assert.deepEqual(lines, [])
    await owner.query(`grant update, delete, truncate on ${HISTORY} to malipo_runtime`)
    await grantRuntime(database.url, runtime_url, log)
    assert.deepEqual(lines, ['set 3 table privileges of the role malipo_runtime'])
    await refused(`delete from ${HISTORY}`)
  })

  test('eight programs grant the privileges at the same time without an error', async () => {
    await owner.query('revoke all on all tables in schema public from malipo_runtime')
    await Promise.all(Array.from({ length: 8 }, () => grantRuntime(database.url, runtime_url)))
    assert.equal((await runtime.query('select from ledger_accounts')).rowCount, 0)
  })

  test('verify accepts the role, and names each tested right that the role must not have', async () => {
    const check = async () => {
      const { checks } = await verify(runtime_url, { must_separate: true })
      return checks.find(({ name }) => name === ROLE_SEPARATED)
    }
    assert.deepEqual(await check(), { name: ROLE_SEPARATED, ok: true, detail: 'holds' })
    for (const [give, take, finding] of [
      [`grant truncate on ${HISTORY} to`, `revoke truncate on ${HISTORY} from`, /TRUNCATE on ledger_transfers/],
      [`grant trigger on ${HISTORY} to`, `revoke trigger on ${HISTORY} from`, /TRIGGER on ledger_transfers/],
      ['grant create on schema public to', 'revoke create on schema public from', /objects in the schema public/],
    ] as const) {
      await owner.query(`${give} malipo_runtime`)
      const found = await check()
      assert.equal(found?.ok, false)
      assert.match(found?.detail ?? '', finding)
      await owner.query(`${take} malipo_runtime`)
    }
    await owner.query('grant select on merchants to malipo_runtime with grant option')
    assert.match((await check())?.detail ?? '', /SELECT WITH GRANT OPTION on merchants/)
    await owner.query('revoke grant option for select on merchants from malipo_runtime')
  })

  test('verify reports a single role, which is a fault only if the configuration has two roles', async () => {
    const check = async (must_separate: boolean) =>
      (await verify(database.url, { must_separate })).checks.find(({ name }) => name === ROLE_SEPARATED)
    const single = await check(false)
    assert.equal(single?.ok, true)
    assert.match(single?.detail ?? '', /^not separated: malipo has the rights of the owner of .*admin db roles --print/)
    const fault = await check(true)
    assert.equal(fault?.ok, false)
    assert.match(fault?.detail ?? '', /malipo has the rights of the owner/)
  })

  test('the grant refuses a role that owns the tables, and a URL of another database', async () => {
    const refusal = (text: RegExp) => (error: Error) => error instanceof ConfigError && text.test(error.message)
    await assert.rejects(
      grantRuntime(database.url, database.url),
      refusal(/malipo of DATABASE_URL has the rights of the owner/),
    )
    const other = new URL(runtime_url)
    other.pathname = '/postgres'
    await assert.rejects(
      grantRuntime(database.url, other.href),
      refusal(/^DATABASE_URL names the database postgres, but/),
    )
  })
})

test('the SQL statements for the roles name the roles of the two URLs, quote each name and contain no password', () => {
  const [one, two] = ['postgres://owner:secret@db/pay', 'postgres://app:secret@db/pay']
  assert.deepEqual(roleNames('', ''), { owner: 'malipo', runtime: 'malipo_runtime', database: 'malipo' })
  assert.deepEqual(roleNames(one, ''), { owner: 'owner', runtime: 'malipo_runtime', database: 'pay' })
  assert.deepEqual(roleNames(two, one), { owner: 'owner', runtime: 'app', database: 'pay' })
  const text = rolesSql({ ...roleNames(two, one), runtime: `a"b'c` })
  assert.ok(!text.includes('secret'))
  assert.match(text, /create role "a""b'c" login/)
  assert.match(text, /rolname = 'a"b''c'/)
})

async function refused(statement: string): Promise<void> {
  await assert.rejects(runtime.query(statement), { code: FORBIDDEN }, statement)
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}
