// Planting contradictions: each is put into a copy of sound books, and `verify` has to find it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { verify } from '../src/admin/verify.ts'
import { createTestDatabase } from './database.ts'

/** A check's name, and the ways to break what it promises: SQL over sound books. */
export type Plants = Record<string, readonly string[]>

/** One row of a table, as a condition. */
export function one(table: string, condition: string): string {
  return `ctid = (select ctid from ${table} where ${condition} limit 1)`
}

/** Adds a test for each plant: in a copy of the database at `url()` it changes something, and its check says so. */
export function testPlants(url: () => string, plants: Plants): void {
  for (const [name, ways] of Object.entries(plants)) {
    for (const [i, way] of ways.entries()) {
      test(`${name} (${i + 1} of ${ways.length})`, () => plant(url(), name, way))
    }
  }
}

async function plant(url: string, name: string, way: string): Promise<void> {
  const copy = await createTestDatabase(new URL(url).pathname.slice(1))
  const client = new pg.Client({ connectionString: copy.url })
  try {
    await client.connect()
    // The owner may give itself back what it took from itself; the application never does.
    await client.query('grant update, delete on all tables in schema public to current_user')
    const results = await client.query(way)
    const last = Array.isArray(results) ? results.at(-1) : results
    assert.ok(last.rowCount > 0, 'the plant changed something')
    const { ok, checks } = await verify(copy.url)
    const check = checks.find((entry) => entry.name === name)
    assert.equal(
      check?.ok,
      false,
      `broken elsewhere: ${checks.filter((entry) => !entry.ok).map((entry) => entry.name)}`,
    )
    assert.match(check?.detail ?? '', /^\d+ broken: \S/)
    assert.equal(ok, false)
  } finally {
    await client.end()
    await copy.drop()
  }
}
