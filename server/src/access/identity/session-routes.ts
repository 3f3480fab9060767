// Adds the endpoints of the caller's session: show the session, and confirm it with a code or the password.

import { actOf } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { type Routes, session } from '../../kernel/http/index.ts'
import { confirmationOf, confirmIdentity } from './session-confirm.ts'
import { ConfirmBody, CurrentSessionAnswer } from './session-schema.ts'

const tags = ['People']

/** Adds the endpoints of the caller's session. */
export function sessionRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/session',
      {
        config: { access: 'session' },
        schema: { tags, summary: 'Show the session of the caller', response: { 200: CurrentSessionAnswer } },
      },
      async (request) => {
        const principal = session(request)
        const auth_time = principal.auth_time?.toISOString() ?? null
        return { success: true as const, data: { auth_time, confirm_with: await confirmationOf(deps, principal) } }
      },
    )
    app.post(
      '/v1/session/confirm',
      {
        config: { access: 'session', refusals: ['invalid_state'] },
        schema: {
          tags,
          summary: 'Confirm the session of the caller with a code or the password',
          description:
            'For `STEP_UP_S` seconds, the session then counts as a recent sign-in. `confirm_with` of `GET /v1/session` names the field to send.',
          body: ConfirmBody,
          response: { 200: CurrentSessionAnswer },
        },
      },
      async (request) => {
        const principal = session(request)
        await confirmIdentity(deps, principal, actOf(request), request.body)
        const auth_time = deps.clock.now().toISOString()
        return { success: true as const, data: { auth_time, confirm_with: await confirmationOf(deps, principal) } }
      },
    )
  }
}
