// Tests the queue of held payments in an installation that held payments before the queue existed.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { createTestDatabase } from '../../../test/database.ts'
import { MIGRATIONS_DIR, migrate } from '../../kernel/db/migrate.ts'

test('the migration adds earlier held payments to the queue, and marks the decided payments', async (t) => {
  const earlier = await mkdtemp(join(tmpdir(), 'earlier-'))
  const files = (await readdir(MIGRATIONS_DIR)).sort()
  const queue = files.findIndex((name) => name.startsWith('0004'))
  for (const name of files.slice(0, queue)) await cp(join(MIGRATIONS_DIR, name), join(earlier, name))
  const database = await createTestDatabase(null)
  const client = new pg.Client({ connectionString: database.url })
  t.after(async () => {
    await client.end()
    await database.drop()
    await rm(earlier, { recursive: true })
  })
  await migrate(database.url, undefined, earlier)
  await client.connect()

  const merchant_id = randomUUID()
  const at = (minute: number) => `2026-01-05T09:0${minute}:00Z`
  const pay = async (environment: string, ...way: [status: string, minute: number][]) => {
    const id = randomUUID()
    await client.query(
      `insert into collections (merchant_id, id, environment, origin_environment, status, version, amount_minor, currency,
         fee_minor, created_at, updated_at) values ($1, $2, $3, $3, $4, $5, 100, 'TZS', 0, $6, $7)`,
      [merchant_id, id, environment, way.at(-1)?.[0], way.length, at(0), at(9)],
    )
    let from = 'processing'
    for (const [i, [to, minute]] of way.entries()) {
      await client.query(
        `insert into collection_history (merchant_id, collection_id, seq, from_status, to_status, actor, reason, event, at)
         values ($1, $2, $3, $4, $5, 'provider', 'word', null, $6)`,
        [merchant_id, id, i + 1, from, to, at(minute)],
      )
      from = to
    }
    return id
  }
  const waiting = await pay('live', ['pending_clearance', 1], ['pending_clearance', 2])
  const returned = await pay('sandbox', ['pending_clearance', 3], ['pending_clearance', 4], ['reversed', 5])
  await pay('live', ['successful', 6], ['reversed', 7])

  await migrate(database.url)
  const { rows } = await client.query(
    'select collection_id, environment, held_at, decided_at from held_collections where merchant_id = $1 order by held_at',
    [merchant_id],
  )
  assert.deepEqual(rows, [
    { collection_id: waiting, environment: 'live', held_at: new Date(at(1)), decided_at: null },
    { collection_id: returned, environment: 'sandbox', held_at: new Date(at(3)), decided_at: new Date(at(5)) },
  ])
})
