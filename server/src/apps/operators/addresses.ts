// Defines the endpoints with which operators review the IP addresses that merchants want to allow.

import {
  AddressAnswer,
  AddressesAnswer,
  AddressesQuery,
  AddressParams,
  decideAddress,
  listForReview,
  RejectionBody,
} from '../../access/merchants/index.ts'
import { actOf } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { answerOnce, type Routes } from '../../kernel/http/index.ts'

const tags = ['Operator']

/** Adds the routes that list, approve and reject the IP addresses of all merchants. */
export function addressRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/operator/ip-addresses',
      {
        config: { access: 'operator:read' },
        schema: {
          tags,
          operationId: 'listOperatorIpAddresses',
          summary: 'List the addresses of all merchants, newest first',
          description: '`total_items` counts up to 10,000. Without `merchant_id`, the list omits archived merchants.',
          querystring: AddressesQuery,
          response: { 200: AddressesAnswer },
        },
      },
      async (request) => ({ success: true as const, data: await listForReview(deps, request.query) }),
    )
    app.post(
      '/v1/operator/ip-addresses/:address_id/approve',
      {
        config: {
          access: 'operator:merchants',
          idempotency: 'honoured',
          step_up: 'always',
          refusals: ['conflict_of_interest', 'invalid_state'],
        },
        schema: {
          tags,
          operationId: 'approveIpAddress',
          summary: 'Approve an address',
          description: 'From the next request on, the live keys of the merchant work from this address.',
          params: AddressParams,
          response: { 200: AddressAnswer },
        },
      },
      async (request, reply) => {
        const input = { address_id: request.params.address_id, decision: 'approve', reason: null } as const
        return answerOnce(deps, request, reply, 200, (tx) => decideAddress(deps, tx, actOf(request), input))
      },
    )
    app.post(
      '/v1/operator/ip-addresses/:address_id/reject',
      {
        config: { access: 'operator:merchants', idempotency: 'honoured', refusals: ['invalid_state'] },
        schema: {
          tags,
          operationId: 'rejectIpAddress',
          summary: 'Reject an address, or take its approval back',
          params: AddressParams,
          body: RejectionBody,
          response: { 200: AddressAnswer },
        },
      },
      async (request, reply) => {
        const { reason } = request.body
        const input = { address_id: request.params.address_id, decision: 'reject', reason } as const
        return answerOnce(deps, request, reply, 200, (tx) => decideAddress(deps, tx, actOf(request), input))
      },
    )
  }
}
