// An entry of the audit log as the API shows it.

import Type, { type Static } from 'typebox'
import { page, success } from '../../kernel/http/index.ts'
import { nullable, oneOf } from '../../kernel/lib/index.ts'

const AuditRecord = Type.Object({
  merchant_id: nullable(Type.String({ description: 'Whom the act concerns; null when it concerns the platform.' })),
  seq: Type.Integer({ description: 'Counts from 1 without a gap in the log of each merchant.' }),
  at: Type.String({ format: 'date-time' }),
  actor: Type.Object({
    kind: oneOf(['user', 'operator', 'api_key', 'command', 'system']),
    id: nullable(Type.String()),
    name: Type.String({ description: 'An e-mail address, the name of a key, or of a command.' }),
  }),
  action: Type.String({ examples: ['merchant.approve'] }),
  target_type: Type.String(),
  target_id: Type.String(),
  reason: nullable(Type.String()),
  before: Type.Unknown({ description: 'What it was; null when there was nothing.' }),
  after: Type.Unknown({ description: 'What it is now; null when there is nothing any more.' }),
  request_id: nullable(Type.String({ description: 'The X-Request-Id of the request that did it.' })),
  address: nullable(Type.String({ description: 'The address that the request came from.' })),
})
/** An act as a merchant or an operator sees it. */
export type AuditView = Static<typeof AuditRecord>

const MerchantAuditRecord = Type.Omit(AuditRecord, ['seq'])
/** An act as its merchant sees it. */
export type MerchantAuditView = Static<typeof MerchantAuditRecord>

/** A page of acts that a merchant may read, in the envelope. */
export const MerchantAuditAnswer = success(page(MerchantAuditRecord))

/** A page of acts, in the envelope. */
export const AuditAnswer = success(page(AuditRecord))
