/**
 * Tests that the tables can move to several machines. Every statement over distributed tables names their distribution columns
 * as values, or is an exception with a reason. The test needs no Citus, because the plans of PostgreSQL show these values.
 */
// Own process: the test records the statements of the program from their first load on.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { World } from './harness.ts'
import { SHARD_EXCEPTIONS } from './shard-exceptions.ts'
import { type RecordedStatement, type Route, readTableColumns, recordStatements, routeOf } from './shard-statements.ts'

/** Texts without a plan. The program uses LOCK TABLE only for reference tables. */
const WITHOUT_PLAN = /^(?:begin|commit|rollback|savepoint|release savepoint|lock table|set transaction|grant|revoke)\b/
/** Functions whose value changes, or differs between machines. Citus refuses most of them in a write. */
const UNSTABLE =
  /\b(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|random|gen_random_uuid|nextval|pg_advisory\w*)\(|\bcurrent_(?:date|time|timestamp)\b|\blocaltime/i
/**
 * The first version of PostgreSQL whose plans show the result of a subquery. Older versions write it like a parameter.
 */
const PLANS_FROM = 170_000
const SUBQUERY_IN_VALUES = /\binsert into[^;]*?\bvalues\s*\([^()]*\(\s*select\b/i

/** Statements with an unstable function, each with a reason. */
const UNSTABLE_EXCEPTIONS: Record<string, string> = {
  accounts_lock_email: 'locks an e-mail address: users are a reference table, and its writers use the coordinator',
  clock_of_database: 'measures the difference between the clocks of the machine and of the database; reads no table',
  'apps/admin/doctor-database.ts': 'compares the clock of the database with the clock of the machine; reads no table',
  'kernel/db/placement-rules.ts': 'searches the defaults of columns for these names; reads only the catalogue',
  demo_lock: 'locks the making of the demo merchant, which no production server makes',
  webhook_config_lock: 'a second save of a merchant waits for the first; both must use the machine of the merchant',
}

let statements: readonly RecordedStatement[]
let world: World
let client: pg.Client
let has_plans: boolean

before(async () => {
  statements = await recordStatements()
  // The server makes the statements of the worker's queues only when it composes its rooms.
  const { createWorld } = await import('./harness.ts')
  world = await createWorld()
  client = new pg.Client({ connectionString: world.deps.db.url })
  await client.connect()
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  )
  has_plans = (rows[0]?.version ?? 0) >= PLANS_FROM
  // The command that erases a person grants this right to itself first.
  await client.query('grant update on webhook_attempts to current_user')
})
after(async () => {
  await client.end()
  await world.close()
})

const keyOf = ({ name, file }: RecordedStatement) => name || file

test('every statement runs on one machine of its merchant, or is an exception with its route and a reason', async () => {
  assert.ok(statements.length > 500, `only ${statements.length} statements are recorded`)
  const known = new Set(statements.map(keyOf))
  assert.deepEqual(
    SHARD_EXCEPTIONS.flatMap((one) => one.statements.filter((key) => !known.has(key))),
    [],
    'remove these statements from server/test/shard-exceptions.ts',
  )
  if (!has_plans) return
  const tables = await readTableColumns(client)
  const actual = new Map<string, Set<Route>>()
  for (const statement of statements) {
    if (WITHOUT_PLAN.test(statement.text)) continue
    const route = await routeOf(client, statement.text, tables)
    if (route === 'one' || route === 'free') continue
    actual.set(keyOf(statement), (actual.get(keyOf(statement)) ?? new Set()).add(route))
  }
  const lines = (entries: Iterable<[string, Iterable<Route>]>) =>
    [...entries].flatMap(([key, routes]) => [...routes].map((route) => `${key}: ${route}`)).sort()
  assert.deepEqual(
    lines(actual),
    SHARD_EXCEPTIONS.flatMap(({ route, statements: keys }) => keys.map((key) => `${key}: ${route}`)).sort(),
    'name merchant_id as a value in the statement, or write its reason into server/test/shard-exceptions.ts',
  )
})

test('no statement uses a clock, a random value or a lock of one machine, except for a named reason', () => {
  const found = new Set(statements.filter(({ text }) => UNSTABLE.test(text)).map(keyOf))
  assert.deepEqual([...found].sort(), Object.keys(UNSTABLE_EXCEPTIONS).sort())
  const nested = statements.filter(({ text }) => SUBQUERY_IN_VALUES.test(text))
  assert.deepEqual(nested.map(keyOf), [])
})

test('the route of a statement follows from the values of the distribution columns', async () => {
  if (!has_plans) return
  const tables = await readTableColumns(client)
  const input = 'json_to_recordset($1::json) as i(merchant_id uuid, id uuid)'
  const cases: [Route, string][] = [
    ['free', 'select * from merchants where routing_code = $1'],
    ['one', 'select * from collections where merchant_id = $1 and id = $2'],
    ['one', 'update payouts set asks = 0 where merchant_id = $1 and withdrawal_id = $2'],
    ['one', 'select * from payouts p join withdrawals w using (merchant_id) where w.merchant_id = $1 for update'],
    ['one', 'insert into list_counts (merchant_id, environment, list, before_id, items) values ($1, $2, $3, $4, 0)'],
    ['batch', `select c.id from ${input} join collections c on c.merchant_id = i.merchant_id and c.id = i.id`],
    ['batch', 'select id from collections where merchant_id = any($1::uuid[])'],
    ['batch, locks', `select from ${input} join payouts p on p.merchant_id = i.merchant_id for update of p`],
    ['many', 'select * from collections where id = $1'],
    ['many', 'select c.* from merchants m join collections c on c.merchant_id = m.id where m.routing_code = $1'],
    ['many', 'select * from collections where merchant_id = (select id from merchants where routing_code = $1)'],
    ['many', 'delete from provider_callbacks where received_at < $1'],
    ['many, locks', 'select * from payouts where due_at <= $1 limit 5 for update skip locked'],
  ]
  for (const [route, text] of cases) assert.equal(await routeOf(client, text, tables), route, text)
})
