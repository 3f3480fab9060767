/** Makes separate databases for tests, by default copies of the migrated template that `npm test` prepares. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/**
 * Two SQLSTATE codes. With 42501, only a superuser may end a process in the database. With 55006, another test copies the
 * template at this moment.
 */
const NOT_OURS_TO_END = '42501'
const TEMPLATE_BUSY = '55006'
const RETRIES = 200
const RETRY_MS = 25

/** A database for one test or for one file of tests. */
export type TestDatabase = { url: string; drop(): Promise<void> }

/** Returns the URL of a test database for the role of the server. `grantRuntime` gives this role its rights. */
export function runtimeUrlOf({ url }: Pick<TestDatabase, 'url'>): string {
  const runtime = new URL(process.env.TEST_RUNTIME_URL ?? '')
  runtime.pathname = new URL(url).pathname
  return runtime.href
}

/** Returns the address of the test server and the name of the migrated template. Throws an error outside `npm test`. */
export function testServer(): { adminUrl: string; template: string } {
  const { TEST_DATABASE_URL: adminUrl, TEST_TEMPLATE: template } = process.env
  if (!adminUrl || !template)
    throw new Error('this process has no test database: run `npm test`, or `npm test -- FILE`')
  return { adminUrl, template }
}

/**
 * Makes a copy of the database `template`, by default of the migrated template. Null means an empty database. `drop` closes
 * open connections first.
 */
export async function createTestDatabase(template: string | null = testServer().template): Promise<TestDatabase> {
  const { adminUrl } = testServer()
  const name = `test_${randomBytes(6).toString('hex')}`
  const source = template === null ? '' : ` template ${template} strategy file_copy`
  await untilFree([TEMPLATE_BUSY], () => run(adminUrl, `create database ${name}${source}`))
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  // Autovacuum may run in the database, and only a superuser may end its process.
  const drop = () => untilFree([NOT_OURS_TO_END], () => run(adminUrl, `drop database if exists ${name} with (force)`))
  return { url: url.href, drop }
}

/** Repeats the function while PostgreSQL answers with one of the codes, at most RETRIES times. */
async function untilFree(codes: readonly string[], work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      const is_busy = error instanceof pg.DatabaseError && codes.includes(error.code ?? '')
      if (!is_busy || attempt === RETRIES) throw error
      await sleep(RETRY_MS)
    }
  }
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
