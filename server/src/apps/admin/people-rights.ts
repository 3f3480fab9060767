// Taking rights away at the command line: disabling people, ending an operator's rights, dropping a lost second step.

import { dropSecondStep, EMBEDDED, endSessions, hasSecondStep } from '../../access/identity/index.ts'
import { disableUser, enableUser, takeOperatorRole } from '../../access/merchants/index.ts'
import { type AuditAction, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { COMMAND_ACT } from './act.ts'

/** The person whose rights changed. */
type Changed = { user_id: string; email: string }

type User = { id: string; super_admin: boolean; issuer: string | null; disabled_at: Date | null }

/** What is done to a person, for the audit log. */
type Step = (tx: Tx, user: User) => Promise<{ action: AuditAction; before: object; after: object }>

const FIND = sql(
  'admin_rights_find',
  'select id, super_admin, issuer, disabled_at from users where email = $1 for update',
)

/** Keeps a person out from their next request on. Refuses (invalid_state) one who is disabled already. */
export function disablePerson(deps: Deps, email: string): Promise<Changed> {
  return change(deps, email, async (tx, { id, disabled_at }) => {
    if (disabled_at !== null) refuse('invalid_state', { message: 'This user is disabled already.' })
    await disableUser(deps, tx, id)
    return { action: 'user.disable', before: { disabled: false }, after: { disabled: true } }
  })
}

/** Lets a disabled person sign in again. Refuses (invalid_state) one who is not disabled. */
export function enablePerson(deps: Deps, email: string): Promise<Changed> {
  return change(deps, email, async (tx, { id, disabled_at }) => {
    if (disabled_at === null) refuse('invalid_state', { message: 'This user is not disabled.' })
    await enableUser(deps, tx, id)
    return { action: 'user.enable', before: { disabled: true }, after: { disabled: false } }
  })
}

/** Makes an operator an ordinary person, who keeps their merchants. Refuses (invalid_state) one who is no operator. */
export function revokeOperator(deps: Deps, email: string): Promise<Changed> {
  return change(deps, email, async (tx, { id, super_admin }) => {
    if (!super_admin) refuse('invalid_state', { message: 'This user is no operator.' })
    await takeOperatorRole(deps, tx, id)
    return { action: 'user.revoke_operator', before: { super_admin: true }, after: { super_admin: false } }
  })
}

/** Takes away a second step whose phone and paper are lost. Refuses (invalid_state) a person who has none. */
export function dropLostSecondStep(deps: Deps, email: string): Promise<Changed> {
  return change(deps, email, async (tx, { id }) => {
    if (!(await hasSecondStep(tx, id))) refuse('invalid_state', { message: 'This user has no second step.' })
    await dropSecondStep(tx, id)
    return { action: 'user.drop_second_step', before: { second_step: 'totp' }, after: { second_step: null } }
  })
}

/** Changes a person, ends their sessions at the built-in provider, and notes it. Refuses an unknown person (not_found). */
function change(deps: Deps, email: string, step: Step): Promise<Changed> {
  return inTransaction(deps.db, async (tx) => {
    const [user] = await tx.query<User>(FIND, [email])
    if (!user) refuse('not_found', { message: 'There is no user with this e-mail address.' })
    const { action, before, after } = await step(tx, user)
    // Sessions of a foreign issuer are its own; what it names the person by must stay.
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
