// The endpoint of one payment for operators.

import Type from 'typebox'
import type { Deps } from '../../kernel/db/index.ts'
import type { Routes } from '../../kernel/http/index.ts'
import { getPayment, type PaymentSources } from './payment.ts'
import { PaymentAnswer } from './payment-schema.ts'
import { PART_MAX } from './timeline-read.ts'

/** Adds the route. */
export function paymentRoutes(deps: Deps, sources: PaymentSources): Routes {
  return (app) => {
    app.get(
      '/v1/operator/collections/:collection_id',
      {
        config: { access: 'operator' },
        schema: {
          tags: ['Operator'],
          summary: 'Show one collection, and what it waits for',
          description: `Of any merchant, held or not. \`waits_for\` is null if nothing follows. Its times, leases and words of the provider are as they were stored; the state of a circuit is that of the process that answers. Of each kind, the newest ${PART_MAX}.`,
          params: Type.Object({ collection_id: Type.String({ description: 'The id of the collection.' }) }),
          response: { 200: PaymentAnswer },
        },
      },
      async (request) => ({
        success: true as const,
        data: await getPayment(deps, sources, request.params.collection_id),
      }),
    )
  }
}
