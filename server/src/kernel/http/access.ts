// Defines the callers of the API, and the access that a route requires.

import type { FastifyRequest } from 'fastify'
import type { Tx } from '../db/index.ts'
import { type ErrorCode, refuse, refuseField, type TraceSpan } from '../lib/index.ts'
import type { BodyFields } from './ignored.ts'
import { mayOperate, OPERATOR_DUTIES, type OperatorDuty, type OperatorRole } from './operator-roles.ts'

/** The environments of the API. Only payments and payouts of live can move real money. */
export const ENVIRONMENTS = ['live', 'sandbox'] as const
/** The environment of a key, a payment or a book. */
export type Environment = (typeof ENVIRONMENTS)[number]

/** Every scope of API keys, with its meaning. */
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
  'requests:read': 'List the API requests of all keys of this environment, without their bodies.',
} as const
/** A scope of an API key: a name in `SCOPES`. */
export type Scope = keyof typeof SCOPES

/** The roles that a member can have in a merchant. */
export const MERCHANT_ROLES = ['MERCHANT_ADMIN', 'DEVELOPER', 'FINANCE', 'VIEWER'] as const
/** A member's role in one merchant. A user can have another role in each merchant. */
export type MerchantRole = (typeof MERCHANT_ROLES)[number]
/** The role of a user: a role in a merchant, or the role of an operator of the platform. */
export type Role = MerchantRole | OperatorRole

/** The merchant of a request, from the API key or from the choice of a session. */
export type ActingMerchant = { id: string; routing_code: number; code: string }

/** The role of a user in one merchant. `may_go_live` means that the merchant is approved, verified and priced. */
export type Membership = {
  role: MerchantRole
  /** True if the merchant requires a second factor of its members. */
  second_factor_required: boolean
  /** True if the user was invited and the server has not recorded a request with this membership. */
  unused: boolean
  merchant: ActingMerchant & { name: string; status: 'PENDING' | 'ACTIVE' | 'SUSPENDED'; may_go_live: boolean }
}

/** A caller that authenticated with an API key. */
export type KeyPrincipal = {
  kind: 'api_key'
  key_id: string
  key_name: string
  environment: Environment
  scopes: readonly string[]
  merchant: ActingMerchant
}

/**
 * The two consoles to which users sign in. A token with a console is valid only for that console. A token without a console,
 * such as one of the admin command, is valid for both.
 */
export const CONSOLES = ['dashboard', 'operator'] as const
/** The console of a sign-in: `dashboard` for merchants, `operator` for operators. */
export type Console = (typeof CONSOLES)[number]

/** A caller that authenticated with a session token. */
export type SessionPrincipal = {
  kind: 'session'
  user_id: string
  /** The issuer and the subject of the token. A new password gives the user another subject, so that earlier tokens end. */
  issuer: string
  subject: string
  /** The console of the token. Null means that the token is valid for both consoles. */
  console: Console | null
  /**
   * The id of the session's row. Null means a token of the admin command, of a foreign issuer, or of an earlier version of the
   * program.
   */
  session_id: string | null
  /** The time at which the user last entered credentials in this session. Null means unknown. */
  auth_time: Date | null
  /** True if the user signed in with a second factor. */
  second_factor: boolean
  /** True if the admin command made the token. False if the user signed in with a browser. */
  by_command: boolean
  email: string
  /** True if the user has confirmed the e-mail address. */
  email_verified: boolean
  name: string
  /**
   * The role of an operator. Null means that the user is no operator, or signed in without the second factor that operators
   * need.
   */
  operator_role: OperatorRole | null
  memberships: readonly Membership[]
}

/** An authenticated caller: an API key or a session. */
export type Principal = KeyPrincipal | SessionPrincipal

/** The actor of an action in the audit log. `name` is text for people: an e-mail address or the name of a key. */
export type Actor = { kind: 'user' | 'operator' | 'api_key' | 'command' | 'system'; id: string | null; name: string }

/** The merchant and environment of a request, with the actor. */
export type Caller = {
  merchant: ActingMerchant
  environment: Environment
  /** The environments of the request. If a session names no environment, the list has both. */
  environments: readonly Environment[]
  /** The role of the member. Null means that the caller is an API key. */
  role: MerchantRole | null
  actor: Actor
}

/**
 * The access of a route. `public` needs no credential. An API key needs one of `scopes`, and a session one of `roles`; without
 * the list, the route takes no such caller. `operator:` takes sessions of operators whose role may do the duty that follows,
 * `session` every session, and `authenticated` every key and session.
 */
export type Access =
  | 'public'
  | `operator:${OperatorDuty}`
  | 'session'
  | 'authenticated'
  | { scopes?: readonly Scope[]; roles?: readonly MerchantRole[] }

/** Authenticates the caller by the headers alone. If the server refuses the caller, throws a Refusal (401 or 403). */
export type Authenticate = (request: FastifyRequest) => Promise<Principal>

/**
 * Reads the rights of an authenticated caller again, for the merchant of the request only, in an open transaction. If the caller
 * has lost its key or session, throws a Refusal (401 or 403).
 */
export type ReadCallerAgain = (tx: Tx, request: FastifyRequest) => Promise<Principal>

/**
 * Locks the merchant of the caller until the transaction ends, then checks the caller again. If another transaction took the
 * right of the caller while this one waited, throws a Refusal (401 or 403).
 */
export type LockMerchantOfCaller = (tx: Tx, request: FastifyRequest) => Promise<void>

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the OpenAPI document of the calls that an API key or a public caller can make, without health checks. */
    merchantApi(): object
    /** Records the address of a callback with a valid signature, for the rate limits. */
    rememberCallbackAddress(request: FastifyRequest): void
  }
  interface FastifyRequest {
    /** The span of the request. Null means that the server does not trace the request. */
    trace: TraceSpan | null
    /**
     * The authenticated caller. Null means that the server has authenticated no caller, as on most public routes. On other
     * routes, use `caller(request)` or `principalOf(request)`.
     */
    principal: Principal | null
    /**
     * The owner of the API key, also of a revoked or expired key that the server refuses. Null means that the request has no
     * known key.
     */
    recognised: KeyPrincipal | null
    /**
     * The JSON text of the body as received, even if the server refuses the body. Null means that the request has no
     * readable body.
     */
    sent: string | null
    /** The unknown fields of the body, as the answer lists them. Null means that the body has no unknown field. */
    ignored: string | null
    /**
     * The caller with its merchant. Null means that the route has no merchant, or that the server has not validated the body
     * yet.
     */
    caller: Caller | null
  }
  interface FastifyContextConfig {
    access?: Access
    /**
     * The condition under which a session needs a recent sign-in (STEP_UP_S). `always` is for routes that move money or give
     * access. `unless_dry_run` makes an exception for a body with `dry_run`.
     */
    step_up?: 'always' | 'unless_dry_run'
    /** The rate limit per address of a public route. The default is the limit for pages. */
    limit?: 'payers' | 'pdfs' | 'callbacks' | 'none'
    /** True for a public route that shows more to a caller with valid credentials. Wrong credentials count for the rate limit. */
    may_sign_in?: boolean
    /**
     * The use of the Idempotency-Key: the route requires the key or accepts the key, and the documentation lists the header.
     */
    idempotency?: 'required' | 'honoured'
    /**
     * The query parameters of the route, from its schema. Null means that the route is undocumented and accepts any
     * parameter.
     */
    query_names?: ReadonlySet<string> | null
    /** The fields of the body of the route, from its schema. */
    body_fields?: BodyFields
    /** True if the path contains a secret. The log then has the pattern of the route in place of the path. */
    has_secret_path?: true
    /** The error codes that this route adds to the codes of its access, for the documentation. */
    refusals?: readonly ErrorCode[]
  }
}

/** Returns the merchant, environment and actor of a request by an API key or a member. */
export function caller(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('caller() needs a route with a merchant, but this route has no merchant')
  return request.caller
}

/** Returns the authenticated caller of a request. Without a caller, refuses with authentication_required. */
export function principalOf(request: FastifyRequest): Principal {
  return request.principal ?? refuse('authentication_required')
}

/** Returns the session of a request on a route that takes no keys. */
export function session(request: FastifyRequest): SessionPrincipal {
  if (request.principal?.kind !== 'session') throw new Error('session() needs a session, but this route accepts keys')
  return request.principal
}

/** Returns the caller as an actor of the audit log. */
export function actorOf(principal: Principal): Actor {
  return principal.kind === 'session'
    ? { kind: 'user', id: principal.user_id, name: principal.email }
    : { kind: 'api_key', id: principal.key_id, name: principal.key_name }
}

/**
 * If the route does not accept the caller, refuses. A key needs a scope of the route, a session a role in any merchant, and an
 * operator the duty. The body may name the merchant of a session, so `chooseCaller` checks the role in that merchant later.
 */
export function checkAccess(principal: Principal, access: Exclude<Access, 'public'>): void {
  if (access === 'authenticated') return
  if (typeof access === 'string') {
    if (principal.kind !== 'session') refuse('insufficient_role', { message: DASHBOARD_ONLY })
    const duty = dutyOf(access)
    if (duty !== null) checkOperator(principal, duty)
    return
  }
  if (principal.kind === 'session') {
    const { roles } = access
    if (roles === undefined)
      refuse('insufficient_role', { message: 'Only API keys may make this call. Send an API key.' })
    if (principal.console === 'operator') refuse('insufficient_role', { message: NOT_THE_DASHBOARD })
    if (!principal.memberships.some(({ role }) => roles.includes(role))) refuse('insufficient_role')
    return
  }
  if (access.scopes === undefined) refuse('insufficient_role', { message: DASHBOARD_ONLY })
  for (const scope of access.scopes) if (principal.scopes.includes(scope)) return
  refuse('insufficient_scope', { details: { required_scope: access.scopes.join(' or ') } })
}

/**
 * Returns true for an object, and for a text that `Access` allows. The type of a route's configuration does not ensure this.
 */
export function isAccess(access: Access): boolean {
  if (typeof access !== 'string') return true
  const duty = dutyOf(access)
  return duty === null ? ['public', 'session', 'authenticated'].includes(access) : Object.hasOwn(OPERATOR_DUTIES, duty)
}

/** Returns the duty of operators that a route requires. Null means that the route requires no operator. */
export function dutyOf(access: Access): OperatorDuty | null {
  return typeof access === 'string' && access.startsWith(OPERATOR)
    ? (access.slice(OPERATOR.length) as OperatorDuty)
    : null
}

const OPERATOR = 'operator:'

/**
 * If a session is no operator session, or the role of the operator may not do the duty, refuses. A dashboard session is never an
 * operator session, so a stolen dashboard token gives no operator rights.
 */
function checkOperator({ operator_role, console }: SessionPrincipal, duty: OperatorDuty): void {
  if (operator_role === null)
    refuse('insufficient_role', { message: 'Only operators of the platform may make this call. Ask an operator.' })
  if (console === 'dashboard') refuse('insufficient_role', { message: NOT_THE_CONSOLE })
  if (mayOperate(operator_role, duty)) return
  const required = OPERATOR_DUTIES[duty]
  refuse('insufficient_role', {
    message: `Your role ${operator_role} does not allow this call. An operator with the role ${required.join(' or ')} must make this call.`,
    details: { operator_role, required_roles: required.join(' or ') },
  })
}

/**
 * If the user of a session entered credentials more than `step_up_s` seconds ago or at an unknown time, refuses (403
 * step_up_required). 0 means no check. The check always accepts API keys and tokens of the admin command.
 */
export function checkStepUp(principal: Principal, step_up_s: number, now: Date): void {
  if (step_up_s === 0 || principal.kind !== 'session' || principal.by_command) return
  const { auth_time } = principal
  if (auth_time !== null && now.getTime() - auth_time.getTime() < step_up_s * 1000) return
  const signed_in_at = auth_time?.toISOString() ?? null
  refuse('step_up_required', { details: { step_up_s, auth_time: signed_in_at } })
}

const NOT_THE_CONSOLE = "This is a session of the dashboard. Sign in to the operators' console to make this call."
const NOT_THE_DASHBOARD =
  "This is a session of the operators' console, which opens no data of merchants. Sign in to the dashboard."
const DASHBOARD_ONLY = 'API keys may not make this call. Sign in to the dashboard and use its session.'

/**
 * Finds the merchant and environment of a request. An API key has one merchant and environment. A session chooses `merchant_id`
 * in path, query or body, and `environment` in query or body. Refuses every foreign merchant, an insufficient role, and a
 * session without the second factor that the merchant requires.
 */
export function chooseCaller(request: FastifyRequest, principal: Principal, roles: readonly MerchantRole[]): Caller {
  const actor = actorOf(principal)
  if (principal.kind === 'api_key') {
    const { merchant, environment } = principal
    // If the route requires an Idempotency-Key, the route itself checks merchant_id in the body after it has read the
    // Idempotency-Key.
    const route_checks_body = request.routeOptions.config.idempotency === 'required'
    for (const merchant_id of merchantIdsIn(request, route_checks_body ? [] : ['body']))
      checkMerchant(merchant.id, merchant_id)
    // An API key works only in its environment. If a request names the other environment, the server refuses the request before
    // any money moves.
    const named = fieldOf(request.query, 'environment')
    if (named !== undefined && named !== environment) {
      refuseField(
        'environment',
        `differs from the environment of this key, which is ${environment}: leave the field out`,
      )
    }
    return { merchant, environment, environments: [environment], role: null, actor }
  }
  const [first = null, ...others] = merchantIdsIn(request, ['body'])
  if (others.some((other) => other !== first)) refuse('merchant_mismatch')
  if (first === null && principal.memberships.length > 1) {
    refuseField('merchant_id', 'is required: you are a member of several merchants')
  }
  const membership = principal.memberships.find(({ merchant }) => first === null || merchant.id === first)
  if (!membership) return first === null ? refuse('insufficient_role') : refuse('merchant_mismatch')
  if (!roles.includes(membership.role)) refuse('insufficient_role')
  if (membership.second_factor_required && !principal.second_factor) refuse('second_factor_required')
  const { id, routing_code, code } = membership.merchant
  const named = namedEnvironment(request)
  return {
    merchant: { id, routing_code, code },
    environment: named ?? 'live',
    environments: named === null ? ENVIRONMENTS : [named],
    role: membership.role,
    actor,
  }
}

/**
 * Checks the caller of a request against the access of its route again, and stores the caller's present role in the request.
 * `principal` has the present rights. If they do not allow the request for the same merchant, refuses.
 */
export function checkCallerAgain(request: FastifyRequest, principal: Principal): void {
  const { access } = request.routeOptions.config
  if (typeof access !== 'object') throw new Error('checkCallerAgain() needs a route with a merchant')
  checkAccess(principal, access)
  const present = chooseCaller(request, principal, access.roles ?? [])
  if (present.merchant.id !== caller(request).merchant.id) refuse('insufficient_role')
  request.caller = present
}

/** The text that a client may send instead of the id of its own merchant. */
const ME = 'me'

/**
 * Replaces `me` in path, query and body by the id of the caller's merchant. If the user of a session is a member of several
 * merchants, refuses `me`.
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

/** Returns each merchant_id that the path, the query and `other_parts` of a request contain. */
function merchantIdsIn(request: FastifyRequest, other_parts: readonly 'body'[]): string[] {
  const parts = ['params', 'query', ...other_parts] as const
  return parts.flatMap((part) => fieldOf(request[part], 'merchant_id')?.toLowerCase() ?? [])
}

function namedEnvironment(request: FastifyRequest): Environment | null {
  const text = fieldOf(request.query, 'environment') ?? fieldOf(request.body, 'environment')
  if (text === undefined) return null
  const environment = ENVIRONMENTS.find((known) => known === text)
  return environment ?? refuseField('environment', 'must be live or sandbox')
}

/** Returns one text field of a part of a request. If the caller sent the field twice, refuses the field as ambiguous. */
function fieldOf(part: unknown, name: string): string | undefined {
  const value = (part as Record<string, unknown> | null | undefined)?.[name]
  if (Array.isArray(value)) refuseField(name, 'must occur only once')
  return typeof value === 'string' ? value : undefined
}

/** If merchant_id is the id of another merchant, refuses. Undefined means that the request does not name a merchant. */
export function checkMerchant(own: string, merchant_id: string | undefined): void {
  if (merchant_id !== undefined && merchant_id.toLowerCase() !== own) refuse('merchant_mismatch')
}
