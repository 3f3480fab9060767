// Changes the name of a signed-in user.

import { type Act, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction } from '../../kernel/db/index.ts'
import type { SessionPrincipal } from '../../kernel/http/index.ts'
import { withoutDirectionMarks } from '../../kernel/lib/index.ts'
import { renameUser } from '../merchants/index.ts'

/**
 * Changes the name of the caller, without marks that change the direction of text, and returns the stored name. If the name is
 * the same, writes no audit entry. The names that merchants gave to their members do not change.
 */
export async function changeOwnName(
  deps: Deps,
  { user_id, email }: SessionPrincipal,
  act: Act,
  given: string,
): Promise<string> {
  const name = withoutDirectionMarks(given).trim()
  await inTransaction(deps.db, async (tx) => {
    const before = await renameUser(deps, tx, user_id, name)
    if (before === name) return
    await recordAudit(deps, tx, {
      ...act,
      merchant_id: PLATFORM,
      action: 'user.change_name',
      target_type: 'user',
      target_id: user_id,
      before: { email, name: before },
      after: { email, name },
    })
  })
  return name
}
