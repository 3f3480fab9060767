// Changes the language of the e-mails to a signed-in user.

import { type Act, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction } from '../../kernel/db/index.ts'
import type { SessionPrincipal } from '../../kernel/http/index.ts'
import type { Language } from '../../kernel/lib/index.ts'
import { setUserLanguage } from '../merchants/index.ts'

/** Changes the language of the caller's e-mails. If the language is the same, writes no audit entry. */
export async function changeOwnLanguage(
  deps: Deps,
  { user_id, email }: SessionPrincipal,
  act: Act,
  language: Language,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const before = await setUserLanguage(deps, tx, user_id, language)
    if (before === language) return
    await recordAudit(deps, tx, {
      ...act,
      merchant_id: PLATFORM,
      action: 'user.change_language',
      target_type: 'user',
      target_id: user_id,
      before: { email, language: before },
      after: { email, language },
    })
  })
}
