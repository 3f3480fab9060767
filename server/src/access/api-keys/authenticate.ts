// Authenticates API keys. The server reads the key from the database on each request, so every process refuses a revoked key
// from the next request on.

import type { FastifyRequest } from 'fastify'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import {
  type Authenticate,
  caller,
  type Environment,
  type KeyPrincipal,
  principalOf,
  type ReadCallerAgain,
  type SessionPrincipal,
} from '../../kernel/http/index.ts'
import { batchSizes, gather, refuse } from '../../kernel/lib/index.ts'
import { createAllowlist, isAllowedIn } from '../merchants/index.ts'
import { isWellFormedKey, keyHash, looksLikeKey } from './format.ts'

/** The functions that an authentication calls. */
export type AuthenticateOptions = {
  /** Records that a request used the key. */
  used(merchant_id: string, key_id: string): void
  /** Verifies a session token. If the token is invalid, throws a Refusal with 401. */
  session(token: string, request: FastifyRequest): Promise<SessionPrincipal>
}

type ApiKeyRow = {
  hash: string
  merchant_id: string
  id: string
  name: string
  environment: Environment
  /** The scopes of the key, separated by spaces. */
  scopes: string
  expires_at: Date | null
  revoked_at: Date | null
  ip_whitelist_enabled: boolean
  routing_code: number
  merchant_code: string
  merchant_status: string
}

const FIND = sql(
  'api_keys_by_hash',
  `select encode(k.key_hash, 'hex') as hash, k.merchant_id, k.id, k.name, k.environment, array_to_string(k.scopes, ' ') as scopes, k.expires_at, k.revoked_at,
     k.ip_whitelist_enabled, m.routing_code::float8 as routing_code, m.merchant_code, m.status as merchant_status
   from api_keys k join merchants m on m.id = k.merchant_id
   where k.key_hash = any($1)`,
)

/**
 * Makes the function that authenticates requests. If a live key works from approved addresses only, the function refuses other
 * addresses. One query reads the keys of up to 500 waiting requests. There is no cache, because a cache could accept a revoked
 * key.
 */
export function createAuthenticate(deps: Deps, options: AuthenticateOptions): Authenticate {
  const find = gather<string, ApiKeyRow | null>(
    async (hashes) => {
      const distinct = [...new Set(hashes)]
      const rows = await deps.db.query<ApiKeyRow>(FIND, [distinct.map((hash) => Buffer.from(hash, 'hex'))])
      const found = new Map(rows.map((row) => [row.hash, row]))
      return hashes.map((hash) => found.get(hash) ?? null)
    },
    { max_items: 500, max_running: 2, measure: batchSizes(deps.metrics, 'authenticate') },
  )

  const isApproved = createAllowlist(deps)

  return async (request) => {
    const credential = credentialOf(request)
    if (credential.startsWith('pk_')) refuse('public_key_not_accepted')
    if (!looksLikeKey(credential)) {
      if (SESSION_TOKEN.test(credential)) return options.session(credential, request)
      if (request.headers['x-api-key'] !== undefined) refuse('invalid_api_key')
      refuse('authentication_required', { message: NO_CREDENTIAL })
    }
    if (!isWellFormedKey(credential)) refuse('invalid_api_key')
    const row = await find(keyHash(credential).toString('hex'))
    if (!row) refuse('invalid_api_key')
    const principal = keyPrincipal(row)
    request.recognised = principal
    checkKeyStatus(deps, row)
    if (needsApproval(row) && !(await isApproved(row.merchant_id, request.ip))) refuseAddress(deps, row, request)
    checkMerchantStatus(row)
    options.used(row.merchant_id, row.id)
    return principal
  }
}

/**
 * Makes the function that reads the rights of a caller again in a transaction: those of an API key, and the approval of its IP
 * address. `session` does this for a session.
 */
export function createReadCallerAgain(
  deps: Deps,
  session: (tx: Tx, principal: SessionPrincipal, merchant_id: string) => Promise<SessionPrincipal>,
): ReadCallerAgain {
  return async (tx, request) => {
    const principal = principalOf(request)
    if (principal.kind === 'session') return session(tx, principal, caller(request).merchant.id)
    const [row] = await tx.query<ApiKeyRow>(FIND, [[keyHash(credentialOf(request))]])
    if (!row) refuse('invalid_api_key')
    checkKeyStatus(deps, row)
    if (needsApproval(row) && !(await isAllowedIn(tx, row.merchant_id, request.ip))) refuseAddress(deps, row, request)
    checkMerchantStatus(row)
    return keyPrincipal(row)
  }
}

function checkKeyStatus({ clock }: Deps, { revoked_at, expires_at }: ApiKeyRow): void {
  if (revoked_at !== null) refuse('api_key_revoked')
  if (expires_at !== null && expires_at <= clock.now()) refuse('api_key_revoked')
}

/** Returns true for a key that works only from approved addresses. */
function needsApproval({ environment, ip_whitelist_enabled }: ApiKeyRow): boolean {
  return environment === 'live' && ip_whitelist_enabled
}

function refuseAddress({ log }: Deps, { merchant_id, id: key_id }: ApiKeyRow, { ip, id }: FastifyRequest): never {
  log.warn(
    { component: 'api-keys', merchant_id, key_id, address: ip, request_id: id },
    'the server refused a live key from an address that is not approved',
  )
  refuse('forbidden')
}

function checkMerchantStatus({ environment, merchant_status }: ApiKeyRow): void {
  if (environment !== 'live' || merchant_status === 'ACTIVE') return
  refuse('production_access_restricted', {
    message: 'The server refuses live keys, because the merchant is not active. Ask the platform.',
  })
}

/** The form of a JWT: at least three parts with dots between them. `options.session` verifies the token. */
const SESSION_TOKEN = /^[^.]*\.[^.]*\./

const NO_CREDENTIAL =
  'This is neither an API key nor a session token. Send "Authorization: Bearer <API key>" or "X-API-Key: <API key>", or "Authorization: Bearer <access token>" of a sign-in.'

/**
 * Returns the credential in Authorization: Bearer or in X-API-Key. If the headers contain different credentials, refuses the
 * request.
 */
function credentialOf(request: FastifyRequest): string {
  const { authorization } = request.headers
  const header = request.headers['x-api-key']
  let credential: string | undefined
  if (authorization !== undefined) {
    credential = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
    if (credential === undefined) refuse('authentication_required')
  }
  if (header !== undefined) {
    if (typeof header !== 'string' || header === '') refuse('authentication_required')
    if (credential !== undefined && credential !== header) {
      refuse('invalid_api_key', {
        message: 'Authorization and X-API-Key contain different keys. Send only one of these headers.',
      })
    }
    credential = header
  }
  return credential ?? refuse('authentication_required')
}

function keyPrincipal(row: ApiKeyRow): KeyPrincipal {
  return {
    kind: 'api_key',
    key_id: row.id,
    key_name: row.name,
    environment: row.environment,
    scopes: row.scopes.split(' '),
    merchant: { id: row.merchant_id, routing_code: row.routing_code, code: row.merchant_code },
  }
}
