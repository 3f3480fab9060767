// Tests that verify finds each append-only table that a role may change.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Reader, revokedPrivileges } from '../../kernel/db/index.ts'
import { runChecks, verify } from './verify.ts'
import { PRIVILEGES_HOLD } from './verify-privileges.ts'

const TABLES = [...new Set(revokedPrivileges().map(({ table }) => table))]

let database: TestDatabase
let client: pg.Client
before(async () => {
  database = await createTestDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
after(async () => {
  await client.end()
  await database.drop()
})

describe('verify and the privileges of append-only tables', { concurrency: 1 }, () => {
  test('the check of privileges passes on a migrated database', async () => {
    assert.deepEqual(await check(), { name: PRIVILEGES_HOLD, ok: true, detail: 'holds' })
  })

  test('verify expects exactly the privileges that the owner of a migrated database does not have', async () => {
    const { rows } = await client.query<{ table: string; privilege: string }>(`
      select c.relname as table, p.privilege from pg_class c cross join unnest(array['UPDATE', 'DELETE', 'TRUNCATE']) p(privilege)
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
        and not has_table_privilege(c.oid, p.privilege)`)
    const sorted = (list: { table: string; privilege: string }[]) =>
      list.map(({ table, privilege }) => `${table} ${privilege}`).sort()
    assert.deepEqual(sorted(revokedPrivileges()), sorted(rows))
    assert.ok(rows.length > 0)
  })

  test('the migrations revoke update, delete and truncate on every table whose comment contains append-only', async () => {
    const { rows } = await client.query<{ table: string }>(`
      select relname as table from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
        and obj_description(oid, 'pg_class') ~* 'append-only'`)
    const expected = rows.map(({ table }) => table)
    assert.ok(expected.includes('ledger_transfers'), expected.join())
    for (const table of expected) {
      const privileges = revokedPrivileges().filter((revoked) => revoked.table === table)
      assert.deepEqual(privileges.map(({ privilege }) => privilege).sort(), ['DELETE', 'TRUNCATE', 'UPDATE'], table)
    }
  })

  for (const table of TABLES) {
    test(`verify reports the table ${table} after a restore without privileges`, async () => {
      await rolledBack(async () => {
        // A restore without privileges makes the table again, but does not revoke the privileges of its owner.
        await client.query(`alter table ${table} rename to restored_from`)
        await client.query(`create table ${table} (like restored_from including all)`)
        await client.query(`insert into ${table} select * from restored_from`)
        await client.query('drop table restored_from cascade')
        const { ok, detail } = await check()
        assert.equal(ok, false)
        const lost = revokedPrivileges().filter((revoked) => revoked.table === table)
        assert.match(detail, new RegExp(`^${lost.length} broken: `))
        for (const { privilege } of lost) {
          const revoke = `revoke ${privilege.toLowerCase()} on ${table} from`
          assert.match(detail, new RegExp(`malipo may ${privilege} on ${table}: ${revoke}`))
        }
      })
    })
  }

  const others: { to: string; grant: string }[] = [
    { to: 'PUBLIC', grant: 'grant delete on ledger_transfers to public' },
    { to: 'our own role', grant: 'grant update on ledger_transfers to current_user' },
    { to: 'a column of our own role', grant: 'grant update (amount_minor) on ledger_transfers to current_user' },
  ]
  for (const { to, grant } of others) {
    test(`verify reports a revoked privilege that the owner grants to ${to}`, async () => {
      await rolledBack(async () => {
        await client.query(grant)
        assert.equal((await check()).ok, false)
      })
    })
  }

  test('verify fails while a role has a revoked privilege, and passes after the SQL statement in its message', async () => {
    const copy = await createTestDatabase()
    const owner = new pg.Client({ connectionString: copy.url })
    await owner.connect()
    try {
      await owner.query('grant all on ledger_transfers to current_user')
      const { ok, checks } = await verify(copy.url)
      assert.equal(ok, false)
      const { detail } = checks.find(({ name }) => name === PRIVILEGES_HOLD) as { detail: string }
      for (const [statement] of detail.matchAll(/revoke \w+ on \w+ from \w+/g)) await owner.query(statement)
      assert.equal((await verify(copy.url)).ok, true)
    } finally {
      await owner.end()
      await copy.drop()
    }
  })
})

async function check() {
  const reader: Reader = {
    query: async ({ text }, values) => (await client.query({ text, values: [...(values ?? [])] })).rows,
  }
  const { checks } = await runChecks(reader, (name) => name === PRIVILEGES_HOLD)
  assert.equal(checks.length, 1)
  return checks[0] as { name: string; ok: boolean; detail: string }
}

async function rolledBack(work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
  } finally {
    await client.query('rollback')
  }
}
