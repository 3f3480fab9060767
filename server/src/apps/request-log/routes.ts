// Defines the endpoints of the request log, for developers of a merchant.

import { type Deps, forReads } from '../../kernel/db/index.ts'
import { caller, type Routes } from '../../kernel/http/index.ts'
import { getRequest, listRequests, withoutDetails } from './list.ts'
import { KEY_REQUESTS_PATH } from './log.ts'
import {
  RequestAnswer,
  RequestParams,
  RequestSummariesAnswer,
  RequestSummariesQuery,
  RequestsAnswer,
  RequestsQuery,
} from './schema.ts'

const access = { roles: ['MERCHANT_ADMIN', 'DEVELOPER'] } as const
const tags = ['Requests']

/** Adds the routes that list the requests of a merchant and show one request. */
export function requestLogRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/merchant/requests',
      {
        config: { access },
        schema: {
          tags,
          operationId: 'listApiRequests',
          summary: 'List the API requests of your servers, newest first',
          description:
            'All requests with one of your API keys, including refused ones. `total_items` counts up to 10,000. A filter examines the newest 50,000 requests of the period, see `looked_back_to`. A request appears about two seconds after its response.',
          querystring: RequestsQuery,
          response: { 200: RequestsAnswer },
        },
      },
      async (request) => {
        const { merchant, environment } = caller(request)
        return {
          success: true as const,
          data: await listRequests(forReads(deps).db, merchant, environment, request.query),
        }
      },
    )
    app.get(
      KEY_REQUESTS_PATH,
      {
        config: { access: { scopes: ['requests:read'] } },
        schema: {
          tags,
          operationId: 'listRequests',
          summary: 'List the API requests of your servers, newest first',
          description:
            'Requests with all keys of this environment, including refused ones, without bodies. A request appears about two seconds after its response. The list omits its own successful calls.',
          querystring: RequestSummariesQuery,
          response: { 200: RequestSummariesAnswer },
        },
      },
      async (request) => {
        const { merchant, environment } = caller(request)
        const { items, pagination } = await listRequests(forReads(deps).db, merchant, environment, request.query)
        return { success: true as const, data: { items: items.map(withoutDetails), pagination } }
      },
    )
    app.get(
      '/v1/merchant/requests/:id',
      {
        config: { access },
        schema: {
          tags,
          operationId: 'getApiRequest',
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
