// Describes the pending migrations of a database and changes nothing. The plan has the locks of each migration, and whether
// processes of the previous version can run during and after the migration.

import type pg from 'pg'
import {
  indexState,
  MIGRATIONS_DIR,
  type Migration,
  pending,
  readApplied,
  readMigrations,
  withClient,
} from './migrate.ts'
import { type LockStep, lockSteps } from './migration-locks.ts'

type PlannedStep = {
  migration: string
  /**
   * `contract` removes, renames or retypes a table or column that an earlier program may use. Any other step is `expand`.
   */
  kind: 'expand' | 'contract'
  /**
   * The oldest program that can run on the new schema, by the number of its newest migration. Null means that the migration
   * names none.
   */
  oldest_program: string | null
  table: string | null
  /**
   * The number of rows that PostgreSQL estimates. Null means that the step has no single table, that the table does not exist
   * yet, or that PostgreSQL has no estimate.
   */
  rows: number | null
  does: string
  locks: string
}

/**
 * The pending migrations with their locks, and whether processes of the previous version can run during the migration.
 */
export type MigrationPlan = {
  pending: string[]
  /**
   * `continues` means that processes of the version that last migrated the database can run during and after the migration.
   */
  previous_version: 'continues' | 'must stop first'
  /** The migrations outside of a transaction that an earlier run began and did not finish. */
  half_applied: string[]
  steps: PlannedStep[]
}

/** Returns the plan of the pending migrations. If program and database are incompatible, throws like `migrate`. */
export async function planMigrations(url: string, dir = MIGRATIONS_DIR): Promise<MigrationPlan> {
  const migrations = await readMigrations(dir)
  return withClient(url, async (client) => {
    const applied = await readApplied(client)
    const missing = pending(migrations, applied)
    const newest = [...applied.keys()].sort().at(-1)?.slice(0, 4) ?? '0000'
    const stops = applied.size > 0 && missing.some(({ oldest_program }) => (oldest_program ?? '9999') > newest)
    const plan: MigrationPlan = {
      pending: missing.map(({ name }) => name),
      previous_version: stops ? 'must stop first' : 'continues',
      half_applied: [],
      steps: [],
    }
    for (const migration of missing) {
      if (await isHalfApplied(client, migration)) plan.half_applied.push(migration.name)
      plan.steps.push(...(await stepsOf(client, migration)))
    }
    return plan
  })
}

async function stepsOf(client: pg.Client, { name, sql, oldest_program }: Migration): Promise<PlannedStep[]> {
  const steps: PlannedStep[] = []
  const found = lockSteps(sql)
  const none: LockStep = {
    table: null,
    blocks: 'nothing',
    time: 'none',
    contracts: false,
    does: 'adds tables or comments',
    instead: null,
  }
  for (const step of found.length > 0 ? found : [none]) {
    const { table, contracts, does } = step
    steps.push({
      migration: name,
      kind: contracts ? 'contract' : 'expand',
      oldest_program,
      table,
      rows: table === null ? null : await rowsOf(client, table),
      does,
      locks: locksOf(step),
    })
  }
  return steps
}

function locksOf({ blocks, time }: LockStep): string {
  if (blocks === 'nothing') return 'blocks no transaction'
  const how_long = time === 'grows' ? 'for a time that grows with the rows' : 'for a moment'
  return blocks === 'unknown' ? 'unknown: read the file' : `blocks ${blocks} ${how_long}`
}

async function rowsOf(client: pg.Client, table: string): Promise<number | null> {
  const { rows } = await client.query<{ rows: number }>(
    'select reltuples::float8 as rows from pg_class where oid = to_regclass($1) and reltuples >= 0',
    [table],
  )
  return rows[0]?.rows ?? null
}

async function isHalfApplied(client: pg.Client, { indexes }: Migration): Promise<boolean> {
  for (const { name } of indexes ?? []) if ((await indexState(client, name)) !== 'missing') return true
  return false
}
