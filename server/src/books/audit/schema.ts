// Defines the response schemas of the audit log.

import Type, { type Static } from 'typebox'
import { page, success } from '../../kernel/http/index.ts'
import { nullable, oneOf } from '../../kernel/lib/index.ts'

const AuditRecord = Type.Object(
  {
    merchant_id: nullable(Type.String({ description: 'The merchant concerned. Null means the platform.' })),
    seq: Type.Integer({ description: 'The number of the entry in the log of its merchant: from 1, without a gap.' }),
    at: Type.String({ format: 'date-time' }),
    actor: Type.Object({
      kind: oneOf(['user', 'operator', 'api_key', 'command', 'system']),
      id: nullable(Type.String()),
      name: Type.String({ description: 'An e-mail address, or the name of an API key or a command.' }),
    }),
    action: Type.String({ examples: ['merchant.approve'] }),
    target_type: Type.String(),
    target_id: Type.String(),
    reason: nullable(Type.String()),
    before: Type.Unknown({ description: 'The state before the action. Null means that no state existed before.' }),
    after: Type.Unknown({ description: 'The state after the action. Null means that no state exists after.' }),
    request_id: nullable(Type.String({ description: 'The X-Request-Id of the request.' })),
    address: nullable(
      Type.String({
        description: 'The IP address of the caller. Null for a command, and after RETENTION_AUDIT_ADDRESSES_DAYS.',
      }),
    ),
  },
  { title: 'AuditEntry' },
)
/** An audit entry in the form for operators. */
export type AuditView = Static<typeof AuditRecord>

const MerchantAuditRecord = Type.Omit(AuditRecord, ['seq'])
/** An audit entry in the form for its merchant, without `seq`. */
export type MerchantAuditView = Static<typeof MerchantAuditRecord>

/** A page of the entries that a merchant may read, in the response envelope. */
export const MerchantAuditAnswer = success(page(MerchantAuditRecord))

/** A page of entries in the form for operators, in the response envelope. */
export const AuditAnswer = success(
  page(
    Type.Object(
      {
        ...AuditRecord.properties,
        actor_is_operator: Type.Boolean({
          description: 'True means that the actor acted as an operator, or is a user who is an operator now.',
        }),
      },
      { title: 'OperatorAuditEntry' },
    ),
  ),
)
