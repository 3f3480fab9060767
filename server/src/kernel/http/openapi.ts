// Makes the OpenAPI document from the schemas of the routes.

import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { Config, ErrorCode } from '../lib/index.ts'
import { type Access, dutyOf, ENVIRONMENTS } from './access.ts'
import { type AssembleOptions, type Audience, assemble, type CallFacts } from './openapi-document.ts'
import type { Json } from './openapi-share.ts'
import { OPERATOR_DUTIES } from './operator-roles.ts'

/** The version of the product that the document names. */
export const VERSION = '0.2.0'

const DESCRIPTION = `Collect payments in Tanzanian shillings by mobile-money push, wallet push and QR, and receive signed webhooks about them.

Every answer is an envelope: \`{"success": true, "data": {…}}\` or \`{"success": false, "error": {"code", "message", "details"}}\`.
Switch on \`error.code\`; the message is for people. Every answer has the header \`X-Request-Id\`.

**Nothing is paid until a collection is \`successful\`.** A 202, a sent prompt and the status \`processing\` are not payments.`

/** The description of a successful answer, by status. */
const SUCCESS_DESCRIPTIONS: Record<string, string> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted: stored, and in progress.',
}

/** Describes in words which callers may use a route. */
function describeCallers(access: Exclude<Access, 'public'>, audience: Audience): string {
  const duty = dutyOf(access)
  if (duty !== null) {
    return `For operators with the role ${OPERATOR_DUTIES[duty].join(' or ')}.`
  }
  if (access === 'session') return 'For every session.'
  if (typeof access === 'string')
    return audience === 'merchants'
      ? 'For every API key, with any scopes.'
      : 'For every API key, with any scopes, and for every session.'
  const scopes = access.scopes?.map((scope) => `\`${scope}\``).join(' or ')
  const roles = access.roles?.join(' or ')
  const callers = [
    ...(scopes ? [`an API key with ${scopes}`] : []),
    ...(roles && audience === 'everyone' ? [`a member with the role ${roles}`] : []),
  ]
  return `For ${callers.join(', or ')}.`
}

const STEP_UP = 'A session needs a recent sign-in or `POST /v1/session/confirm`.'

type Properties = Record<string, unknown>
type ObjectSchema = { type?: string; properties?: Properties } | undefined

/** The parameters with which a session chooses its environment and merchant. */
const CHOICES: Properties = {
  environment: {
    type: 'string',
    enum: [...ENVIRONMENTS],
    default: 'live',
    description: 'For sessions: the environment. An API key has its own environment.',
  },
  merchant_id: {
    type: 'string',
    description:
      'For members of several merchants: the merchant to act for. The server refuses other merchants; `me` means your own merchant.',
  },
}

/**
 * Returns the query parameters of a route. For `merchants`, omits those of `CHOICES`. For `everyone`, adds those of `CHOICES`
 * that path and body do not have.
 */
function querystringOf(parts: { querystring?: unknown; params?: unknown; body?: unknown }, audience: Audience): object {
  const query = (parts.querystring ?? { type: 'object' }) as NonNullable<ObjectSchema>
  if (audience === 'merchants') {
    const own = Object.entries(query.properties ?? {}).filter(([name]) => !(name in CHOICES))
    return { ...query, properties: Object.fromEntries(own) }
  }
  const elsewhere = { ...(parts.params as ObjectSchema)?.properties, ...(parts.body as ObjectSchema)?.properties }
  const open = Object.entries(CHOICES).filter(([name]) => !(name in elsewhere))
  return { ...query, properties: { ...Object.fromEntries(open), ...query.properties } }
}

const TAGS = [
  { name: 'Collections', description: 'Take payments and read their outcomes.' },
  { name: 'Payment links', description: 'Pages on which a payer pays one amount once.' },
  {
    name: 'Invoices',
    description: 'Numbered invoices that customers pay by a date, with reminders and a payment link.',
  },
  { name: 'Payers', description: 'Calls of your own checkout page for its payers. These calls need no key.' },
  {
    name: 'Withdrawals',
    description: 'Send money out of the balance, from the dashboard. An operator approves or rejects each withdrawal.',
  },
  { name: 'Disbursements', description: 'Withdrawals from your servers, and their simulation in the sandbox.' },
  {
    name: 'Overview',
    description: 'Totals of money in and out, what needs attention, the steps of the setup, and the search.',
  },
  { name: 'Balance', description: 'The balance of the merchant.' },
  { name: 'Transactions', description: 'Changes of the balance: lists, statements, files.' },
  {
    name: 'Webhooks',
    description: 'The URLs that receive events, the deliveries to them, and the list and stream of events.',
  },
  { name: 'Requests', description: 'Requests of your servers to the API, and their answers.' },
  { name: 'Messages', description: 'E-mails and SMS about your invoices.' },
  { name: 'People', description: 'Your own account, and the members, the look and the settings of the merchant.' },
  { name: 'API keys', description: 'Keys for your servers, and the IP addresses that may use them.' },
  { name: 'Operator', description: 'For the operators of the platform.' },
  { name: 'Health', description: 'For load balancers and monitors.' },
]

const SECURITY_SCHEMES = {
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
} as const

/** Returns the options of @fastify/swagger: OpenAPI 3.1 from the schemas of the routes. */
export function openApi(config: Config, options: AssembleOptions): FastifyDynamicSwaggerOptions {
  const calls: CallFacts = new Map()
  const { audience } = options
  const { session, ...of_keys } = SECURITY_SCHEMES
  return {
    ...(audience === 'merchants' ? { decorator: 'merchantApi' as 'swagger' } : {}),
    openapi: {
      openapi: '3.1.0',
      info: {
        title: `${config.brand_name} API${audience === 'merchants' ? ' for merchants' : ''}`,
        version: VERSION,
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: config.base_url || '/', description: 'This installation.' }],
      tags: TAGS,
      components: { securitySchemes: audience === 'merchants' ? of_keys : { session, ...of_keys } },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `def-${i}`) },
    transform: (input) => describeRoute(input, audience, calls),
    transformObject: (input) =>
      ('openapiObject' in input ? assemble(input.openapiObject as Json, calls, options) : input) as object,
  }
}

type Transform = NonNullable<FastifyDynamicSwaggerOptions['transform']>
type RouteInput = Parameters<Transform>[0]
type RestrictedAccess = Exclude<Access, 'public'>

/** Adds to the schema of a route the callers and the header of the Idempotency-Key. Stores the facts for `assemble`. */
function describeRoute(
  { schema, url, route }: RouteInput,
  audience: Audience,
  calls: CallFacts,
): ReturnType<Transform> {
  const access = route.config?.access
  if (access === undefined || schema?.hide === true) return { schema: schema ?? {}, url }
  const for_keys = access === 'public' ? schema?.tags?.[0] !== 'Health' : takesKeys(access)
  if (audience === 'merchants' && !for_keys) return { schema: { ...schema, hide: true }, url }
  const described = { ...(schema ?? {}) } as Record<string, unknown>
  described.security = access === 'public' ? [] : securityOf(access, audience)
  described.description = [schema?.description, 'The call needs no key.'].filter(Boolean).join('\n\n')
  if (access !== 'public') {
    described['x-scopes'] = typeof access === 'object' ? access.scopes : undefined
    if (typeof access === 'object') described.querystring = querystringOf(schema ?? {}, audience)
    const step_up = route.config?.step_up && audience === 'everyone' ? STEP_UP : undefined
    const callers = describeCallers(access, audience)
    described.description = [schema?.description, callers, step_up].filter(Boolean).join('\n\n')
  }
  if (route.config?.idempotency) described.headers = idempotencyHeader(route.config.idempotency)
  const own = Object.entries(schema?.response ?? {})
  described.response = Object.fromEntries(
    own.map(([status, answer]) => [
      status,
      { ...(answer as object), 'x-response-description': SUCCESS_DESCRIPTIONS[status] ?? 'The answer.' },
    ]),
  )
  const codes = errorCodesOf(access, schema, route)
  calls.set(String(schema?.operationId), {
    codes: audience === 'merchants' ? codes.filter((code) => !SESSION_CODES.includes(code)) : codes,
    stores_answer: route.config?.idempotency !== undefined,
  })
  return { schema: described, url }
}

/** The error codes that only sessions get from calls that also accept API keys. */
const SESSION_CODES: readonly ErrorCode[] = ['insufficient_role', 'second_factor_required', 'step_up_required']

const takesKeys = (access: RestrictedAccess) =>
  access === 'authenticated' || (typeof access === 'object' && access.scopes !== undefined)

/** Returns the kinds of credentials of a route. */
function securityOf(access: RestrictedAccess, audience: Audience): object[] {
  const takes_sessions = typeof access === 'string' || access.roles !== undefined
  return [
    ...(takesKeys(access) ? [{ api_key: [] }, { api_key_header: [] }] : []),
    ...(takes_sessions && audience === 'everyone' ? [{ session: [] }] : []),
  ]
}

/**
 * Returns all error codes of a route: the codes of its access, the codes that the route names, and the codes of every
 * request.
 */
function errorCodesOf(access: Access, schema: RouteInput['schema'], route: RouteInput['route']): ErrorCode[] {
  const codes: ErrorCode[] = ['internal_error', 'service_unavailable']
  if (access !== 'public') {
    const takes_keys = takesKeys(access)
    codes.push('authentication_required', 'public_key_not_accepted', 'invalid_session', 'invalid_api_key')
    codes.push('api_key_revoked', 'insufficient_role', 'rate_limited')
    // If the merchant of a key is suspended, or does not allow the address of the client, the server refuses before it checks
    // the access.
    codes.push('forbidden', 'production_access_restricted')
    if (typeof access === 'object' && takes_keys) codes.push('insufficient_scope')
    if (typeof access === 'object') codes.push('merchant_mismatch')
    if (typeof access === 'object' && access.roles !== undefined) codes.push('second_factor_required')
    if (route.config?.step_up) codes.push('step_up_required')
  }
  codes.push(...(route.config?.refusals ?? []))
  // Every documented route refuses unknown query parameters.
  codes.push('validation_failed')
  if (access === 'public' && route.config?.limit !== 'none') codes.push('rate_limited')
  if (schema?.params) codes.push('not_found')
  if ([route.method].flat().some((method) => method !== 'GET' && method !== 'HEAD'))
    codes.push('invalid_json', 'payload_too_large', 'unsupported_media_type')
  if (route.config?.idempotency) {
    // A call for which the key is optional also refuses a key with invalid characters.
    codes.push('idempotency_in_progress', 'idempotency_key_reused', 'idempotency_key_required')
  }
  return codes
}

function idempotencyHeader(mode: 'required' | 'honoured'): object {
  return {
    type: 'object',
    ...(mode === 'required' ? { required: ['idempotency-key'] } : {}),
    properties: {
      'idempotency-key': {
        type: 'string',
        minLength: 1,
        maxLength: 255,
        description:
          'A new key for each payment attempt. A repeated key returns the first answer and makes no payment.',
      },
    },
  }
}
