/** A database of its own for each test: a copy of the migrated template that `npm test` has prepared. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** SQLSTATE of "source database is being accessed by other users": another test is copying it. */
const TEMPLATE_BUSY = '55006'
const RETRIES = 200
const RETRY_MS = 25

/** A database of one test, or of one file of tests. */
export type TestDatabase = { url: string; drop(): Promise<void> }

/** The server the tests run on, and the name of the migrated template. Throws outside `npm test`. */
export function testServer(): { adminUrl: string; template: string } {
  const { TEST_DATABASE_URL: adminUrl, TEST_TEMPLATE: template } = process.env
  if (!adminUrl || !template) throw new Error('there is no test database: run `npm test`, or `npm test -- FILE`')
  return { adminUrl, template }
}

/** Makes a database with the current schema, or an empty one when `template` is null. `drop` cuts open connections. */
export async function createTestDatabase(template: string | null = testServer().template): Promise<TestDatabase> {
  const { adminUrl } = testServer()
  const name = `test_${randomBytes(6).toString('hex')}`
  const source = template === null ? '' : ` template ${template} strategy file_copy`
  for (let attempt = 1; ; attempt += 1) {
    try {
      await run(adminUrl, `create database ${name}${source}`)
      break
    } catch (error) {
      const isBusy = error instanceof pg.DatabaseError && error.code === TEMPLATE_BUSY
      if (!isBusy || attempt === RETRIES) throw error
      await sleep(RETRY_MS)
    }
  }
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => run(adminUrl, `drop database if exists ${name} with (force)`) }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
