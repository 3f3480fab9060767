// Who is calling, and what a route demands of the caller.

import type { FastifyRequest } from 'fastify'
import { type ErrorCode, refuse } from '../lib/index.ts'

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

/** The caller, once authenticated. */
export type Principal = {
  kind: 'api_key'
  key_id: string
  environment: Environment
  scopes: readonly string[]
  merchant: { id: string; routing_code: number; code: string }
}

/** What a route demands. A key passes with any one of `scopes`. */
export type Access = { scopes: readonly Scope[] } | 'public'

/** Finds out who calls, from the headers alone. Throws a Refusal (401 or 403). */
export type Authenticate = (request: FastifyRequest) => Promise<Principal>

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public routes. Use `caller(request)` on the others. */
    principal: Principal | null
  }
  interface FastifyContextConfig {
    access?: Access
    /** Which limit per address a public route counts against: that of pages, unless it says so. */
    limit?: 'callbacks' | 'none'
    /** Whether the route takes an Idempotency-Key: documents the header. */
    idempotency?: 'required' | 'honoured'
    /** Codes that this route may refuse with, beyond those that every route has: for the documentation. */
    refusals?: readonly ErrorCode[]
  }
}

/** The authenticated caller of a route that demands one. */
export function caller(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error('caller() on a public route')
  return request.principal
}

/** Refuses a key that has none of the scopes the route takes. */
export function checkAccess(principal: Principal, access: { scopes: readonly Scope[] }): void {
  for (const scope of access.scopes) if (principal.scopes.includes(scope)) return
  refuse('insufficient_scope', { details: { required_scope: access.scopes.join(' or ') } })
}

/** Refuses a merchant_id that is not the caller's own. Undefined: the credential names the merchant. */
export function checkMerchant(principal: Principal, merchant_id: string | undefined): void {
  if (merchant_id !== undefined && merchant_id.toLowerCase() !== principal.merchant.id) refuse('merchant_mismatch')
}
