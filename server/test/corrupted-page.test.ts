// Tests that PostgreSQL, `verify` and `doctor` report a damaged page of a table, and no wrong amounts.

import assert from 'node:assert/strict'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { PROVIDERS } from '../src/adapters/providers/registry.ts'
import { checkDatabase } from '../src/apps/admin/doctor-database.ts'
import type { DoctorInput } from '../src/apps/admin/doctor-result.ts'
import { verify } from '../src/apps/admin/verify.ts'
import { createDb, describeRefusal } from '../src/kernel/db/index.ts'
import { readConfig } from '../src/kernel/lib/index.ts'
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts'

const PAGE_BYTES = 8_192
const PLANT = `
  insert into merchants (id, routing_code, merchant_code, name, status, verified, created_at, updated_at)
    values ('019a3c52-0c00-8000-8000-000000000001', 1, 'M1', 'Duka', 'ACTIVE', true, now(), now());
  insert into ledger_accounts (merchant_id, environment, currency, code, balance_minor, version)
    select id, environment, 'TZS', code, 0, 0 from merchants, unnest(array['live', 'sandbox']) as environment, unnest(
      array['available', 'reserved', 'held', 'provider_float', 'fee_income', 'processor_cost']) as code`

const servers: OwnPostgres[] = []
after(async () => {
  for (const server of servers) await server.close()
})

/**
 * Changes one bit of the last byte of the first page. In a table, this byte is a part of the first row. A second call repairs
 * the page.
 */
function damage(file: string): void {
  const descriptor = openSync(file, 'r+')
  const byte = Buffer.alloc(1)
  readSync(descriptor, byte, 0, 1, PAGE_BYTES - 1)
  byte.writeUInt8(byte.readUInt8(0) ^ 1)
  writeSync(descriptor, byte, 0, 1, PAGE_BYTES - 1)
  closeSync(descriptor)
}

test('verify and doctor report a damaged page of the books with the remedy, and REINDEX repairs a damaged index without a backup', async (t) => {
  const server = await startOwnPostgres()
  servers.push(server)
  await server.admin(PLANT)
  const [{ path = '', index = '' } = {}] = await server.admin<{ path: string; index: string }>(
    "select pg_relation_filepath('ledger_accounts') as path, pg_relation_filepath('ledger_accounts_pkey') as index",
  )
  const db = createDb({ url: server.url, max_connections: 1 })
  t.after(() => db.close())
  const input = { clock: { now: () => new Date() }, pending: async () => [], must_separate: false }
  const pages = async () =>
    await checkDatabase(db, readConfig({ NODE_ENV: 'test' }, PROVIDERS), input as unknown as DoctorInput).pages?.()

  assert.deepEqual(await pages(), {
    status: 'ok',
    message: 'PostgreSQL checks its pages, and found no damaged page',
  })
  assert.deepEqual(
    (await verify(server.url)).checks.filter(({ ok }) => !ok),
    [],
  )

  await server.stop('fast')
  damage(join(server.place, 'data', path))
  await server.start()

  const error = await verify(server.url).then(
    () => null,
    (one: unknown) => one,
  )
  assert.match(
    describeRefusal(error) ?? String(error),
    /^invalid page in block 0 of relation .*: a file of the database is damaged\. Pause the payouts, and follow "A corrupted page" of docs\/operate\/disasters\.md$/,
  )
  const found = await pages()
  assert.equal(found?.status, 'fail')
  assert.match(
    found?.message ?? '',
    /^PostgreSQL read damaged pages \d+ times, the last time at 20.*: pause the payouts/,
  )

  // The test repairs the page of the table, as a restored backup does. Then the test damages a page of an index, which
  // PostgreSQL can rebuild without a backup.
  await server.stop('fast')
  damage(join(server.place, 'data', path))
  damage(join(server.place, 'data', index))
  await server.start()
  const lookup = 'set enable_seqscan = off; select from ledger_accounts where merchant_id = gen_random_uuid()'
  await assert.rejects(server.admin(lookup), { code: 'XX001' })
  await server.admin('reindex index concurrently ledger_accounts_pkey')
  await server.admin(lookup)
  await server.admin('select pg_stat_reset()')
  assert.equal((await verify(server.url)).ok, true)
  assert.equal((await pages())?.status, 'ok')
})
