// Defines the commands that change the rights of a user: disable, enable, revoke the operator role, remove a lost second step.

import { EMBEDDED, endSessions, hasSecondStep, isDemoUser, removeSecondStep } from '../../access/identity/index.ts'
import {
  disableUser,
  enableUser,
  lockSuperAdmins,
  OPERATOR_ROLE,
  setOperatorRole,
} from '../../access/merchants/index.ts'
import { type AuditAction, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import type { OperatorRole } from '../../kernel/http/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { COMMAND_ACT } from './act.ts'

/** The user whose rights changed. */
type ChangedUser = { user_id: string; email: string }

type UserRightsRow = { id: string; operator_role: OperatorRole | null; issuer: string | null; disabled_at: Date | null }

/** A function that changes a user and returns the audit entry. */
type RightsChange = (tx: Tx, user: UserRightsRow) => Promise<{ action: AuditAction; before: object; after: object }>

const FIND = sql(
  'admin_rights_find',
  `select u.id, ${OPERATOR_ROLE} as operator_role, u.issuer, u.disabled_at from users u where u.email = $1 for update`,
)

/**
 * Disables a user from the next request on. If the user is already disabled, or the last enabled SUPER_ADMIN, refuses with
 * invalid_state. A demo user is never kept, because production does not start with demo users.
 */
export function disableByEmail(deps: Deps, email: string): Promise<ChangedUser> {
  return changeRights(deps, email, async (tx, { id, disabled_at }) => {
    if (disabled_at !== null) refuse('invalid_state', { message: 'This user is already disabled.' })
    await disableUser(deps, tx, id)
    return { action: 'user.disable', before: { disabled: false }, after: { disabled: true } }
  })
}

/** Enables a disabled user. If the user is not disabled, refuses with invalid_state. */
export function enableByEmail(deps: Deps, email: string): Promise<ChangedUser> {
  return changeRights(deps, email, async (tx, { id, disabled_at }) => {
    if (disabled_at === null) refuse('invalid_state', { message: 'This user is not disabled.' })
    await enableUser(deps, tx, id)
    return { action: 'user.enable', before: { disabled: true }, after: { disabled: false } }
  })
}

/**
 * Takes the operator role from a user. The memberships stay. If the user has no operator role, or is the last enabled SUPER_ADMIN,
 * refuses with invalid_state.
 */
export function revokeOperator(deps: Deps, email: string): Promise<ChangedUser> {
  return changeRights(deps, email, async (tx, { id, operator_role }) => {
    if (operator_role === null) refuse('invalid_state', { message: 'This user does not have an operator role.' })
    await setOperatorRole(deps, tx, id, null)
    return { action: 'user.revoke_operator', before: { operator_role }, after: { operator_role: null } }
  })
}

/** Deletes the second step and the passkeys of a user who lost the second factor. If the user has no second step, refuses with invalid_state. */
export function dropLostSecondStep(deps: Deps, email: string): Promise<ChangedUser> {
  return changeRights(deps, email, async (tx, { id }) => {
    if (!(await hasSecondStep(tx, id))) refuse('invalid_state', { message: 'This user has no second step.' })
    await removeSecondStep(deps, tx, id)
    return { action: 'user.drop_second_step', before: { second_step: 'totp' }, after: { second_step: null } }
  })
}

/**
 * Changes a user, ends the user's sessions at the built-in provider and writes the audit log. If the user does not exist,
 * refuses with not_found.
 */
function changeRights(deps: Deps, email: string, applyChange: RightsChange): Promise<ChangedUser> {
  return inTransaction(deps.db, async (tx) => {
    const super_admins = await lockSuperAdmins(tx)
    const [user] = await tx.query<UserRightsRow>(FIND, [email])
    if (!user) refuse('not_found', { message: 'There is no user with this e-mail address.' })
    const { action, before, after } = await applyChange(tx, user)
    const takes_rights = action === 'user.disable' || action === 'user.revoke_operator'
    if (takes_rights && !isDemoUser(email)) keepSuperAdmin(super_admins, user.id)
    // A foreign issuer manages the sessions of its users, and the subject of a user must not change.
    if (user.issuer === EMBEDDED) await endSessions(deps, tx, user.id)
    await recordAudit(deps, tx, {
      ...COMMAND_ACT,
      merchant_id: PLATFORM,
      action,
      target_type: 'user',
      target_id: user.id,
      before: { email, ...before },
      after: { email, ...after },
    })
    return { user_id: user.id, email }
  })
}

/**
 * If the user is the last enabled SUPER_ADMIN, refuses with invalid_state. `super_admins` comes from `lockSuperAdmins`, before the
 * change.
 */
export function keepSuperAdmin(super_admins: readonly string[], user_id: string): void {
  if (super_admins.length > 1 || !super_admins.includes(user_id)) return
  refuse('invalid_state', {
    message:
      'This user is the last enabled SUPER_ADMIN, who alone sets prices and the settings of the platform. Give another user this role first.',
  })
}
