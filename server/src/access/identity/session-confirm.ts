// Confirms a session: the user enters a code of the second step, or the password, without a new sign-in.

import { type Act, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction } from '../../kernel/db/index.ts'
import type { SessionPrincipal } from '../../kernel/http/index.ts'
import { refuse, refuseField } from '../../kernel/lib/index.ts'
import { notifyRecoveryCode } from './accounts.ts'
import { beginAttempt } from './attempts.ts'
import { confirmSession } from './console-sessions.ts'
import { hasPassword } from './credentials.ts'
import type { CurrentSessionView } from './session-schema.ts'
import { hasSecondStep, useCode } from './totp.ts'

/** Returns the way in which the user confirms the session. A session without a row needs a new sign-in. */
export async function confirmationOf(
  deps: Deps,
  { session_id, user_id }: SessionPrincipal,
): Promise<CurrentSessionView['confirm_with']> {
  if (session_id === null) return 'sign_in'
  return (await hasSecondStep(deps.db, user_id)) ? 'code' : 'password'
}

/**
 * Confirms a session, which then counts as a recent sign-in. A wrong code or password counts as a failed sign-in of the user. Refuses
 * a missing or wrong field with 400, too many attempts with 429, and a session that only a new sign-in renews with invalid_state.
 */
export async function confirmIdentity(
  deps: Deps,
  principal: SessionPrincipal,
  act: Act,
  { code, password }: { code?: string | undefined; password?: string | undefined },
): Promise<void> {
  const field = await confirmationOf(deps, principal)
  const { session_id, user_id, email } = principal
  if (field === 'sign_in' || session_id === null) {
    refuse('invalid_state', { message: 'Only a new sign-in confirms this session. Sign in again.' })
  }
  const given = field === 'code' ? code : password
  if (given === undefined || given === '') {
    const why = field === 'code' ? 'you have a second step' : 'you have no second step'
    refuseField(field, `is required, because ${why}`)
  }
  const account = field === 'code' ? user_id : email
  const attempt = await beginAttempt(deps, field, { account, address: act.address ?? '', device: null })
  if (!attempt.allowed) refuse('rate_limited', { retry_after_s: attempt.retry_after_s })
  if (field === 'password' && !(await hasPassword(deps.db, user_id, given))) refuseField(field, 'is not right')
  await inTransaction(deps.db, async (tx) => {
    const used = field === 'code' ? await useCode(deps, tx, user_id, given) : null
    if (field === 'code' && used === null) refuseField(field, 'is not right, or was used already')
    if (!(await confirmSession(deps, tx, session_id))) refuse('invalid_session')
    const after = { email, with: used === 'recovery' ? 'recovery_code' : field }
    const target = { target_type: 'user', target_id: user_id }
    await recordAudit(deps, tx, { ...act, ...target, merchant_id: PLATFORM, action: 'user.confirm_session', after })
    if (used === 'recovery') await notifyRecoveryCode(deps, tx, user_id)
  })
  await attempt.succeeded()
}
