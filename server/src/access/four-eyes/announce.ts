// If FOUR_EYES_AMOUNT=off, records at the start of the server that one operator may move any amount.

import { PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction } from '../../kernel/db/index.ts'

/** If FOUR_EYES_AMOUNT=off, writes a warning to the log and an entry to the audit log of the platform. */
export async function announceFourEyes(deps: Deps): Promise<void> {
  if (deps.config.four_eyes_amount !== 'off') return
  deps.log.warn(
    { component: 'four-eyes' },
    'FOUR_EYES_AMOUNT=off: one operator alone may move any amount. Set an amount from which on two operators must act',
  )
  await inTransaction(deps.db, (tx) =>
    recordAudit(deps, tx, {
      actor: { kind: 'system', id: null, name: 'server' },
      merchant_id: PLATFORM,
      action: 'four_eyes.off',
      target_type: 'platform',
      target_id: PLATFORM,
      after: { four_eyes_amount: 'off' },
    }),
  )
}
