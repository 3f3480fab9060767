// Defines the dependencies of every use case: clock, randomness, database and log, but not the network.

import type { Clock, Config, Log, Metrics, Point, Random, Tracer, Vault } from '../lib/index.ts'
import type { Db, Reader } from './pool.ts'

/**
 * The dependencies of a process. process.ts builds the dependencies of the product, and the harness builds the dependencies
 * of tests. `compose` receives the network separately: providers, outgoing requests and name look-up.
 */
export type Deps = {
  config: Config
  clock: Clock
  /** The clock of the audit log, if it is not `clock`: the demo history acts at past times, and no audit entry has a past time. */
  audit_clock?: Clock
  /** How far the clock of the machine is ahead of the clock of the database, in milliseconds. Negative means behind. */
  clock_ahead_ms: () => number
  random: Random
  db: Db
  /** The reads that a replica may answer: see `forReads`. Undefined without a replica. */
  reads?: Db
  /** The replica itself, whatever it has of the primary. Only for checks of its state. */
  replica?: Reader
  log: Log
  /** The traces. By default, the tracer makes no spans. */
  tracer: Tracer
  /** The metrics of this process, which each room declares for itself. */
  metrics: Metrics
  vault: Vault
  /** The hook for crash points. In production, the hook does nothing. */
  point: Point
  /** The id under which this process holds leases. */
  process_id: string
}
