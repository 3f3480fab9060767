// Breaks correct books in one way at a time, and asserts that `verify` finds each break.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { runChecks, type Verification, verify } from '../src/apps/admin/verify.ts'
import { PRIVILEGES_HOLD } from '../src/apps/admin/verify-privileges.ts'
import type { Reader } from '../src/kernel/db/index.ts'
import { createTestDatabase } from './database.ts'

/** Ways to break each check, by the name of the check: SQL statements that run over correct books. */
export type Contradictions = Record<string, readonly string[]>

/** Returns an SQL condition that matches at most one row of a table. */
export function oneRow(table: string, condition: string): string {
  return `ctid = (select ctid from ${table} where ${condition} limit 1)`
}

/**
 * Adds one test per planted error. The test breaks a copy of the database at `url()`, asserts that its check fails, and rolls
 * the change back. The last change stays, and the whole of `verify` runs over the copy.
 */
export function testContradictions(url: () => string, plants: Contradictions): void {
  let copy: Awaited<ReturnType<typeof createTestDatabase>>
  let client: pg.Client
  before(async () => {
    copy = await createTestDatabase(new URL(url()).pathname.slice(1))
    client = await connect(copy.url)
    // The owner of the database may grant itself the revoked privileges. The server never does that.
    await client.query('grant update, delete on all tables in schema public to current_user')
  })
  after(async () => {
    await client?.end()
    await copy?.drop()
  })

  test('every check of verify succeeds for every reader while the books are correct', async () => {
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
    test(`verify fails the check "${name}" on planted error ${place}`, async () => {
      await client.query('begin')
      try {
        await plant(client, way)
        assertFound(name, await runChecks(readerOf(client), (oneRow) => oneRow === name))
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
  assert.ok(last.rowCount > 0, 'the plant changed a row')
  // Checks the deferred constraints now. If a constraint refuses the change, no transaction could commit the change.
  await client.query('set constraints all immediate')
}

function assertFound(name: string, { ok, checks }: Verification): void {
  const check = checks.find((entry) => entry.name === name)
  assert.equal(check?.ok, false, `broken elsewhere: ${checks.filter((entry) => !entry.ok).map((entry) => entry.name)}`)
  assert.match(check?.detail ?? '', /^\d+ broken: \S/)
  assert.equal(ok, false)
}

/** Connects as a reader with the time zone of the application's connections. Like them, reads a bigint as a BigInt. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' })
  client.setTypeParser(20, (text: string) => BigInt(text))
  await client.connect()
  return client
}

function readerOf(client: pg.Client): Reader {
  return { query: async ({ text }, values) => (await client.query({ text, values: [...(values ?? [])] })).rows }
}
