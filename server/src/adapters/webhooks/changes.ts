// Defines the parts that the webhook routes share: the access rule and its check for an open stream, the audit entry of a change, and
// the e-mail about a change.

import type { FastifyRequest } from 'fastify'
import { type Act, type AuditAction, actOf, recordAudit, recordAudits } from '../../books/audit/index.ts'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import { type Authenticate, caller, checkAccess, chooseCaller, type Environment } from '../../kernel/http/index.ts'

/** The access rule of the routes that configure webhooks, or read or replay deliveries and events. */
export const access = { scopes: ['webhooks:manage'], roles: ['MERCHANT_ADMIN', 'DEVELOPER'] } as const
/** The function that checks the caller of a request again. If the caller has lost the right, it throws a Refusal. */
export type RecheckCaller = (request: FastifyRequest) => Promise<void>

/** Makes the function that checks the caller of an open stream again. */
export function createRecheck(authenticate: Authenticate): RecheckCaller {
  return async (request) => {
    const principal = await authenticate(request)
    checkAccess(principal, access)
    chooseCaller(request, principal, access.roles)
  }
}

/** The group of these routes in the documentation. */
export const tags = ['Webhooks']

/**
 * The function that queues e-mails to the administrators of a merchant about a change. The merchants room implements this
 * function.
 */
export type NotifyWebhookChange = (
  deps: Deps,
  tx: Tx,
  act: Act,
  merchant_id: string,
  change: { kind: 'webhook_changed'; environment: Environment; webhook_url: string; new_secret: boolean },
) => Promise<void>

/** Writes a change of the caller's webhooks to the audit log. `change` must contain no signing secret. */
export function auditWebhookChange(
  deps: Deps,
  tx: Tx,
  request: FastifyRequest,
  action: Extract<AuditAction, `webhook_${string}`>,
  target_id: string,
  change: { before?: unknown; after?: unknown },
): Promise<void> {
  const merchant_id = caller(request).merchant.id
  const [target_type = ''] = action.split('.')
  return recordAudit(deps, tx, { ...actOf(request), merchant_id, action, target_type, target_id, ...change })
}

/** Writes one entry for each delivery that the caller sends again to the audit log, in one statement. */
export function auditReplays(
  deps: Deps,
  tx: Tx,
  request: FastifyRequest,
  environment: Environment,
  ids: readonly string[],
): Promise<void> {
  const entry = {
    ...actOf(request),
    merchant_id: caller(request).merchant.id,
    action: 'webhook_delivery.replay',
    target_type: 'webhook_delivery',
    after: { environment },
  } as const
  return recordAudits(
    deps,
    tx,
    ids.map((target_id) => ({ ...entry, target_id })),
  )
}
