// Defines the commands that change the rights of a user: disable, enable, remove the operator role, or remove a lost second
// factor.

import { type ChangedUser, changeUserRights, type RightsAction } from '../../access/identity/index.ts'
import { type Deps, inTransaction } from '../../kernel/db/index.ts'
import { COMMAND_ACT } from './act.ts'

/** Makes a function that changes the user with an e-mail address. `changeUserRights` lists its refusals. */
const byEmail =
  (change: RightsAction) =>
  (deps: Deps, email: string): Promise<ChangedUser> =>
    inTransaction(deps.db, (tx) => changeUserRights(deps, tx, COMMAND_ACT, { email, change }))

/** Disables a user. The server refuses the user's next request. */
export const disableByEmail = byEmail('disable')

/** Enables a disabled user, with the earlier roles. */
export const enableByEmail = byEmail('enable')

/** Removes the operator role from a user. The memberships in merchants stay. */
export const revokeOperator = byEmail('revoke_operator')

/** Deletes the authenticator app and the passkeys of a user who has lost the second factor. */
export const dropLostSecondStep = byEmail('drop_second_step')
