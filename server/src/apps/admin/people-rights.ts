// Defines the commands that change the rights of a user: disable, enable, revoke the operator role, remove a lost second step.

import { type ChangedUser, changeUserRights, type RightsAction } from '../../access/identity/index.ts'
import { type Deps, inTransaction } from '../../kernel/db/index.ts'
import { COMMAND_ACT } from './act.ts'

/** Returns the function that makes one change to the user with an e-mail address. `changeUserRights` describes its refusals. */
const byEmail =
  (change: RightsAction) =>
  (deps: Deps, email: string): Promise<ChangedUser> =>
    inTransaction(deps.db, (tx) => changeUserRights(deps, tx, COMMAND_ACT, { email, change }))

/** Disables a user from the next request on. */
export const disableByEmail = byEmail('disable')

/** Enables a disabled user. */
export const enableByEmail = byEmail('enable')

/** Takes the operator role from a user. The memberships stay. */
export const revokeOperator = byEmail('revoke_operator')

/** Deletes the second step and the passkeys of a user who lost the second factor. */
export const dropLostSecondStep = byEmail('drop_second_step')
