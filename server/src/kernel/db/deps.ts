// What every use case is given: the seams to time, chance, the database and the log. The network is a seam of its own.

import type { Clock, Config, Log, Point, Random, Vault } from '../lib/index.ts'
import type { Db } from './pool.ts'

/**
 * Built in process.ts, and by the harness in tests. The outside is reached through here, and through what `compose`
 * is given for the network: the providers, the way out for webhooks and the look-up of names.
 */
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
