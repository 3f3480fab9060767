// How many invitations are mailed. Anybody may make a merchant, invite, remove and invite again: without a bound, that
// would be a way to fill the mailbox of a bystander.

import { createHash } from 'node:crypto'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'

/** Invitations mailed to one address within a day, by all merchants together. */
const ADDRESS_MAX = 3
/** Invitations mailed by one merchant within a day. */
const MERCHANT_MAX = 50
const DAY_MS = 86_400_000

// A row counts one day from its first mail, until blocked_until; what was counted before is forgotten then. Whoever counts
// at the same moment waits for the row, so that no two take the last mail.
const COUNT = sql(
  'invitation_mails_count',
  `insert into sign_in_attempts as a (key_hash, failures, last_at, blocked_until) values ($1, 1, $2, $3)
   on conflict (key_hash) do update set last_at = excluded.last_at,
     failures = case when a.blocked_until <= excluded.last_at or a.blocked_until > excluded.blocked_until then 1 else least(a.failures, 1000) + 1 end,
     blocked_until = case when a.blocked_until <= excluded.last_at or a.blocked_until > excluded.blocked_until
       then excluded.blocked_until else a.blocked_until end
   returning failures`,
)

/** Whether one more invitation may be mailed to this address (in lower case), and by this merchant; counts it if so. */
export async function mayMailInvitation(deps: Deps, tx: Tx, merchant_id: string, email: string): Promise<boolean> {
  // Always the address first: two who count the same never wait for each other.
  if ((await count(deps, tx, `address:${email}`)) > ADDRESS_MAX) return false
  return (await count(deps, tx, `merchant:${merchant_id}`)) <= MERCHANT_MAX
}

async function count(deps: Deps, tx: Tx, what: string): Promise<number> {
  const now = deps.clock.now()
  const key = createHash('sha256').update(`invitation-mail:${what}`).digest()
  const [row] = await tx.query<{ failures: number }>(COUNT, [key, now, new Date(now.getTime() + DAY_MS)])
  if (!row) throw new Error('a count that was just made exists')
  return row.failures
}
