// Defines the routes of a merchant's IP allowlist.

import Type from 'typebox'
import { actOf, recordAudit } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import {
  type App,
  answerOnce,
  caller,
  ENVIRONMENTS,
  type LockMerchantOfCaller,
  MERCHANT_ROLES,
  PageQuery,
  page,
  pageOf,
  type Routes,
  success,
} from '../../kernel/http/index.ts'
import { enumOf, line, nullable } from '../../kernel/lib/index.ts'
import { addIpAddress, IP_STATUSES, listIpAddresses, presentIpAddress, removeIpAddress } from './ip-addresses.ts'

const tags = ['API keys']
const WRITE = { roles: ['MERCHANT_ADMIN', 'DEVELOPER'] } as const
const READ = { roles: MERCHANT_ROLES }

const IpAddressBody = Type.Object(
  {
    merchant_id: Type.Optional(line(64, 'Your own merchant id. A member of several merchants must send this field.')),
    label: Type.String({ ...line(100), minLength: 1, description: 'A name for the entry.' }),
    address: line(64, 'An address or a network in CIDR form, IPv4 (at widest /16) or IPv6 (at widest /32).'),
    environment: Type.Optional(
      enumOf('Environment', ENVIRONMENTS, 'live, the default. The server restricts no sandbox key.'),
    ),
  },
  { title: 'IpAddressRequest' },
)

/** An allowlist entry in the form of the API. */
export const IpAddressRecord = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    merchant_id: Type.String({ format: 'uuid' }),
    label: Type.String(),
    address: Type.String({ description: 'An address, or a network in CIDR form.' }),
    environment: enumOf('Environment', ENVIRONMENTS),
    status: enumOf('IpAddressStatus', IP_STATUSES, 'Only an APPROVED entry allows requests.'),
    reason: nullable(Type.String({ description: 'The reason of the operator for a rejection.' })),
    created_at: Type.String({ format: 'date-time' }),
    decided_at: nullable(Type.String({ format: 'date-time', description: 'Null means PENDING.' })),
  },
  { title: 'IpAddress' },
)

const IpAddressesQuery = Type.Object({
  ...PageQuery,
  environment: Type.Optional(enumOf('Environment', ENVIRONMENTS, 'Default: both.')),
  status: Type.Optional(enumOf('IpAddressStatus', IP_STATUSES)),
})

/** Adds the routes that list, add and remove allowlist entries. `lockMerchant` locks the merchant and checks the caller again. */
export function ipAddressRoutes(deps: Deps, { lockMerchant }: { lockMerchant: LockMerchantOfCaller }): Routes {
  return (app) => {
    ipAddressListRoute(deps, app)
    newIpAddressRoute(deps, app, lockMerchant)
    ipAddressRemovalRoute(deps, app, lockMerchant)
  }
}

function ipAddressListRoute(deps: Deps, app: App): void {
  app.get(
    '/v1/merchant/ip-addresses',
    {
      config: { access: READ },
      schema: {
        tags,
        operationId: 'listIpAddresses',
        summary: 'List the addresses of the allowlist of live keys, newest first',
        querystring: IpAddressesQuery,
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
}

function newIpAddressRoute(deps: Deps, app: App, lockMerchant: LockMerchantOfCaller): void {
  app.post(
    '/v1/merchant/ip-addresses',
    {
      config: { access: WRITE, idempotency: 'honoured', refusals: ['invalid_state'] },
      schema: {
        tags,
        operationId: 'createIpAddress',
        summary: 'Request an address for the allowlist',
        description:
          'The entry starts PENDING. After an operator has approved the entry, the server accepts requests from the address.',
        body: IpAddressBody,
        response: { 201: success(IpAddressRecord) },
      },
    },
    async (request, reply) => {
      const { merchant, environment } = caller(request)
      const { label, address } = request.body
      const input = { merchant_id: merchant.id, label, address, environment: request.body.environment ?? environment }
      return answerOnce(deps, request, reply, 201, async (tx) => {
        await lockMerchant(tx, request)
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
}

function ipAddressRemovalRoute(deps: Deps, app: App, lockMerchant: LockMerchantOfCaller): void {
  app.delete(
    '/v1/merchant/ip-addresses/:id',
    {
      config: { access: WRITE, idempotency: 'honoured' },
      schema: {
        tags,
        operationId: 'deleteIpAddress',
        summary: 'Remove an address from the allowlist',
        description: 'The removal applies from the next request on. The reply is the removed entry.',
        params: Type.Object({ id: Type.String({ description: 'The id of the entry.' }) }),
        response: { 200: success(IpAddressRecord) },
      },
    },
    async (request, reply) => {
      const { merchant } = caller(request)
      return answerOnce(deps, request, reply, 200, async (tx) => {
        await lockMerchant(tx, request)
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
