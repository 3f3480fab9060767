// Declares the metrics of payments: outcomes by method and network, the time to confirm, and the queues of attempts and reviews.

import { type DatabaseGauges, type Deps, SAME_IN_EACH_PROCESS, sql } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { type Metrics, NETWORK_OF_PREFIX } from '../../kernel/lib/index.ts'
import { type QueueReader, queueGauges, queueReader } from '../../kernel/work/index.ts'
import type { Status } from './state.ts'

const QUEUE = { queue: 'payments', table: 'collection_attempts' }
const ROWS_MAX = 10_000
const BUCKETS_S = [2, 5, 10, 20, 30, 60, 120, 300, 3_600]

/** Reads the queue of attempts: the due and scheduled attempts, and how late the oldest due attempt is, in seconds. */
export const readPaymentQueue: QueueReader = queueReader(QUEUE)

/** One move of a payment that an answer of a provider, or the deadline, caused. */
export type PaymentOutcome = {
  environment: Environment
  method: string
  phone: string | null
  status: Status
  /**
   * The seconds from the acceptance of the attempt to its success. Null means that the move is not a success, or that the
   * success is the first answer of the provider.
   */
  confirm_s: number | null
}

/** Adds the outcomes of a committed batch to the metrics of payments. */
export function countPaymentOutcomes(metrics: Metrics, outcomes: readonly PaymentOutcome[]): void {
  const payments = metrics.counter({
    name: 'malipo_payments_total',
    help: 'Payments that an answer of a provider or the deadline moved to a status, by method and network of the payer.',
    labels: ['environment', 'method', 'network', 'outcome'],
    series_max: 160,
  })
  const times = metrics.histogram({
    name: 'malipo_payment_confirm_seconds',
    help: 'Time from the acceptance of a live payment by the provider to its success in seconds, by method.',
    labels: ['method'],
    series_max: 5,
    buckets: BUCKETS_S,
  })
  for (const { environment, method, phone, status, confirm_s } of outcomes) {
    payments(environment, method, networkOfPayer(phone), status).inc()
    if (environment === 'live' && confirm_s !== null) times(method).observe(Math.max(0, confirm_s))
  }
}

const networkOfPayer = (phone: string | null) =>
  phone === null ? 'none' : (NETWORK_OF_PREFIX[phone.slice(3, 5)] ?? 'unknown')

const HELD = sql(
  'metrics_held_collections',
  `select environment, count(*)::int as held, min(held_at) as oldest from (
     select environment, held_at from held_collections where decided_at is null limit ${ROWS_MAX}) h
   group by environment`,
)

/** Returns the gauges of payments: the queue of attempts, and the payments under review. */
export function paymentGauges({ metrics }: Pick<Deps, 'metrics'>): DatabaseGauges[] {
  // The counters exist from the start, so a scrape describes them before the first outcome.
  countPaymentOutcomes(metrics, [])
  const held = metrics.gauge({
    name: 'malipo_payments_held',
    help: `Payments under review, at most 10,000 counted. ${SAME_IN_EACH_PROCESS}`,
    labels: ['environment'],
    series_max: 3,
  })
  const oldest = metrics.gauge({
    name: 'malipo_payments_held_oldest_seconds',
    help: `For how long the oldest payment under review has waited, in seconds. ${SAME_IN_EACH_PROCESS}`,
    labels: ['environment'],
    series_max: 3,
  })
  const reviews: DatabaseGauges = {
    async read(reader, now) {
      const rows = await reader.query<{ environment: string; held: number; oldest: Date }>(HELD)
      return () => {
        for (const row of rows) {
          held(row.environment).set(row.held)
          oldest(row.environment).set(Math.max(0, now.getTime() - row.oldest.getTime()) / 1_000)
        }
      }
    },
    reset() {
      held.reset()
      oldest.reset()
    },
  }
  return [queueGauges(metrics, QUEUE), reviews]
}
