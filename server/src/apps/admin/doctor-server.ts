// Runs the checks of `admin doctor` in a server, for the operators' console.

import { createMissingMigrations, type Deps } from '../../kernel/db/index.ts'
import type { ReadSystem, SystemReport } from '../operators/index.ts'
import { runDoctor } from './doctor.ts'

/** For this time, all requests share one result, so that operators cannot overload the database and the gateways. */
const FRESH_MS = 30_000

/** Makes the function that checks the installation. `folders` are the folders of the embedded database. */
export function createReadSystem(deps: Deps, folders: readonly string[]): ReadSystem {
  const { config, db, replica = null, clock } = deps
  const missing = createMissingMigrations()
  let last: { at: number; report: Promise<SystemReport> } | null = null
  const check = async (): Promise<SystemReport> => {
    const checked_at = clock.now()
    const result = await runDoctor({
      config,
      config_problems: [],
      unknown_names: [],
      reader: db,
      replica,
      no_database: '',
      must_separate: config.database_url === '' || config.migration_database_url !== '',
      pending: () => missing(db),
      folders,
      clock,
      send_test_to: null,
    })
    return { ...result, checked_at }
  }
  return () => {
    const now = clock.now().getTime()
    if (last === null || Math.abs(now - last.at) >= FRESH_MS) last = { at: now, report: check() }
    return last.report
  }
}
