// Defines what all routes of webhooks share: their access, the audit entry of a change, and the e-mail about a change.

import type { FastifyRequest } from 'fastify'
import { type Act, type AuditAction, actOf, recordAudit } from '../../books/audit/index.ts'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import { caller } from '../../kernel/http/index.ts'

/** The access of the routes that configure webhooks and read deliveries. */
export const access = { scopes: ['webhooks:manage'], roles: ['MERCHANT_ADMIN', 'DEVELOPER'] } as const
/** The group of these routes in the documentation. */
export const tags = ['Webhooks']

/** The function that mails the administrators of a merchant about a change. The room merchants implements the function. */
export type NotifyWebhookChange = (
  deps: Deps,
  tx: Tx,
  act: Act,
  merchant_id: string,
  change: { kind: 'webhook_changed'; webhook_url: string; new_secret: boolean },
) => Promise<void>

/** Records a change of the webhooks of the caller in the audit log, without a signing secret. */
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
