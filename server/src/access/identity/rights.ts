// Changes the rights of a user: disable, enable, remove the operator role, remove a lost second step. Each change ends the
// user's sessions at the built-in provider. The admin command and the operator console use these functions.

import { type Act, type AuditAction, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import type { OperatorRole } from '../../kernel/http/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { disableUser, enableUser, lockSuperAdmins, OPERATOR_ROLE, setOperatorRole } from '../merchants/index.ts'
import { removeSecondStep } from './accounts.ts'
import { endSessions } from './credentials.ts'
import { isDemoUser } from './operator-factor.ts'
import { EMBEDDED } from './tokens.ts'
import { hasSecondStep } from './totp.ts'

/** The name of a change of a user's rights. */
export type RightsAction = 'disable' | 'enable' | 'revoke_operator' | 'drop_second_step'

/** A user whose rights changed. */
export type ChangedUser = { user_id: string; email: string }

type UserRightsRow = { id: string; operator_role: OperatorRole | null; issuer: string | null; disabled_at: Date | null }

/** The function that changes the user and returns a part of the audit entry. */
type RightsChange = (
  deps: Deps,
  tx: Tx,
  user: UserRightsRow,
) => Promise<{ action: AuditAction; before: object; after: object }>

const FIND = sql(
  'rights_find',
  `select u.id, ${OPERATOR_ROLE} as operator_role, u.issuer, u.disabled_at from users u where u.email = $1 for update`,
)

const CHANGES: Record<RightsAction, RightsChange> = {
  async disable(deps, tx, { id, disabled_at }) {
    if (disabled_at !== null) refuse('invalid_state', { message: 'This user is already disabled.' })
    await disableUser(deps, tx, id)
    return { action: 'user.disable', before: { disabled: false }, after: { disabled: true } }
  },
  async enable(deps, tx, { id, disabled_at }) {
    if (disabled_at === null) refuse('invalid_state', { message: 'This user is not disabled.' })
    await enableUser(deps, tx, id)
    return { action: 'user.enable', before: { disabled: true }, after: { disabled: false } }
  },
  async revoke_operator(deps, tx, { id, operator_role }) {
    if (operator_role === null) refuse('invalid_state', { message: 'This user does not have an operator role.' })
    await setOperatorRole(deps, tx, id, null)
    return { action: 'user.revoke_operator', before: { operator_role }, after: { operator_role: null } }
  },
  async drop_second_step(deps, tx, { id }) {
    if (!(await hasSecondStep(tx, id))) refuse('invalid_state', { message: 'This user has no second step.' })
    await removeSecondStep(deps, tx, id)
    return { action: 'user.drop_second_step', before: { second_step: 'totp' }, after: { second_step: null } }
  },
}

/**
 * Changes the rights of a user from the next request on, ends the user's sessions at the built-in provider, and writes an audit
 * entry. Errors: not_found for an unknown user, and invalid_state if nothing changes or the user is the last enabled
 * SUPER_ADMIN. A demo user may be the last one, because production does not start with demo users.
 */
export async function changeUserRights(
  deps: Deps,
  tx: Tx,
  act: Act,
  { email, change, reason = null }: { email: string; change: RightsAction; reason?: string | null },
): Promise<ChangedUser> {
  const super_admins = await lockSuperAdmins(tx)
  const [user] = await tx.query<UserRightsRow>(FIND, [email])
  if (!user) refuse('not_found', { message: 'There is no user with this e-mail address. Check the address.' })
  const { action, before, after } = await CHANGES[change](deps, tx, user)
  const takes_rights = change === 'disable' || change === 'revoke_operator'
  if (takes_rights && !isDemoUser(email)) keepSuperAdmin(super_admins, user.id)
  // If the user is of a foreign issuer, the server ends no sessions: that issuer manages them, and `endSessions` would replace
  // the user's subject.
  if (user.issuer === EMBEDDED) await endSessions(deps, tx, user.id)
  await recordAudit(deps, tx, {
    ...act,
    merchant_id: PLATFORM,
    action,
    target_type: 'user',
    target_id: user.id,
    reason,
    before: { email, ...before },
    after: { email, ...after },
  })
  return { user_id: user.id, email }
}

/**
 * If the user is the last enabled SUPER_ADMIN, refuses with invalid_state. `super_admins` comes from `lockSuperAdmins` before
 * the change.
 */
export function keepSuperAdmin(super_admins: readonly string[], user_id: string): void {
  if (super_admins.length > 1 || !super_admins.includes(user_id)) return
  refuse('invalid_state', {
    message:
      'This user is the last enabled SUPER_ADMIN. Only this role can set fees and the settings of the platform. Give another user this role first.',
  })
}
