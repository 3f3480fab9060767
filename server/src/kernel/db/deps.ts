// Defines the dependencies of every use case, such as clock, randomness, database and log. The network is not among them.

import type { Clock, Config, Log, Metrics, Point, Random, Tracer, Vault } from '../lib/index.ts'
import type { Db, Reader } from './pool.ts'

/**
 * The dependencies of a process. process.ts builds the dependencies of the product, and the harness builds the dependencies
 * of tests. `compose` receives the network separately: providers, outgoing requests and name look-up.
 */
export type Deps = {
  config: Config
  clock: Clock
  /**
   * The clock of the audit log. Undefined means `clock`. The demo history happens at past times, but no audit entry may have a
   * past time.
   */
  audit_clock?: Clock
  /**
   * The tasks claim rows of this merchant only, and free no rows of others. Undefined means all merchants. The demo history
   * sets this field, because its clock is in the past.
   */
  only_merchant?: string
  /**
   * The number of milliseconds by which the clock of the machine is ahead of the clock of the database. Negative means behind.
   */
  clock_ahead_ms: () => number
  random: Random
  db: Db
  /** The database for reads that a replica may answer: see `forReads`. Undefined means that there is no replica. */
  reads?: Db
  /** The replica itself, even if it lacks changes of the primary. Use it only to check the state of the replica. */
  replica?: Reader
  log: Log
  /** The traces. If the server exports no traces, the tracer makes no spans. */
  tracer: Tracer
  /** The metrics of this process. A room declares its own metrics here. */
  metrics: Metrics
  vault: Vault
  /** The hook for crash points. In production, the hook does nothing. */
  point: Point
  /** The id with which this process takes leases. */
  process_id: string
}
