// The OpenAPI document, made from the route schemas, and what every operation shares.

import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { type Config, catalogue, type ErrorCode } from '../lib/index.ts'
import { type Access, ENVIRONMENTS, SCOPES } from './access.ts'

/** The version of the product that the document names. */
export const VERSION = '0.1.0'

const DESCRIPTION = `Collect payments in Tanzanian shillings by mobile-money push, wallet push and QR, and be told of them by signed webhooks.

Every answer is an envelope: \`{"success": true, "data": {…}}\` or \`{"success": false, "error": {"code", "message", "details"}}\`.
Switch on \`error.code\`; the message is for people. Every answer carries \`X-Request-Id\`.

**Nothing is paid until a collection is \`successful\`.** A 202, a sent prompt and the status \`processing\` are not payments.`

/** What a success means, by status. */
const ANSWERS: Record<string, string> = {
  200: 'Done, or found.',
  201: 'Made.',
  202: 'Accepted: durable, and under way.',
}

/** Who may call a route, in words. */
function whoMayCall(access: Exclude<Access, 'public'>): string {
  if (access === 'operator')
    return 'For operators: a session of a `SUPER_ADMIN` signed in to the console of operators, and not to the dashboard.'
  if (access === 'authenticated') return 'For every API key, with any scopes, and for every session.'
  const scopes = access.scopes?.map((scope) => `\`${scope}\` (${SCOPES[scope]})`).join(' or ')
  const roles = access.roles?.map((role) => `\`${role}\``).join(', ')
  const ways = [
    ...(scopes ? [`an API key with the scope ${scopes}`] : []),
    ...(roles ? [`a session with the role ${roles}`] : []),
  ]
  return `Needs ${ways.join('; or ')}`
}

const STEP_UP = 'Wants a sign-in younger than `STEP_UP_S`: else `step_up_required`.'

type Properties = Record<string, unknown>
type ObjectSchema = { type?: string; properties?: Properties } | undefined

/** With what a session says where and for whom it acts. */
const CHOICES: Properties = {
  environment: {
    type: 'string',
    enum: [...ENVIRONMENTS],
    default: 'live',
    description: 'For sessions: where to act. A key names its own environment.',
  },
  merchant_id: {
    type: 'string',
    description:
      'For members of several merchants: the one to act for. Another merchant than your own is refused; `me` is your own.',
  },
}

/** The query of a route that sessions may call: its own parameters, and the choices that it does not name elsewhere. */
function querystringOf(parts: { querystring?: unknown; params?: unknown; body?: unknown }): object {
  const query = (parts.querystring ?? { type: 'object' }) as NonNullable<ObjectSchema>
  const elsewhere = { ...(parts.params as ObjectSchema)?.properties, ...(parts.body as ObjectSchema)?.properties }
  const open = Object.entries(CHOICES).filter(([name]) => !(name in elsewhere))
  return { ...query, properties: { ...Object.fromEntries(open), ...query.properties } }
}

/** Options of @fastify/swagger: OpenAPI 3.1 from the schemas of the routes. */
export function openApi(config: Config): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: { title: `${config.brand_name} API`, version: VERSION, description: DESCRIPTION, license: { name: 'MIT' } },
      servers: [{ url: config.base_url || '/' }],
      tags: [
        { name: 'Collections', description: 'Take a payment and learn what became of it.' },
        { name: 'Payment links', description: 'A page on which one amount can be paid once.' },
        {
          name: 'Invoices',
          description: 'Ask a customer to pay by a date: numbered, sent, reminded of, paid by its link.',
        },
        { name: 'Payers', description: 'What a checkout page of your own calls for its payers. Needs no key.' },
        {
          name: 'Withdrawals',
          description: 'Send money out of the balance, from the dashboard. An operator approves each.',
        },
        { name: 'Disbursements', description: 'The same from your servers, and the sandbox.' },
        { name: 'Overview', description: 'What came in and went out, and what is still to be set up.' },
        { name: 'Balance', description: 'What the merchant has.' },
        { name: 'Transactions', description: 'What the balance went through: lists, statements, files.' },
        { name: 'Webhooks', description: 'Where events go, and what was delivered.' },
        { name: 'Requests', description: 'What your servers asked of the API, and were answered.' },
        { name: 'Messages', description: 'E-mails and SMS that were sent in your name.' },
        { name: 'People', description: 'Who you are, and who else belongs to the merchant.' },
        { name: 'API keys', description: 'Keys for your servers, and the addresses they may call from.' },
        { name: 'Operator', description: 'For the operators of the platform.' },
        { name: 'Health', description: 'For load balancers and monitors.' },
      ],
      components: {
        securitySchemes: {
          session: {
            type: 'http',
            scheme: 'bearer',
            description: 'An access token of the identity provider: `Authorization: Bearer <token>`.',
          },
          api_key: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer <key>`.' },
          api_key_header: {
            type: 'apiKey',
            in: 'header',
            name: 'X-API-Key',
            description: 'The same API key in its own header.',
          },
        },
      },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `def-${i}`) },
    transform: ({ schema, url, route }) => {
      const access = route.config?.access
      if (access === undefined) return { schema: schema ?? {}, url }
      const described = { ...(schema ?? {}) } as Record<string, unknown> & { response?: Record<string, unknown> }
      const errors: ErrorCode[] = ['internal_error', 'service_unavailable']
      if (access !== 'public') {
        const keys = access === 'authenticated' || (typeof access === 'object' && access.scopes !== undefined)
        const sessions = typeof access === 'string' || access.roles !== undefined
        errors.push('authentication_required', 'public_key_not_accepted', 'invalid_session', 'invalid_api_key')
        errors.push('api_key_revoked', 'insufficient_role', 'rate_limited')
        if (keys) errors.push('forbidden', 'production_access_restricted')
        if (typeof access === 'object' && keys) errors.push('insufficient_scope')
        if (typeof access === 'object') errors.push('merchant_mismatch')
        if (route.config?.step_up) errors.push('step_up_required')
        if (typeof access === 'object') described.querystring = querystringOf(schema ?? {})
        described.security = [
          ...(keys ? [{ api_key: [] }, { api_key_header: [] }] : []),
          ...(sessions ? [{ session: [] }] : []),
        ]
        const fresh = route.config?.step_up ? STEP_UP : undefined
        described.description = [schema?.description, whoMayCall(access), fresh].filter(Boolean).join('\n\n')
      }
      errors.push(...(route.config?.refusals ?? []))
      // Every call refuses query parameters that it does not take.
      errors.push('validation_failed')
      if (access === 'public' && route.config?.limit !== 'none') errors.push('rate_limited')
      if (schema?.params) errors.push('not_found')
      if ([route.method].flat().some((method) => method !== 'GET' && method !== 'HEAD'))
        errors.push('invalid_json', 'payload_too_large', 'unsupported_media_type')
      if (route.config?.idempotency) {
        errors.push('idempotency_in_progress', 'idempotency_key_reused')
        if (route.config.idempotency === 'required') errors.push('idempotency_key_required')
        described.headers = {
          type: 'object',
          ...(route.config.idempotency === 'required' ? { required: ['idempotency-key'] } : {}),
          properties: {
            'idempotency-key': {
              type: 'string',
              minLength: 1,
              maxLength: 255,
              description: 'Fresh for each payment attempt. Repeating it repeats the first answer, not the payment.',
            },
          },
        }
      }
      const responses: Record<string, unknown> = {}
      for (const [status, answer] of Object.entries(schema?.response ?? {})) {
        responses[status] = { description: ANSWERS[status] ?? 'The answer', ...(answer as object) }
      }
      for (const [status, codes] of Object.entries(
        Object.groupBy(new Set(errors), (code) => String(catalogue[code].status)),
      )) {
        const described_codes = (codes ?? []).map((code) => `\`${code}\`: ${catalogue[code].message}`)
        responses[status] ??= { description: described_codes.join('\n\n'), $ref: 'Failure#' }
      }
      described.response = responses
      return { schema: described, url }
    },
  }
}
