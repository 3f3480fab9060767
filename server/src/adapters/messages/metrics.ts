// Declares the metrics of the outbox.

import type { DatabaseGauges, Deps } from '../../kernel/db/index.ts'
import { type QueueReader, queueGauges, queueReader } from '../../kernel/work/index.ts'

const QUEUE = { queue: 'messages', table: 'outbox_messages' }

/** Reads the number of waiting messages, and for how long the oldest due message has waited. */
export const readMessageQueue: QueueReader = queueReader(QUEUE)

/** Makes the gauges of the outbox. */
export const messageGauges = ({ metrics }: Pick<Deps, 'metrics'>): DatabaseGauges => queueGauges(metrics, QUEUE)
