// Defines the endpoint with which operators read the depth and the age of each queue of the worker.

import Type from 'typebox'
import { readMessageQueue } from '../../adapters/messages/index.ts'
import { readWebhookQueue } from '../../adapters/webhooks/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { type Routes, success } from '../../kernel/http/index.ts'
import { readPaymentQueue } from '../../money/collections/index.ts'
import { readReminderQueue } from '../../money/invoices/index.ts'
import { readPayoutQueue } from '../../money/withdrawals/index.ts'

const READERS = [readPaymentQueue, readPayoutQueue, readWebhookQueue, readMessageQueue, readReminderQueue]

const Queue = Type.Object(
  {
    queue: Type.String({
      description: 'payments, payouts, webhooks, messages (e-mails and SMS) or invoice_reminders.',
    }),
    due: Type.Integer({ description: 'The rows whose next step is due now.' }),
    scheduled: Type.Integer({ description: 'The rows whose next step is due later, or that a process works on.' }),
    oldest_due_s: Type.Integer({
      description: 'For how many seconds the oldest due row has waited. 0: no row is due.',
    }),
    is_cut: Type.Boolean({
      description:
        'True means that the figures are lower bounds: the queue has more than 10,000 due rows, 10,000 scheduled rows, or rows of 20,000 merchants.',
    }),
  },
  { title: 'WorkerQueue' },
)

/** Adds the route that shows the depth and the age of each queue of the worker. */
export function queueStateRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/operator/queues',
      {
        config: { access: 'operator:read' },
        schema: {
          tags: ['Operator'],
          operationId: 'getWorkerQueues',
          summary: 'Show the depth and the age of each queue of the worker',
          description: 'The figures come from the database, so every process answers the same.',
          response: { 200: success(Type.Object({ items: Type.Array(Queue) })) },
        },
      },
      async () => {
        const now = deps.clock.now()
        const states = await Promise.all(READERS.map((read) => read(deps.db, now)))
        const items = states.map((state) => ({ ...state, oldest_due_s: Math.floor(state.oldest_due_s) }))
        return { success: true as const, data: { items } }
      },
    )
  }
}
