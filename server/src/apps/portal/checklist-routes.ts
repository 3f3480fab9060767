// The endpoint of the checklist.

import Type from 'typebox'
import type { Deps } from '../../kernel/db/index.ts'
import { type App, caller, MERCHANT_ROLES, success } from '../../kernel/http/index.ts'
import { line, nullable, oneOf } from '../../kernel/lib/index.ts'
import { checklistOf, STEPS } from './checklist.ts'

const Checklist = Type.Object({
  items: Type.Array(
    Type.Object({
      key: oneOf(
        STEPS,
        'sandbox_key: a key for the sandbox. first_payment: a successful payment there. webhook: a delivery was answered with 2xx. business: approved, verified and priced. live_key: a key for real money. first_live_payment: real money came.',
      ),
      done: Type.Boolean(),
      done_at: nullable(Type.String({ format: 'date-time', description: 'Null while it is not done, or not known.' })),
    }),
  ),
})

/** Adds the route. */
export function checklistRoute(deps: Deps, app: App): void {
  app.get(
    '/v1/merchant/checklist',
    {
      config: { access: { roles: MERCHANT_ROLES } },
      schema: {
        tags: ['Overview'],
        summary: 'What is done of what leads to the first real payment',
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
