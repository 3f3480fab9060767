// Stores the sessions of the consoles: one row for each console in each browser. An access token contains the id of its row. So
// if a process deletes the row, the session ends on the next request.

import { type Deps, oneStatement, sql, type Tx } from '../../kernel/db/index.ts'
import type { Console } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/lib/index.ts'
import { forgetBrowser } from './adapter.ts'
import { EMBEDDED } from './tokens.ts'

/**
 * The lifetime of a browser session of the provider, in seconds. Each new access token of a session starts this time again.
 */
export const BROWSER_SESSION_S = 14 * 86_400
/** The accuracy of `seen_at` in milliseconds, so that most requests write no row. */
const SEEN_MS = 60_000

/** The console and the times that limit a session. */
export type SessionTimes = { console: Console | null; signed_in_at: Date; seen_at: Date }

/** A sign-in at a console: the browser session of the provider, and the client. */
export type ConsoleSignIn = {
  subject: string
  provider_uid: string
  console: Console
  device: string
  address: string
  signed_in_at: Date
}

const OPEN = sql(
  'console_sessions_open',
  `insert into console_sessions as s
     (id, user_id, provider_uid, console, device, address, signed_in_at, confirmed_at, seen_at, expires_at)
   select $1, u.id, $2, $3, $4, $5, $6, null, $7, $8 from users u where u.issuer = $9 and u.subject = $10
   on conflict (provider_uid, console) do update set user_id = excluded.user_id, device = excluded.device,
     address = excluded.address, signed_in_at = excluded.signed_in_at, seen_at = excluded.seen_at, expires_at = excluded.expires_at,
     confirmed_at = case when s.user_id = excluded.user_id then s.confirmed_at end
   returning id`,
)

/**
 * Opens a session and returns its id. If the browser already has a session at this console, updates that session and returns
 * its id.
 */
export async function openConsoleSession(deps: Deps, sign_in: ConsoleSignIn): Promise<string> {
  const { subject, provider_uid, console, device, address, signed_in_at } = sign_in
  const now = deps.clock.now()
  const expires_at = new Date(now.getTime() + BROWSER_SESSION_S * 1000)
  const values = [
    newId(deps, 0),
    provider_uid,
    console,
    device,
    address,
    signed_in_at,
    now,
    expires_at,
    EMBEDDED,
    subject,
  ]
  const [row] = await oneStatement(deps.db).query<{ id: string }>(OPEN, values)
  if (!row) throw new Error('the database has no user for this sign-in')
  return row.id
}

const FIND = sql(
  'console_sessions_find',
  'select id, console, signed_in_at, seen_at from console_sessions where provider_uid = $1 and console = $2',
)
const EXTEND = sql('console_sessions_extend', 'update console_sessions set expires_at = $2 where id = $1 returning id')

/**
 * Extends an open session for a new access token, and returns the id of the session. Null means that the session has ended.
 * `seen_at` does not change, because a new token is no activity of the user.
 */
export async function extendConsoleSession(
  deps: Deps,
  browser: { provider_uid: string; console: Console },
): Promise<string | null> {
  const found = [browser.provider_uid, browser.console]
  const [row] = await deps.db.query<SessionTimes & { id: string }>(FIND, found)
  const now = deps.clock.now()
  if (!row || sessionEnd(deps, row, now) !== null) return null
  const until = new Date(now.getTime() + BROWSER_SESSION_S * 1000)
  const [extended] = await oneStatement(deps.db).query<{ id: string }>(EXTEND, [row.id, until])
  return extended?.id ?? null
}

/** The reason why a session has ended: no activity, or its age. */
export type SessionEnd = 'idle' | 'age'

/**
 * Returns the reason why a session of the operator console has ended. Null means that the session is open, or is no session of
 * the operator console. Only this console has such limits.
 */
export function sessionEnd({ config }: Deps, session: SessionTimes, now: Date): SessionEnd | null {
  if (session.console !== 'operator') return null
  const pastMs = (since: Date) => now.getTime() - since.getTime()
  if (pastMs(session.signed_in_at) >= config.operator_session_s * 1000) return 'age'
  return pastMs(session.seen_at) >= config.operator_idle_s * 1000 ? 'idle' : null
}

const SEEN = sql(
  'console_sessions_seen',
  'update console_sessions set seen_at = $2, address = $3 where id = $1 and seen_at < $2',
)

/** Records that the user is active. If the last record is younger than a minute, writes nothing. */
export async function recordActivity(
  deps: Deps,
  session: { id: string; seen_at: Date },
  address: string,
): Promise<void> {
  const now = deps.clock.now()
  if (now.getTime() - session.seen_at.getTime() < SEEN_MS) return
  await oneStatement(deps.db).query(SEEN, [session.id, now, address])
}

const CONFIRM = sql(
  'console_sessions_confirm',
  'update console_sessions set confirmed_at = $2 where id = $1 returning id',
)

/**
 * Records that the user has confirmed the session with a code, the password or a passkey. If the session does not exist,
 * returns false.
 */
export async function confirmSession(deps: Deps, tx: Tx, id: string): Promise<boolean> {
  return (await tx.query(CONFIRM, [id, deps.clock.now()])).length === 1
}

/** A session in the list of a user's sessions. */
export type ListedSession = {
  id: string
  console: Console
  device: string
  address: string
  signed_in_at: Date
  seen_at: Date
}

/** The greatest number of sessions in the list. */
const LISTED_MAX = 100
const COLUMNS = 'id, console, device, address, signed_in_at, seen_at'
const LIST = sql(
  'console_sessions_list',
  `select ${COLUMNS} from console_sessions s where s.user_id = $1 and s.expires_at > $2 and exists (
     select from identity_records r where r.uid = s.provider_uid and r.model = 'Session')
   order by s.seen_at desc, s.id limit $3`,
)

/**
 * Returns up to LISTED_MAX open sessions of a user, the last used first. A sign-out deletes the provider's session of the
 * browser, so the result omits signed-out sessions.
 */
export async function listConsoleSessions(deps: Deps, user_id: string): Promise<ListedSession[]> {
  const now = deps.clock.now()
  const rows = await deps.db.query<ListedSession>(LIST, [user_id, now, LISTED_MAX])
  return rows.filter((row) => sessionEnd(deps, row, now) === null)
}

const BROWSER = sql(
  'console_sessions_browser',
  'select provider_uid from console_sessions where id = $1 and user_id = $2',
)
const END = sql(
  'console_sessions_end',
  `delete from console_sessions where provider_uid = $1 and user_id = $2 returning ${COLUMNS}`,
)

/**
 * Ends a session of a user, and the other session of the same browser. Also deletes the provider's session of the browser, so
 * its refresh tokens stop working. Returns the ended session. Null means that the user has no such session.
 */
export async function endConsoleSession(tx: Tx, user_id: string, id: string): Promise<ListedSession | null> {
  const [browser] = await tx.query<{ provider_uid: string }>(BROWSER, [id, user_id])
  if (!browser) return null
  // Every transaction that ends sessions locks the records of the provider before the sessions.
  await forgetBrowser(tx, browser.provider_uid)
  const ended = await tx.query<ListedSession>(END, [browser.provider_uid, user_id])
  return ended.find((one) => one.id === id) ?? null
}

const FORGET = sql('console_sessions_forget', 'delete from console_sessions where user_id = $1')

/** Ends all sessions of a user at both consoles. */
export async function forgetConsoleSessions(tx: Tx, user_id: string): Promise<void> {
  await tx.query(FORGET, [user_id])
}

const SWEEP = sql(
  'console_sessions_sweep',
  `delete from console_sessions where id in (
     select s.id from console_sessions s where s.expires_at <= $1 limit 1000) returning id`,
)

/** Deletes expired sessions, at most 1,000. Returns the number of deleted sessions. */
export async function sweepConsoleSessions(deps: Deps, now: Date): Promise<number> {
  return (await oneStatement(deps.db).query(SWEEP, [now])).length
}
