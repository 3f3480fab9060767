// The merchant's list of addresses that its live keys may be used from, for the dashboard.

import Type from 'typebox'
import { actOf, recordAudit } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import {
  answerOnce,
  caller,
  ENVIRONMENTS,
  MERCHANT_ROLES,
  PageQuery,
  page,
  pageOf,
  type Routes,
  success,
} from '../../kernel/http/index.ts'
import { line, nullable, oneOf } from '../../kernel/lib/index.ts'
import { addIpAddress, IP_STATUSES, listIpAddresses, presentIpAddress, removeIpAddress } from './ip-addresses.ts'

const tags = ['API keys']
const WRITE = { roles: ['MERCHANT_ADMIN', 'DEVELOPER'] } as const
const READ = { roles: MERCHANT_ROLES }

const Body = Type.Object({
  merchant_id: Type.Optional(line(64, 'Your own merchant id; needed by members of several merchants.')),
  label: Type.String({ ...line(100), minLength: 1, description: 'What you will know it by.' }),
  address: line(64, 'An address or a network in CIDR form, IPv4 (at widest /16) or IPv6 (at widest /32).'),
  environment: Type.Optional(oneOf(ENVIRONMENTS, 'live, the default. Sandbox keys are never restricted.')),
})

/** An entry of the allowlist, as its own merchant and operators see it. */
export const IpAddressRecord = Type.Object({
  id: Type.String({ format: 'uuid' }),
  merchant_id: Type.String({ format: 'uuid' }),
  label: Type.String(),
  address: Type.String({ description: 'An address, or a network in CIDR form.' }),
  environment: oneOf(ENVIRONMENTS),
  status: oneOf(IP_STATUSES, 'Only APPROVED lets a request in.'),
  reason: nullable(Type.String({ description: 'Why an operator rejected it.' })),
  created_at: Type.String({ format: 'date-time' }),
  decided_at: nullable(Type.String({ format: 'date-time', description: 'Null while PENDING.' })),
})

const Query = Type.Object({
  ...PageQuery,
  environment: Type.Optional(oneOf(ENVIRONMENTS, 'Left out: both.')),
  status: Type.Optional(oneOf(IP_STATUSES)),
})

/** Adds the routes of the IP allowlist. */
export function ipAddressRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/merchant/ip-addresses',
      {
        config: { access: READ },
        schema: {
          tags,
          summary: 'List the addresses that live keys may be used from, newest first',
          querystring: Query,
          response: { 200: success(page(IpAddressRecord)) },
        },
      },
      async (request) => {
        const { environment = null, status = null } = request.query
        const { id } = caller(request).merchant
        const { entries, total } = await listIpAddresses(deps.db, id, { environment, status }, request.query)
        return { success: true as const, data: pageOf(entries.map(presentIpAddress), total, request.query) }
      },
    )
    app.post(
      '/v1/merchant/ip-addresses',
      {
        config: { access: WRITE, idempotency: 'honoured', refusals: ['invalid_state'] },
        schema: {
          tags,
          summary: 'Ask for an address to be allowed',
          description: 'It starts PENDING, and counts once an operator has approved it.',
          body: Body,
          response: { 201: success(IpAddressRecord) },
        },
      },
      async (request, reply) => {
        const { merchant, environment } = caller(request)
        const { label, address } = request.body
        const input = { merchant_id: merchant.id, label, address, environment: request.body.environment ?? environment }
        return answerOnce(deps, request, reply, 201, async (tx) => {
          const after = presentIpAddress(await addIpAddress(deps, tx, input))
          await recordAudit(deps, tx, {
            ...actOf(request),
            merchant_id: merchant.id,
            action: 'ip_address.create',
            target_type: 'ip_address',
            target_id: after.id,
            after,
          })
          return after
        })
      },
    )
    app.delete(
      '/v1/merchant/ip-addresses/:id',
      {
        config: { access: WRITE, idempotency: 'honoured' },
        schema: {
          tags,
          summary: 'Take an address off the list',
          description: 'It counts no more from the next request on. The answer is the entry as it was.',
          params: Type.Object({ id: Type.String({ description: 'The id of the entry.' }) }),
          response: { 200: success(IpAddressRecord) },
        },
      },
      async (request, reply) => {
        const { merchant } = caller(request)
        return answerOnce(deps, request, reply, 200, async (tx) => {
          const before = presentIpAddress(await removeIpAddress(tx, merchant.id, request.params.id))
          await recordAudit(deps, tx, {
            ...actOf(request),
            merchant_id: merchant.id,
            action: 'ip_address.delete',
            target_type: 'ip_address',
            target_id: before.id,
            before,
          })
          return before
        })
      },
    )
  }
}
