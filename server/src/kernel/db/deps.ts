// The dependencies of every use case: clock, randomness, database and log. The network is passed separately.

import type { Clock, Config, Log, Point, Random, Vault } from '../lib/index.ts'
import type { Db } from './pool.ts'

/**
 * The dependencies of a process. process.ts builds them; in tests, the harness does. `compose` receives the network separately:
 * providers, outgoing requests and name lookup.
 */
export type Deps = {
  config: Config
  clock: Clock
  random: Random
  db: Db
  log: Log
  vault: Vault
  /** Crash points. In production this does nothing. */
  point: Point
  /** The id of this process as the owner of leases. */
  process_id: string
}
