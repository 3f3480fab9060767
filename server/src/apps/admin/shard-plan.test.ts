// Tests the plan for several machines. The plan shows the sizes, the shares and the breaches of a real database.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createDb, type Db, PLACEMENTS } from '../../kernel/db/index.ts'
import { planShards } from './shard-plan.ts'

const SMALL = '019a3c52-0c00-8000-8000-000000000001'
const LARGE = '019a3c52-0c00-8000-8000-000000000002'

let database: TestDatabase
let db: Db
before(async () => {
  database = await createTestDatabase()
  db = createDb({ url: database.url, max_connections: 1 })
})
after(async () => {
  await db.close()
  await database.drop()
})

async function run(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(text).finally(() => client.end())
}

test('the plan names each table with its placement, and the largest merchants with their share', async () => {
  assert.deepEqual((await planShards({ db })).merchants, [])
  await run(`
    insert into merchants (id, routing_code, merchant_code, name, status, verified, created_at, updated_at)
      values ('${SMALL}', 1, 'M1', 'Small', 'ACTIVE', true, now(), now()), ('${LARGE}', 2, 'M2', 'Large', 'ACTIVE', true, now(), now());
    insert into ledger_accounts (merchant_id, environment, currency, code, balance_minor, version)
      select id, 'live', 'TZS', 'available', 0, case name when 'Small' then 1 else 3 end from merchants;
    analyze merchants`)
  const { ok, tables, merchants, machines, shards, blocks } = await planShards({ db })
  assert.deepEqual([ok, machines, shards, blocks], [true, 1, 32, []])
  const placements = new Map(
    (tables as { table: string; placement: string }[]).map((one) => [one.table, one.placement]),
  )
  assert.deepEqual([...placements.keys()].sort(), [...PLACEMENTS.keys()].sort())
  const some = ['collections', 'provider_callbacks', 'merchants', 'statements'].map((name) => placements.get(name))
  assert.deepEqual(some, ['by merchant_id', 'by dedupe_key', 'reference', 'local'])
  assert.equal((tables as { table: string; rows: number }[]).find(({ table }) => table === 'merchants')?.rows, 2)
  assert.deepEqual(merchants, [
    { merchant_id: LARGE, name: 'Large', share: '75.0 %', advice: 'fits' },
    { merchant_id: SMALL, name: 'Small', share: '25.0 %', advice: 'fits' },
  ])
})

test('the plan fails with the constraint that blocks several machines', async () => {
  await run('alter table payouts add constraint payouts_reference_key unique (provider_reference)')
  const { ok, blocks } = await planShards({ db })
  assert.deepEqual(
    [ok, blocks],
    [false, [{ table: 'payouts', breach: 'payouts_reference_key does not contain merchant_id' }]],
  )
})
