// Tests the description of the locks of a migration, and the rule that new migrations block no running process.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MIGRATIONS_DIR } from './migrate.ts'
import { lockProblems, lockSteps } from './migration-locks.ts'

/** From this number on, migrations run while processes of the previous version serve requests. */
const FIRST_WITHOUT_STOP = '0070'

test('each new migration gives a reason for each long lock and for each removed table or column', () => {
  const files = readdirSync(MIGRATIONS_DIR).filter((name) => name >= FIRST_WITHOUT_STOP)
  const problems = files.flatMap((name) =>
    lockProblems(readFileSync(join(MIGRATIONS_DIR, name), 'utf8')).map((problem) => `${name}: ${problem}`),
  )
  assert.deepEqual(problems, [])
})

const REFUSED: [string, RegExp][] = [
  ['create index payouts_x_idx on payouts (merchant_id)', /^payouts: builds an index; create the index concurrently/],
  ['create unique index x on public.payouts (id)', /^payouts: builds an index/],
  ['alter table payouts alter column amount type numeric', /^payouts: changes the type of a column/],
  ['alter table payouts alter amount set not null', /^payouts: makes a column required; add a check/],
  [
    "alter table payouts add column a text, add constraint c check (a <> ')')",
    /^payouts: adds a constraint and checks all/,
  ],
  ['alter table payouts add constraint f foreign key (id) references merchants (id)', /^payouts: adds a constraint/],
  ['alter table payouts add constraint u unique (id)', /^payouts: adds a unique constraint/],
  ['alter table payouts add column k uuid default gen_random_uuid()', /^payouts: adds a column and rewrites/],
  ['alter table payouts drop column amount', /^payouts: drops a column; drop the column in a release after/],
  ['alter table payouts rename column amount to sum', /^payouts: renames/],
  ['drop table payouts', /^payouts: drops a table/],
  ['update payouts set amount = 1', /^payouts: changes rows/],
  ['cluster payouts', /^the file: a statement that this program cannot judge/],
]
for (const [sql, problem] of REFUSED) {
  test(`the rule for new migrations refuses "${sql}"`, () => {
    const [found = '', ...more] = lockProblems(`-- Why; a reason.\n${sql};`)
    assert.match(found, problem)
    assert.deepEqual(more, [])
    assert.deepEqual(
      lockProblems(`-- accepted: payouts, it has few rows\n${sql};`),
      found.startsWith('the file') ? [found] : [],
    )
  })
}

test('the rule for new migrations accepts changes that block requests for at most a moment', () => {
  const sql = `-- A text; with a separator.
    create table notes (id uuid not null, merchant_id uuid references merchants (id));
    create index notes_idx on notes (merchant_id);
    alter table notes alter column id type text;
    comment on table notes is 'books: it''s a note; of a merchant.';
    create index concurrently payouts_x_idx on payouts (merchant_id);
    alter table payouts add column note text, add column weight int not null default 1,
      add constraint payouts_weight_check check (weight > 0) not valid;
    alter table payouts validate constraint payouts_weight_check;
    alter table payouts add constraint payouts_x_key unique using index payouts_x_idx;
    revoke update on notes from current_user;`
  assert.deepEqual(lockProblems(sql), [])
  assert.deepEqual(
    lockSteps(sql).map(({ table, blocks, time }) => `${table}: ${blocks}, ${time}`),
    [
      'merchants: writes, moment',
      'payouts: nothing, grows',
      'payouts: reads and writes, moment',
      'payouts: reads and writes, moment',
      'payouts: reads and writes, moment',
      'payouts: nothing, grows',
      'payouts: reads and writes, moment',
    ],
  )
})
