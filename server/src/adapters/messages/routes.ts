// Defines the route that lists the messages of a merchant.

import type { Deps } from '../../kernel/db/index.ts'
import { caller, MERCHANT_ROLES, type Routes } from '../../kernel/http/index.ts'
import { listMerchantMessages } from './list.ts'
import { MerchantMessagesAnswer, MerchantMessagesQuery } from './schema.ts'

/** Adds the route that lists the messages about a merchant's invoices. */
export function messageRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/merchant/messages',
      {
        config: { access: { roles: MERCHANT_ROLES } },
        schema: {
          tags: ['Messages'],
          operationId: 'listMessages',
          summary: 'List the e-mails and SMS about your invoices, newest first',
          description: '`total_items` counts up to 10,000.',
          querystring: MerchantMessagesQuery,
          response: { 200: MerchantMessagesAnswer },
        },
      },
      async (request) => {
        const { merchant, environment } = caller(request)
        const data = await listMerchantMessages(deps, { merchant_id: merchant.id, environment }, request.query)
        return { success: true as const, data }
      },
    )
  }
}
