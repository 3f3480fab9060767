// Tests the description of the schema, and the rules that allow a platform to store the data of its merchants on different
// machines.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { describeSchema } from './describe.ts'
import { findPlacementBreaches } from './placement-rules.ts'
import { PLACEMENTS } from './placements.ts'
import type { Reader } from './pool.ts'

const SCHEMA_FILE = new URL('../../../../db/schema.md', import.meta.url)
/**
 * The server reads these small tables before it identifies the merchant, or joins them with the rows of every merchant. So
 * their keys need not begin with merchant_id.
 */
const REFERENCE_TABLES = [...PLACEMENTS]
  .filter(([name, { kind }]) => kind === 'reference' && name !== 'pricing_rules')
  .map(([name]) => name)

/** The only index of a merchant's table that begins with another column (docs/decisions/0017). */
const INDEX_ACROSS_MERCHANTS = 'withdrawals_paid_destination_idx'

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

test('db/schema.md describes the current schema', async () => {
  const written = (await readFile(SCHEMA_FILE, 'utf8').catch(() => '')).split('\n')
  const actual = (await describeSchema(database.url)).split('\n')
  const differing = actual.findIndex((line, number) => line !== written[number])
  const place = differing === -1 ? '' : `, from line ${differing + 1} on: ${actual[differing]}`
  assert.ok(
    differing === -1 && written.length === actual.length,
    `db/schema.md is out of date: run \`npm run generate\`${place}`,
  )
})

test('the schema description shows comments, nulls, defaults, keys, checks, partial indexes and append-only tables', async (t) => {
  const sample = await createTestDatabase(null)
  t.after(sample.drop)
  await run(
    sample.url,
    `
    create table owners (id uuid constraint owners_pkey primary key);
    create table things (
      owner_id uuid not null,
      number integer not null default 7,
      note text,
      constraint things_pkey primary key (owner_id, number),
      constraint things_note_key unique (owner_id, note),
      constraint things_owner_fkey foreign key (owner_id) references owners (id),
      constraint things_number_check check (number > 0)
    );
    create index things_open_idx on things (owner_id, number) where note is null;
    comment on table things is 'One thing.';
    comment on column things.note is 'Null: nothing | to say.';
    revoke update, delete, truncate on things from current_user;`,
  )
  const text = await describeSchema(sample.url)
  assert.equal(
    text.slice(text.indexOf('## things')),
    [
      '## things',
      '',
      'One thing.',
      '',
      '| Column | Type | | Meaning |',
      '|---|---|---|---|',
      '| `owner_id` | uuid |  |  |',
      '| `number` | integer | default `7` |  |',
      '| `note` | text | null | Null: nothing \\| to say. |',
      '',
      '- Primary key `things_pkey`: `PRIMARY KEY (owner_id, number)`',
      '- Unique `things_note_key`: `UNIQUE (owner_id, note)`',
      '- Foreign key `things_owner_fkey`: `FOREIGN KEY (owner_id) REFERENCES owners(id)`',
      '- Check `things_number_check`: `CHECK ((number > 0))`',
      '- Index `things_open_idx`: `btree (owner_id, number) WHERE (note IS NULL)`',
      '- The owner may only: select, insert',
      '',
    ].join('\n'),
  )
})

test('every table except schema_migrations has a comment', async () => {
  await findsNone(`
    select relname as breach from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'schema_migrations'
      and coalesce(obj_description(oid, 'pg_class'), '') = ''`)
})

test('every table comment begins with the name of a room, and every column has a comment', async () => {
  await findsNone(`
    select c.relname as breach from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and coalesce(obj_description(c.oid, 'pg_class'), '') !~ '^(kernel|books|adapters|access|money|apps)/[a-z-]+: '
    union all
    select c.relname || '.' || a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
      and coalesce(col_description(c.oid, a.attnum), '') = ''`)
})

test('the schema follows every rule for several machines: placements, keys, foreign keys, defaults, no triggers, rules and sequences', async () => {
  assert.deepEqual(await findPlacementBreaches(readerOf(client)), [])
})

test('the schema check finds nine breaches of the rules for several machines, and names each table and cause', async (t) => {
  const broken = await createTestDatabase()
  t.after(broken.drop)
  await run(
    broken.url,
    `create table unplaced (id uuid primary key);
    alter table payouts add constraint payouts_reference_key unique (provider_reference);
    alter table api_keys add constraint api_keys_line_fkey foreign key (merchant_id, id) references ip_addresses (merchant_id, id);
    alter table withdrawals add constraint withdrawals_person_fkey foreign key (merchant_id) references credentials (user_id);
    alter table collections alter created_at set default now();
    alter table payment_links add number bigint generated by default as identity;
    create function nothing() returns trigger language plpgsql as 'begin return new; end';
    create trigger collections_touch before update on collections for each row execute function nothing();
    create rule members_kept as on delete to members do instead nothing;`,
  )
  const other = new pg.Client({ connectionString: broken.url })
  await other.connect()
  const breaches = await findPlacementBreaches(readerOf(other)).finally(() => other.end())
  assert.deepEqual(
    breaches.map(({ table, breach }) => `${table}: ${breach}`),
    [
      'api_keys: api_keys_line_fkey refers to ip_addresses, which is merchant',
      'collections: created_at has the default now(), which is no constant',
      'collections: trigger collections_touch',
      'members: rule members_kept',
      'payment_links: number is an identity or a generated column',
      'payment_links_number_seq: is a sequence, but the program makes all ids',
      'payouts: payouts_reference_key does not contain merchant_id',
      'unplaced: has no placement: add it to PLACEMENTS',
      'withdrawals: withdrawals_person_fkey refers to credentials, which is local',
    ],
  )
})

test('every table has a primary key, and merchant_id comes first in each index of a table with it, except in small tables and one index', async () => {
  await findsNone(
    `
    select c.relname || '.' || index_class.relname as breach
    from pg_index i
    join pg_class c on c.oid = i.indrelid
    join pg_class index_class on index_class.oid = i.indexrelid
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'merchant_id'
    where c.relnamespace = 'public'::regnamespace and i.indkey[0] <> a.attnum and c.relname <> all ($1)
      and index_class.relname <> $2`,
    [REFERENCE_TABLES, INDEX_ACROSS_MERCHANTS],
  )
  await findsNone(`
    select c.relname || ' has no primary key' as breach from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`)
})

test("each foreign key of a merchant's table begins with merchant_id, so that no row refers to a row of another merchant", async () => {
  await findsNone(
    `
    select c.relname || '.' || k.conname as breach
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_class target on target.oid = k.confrelid
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'merchant_id'
    left join pg_attribute there on there.attrelid = k.confrelid and there.attname = 'merchant_id'
    where k.contype = 'f' and c.relname <> all ($1)
      and (k.conkey[1] <> a.attnum
           or (target.relname <> 'merchants' and k.confkey[1] is distinct from there.attnum))`,
    [REFERENCE_TABLES],
  )
})

/** Asserts that a query returns no row. Each row of the query is a breach of a rule, which the column `breach` names. */
async function findsNone(sql: string, parameters: unknown[] = []): Promise<void> {
  const { rows } = await client.query<{ breach: string }>(sql, parameters)
  assert.deepEqual(
    rows.map(({ breach }) => breach),
    [],
  )
}

function readerOf(connection: pg.Client): Reader {
  return { query: async (statement, values = []) => (await connection.query(statement.text, [...values])).rows }
}

async function run(url: string, sql: string): Promise<void> {
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  await other.query(sql)
  await other.end()
}
