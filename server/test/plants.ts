// Planting contradictions: each is put into sound books, and `verify` has to find it.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { runChecks, type Verification, verify } from '../src/apps/admin/verify.ts'
import { PRIVILEGES_HOLD } from '../src/apps/admin/verify-privileges.ts'
import type { Reader } from '../src/kernel/db/index.ts'
import { createTestDatabase } from './database.ts'

/** A check's name, and the ways to break what it promises: SQL over sound books. */
export type Plants = Record<string, readonly string[]>

/** One row of a table, as a condition. */
export function one(table: string, condition: string): string {
  return `ctid = (select ctid from ${table} where ${condition} limit 1)`
}

/**
 * Adds a test for each plant: in a copy of the database at `url()` it changes something, and its check says so. Each is taken
 * back before the next one, but for the last: it stays, and the whole of `verify` looks at the copy.
 */
export function testPlants(url: () => string, plants: Plants): void {
  let copy: Awaited<ReturnType<typeof createTestDatabase>>
  let client: pg.Client
  before(async () => {
    copy = await createTestDatabase(new URL(url()).pathname.slice(1))
    client = await connect(copy.url)
    // The owner may give itself back what it took from itself; the application never does.
    await client.query('grant update, delete on all tables in schema public to current_user')
  })
  after(async () => {
    await client?.end()
    await copy?.drop()
  })

  test('before anything is planted every check holds, whoever reads', async () => {
    const { checks } = await runChecks(readerOf(client), (name) => name !== PRIVILEGES_HOLD)
    assert.deepEqual(
      checks.filter(({ ok }) => !ok),
      [],
    )
  })

  const all = Object.entries(plants).flatMap(([name, ways]) =>
    ways.map((way, i) => ({ name, way, place: `${i + 1} of ${ways.length}` })),
  )
  for (const [i, { name, way, place }] of all.entries()) {
    test(`${name} (${place})`, async () => {
      await client.query('begin')
      try {
        await plant(client, way)
        assertFound(name, await runChecks(readerOf(client), (one) => one === name))
        if (i < all.length - 1) return
        await client.query('commit')
        assertFound(name, await verify(copy.url))
      } finally {
        await client.query('rollback')
      }
    })
  }
}

async function plant(client: pg.Client, way: string): Promise<void> {
  const results = await client.query(way)
  const last = Array.isArray(results) ? results.at(-1) : results
  assert.ok(last.rowCount > 0, 'the plant changed something')
  // What is checked at the end of a transaction would be refused there.
  await client.query('set constraints all immediate')
}

function assertFound(name: string, { ok, checks }: Verification): void {
  const check = checks.find((entry) => entry.name === name)
  assert.equal(check?.ok, false, `broken elsewhere: ${checks.filter((entry) => !entry.ok).map((entry) => entry.name)}`)
  assert.match(check?.detail ?? '', /^\d+ broken: \S/)
  assert.equal(ok, false)
}

/** A connection that reads as those of the application do. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' })
  client.setTypeParser(20, (text: string) => BigInt(text))
  await client.connect()
  return client
}

function readerOf(client: pg.Client): Reader {
  return { query: async ({ text }, values) => (await client.query({ text, values: [...(values ?? [])] })).rows }
}
