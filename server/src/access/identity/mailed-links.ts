// Makes and checks the links in e-mails. A link is valid once and for a limited time, and proves that the user can read the
// mailbox.

import { createHash } from 'node:crypto'
import { type Deps, oneStatement, type Reader, sql, type Tx } from '../../kernel/db/index.ts'

/**
 * `confirm`: a link of 7 days that confirms an e-mail address. `reset`: a link of 30 minutes that sets a new password. `change`:
 * a link of 1 hour, mailed to a new address, that replaces the e-mail address.
 */
export type LinkKind = 'confirm' | 'reset' | 'change'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const LIVES_MS: Record<LinkKind, number> = { confirm: 7 * DAY_MS, reset: 30 * MINUTE_MS, change: HOUR_MS }

/** The user who gets a mailed link. */
export type LinkOwner = {
  user_id: string
  email: string
  name: string
  language: 'sw' | 'en'
  password_hash: string | null
  /** True if the user must replace the password, because a command made it. */
  has_first_password: boolean
  is_operator: boolean
  /** The address that the link gives to the user. Null means that the link changes no address. */
  new_email: string | null
}

const INSERT = sql(
  'mailed_links_insert',
  `insert into mailed_links (token_hash, kind, user_id, created_at, expires_at, new_email)
   values ($1, $2, $3, $4, $5, $6)`,
)
const REPLACE = sql('mailed_links_replace', 'delete from mailed_links where user_id = $1 and kind = $2')
const FIND = sql(
  'mailed_links_find',
  `select l.user_id, u.email, u.name, u.language, c.password_hash, coalesce(c.is_first, false) as has_first_password,
     (u.super_admin or u.operator_role is not null) as is_operator, l.new_email
   from mailed_links l
   join users u on u.id = l.user_id left join credentials c on c.user_id = u.id
   where l.token_hash = $1 and l.kind = $2 and l.expires_at > $3 and u.disabled_at is null`,
)
const USE = sql(
  'mailed_links_use',
  'delete from mailed_links where token_hash = $1 and expires_at > $2 returning user_id',
)
const CLEAR = sql('mailed_links_clear', 'delete from mailed_links where user_id = $1')
// Every transaction that changes links locks the user before the links, so that no two transactions deadlock.
const LOCK_LINKS = sql('mailed_links_lock', 'select 1 from users where id = $1 for no key update')
const LOCK_NEW_LINK = sql('mailed_links_lock_new', 'select 1 from users where id = $1 for key share')
const SWEEP = sql(
  'mailed_links_sweep',
  `delete from mailed_links where token_hash in (
     select l.token_hash from mailed_links l where l.expires_at <= $1 limit 1000) returning kind`,
)

const tokenHash = (token: string) => createHash('sha256').update(token).digest()

/**
 * Returns the token of a new link, which replaces earlier links with the same purpose. The database stores only the hash of the
 * token. `new_email` is only for a link that changes the e-mail address.
 */
export async function newLink(
  deps: Deps,
  tx: Tx,
  kind: LinkKind,
  user_id: string,
  new_email: string | null = null,
): Promise<string> {
  const token = Buffer.from(deps.random.bytes(32)).toString('base64url')
  const now = deps.clock.now()
  await tx.query(LOCK_NEW_LINK, [user_id])
  await endLinks(tx, kind, user_id)
  const until = new Date(now.getTime() + LIVES_MS[kind])
  await tx.query(INSERT, [tokenHash(token), kind, user_id, now, until, new_email])
  return token
}

/** Locks the links of a user until the transaction ends: other transactions wait before they use, delete or replace them. */
export async function lockMailedLinks(tx: Tx, user_id: string): Promise<void> {
  await tx.query(LOCK_LINKS, [user_id])
}

/** Deletes the links of a user with one purpose. */
export async function endLinks(tx: Tx, kind: LinkKind, user_id: string): Promise<void> {
  await tx.query(REPLACE, [user_id, kind])
}

/**
 * Returns the user of a link. Null means that the link is not valid. The function does not use up the link, because mail
 * programs also open links.
 */
export async function findMailedLink(
  deps: Deps,
  reader: Reader,
  kind: LinkKind,
  token: string,
): Promise<LinkOwner | null> {
  const [owner] = await reader.query<LinkOwner>(FIND, [tokenHash(token), kind, deps.clock.now()])
  return owner ?? null
}

/** Uses up a link. If the link has expired or is already used up, returns false. */
export async function useLink(deps: Deps, tx: Tx, token: string): Promise<boolean> {
  return (await tx.query(USE, [tokenHash(token), deps.clock.now()])).length === 1
}

/** Deletes all links of a user, after a change of the password or of the e-mail address. */
export async function clearLinks(tx: Tx, user_id: string): Promise<void> {
  await tx.query(CLEAR, [user_id])
}

/** Deletes expired links, at most 1,000. Returns the number of deleted links. */
export async function sweepLinks(deps: Deps, now: Date): Promise<number> {
  return (await oneStatement(deps.db).query(SWEEP, [now])).length
}
