// Writes users, and memberships that need no invitation. No other file writes to the table users.

import { type Deps, sql, type Tx, violatedConstraint } from '../../kernel/db/index.ts'
import { type MerchantRole, OPERATOR_DUTIES, type OperatorDuty, type OperatorRole } from '../../kernel/http/index.ts'
import { type Language, newId, refuse, routingCodeOf, withoutDirectionMarks } from '../../kernel/lib/index.ts'

/**
 * A new user. Null as `operator_role` means that the user is not an operator. Null as `identity` means that the user is invited
 * and has not signed in yet.
 */
export type NewUser = {
  email: string
  email_verified: boolean
  name: string
  language: 'sw' | 'en'
  operator_role: OperatorRole | null
  identity: 'embedded' | { issuer: string; subject: string } | null
}

const INSERT = sql(
  'users_insert',
  `insert into users (id, email, email_verified, name, language, super_admin, operator_role, issuer, subject, disabled_at, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, null, $10, $10)`,
)

/**
 * Creates a user, with the e-mail address in lower case and a name without direction marks. If another user has the address, refuses with invalid_state.
 */
export async function createUser(deps: Deps, tx: Tx, user: NewUser): Promise<{ id: string; email: string }> {
  const id = newId(deps, 0)
  const email = user.email.toLowerCase()
  const { issuer, subject } =
    user.identity === 'embedded'
      ? { issuer: 'embedded', subject: id }
      : (user.identity ?? { issuer: null, subject: null })
  const { language, operator_role, email_verified } = user
  const name = withoutDirectionMarks(user.name).trim() || email
  const values = [id, email, email_verified, name, language, ...roleColumns(operator_role), issuer, subject]
  try {
    await tx.query(INSERT, [...values, deps.clock.now()])
  } catch (error) {
    if (violatedConstraint(error) === null) throw error
    refuse('invalid_state', { message: 'There is a user with this e-mail address already. Use another address.' })
  }
  return { id, email }
}

const BIND = sql(
  'users_bind',
  `update users set issuer = $2, subject = $3, email_verified = true, updated_at = $4
   where email = $1 and issuer is null and disabled_at is null returning id`,
)

/**
 * Binds an invited user to the issuer and the subject of the first sign-in. Returns the user id. Null means that no enabled and
 * unbound user has this address. If two sign-ins occur at the same time, the second gets null.
 */
export async function bindUser(
  deps: Deps,
  tx: Tx,
  { email, issuer, subject }: { email: string; issuer: string; subject: string },
): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(BIND, [email, issuer, subject, deps.clock.now()])
  return row?.id ?? null
}

const LOCK_NAME = sql('users_lock_name', 'select name from users where id = $1 for no key update')
const SET_NAME = sql('users_set_name', 'update users set name = $2, updated_at = $3 where id = $1')

/** Changes the name of a user. Returns the earlier name, also if it is the same. */
export async function renameUser(deps: Deps, tx: Tx, user_id: string, name: string): Promise<string> {
  const [user] = await tx.query<{ name: string }>(LOCK_NAME, [user_id])
  if (!user) throw new Error('the database has no user with this id')
  if (user.name !== name) await tx.query(SET_NAME, [user_id, name, deps.clock.now()])
  return user.name
}

const LOCK_LANGUAGE = sql('users_lock_language', 'select language from users where id = $1 for no key update')
const SET_LANGUAGE = sql('users_set_language', 'update users set language = $2, updated_at = $3 where id = $1')

/** Changes the language of the e-mails to a user. Returns the earlier language, also if it is the same. */
export async function setUserLanguage(deps: Deps, tx: Tx, user_id: string, language: Language): Promise<Language> {
  const [user] = await tx.query<{ language: Language }>(LOCK_LANGUAGE, [user_id])
  if (!user) throw new Error('the database has no user with this id')
  if (user.language !== language) await tx.query(SET_LANGUAGE, [user_id, language, deps.clock.now()])
  return user.language
}

const VERIFY_EMAIL = sql(
  'accounts_verify',
  'update users set email_verified = true, updated_at = $2 where id = $1 and not email_verified returning id',
)

/** Records that the user has proved the e-mail address. If the user had proved the address before, returns false. */
export async function verifyEmail(deps: Deps, tx: Tx, user_id: string): Promise<boolean> {
  return (await tx.query(VERIFY_EMAIL, [user_id, deps.clock.now()])).length === 1
}

const REPLACE_EMAIL = sql(
  'users_replace_email',
  `update users set email = $2, email_verified = true, updated_at = $3
   where id = $1 and disabled_at is null returning id`,
)

/**
 * Replaces the e-mail address of an enabled user with a proved one, in lower case. If the user is disabled, returns false. If
 * another user has the address, throws the violation of users_email_key.
 */
export async function replaceEmail(deps: Deps, tx: Tx, user_id: string, email: string): Promise<boolean> {
  return (await tx.query(REPLACE_EMAIL, [user_id, email, deps.clock.now()])).length === 1
}

const SET_IDENTITY = sql(
  'credentials_rename',
  'update users set issuer = $2, subject = $3, updated_at = $4 where id = $1',
)

/** Replaces the issuer and the subject of a user. The server then refuses access tokens with the earlier subject. */
export async function setIdentity(
  deps: Deps,
  tx: Tx,
  user_id: string,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<void> {
  await tx.query(SET_IDENTITY, [user_id, issuer, subject, deps.clock.now()])
}

const DISABLE = sql('admin_disable', 'update users set disabled_at = $2, updated_at = $2 where id = $1')
const ENABLE = sql('admin_enable', 'update users set disabled_at = null, updated_at = $2 where id = $1')
const SET_OPERATOR_ROLE = sql(
  'admin_set_operator_role',
  'update users set super_admin = $2, operator_role = $3, updated_at = $4 where id = $1',
)

/** Disables a user from the next request on. */
export async function disableUser(deps: Deps, tx: Tx, user_id: string): Promise<void> {
  await tx.query(DISABLE, [user_id, deps.clock.now()])
}

/** Enables a disabled user from the next request on. */
export async function enableUser(deps: Deps, tx: Tx, user_id: string): Promise<void> {
  await tx.query(ENABLE, [user_id, deps.clock.now()])
}

/** Sets the operator role of a user. Null removes the role. The memberships of the user do not change. */
export async function setOperatorRole(deps: Deps, tx: Tx, user_id: string, role: OperatorRole | null): Promise<void> {
  await tx.query(SET_OPERATOR_ROLE, [user_id, ...roleColumns(role), deps.clock.now()])
}

/** Returns the values of the columns super_admin and operator_role for a role. */
function roleColumns(role: OperatorRole | null): [super_admin: boolean, operator_role: OperatorRole | null] {
  return role === 'SUPER_ADMIN' ? [true, null] : [false, role]
}

/** SQL for the operator role of the user `u`. Null means that the user is not an operator. */
export const OPERATOR_ROLE = "case when u.super_admin then 'SUPER_ADMIN' else u.operator_role end"

/** Returns the SQL condition that the user `u` is an enabled operator whose role includes the duty. */
export function operatorMay(duty: OperatorDuty): string {
  const roles = OPERATOR_DUTIES[duty].map((role) => `'${role}'`).join(', ')
  return `u.disabled_at is null and ${OPERATOR_ROLE} in (${roles})`
}

const LOCK_SUPER_ADMINS = sql(
  'admin_lock_super_admins',
  'select id from users where super_admin and disabled_at is null order by id for update',
)

/**
 * Locks all enabled SUPER_ADMIN users until the transaction ends, and returns their ids. A transaction calls this function
 * before it locks another user, so that two transactions never remove the last two.
 */
export async function lockSuperAdmins(tx: Tx): Promise<string[]> {
  return (await tx.query<{ id: string }>(LOCK_SUPER_ADMINS)).map(({ id }) => id)
}

const SET_MEMBER = sql(
  'members_set',
  `with noted as (
     insert into member_history (merchant_id, user_id, created_at) values ($1, $3, $5) on conflict do nothing
   )
   insert into members (merchant_id, id, user_id, role, name, created_at, updated_at, first_seen_at)
   values ($1, $2, $3, $4, null, $5, $5, $5)
   on conflict (merchant_id, user_id) do update set role = excluded.role, updated_at = excluded.updated_at`,
)

/**
 * Makes a user a member with this role, without an invitation. If the user is already a member, replaces the role.
 */
export async function setMember(
  deps: Deps,
  tx: Tx,
  merchant_id: string,
  user_id: string,
  role: MerchantRole,
): Promise<void> {
  const id = newId(deps, routingCodeOf(merchant_id))
  await tx.query(SET_MEMBER, [merchant_id, id, user_id, role, deps.clock.now()])
}

const INVITE = sql(
  'users_invite',
  `insert into users (id, email, email_verified, name, language, super_admin, issuer, subject, disabled_at, created_at, updated_at)
   values ($1, $2, false, $3, 'sw', false, null, null, null, $4, $4) on conflict (email) do nothing`,
)
const BY_EMAIL = sql('users_by_email', 'select id from users where email = $1')

/**
 * Returns the id of the user with this e-mail address (in lower case). If no user has the address, creates a user who has not
 * signed in yet.
 */
export async function inviteUser(
  deps: Deps,
  tx: Tx,
  { email, name }: { email: string; name: string },
): Promise<string> {
  // A change of an e-mail address may free the address after the first statement. Then the second round creates the user.
  for (let round = 1; round <= 2; round++) {
    await tx.query(INVITE, [newId(deps, 0), email, name, deps.clock.now()])
    const [user] = await tx.query<{ id: string }>(BY_EMAIL, [email])
    if (user) return user.id
  }
  throw new Error('the database did not return the invited user')
}
