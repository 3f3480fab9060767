// The dependencies of every use case: clock, randomness, database and log. The network is passed separately.

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
  /** Crash points. In production this does nothing. */
  point: Point
  /** The id of this process as the owner of leases. */
  process_id: string
}
