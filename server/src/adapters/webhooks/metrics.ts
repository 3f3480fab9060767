// Declares the metrics of webhooks: the number and the duration of attempts, and the queue of deliveries.

import type { DatabaseGauges, Deps } from '../../kernel/db/index.ts'
import { type QueueReader, queueGauges, queueReader } from '../../kernel/work/index.ts'

const QUEUE = { queue: 'webhooks', table: 'webhook_deliveries', columns: ['environment', 'endpoint_id'] }
const BUCKETS_S = [0.1, 0.25, 0.5, 1, 2, 4, 8]

/** Reads the number of waiting deliveries, and for how long the oldest due delivery has waited. */
export const readWebhookQueue: QueueReader = queueReader(QUEUE)

/** Makes the gauges of the queue of deliveries. */
export const webhookGauges = ({ metrics }: Pick<Deps, 'metrics'>): DatabaseGauges => queueGauges(metrics, QUEUE)

/** Makes the function that measures one attempt. Null as status code means that the receiver did not answer. */
export function attemptMetrics({
  metrics,
}: Pick<Deps, 'metrics'>): (status_code: number | null, duration_ms: number) => void {
  const attempts = metrics.counter({
    name: 'malipo_webhook_attempts_total',
    help: 'Attempts of this process to deliver a webhook, by class of the status code. no_answer: the receiver did not answer.',
    labels: ['outcome'],
    series_max: 8,
  })
  const times = metrics.histogram({
    name: 'malipo_webhook_attempt_duration_seconds',
    help: 'Time of the attempts to deliver a webhook in seconds.',
    buckets: BUCKETS_S,
  })()
  return (status_code, duration_ms) => {
    attempts(status_code === null ? 'no_answer' : `${Math.floor(status_code / 100)}xx`).inc()
    times.observe(Math.max(0, duration_ms) / 1_000)
  }
}
