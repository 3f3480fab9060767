// Developers of a merchant read what their servers asked and were answered.

import type { Deps } from '../../kernel/db/index.ts'
import { caller, type Routes } from '../../kernel/http/index.ts'
import { getRequest, listRequests } from './list.ts'
import { RequestAnswer, RequestParams, RequestsAnswer, RequestsQuery } from './schema.ts'

const access = { roles: ['MERCHANT_ADMIN', 'DEVELOPER'] } as const
const tags = ['Requests']

/** Adds the routes. */
export function requestLogRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/merchant/requests',
      {
        config: { access },
        schema: {
          tags,
          summary: 'List what your servers asked of the API, newest first',
          description:
            'Every request that came with one of your API keys, also those that were refused. `total_items` counts up to 10,000; a filter looks through the newest 50,000 requests of the period, see `looked_back_to`. A request is here about two seconds after its answer.',
          querystring: RequestsQuery,
          response: { 200: RequestsAnswer },
        },
      },
      async (request) => {
        const { merchant, environment } = caller(request)
        return { success: true as const, data: await listRequests(deps.db, merchant, environment, request.query) }
      },
    )
    app.get(
      '/v1/merchant/requests/:id',
      {
        config: { access },
        schema: {
          tags,
          summary: 'Show a request with its bodies',
          params: RequestParams,
          response: { 200: RequestAnswer },
        },
      },
      async (request) => {
        const { merchant, environment } = caller(request)
        return { success: true as const, data: await getRequest(deps.db, merchant.id, environment, request.params.id) }
      },
    )
  }
}
