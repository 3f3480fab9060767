// Who is calling, and what a route demands of the caller.

import type { FastifyRequest } from 'fastify'
import { type ErrorCode, refuse, refuseField } from '../lib/index.ts'
import type { Known } from './ignored.ts'

/** Live moves real money; sandbox never does. */
export const ENVIRONMENTS = ['live', 'sandbox'] as const
/** Which of the two a key, a payment or a book belongs to. */
export type Environment = (typeof ENVIRONMENTS)[number]

/** Every scope a key can carry, with what it allows. */
export const SCOPES = {
  'collections:write': 'Push collections and generate QR codes.',
  'collections:read': 'Read and list collections.',
  'payment_links:write': 'Create and cancel payment links.',
  'payment_links:read': 'Fetch a payment link.',
  'invoices:write': 'Create, edit, send and cancel invoices.',
  'invoices:read': 'Fetch invoices.',
  'transactions:read': 'Look up transactions and the balance.',
  'webhooks:manage': 'Configure the webhook URL, events and secret.',
  'disbursements:write': 'Submit disbursements.',
  'disbursements:read': 'Read disbursements.',
} as const
/** One thing that a key may be allowed. */
export type Scope = keyof typeof SCOPES

/** What a member of a merchant may be. */
export const MERCHANT_ROLES = ['MERCHANT_ADMIN', 'DEVELOPER', 'FINANCE', 'VIEWER'] as const
/** One role of a member. */
export type MerchantRole = (typeof MERCHANT_ROLES)[number]
/** SUPER_ADMIN is the operator of the platform; no merchant has one. */
export type Role = MerchantRole | 'SUPER_ADMIN'

/** The merchant that a request acts for. */
export type ActingMerchant = { id: string; routing_code: number; code: string }

/** A right of a person: one role in one merchant. `may_go_live`: approved, verified and priced. */
export type Membership = {
  role: MerchantRole
  merchant: ActingMerchant & { name: string; status: 'PENDING' | 'ACTIVE' | 'SUSPENDED'; may_go_live: boolean }
}

/** Who proved to be calling with an API key. */
export type KeyPrincipal = {
  kind: 'api_key'
  key_id: string
  key_name: string
  environment: Environment
  scopes: readonly string[]
  merchant: ActingMerchant
}

/** The two applications that people sign in to. A token is good for the one it was made for. */
export const CONSOLES = ['dashboard', 'operator'] as const
/** That of merchants, or that of operators. */
export type Console = (typeof CONSOLES)[number]

/** Who proved to be calling with a session token. */
export type SessionPrincipal = {
  kind: 'session'
  user_id: string
  /** The console that the token was made for. Null: for none, so it opens both. */
  console: Console | null
  /** When this person gave their credentials. Null: the token does not tell. */
  auth_time: Date | null
  /** The token was made by whoever holds the database, not by a sign-in that may have been left open. */
  by_command: boolean
  email: string
  /** Whether this person has proven to read the mailbox of that address. */
  email_verified: boolean
  name: string
  super_admin: boolean
  memberships: readonly Membership[]
}

/** Who proved to be calling. */
export type Principal = KeyPrincipal | SessionPrincipal

/** The one who did something, for the audit log. `name` is what people recognise: an e-mail address, a key's name. */
export type Actor = { kind: 'user' | 'operator' | 'api_key' | 'command' | 'system'; id: string | null; name: string }

/** For whom a request acts, once merchant and environment are known. */
export type Caller = {
  merchant: ActingMerchant
  environment: Environment
  /** Null for API keys. */
  role: MerchantRole | null
  actor: Actor
}

/**
 * What a route demands. A key passes with any one of `scopes`, a session with any one of `roles`; a route without
 * `scopes` takes no keys, one without `roles` no sessions. `operator` takes sessions with SUPER_ADMIN alone,
 * `authenticated` every key and every session, with or without a merchant.
 */
export type Access =
  | 'public'
  | 'operator'
  | 'authenticated'
  | { scopes?: readonly Scope[]; roles?: readonly MerchantRole[] }

/** Finds out who calls, from the headers alone. Throws a Refusal (401 or 403). */
export type Authenticate = (request: FastifyRequest) => Promise<Principal>

declare module 'fastify' {
  interface FastifyInstance {
    /** Tells the limits that a true callback came from the address of a request. */
    calledBack(request: FastifyRequest): void
  }
  interface FastifyRequest {
    /** Null on public routes. Use `caller(request)` or `operator(request)` on the others. */
    principal: Principal | null
    /** Whose API key it carries, also when it is refused: revoked, too old, or used from elsewhere. Null: none that is known. */
    recognised: KeyPrincipal | null
    /** The JSON text of its body as it came, also when it is refused. Null: none, or none that can be read. */
    sent: string | null
    /** The fields of its body that the call does not know, as its answer names them. Null: none. */
    ignored: string | null
    /** Null until the body has been checked, and where no merchant is acted for. */
    caller: Caller | null
  }
  interface FastifyContextConfig {
    access?: Access
    /** What moves money wants a sign-in that is younger than STEP_UP_S: always, or unless the body says `dry_run`. */
    step_up?: 'always' | 'unless_dry_run'
    /** Which limit per address a public route counts against: that of pages, unless it says so. */
    limit?: 'payers' | 'pdfs' | 'callbacks' | 'none'
    /** Whether the route takes an Idempotency-Key: documents the header. */
    idempotency?: 'required' | 'honoured'
    /** The query parameters that the route takes, found when it is added. Null: it is not documented, and takes any. */
    query_names?: ReadonlySet<string> | null
    /** The fields that its body may have, found when it is added. */
    body_fields?: Known
    /** Codes that this route may refuse with, beyond those that every route has: for the documentation. */
    refusals?: readonly ErrorCode[]
  }
}

/** For whom the request of a route that keys or members may call acts. */
export function caller(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('caller() on a route that acts for no merchant')
  return request.caller
}

/** Who called a route that is not public. */
export function principalOf(request: FastifyRequest): Principal {
  return request.principal ?? refuse('authentication_required')
}

/** Whose session called a route of people: `operator`, or one for roles. */
export function session(request: FastifyRequest): SessionPrincipal {
  if (request.principal?.kind !== 'session') throw new Error('session() on a route that keys may call')
  return request.principal
}

/** The one who calls, for the audit log. */
export function actorOf(principal: Principal): Actor {
  return principal.kind === 'session'
    ? { kind: 'user', id: principal.user_id, name: principal.email }
    : { kind: 'api_key', id: principal.key_id, name: principal.key_name }
}

/**
 * Refuses a key that has none of the scopes the route takes, and a session that has none of its roles in any merchant.
 * Which merchant a session acts for may stand in the body: `chooseCaller` looks again.
 */
export function checkAccess(principal: Principal, access: Exclude<Access, 'public'>): void {
  if (access === 'authenticated') return
  if (access === 'operator') {
    if (principal.kind !== 'session') refuse('insufficient_role', { message: DASHBOARD_ONLY })
    checkOperator(principal)
    return
  }
  if (principal.kind === 'session') {
    const { roles } = access
    if (roles === undefined) refuse('insufficient_role', { message: 'Only API keys may call this. Send one.' })
    if (principal.console === 'operator') refuse('insufficient_role', { message: NOT_THE_DASHBOARD })
    if (!principal.memberships.some(({ role }) => roles.includes(role))) refuse('insufficient_role')
    return
  }
  if (access.scopes === undefined) refuse('insufficient_role', { message: DASHBOARD_ONLY })
  for (const scope of access.scopes) if (principal.scopes.includes(scope)) return
  refuse('insufficient_scope', { details: { required_scope: access.scopes.join(' or ') } })
}

/** Whoever signed in to the dashboard is no operator there, whatever their rights: a stolen token of it moves no money of others. */
function checkOperator({ super_admin, console }: SessionPrincipal): void {
  if (!super_admin) refuse('insufficient_role', { message: 'Only operators of the platform may call this.' })
  if (console === 'dashboard') refuse('insufficient_role', { message: NOT_THE_CONSOLE })
}

/**
 * Refuses (403 step_up_required) a request that moves money when its person signed in longer than `step_up_s` seconds ago,
 * or nobody knows when. 0: nobody is asked. Tokens of the admin command are fresh for as long as they live.
 */
export function checkStepUp(principal: Principal, step_up_s: number, now: Date): void {
  if (step_up_s === 0 || principal.kind !== 'session' || principal.by_command) return
  const { auth_time } = principal
  if (auth_time !== null && now.getTime() - auth_time.getTime() < step_up_s * 1000) return
  const signed_in_at = auth_time?.toISOString() ?? null
  refuse('step_up_required', { details: { step_up_s, auth_time: signed_in_at } })
}

const NOT_THE_CONSOLE = "This session is one of the dashboard. Sign in to the operators' console to call this."
const NOT_THE_DASHBOARD =
  "This session is one of the operators' console, which opens nothing of merchants. Sign in to the dashboard."
const DASHBOARD_ONLY = 'API keys may not call this. Sign in to the dashboard and use its session.'

/**
 * For whom the request acts. A key names its merchant and environment itself. A session chooses: `merchant_id` in path,
 * query or body when its person belongs to several, `environment` in query or body (default live). Refuses a merchant
 * that is not the caller's (merchant_mismatch, whether it exists or not) and a role that does not suffice there.
 */
export function chooseCaller(request: FastifyRequest, principal: Principal, roles: readonly MerchantRole[]): Caller {
  const actor = actorOf(principal)
  if (principal.kind === 'api_key') {
    const { merchant, environment } = principal
    // Where an Idempotency-Key is required, the route checks the body's merchant_id itself: it comes after the key.
    const route_checks_body = request.routeOptions.config.idempotency === 'required'
    for (const merchant_id of namedMerchants(request, route_checks_body ? [] : ['body']))
      checkMerchant(merchant.id, merchant_id)
    // A key acts in its own environment. Whoever names the other one must not find out afterwards which money it was.
    const named = fieldOf(request.query, 'environment')
    if (named !== undefined && named !== environment) {
      refuseField('environment', `contradicts this key, which acts in ${environment}: leave it out`)
    }
    return { merchant, environment, role: null, actor }
  }
  const [first = null, ...others] = namedMerchants(request, ['body'])
  if (others.some((other) => other !== first)) refuse('merchant_mismatch')
  if (first === null && principal.memberships.length > 1) {
    refuseField('merchant_id', 'is required: you are a member of several merchants')
  }
  const membership = principal.memberships.find(({ merchant }) => first === null || merchant.id === first)
  if (!membership) return first === null ? refuse('insufficient_role') : refuse('merchant_mismatch')
  if (!roles.includes(membership.role)) refuse('insufficient_role')
  const { id, routing_code, code } = membership.merchant
  return { merchant: { id, routing_code, code }, environment: chosenEnvironment(request), role: membership.role, actor }
}

/** What a caller may send in place of the id of its own merchant. */
const ME = 'me'

/**
 * Puts the caller's merchant in the place of `me`, in path, query and body. Refuses `me` of a session whose person belongs
 * to several merchants.
 */
export function replaceMe({ params, query, body }: FastifyRequest, principal: Principal): void {
  for (const part of [params, query, body] as ({ merchant_id?: unknown } | null | undefined)[]) {
    if (part?.merchant_id === ME) part.merchant_id = ownMerchant(principal)
  }
}

function ownMerchant(principal: Principal): string {
  if (principal.kind === 'api_key') return principal.merchant.id
  const [first, second] = principal.memberships
  if (second !== undefined) {
    refuseField('merchant_id', 'must be an id and not "me": you are a member of several merchants')
  }
  return first?.merchant.id ?? refuse('insufficient_role')
}

/** Every merchant_id that a request names: in its path, its query, and in `also`. */
function namedMerchants(request: FastifyRequest, also: readonly 'body'[]): string[] {
  const parts = ['params', 'query', ...also] as const
  return parts.flatMap((part) => fieldOf(request[part], 'merchant_id')?.toLowerCase() ?? [])
}

function chosenEnvironment(request: FastifyRequest): Environment {
  const text = fieldOf(request.query, 'environment') ?? fieldOf(request.body, 'environment') ?? 'live'
  const environment = ENVIRONMENTS.find((known) => known === text)
  return environment ?? refuseField('environment', 'must be live or sandbox')
}

/** One text field of a part of a request. Sent twice, it would be anybody's guess which one counts. */
function fieldOf(part: unknown, name: string): string | undefined {
  const value = (part as Record<string, unknown> | null | undefined)?.[name]
  if (Array.isArray(value)) refuseField(name, 'must be sent once')
  return typeof value === 'string' ? value : undefined
}

/** Refuses a merchant_id that is not the caller's own. Undefined: the credential names the merchant. */
export function checkMerchant(own: string, merchant_id: string | undefined): void {
  if (merchant_id !== undefined && merchant_id.toLowerCase() !== own) refuse('merchant_mismatch')
}
