// Declares the metrics of payouts: moves by method, open payouts by state and age, and the queue of payouts.

import { type DatabaseGauges, type Deps, SAME_IN_EACH_PROCESS, sql } from '../../kernel/db/index.ts'
import type { Metrics } from '../../kernel/lib/index.ts'
import { type QueueReader, queueGauges, queueReader } from '../../kernel/work/index.ts'
import { OPEN_STATUSES } from './state.ts'
import type { Withdrawal } from './store.ts'

const QUEUE = { queue: 'payouts', table: 'payouts' }
const ROWS_MAX = 10_000

/** Reads the queue of payouts: the due and scheduled payouts, and how late the oldest due payout is, in seconds. */
export const readPayoutQueue: QueueReader = queueReader(QUEUE)

/** A change of a withdrawal, which may keep the status. */
type CountedChange = {
  withdrawal: Pick<Withdrawal, 'environment' | 'method'>
  history: { from_status: string; to_status: string }
}

/** Counts the moves of a committed batch. If a change keeps the status, the function does not count the change. */
export function countWithdrawalMoves(metrics: Metrics, changes: readonly CountedChange[]): void {
  const payouts = metrics.counter({
    name: 'malipo_payouts_total',
    help: 'Withdrawals that moved to a status, by method.',
    labels: ['environment', 'method', 'status'],
    series_max: 70,
  })
  for (const { withdrawal, history } of changes) {
    const { environment, method } = withdrawal
    if (history.from_status !== history.to_status) payouts(environment, method, history.to_status).inc()
  }
}

// The condition is that of the partial index withdrawals_open_idx.
const OPEN = sql(
  'metrics_open_withdrawals',
  `select environment, status, count(*)::int as open, min(created_at) as oldest from (
     select environment, status, created_at from withdrawals
     where status in (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')}) limit ${ROWS_MAX}) w
   group by environment, status`,
)

/** Returns the gauges of payouts: the queue, and the open payouts by status. */
export function payoutGauges({ metrics }: Pick<Deps, 'metrics'>): DatabaseGauges[] {
  // The counter exists from the start, so that a scrape contains its description before the first move.
  countWithdrawalMoves(metrics, [])
  const open = metrics.gauge({
    name: 'malipo_payouts_open',
    help: `Withdrawals without a final status, at most 10,000 counted. ${SAME_IN_EACH_PROCESS}`,
    labels: ['environment', 'status'],
    series_max: 13,
  })
  const oldest = metrics.gauge({
    name: 'malipo_payouts_open_oldest_seconds',
    help: `Age of the oldest withdrawal of a status in seconds, since its submission. ${SAME_IN_EACH_PROCESS}`,
    labels: ['environment', 'status'],
    series_max: 13,
  })
  const states: DatabaseGauges = {
    async read(reader, now) {
      const rows = await reader.query<{ environment: string; status: string; open: number; oldest: Date }>(OPEN)
      return () => {
        for (const row of rows) {
          open(row.environment, row.status).set(row.open)
          oldest(row.environment, row.status).set(Math.max(0, now.getTime() - row.oldest.getTime()) / 1_000)
        }
      }
    },
    reset() {
      open.reset()
      oldest.reset()
    },
  }
  return [queueGauges(metrics, QUEUE), states]
}
