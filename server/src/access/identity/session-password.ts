// Changes the password of a signed-in user, who enters the current and the new password.

import type { Act } from '../../books/audit/index.ts'
import { type Deps, inTransaction, sql } from '../../kernel/db/index.ts'
import { checkStepUp, type SessionPrincipal } from '../../kernel/http/index.ts'
import { refuse, refuseField } from '../../kernel/lib/index.ts'
import { replacePassword } from './accounts.ts'
import { beginAttempt } from './attempts.ts'
import {
  checkNewPassword,
  checkPassword,
  findPasswordHash,
  hashPassword,
  lockPasswordHash,
  lockUser,
} from './credentials.ts'
import { hasSecondStep } from './totp.ts'

const NAME = sql('session_password_name', 'select name from users where id = $1')

/**
 * Changes the password and ends all sessions of the user. A wrong current password counts as a failed sign-in. Refuses a wrong
 * field with 400, too many attempts with 429, an old session of a user with a second step with 403, and a request during another change
 * of the password with 401.
 */
export async function changePassword(
  deps: Deps,
  principal: SessionPrincipal,
  act: Act,
  given: { password: string; new_password: string; device: string },
): Promise<void> {
  const { user_id, email } = principal
  if (await hasSecondStep(deps.db, user_id)) checkStepUp(principal, deps.config.step_up_s, deps.clock.now())
  const attempt = await beginAttempt(deps, 'password', { account: email, address: act.address ?? '', device: null })
  if (!attempt.allowed) refuse('rate_limited', { retry_after_s: attempt.retry_after_s })
  const checked_hash = await findPasswordHash(deps.db, user_id)
  if (!(await checkPassword(checked_hash, given.password))) refuseField('password', 'is not right')
  await attempt.succeeded()
  const [user] = await deps.db.query<{ name: string }>(NAME, [user_id])
  await checkNewPassword('new_password', given.new_password, { email, name: user?.name ?? '' })
  if (given.new_password === given.password) refuseField('new_password', 'must not be the current password')
  const password_hash = await hashPassword(deps, given.new_password)
  await inTransaction(deps.db, async (tx) => {
    await lockUser(tx, user_id)
    // While this request hashed the new password, another change may have ended the session, such as the owner's reset by e-mail.
    if ((await lockPasswordHash(tx, user_id)) !== checked_hash) refuse('invalid_session')
    await replacePassword(deps, tx, { user_id, email, device: given.device }, password_hash, act)
  })
}
