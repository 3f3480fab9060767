// Limits invitation e-mails, so that no user can fill the mailbox of a stranger with repeated invitations.

import { createHash } from 'node:crypto'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'

/** The greatest number of invitation e-mails to one address in a day, over all merchants. */
const ADDRESS_MAX = 3
/** The greatest number of invitation e-mails of one merchant in a day. */
const MERCHANT_MAX = 50
const DAY_MS = 86_400_000

// A counter starts with an invitation and ends one day later, at blocked_until. If the clock stepped back by more than an hour,
// the counter also starts again. Concurrent transactions wait for the row lock and may have slightly earlier times.
const HAS_ENDED = `(a.blocked_until <= excluded.last_at or a.blocked_until > excluded.blocked_until + interval '1 hour')`
const COUNT = sql(
  'invitation_mails_count',
  `insert into sign_in_attempts as a (key_hash, failures, last_at, blocked_until) values ($1, 1, $2, $3)
   on conflict (key_hash) do update set last_at = excluded.last_at,
     failures = case when ${HAS_ENDED} then 1 else least(a.failures, 1000) + 1 end,
     blocked_until = case when ${HAS_ENDED} then excluded.blocked_until else a.blocked_until end
   returning failures`,
)

/** Counts one invitation, and returns true if the merchant may send its e-mail. `email` is in lower case. */
export async function mayMailInvitation(deps: Deps, tx: Tx, merchant_id: string, email: string): Promise<boolean> {
  // Every transaction first counts for the e-mail address and then for the merchant, so that two transactions never deadlock.
  if ((await countInvitation(deps, tx, `address:${email}`)) > ADDRESS_MAX) return false
  return (await countInvitation(deps, tx, `merchant:${merchant_id}`)) <= MERCHANT_MAX
}

async function countInvitation(deps: Deps, tx: Tx, counter: string): Promise<number> {
  const now = deps.clock.now()
  const key = createHash('sha256').update(`invitation-mail:${counter}`).digest()
  const [row] = await tx.query<{ failures: number }>(COUNT, [key, now, new Date(now.getTime() + DAY_MS)])
  if (!row) throw new Error('the database returned no counter of invitation e-mails')
  return row.failures
}
