// Tests the description of the schema, and the rules that let the merchants of one platform live on different machines.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { describeSchema } from './describe.ts'

const SCHEMA_FILE = new URL('../../../../db/schema.md', import.meta.url)
/** Small tables that every machine may store whole. The server reads these tables before it identifies the merchant. */
const REFERENCE_TABLES = [
  'merchants',
  'api_keys',
  'users',
  'members',
  'schema_migrations',
  'vault_canary',
  'payout_pauses',
]
/** Tables in which processes keep their own state. */
const PROCESS_TABLES = ['readiness_probes']
/** Tables of the built-in identity provider: a user signs in before the server identifies the merchant. */
const IDENTITY_TABLES = [
  'console_sessions',
  'signing_keys',
  'credentials',
  'passkey_challenges',
  'passkeys',
  'second_steps',
  'recovery_codes',
  'mailed_links',
  'sign_in_attempts',
  'identity_records',
]
/** Tables of the inbox. The server stores a callback before it identifies the merchant of the callback. */
const INBOX_TABLES = ['provider_callbacks']
/** Tables of the anchors of the audit log, which contain the ends of all chains. */
const ANCHOR_TABLES = ['audit_anchors', 'audit_anchor_state']
/** The results of scheduled checks, which concern all merchants. */
const CHECK_TABLES = ['verify_runs']
/** Tables about all payers: the prompts of each phone, and the help numbers of the networks. */
const PAYER_TABLES = ['payer_tries', 'phone_prompts', 'recipient_messages', 'network_help']
/**
 * Tables of provider statements: a line belongs to no merchant until the server matches the line with a payment or
 * payout.
 */
const RECONCILIATION_TABLES = ['statements', 'statement_lines', 'reconciliation_exceptions', 'reconciliation_runs']

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

test('every table has a comment that says what one row is', async () => {
  await findsNone(`
    select relname as breach from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'schema_migrations'
      and coalesce(obj_description(oid, 'pg_class'), '') = ''`)
})

test('every table comment names the room that writes the table, and every column has a meaning', async () => {
  await findsNone(`
    select c.relname as breach from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and coalesce(obj_description(c.oid, 'pg_class'), '') !~ '^(kernel|books|adapters|access|money|apps)/[a-z-]+: '
    union all
    select c.relname || '.' || a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
      and coalesce(col_description(c.oid, a.attnum), '') = ''`)
})

test('every table belongs to a merchant or is a named exception', async () => {
  await findsNone(
    `
    select c.relname as breach from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'merchant_id')
      and c.relname <> all ($1)`,
    [
      [
        ...REFERENCE_TABLES,
        ...IDENTITY_TABLES,
        ...INBOX_TABLES,
        ...ANCHOR_TABLES,
        ...CHECK_TABLES,
        ...PAYER_TABLES,
        ...RECONCILIATION_TABLES,
        ...PROCESS_TABLES,
      ],
    ],
  )
})

test('merchant_id leads every primary key, unique key and index, so that any machine can store a merchant', async () => {
  await findsNone(
    `
    select c.relname || '.' || index_class.relname as breach
    from pg_index i
    join pg_class c on c.oid = i.indrelid
    join pg_class index_class on index_class.oid = i.indexrelid
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'merchant_id'
    where c.relnamespace = 'public'::regnamespace and i.indkey[0] <> a.attnum and c.relname <> all ($1)`,
    [REFERENCE_TABLES],
  )
  await findsNone(`
    select c.relname || ' has no primary key' as breach from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`)
})

test('merchant_id leads every foreign key, so that no row refers to a row of another merchant', async () => {
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

test('the database has no triggers, no rules and no sequences', async () => {
  await findsNone(`
    select tgname as breach from pg_trigger where not tgisinternal
    union all
    select rulename from pg_rules where schemaname = 'public'
    union all
    select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S'
    union all
    select c.relname || '.' || a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and (a.attidentity <> '' or a.attgenerated <> '')`)
})

test('every default of a column is a constant, so no column has a default time or id', async () => {
  await findsNone(`
    select c.relname || '.' || a.attname || ' default ' || pg_get_expr(d.adbin, d.adrelid) as breach
    from pg_attrdef d
    join pg_class c on c.oid = d.adrelid
    join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
    where c.relnamespace = 'public'::regnamespace
      and pg_get_expr(d.adbin, d.adrelid) ~* '\\(|current_|localtime|nextval'`)
})

/** Asserts that a query returns no row. Each row of the query is a breach of a rule, which the column `breach` names. */
async function findsNone(sql: string, parameters: unknown[] = []): Promise<void> {
  const { rows } = await client.query<{ breach: string }>(sql, parameters)
  assert.deepEqual(
    rows.map(({ breach }) => breach),
    [],
  )
}

async function run(url: string, sql: string): Promise<void> {
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  await other.query(sql)
  await other.end()
}
