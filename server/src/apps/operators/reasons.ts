// Defines the endpoints of saved reasons. When an operator gives a reason, the console offers these texts.

import Type from 'typebox'
import { actOf, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { type App, answerOnce, success } from '../../kernel/http/index.ts'
import { oneOf, refuseField, visibleText } from '../../kernel/lib/index.ts'

/** The actions that have saved reasons, named as in the audit log. */
const REASON_ACTIONS = [
  'withdrawal.approve',
  'withdrawal.reject',
  'withdrawal.recall',
  'withdrawal.resolve',
  'collection.clear',
  'adjustment.create',
  'payouts.pause',
  'payouts.resume',
  'merchant.suspend',
  'ip_address.reject',
  'reconciliation.resolve',
] as const
/** The highest number of reasons of an action. */
const REASONS_MAX = 12
const REASON_CHARS_MAX = 200

const ACTION = oneOf(REASON_ACTIONS, 'The action, as the audit log names it.')
const Reasons = Type.Array(visibleText(REASON_CHARS_MAX, 'A reason.'), { maxItems: REASONS_MAX })
const SavedReasons = Type.Object({ action: ACTION, reasons: Reasons }, { title: 'SavedReasons' })
type ReasonRow = { action: (typeof REASON_ACTIONS)[number]; reasons: string[] }

const LIST = sql(
  'saved_reasons_list',
  'select act as action, reasons from saved_reasons where act = any($1) order by act',
)
const SAVE = sql(
  'saved_reasons_save',
  `insert into saved_reasons (act, reasons, updated_at) values ($1, $2, $3)
   on conflict (act) do update set reasons = excluded.reasons, updated_at = excluded.updated_at`,
)
const REMOVE = sql('saved_reasons_remove', 'delete from saved_reasons where act = $1')

const listReasons = (reader: Reader | Tx) => reader.query<ReasonRow>(LIST, [REASON_ACTIONS])

/** Adds the routes that list and replace the saved reasons of each action. */
export function savedReasonRoutes(deps: Deps): (app: App) => void {
  return (app) => {
    app.get(
      '/v1/operator/reasons',
      {
        schema: {
          tags: ['Operator'],
          operationId: 'listSavedReasons',
          summary: 'List the saved reasons of each action',
          description: 'An action without an item has the built-in reasons.',
          response: { 200: success(Type.Object({ items: Type.Array(SavedReasons) })) },
        },
        config: { access: 'operator:read' },
      },
      async () => ({ success: true as const, data: { items: await listReasons(deps.db) } }),
    )
    app.put(
      '/v1/operator/reasons/:action',
      {
        schema: {
          tags: ['Operator'],
          operationId: 'replaceSavedReasons',
          summary: 'Replace the saved reasons of an action',
          description: 'An empty list restores the built-in reasons.',
          params: Type.Object({ action: ACTION }),
          body: Type.Object({ reasons: Reasons }),
          response: { 200: success(SavedReasons) },
        },
        config: { access: 'operator:platform', idempotency: 'honoured' },
      },
      async (request, reply) =>
        answerOnce(deps, request, reply, 200, async (tx) => {
          const { action } = request.params
          const reasons = request.body.reasons.map((reason) => reason.trim())
          const twice = reasons.find((reason, i) => reasons.indexOf(reason) !== i)
          if (twice !== undefined) refuseField('reasons', `has "${twice}" twice`)
          const before = (await listReasons(tx)).find((one) => one.action === action)?.reasons ?? []
          if (reasons.length === 0) await tx.query(REMOVE, [action])
          else await tx.query(SAVE, [action, reasons, deps.clock.now()])
          await recordAudit(deps, tx, {
            ...actOf(request),
            merchant_id: PLATFORM,
            action: 'reasons.replace',
            target_type: 'reasons',
            target_id: action,
            before: { reasons: before },
            after: { reasons },
          })
          return { action, reasons }
        }),
    )
  }
}
