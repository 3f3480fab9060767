// Declares the metrics of e-mails and SMS: the queue of the outbox.

import type { DatabaseGauges, Deps } from '../../kernel/db/index.ts'
import { type QueueReader, queueGauges, queueReader } from '../../kernel/work/index.ts'

const QUEUE = { queue: 'messages', table: 'outbox_messages' }

/** Reads the state of the outbox. */
export const readMessageQueue: QueueReader = queueReader(QUEUE)

/** Returns the gauges of the outbox. */
export const messageGauges = ({ metrics }: Pick<Deps, 'metrics'>): DatabaseGauges => queueGauges(metrics, QUEUE)
