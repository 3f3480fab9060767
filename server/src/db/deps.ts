// What every use case is given: the seams to time, chance, the database and the log.

import type { Clock, Config, Log, Point, Random, Vault } from '../lib/index.ts'
import type { Db } from './pool.ts'

/** Built by hand in main.ts, and by the harness in tests. Nothing reaches the outside but through here. */
export type Deps = {
  config: Config
  clock: Clock
  random: Random
  db: Db
  log: Log
  vault: Vault
  /** Crash points: does nothing in production. */
  point: Point
  /** This process, as the owner of leases. */
  process_id: string
}
