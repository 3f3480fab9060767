// Defines the endpoint with which operators list e-mails and SMS, with the state of each delivery.

import { listMessages, OperatorMessagesAnswer, OperatorMessagesQuery } from '../../adapters/messages/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import type { Routes } from '../../kernel/http/index.ts'
import { checkDepth } from './depth.ts'

/** Adds the route that lists the e-mails and SMS of all merchants, newest first. */
export function operatorMessageRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/operator/messages',
      {
        config: { access: 'operator:read' },
        schema: {
          tags: ['Operator'],
          operationId: 'listOperatorMessages',
          summary: 'List the e-mails and SMS of all merchants, newest first',
          description:
            '`total_items` counts up to 10,000, and without `merchant_id` no page goes further. Without `merchant_id`, the list omits archived merchants.',
          querystring: OperatorMessagesQuery,
          response: { 200: OperatorMessagesAnswer },
        },
      },
      async (request) => {
        checkDepth(request.query)
        return { success: true as const, data: await listMessages(deps, request.query) }
      },
    )
  }
}
