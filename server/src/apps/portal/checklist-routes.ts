// Defines the endpoint of the checklist, which leads a merchant to the first live payment.

import Type from 'typebox'
import type { Deps } from '../../kernel/db/index.ts'
import { type App, caller, MERCHANT_ROLES, success } from '../../kernel/http/index.ts'
import { line, nullable, oneOf } from '../../kernel/lib/index.ts'
import { CHECKLIST_STEPS, checklistOf } from './checklist.ts'

const Checklist = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        key: oneOf(
          CHECKLIST_STEPS,
          'sandbox_key: the merchant has a sandbox key. first_payment: a sandbox payment succeeded. webhook: the receiver answered a delivery with 2xx. business: the merchant is approved, verified and priced. live_key: the merchant has a live key. first_live_payment: a live payment succeeded.',
        ),
        done: Type.Boolean(),
        done_at: nullable(
          Type.String({
            format: 'date-time',
            description: 'Null means that the step is not done, or that the server has no record of its time.',
          }),
        ),
      }),
    ),
  },
  { title: 'Checklist' },
)

/** Adds the route that shows the checklist of a merchant. */
export function checklistRoute(deps: Deps, app: App): void {
  app.get(
    '/v1/merchant/checklist',
    {
      config: { access: { roles: MERCHANT_ROLES } },
      schema: {
        tags: ['Overview'],
        operationId: 'getChecklist',
        summary: 'Show the steps to the first live payment',
        querystring: Type.Object({ merchant_id: Type.Optional(line(64)) }),
        response: { 200: success(Checklist) },
      },
    },
    async (request) => {
      const steps = await checklistOf(deps.db, caller(request).merchant.id)
      const items = steps.map((step) => ({ ...step, done_at: step.done_at?.toISOString() ?? null }))
      return { success: true as const, data: { items } }
    },
  )
}
