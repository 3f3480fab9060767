// Writes users and their memberships. Only this file writes the table users.

import { type Deps, sql, type Tx, violatedConstraint } from '../../kernel/db/index.ts'
import type { MerchantRole } from '../../kernel/http/index.ts'
import { newId, refuse, routingCodeOf } from '../../kernel/lib/index.ts'

/** A new user. Null in `identity` means that the user has an invitation and has not signed in yet. */
export type NewUser = {
  email: string
  email_verified: boolean
  name: string
  language: 'sw' | 'en'
  super_admin: boolean
  identity: 'embedded' | { issuer: string; subject: string } | null
}

const INSERT = sql(
  'users_insert',
  `insert into users (id, email, email_verified, name, language, super_admin, issuer, subject, disabled_at, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, null, $9, $9)`,
)

/** Creates a user, with the e-mail address in lower case. If another user has the address, refuses with 409 invalid_state. */
export async function createUser(deps: Deps, tx: Tx, user: NewUser): Promise<{ id: string; email: string }> {
  const id = newId(deps, 0)
  const email = user.email.toLowerCase()
  const { issuer, subject } =
    user.identity === 'embedded'
      ? { issuer: 'embedded', subject: id }
      : (user.identity ?? { issuer: null, subject: null })
  const { name, language, super_admin, email_verified } = user
  try {
    await tx.query(INSERT, [id, email, email_verified, name, language, super_admin, issuer, subject, deps.clock.now()])
  } catch (error) {
    if (violatedConstraint(error) === null) throw error
    refuse('invalid_state', { message: 'There is a user with this e-mail address already.' })
  }
  return { id, email }
}

const BIND = sql(
  'users_bind',
  `update users set issuer = $2, subject = $3, email_verified = true, updated_at = $4
   where email = $1 and issuer is null and disabled_at is null returning id`,
)

/**
 * Binds an invited user to the issuer and subject of the first sign-in, and returns the user id. Null means that no unbound user
 * has this address. The function never replaces a binding, so that the second of two sign-ins gets null.
 */
export async function bindUser(
  deps: Deps,
  tx: Tx,
  { email, issuer, subject }: { email: string; issuer: string; subject: string },
): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(BIND, [email, issuer, subject, deps.clock.now()])
  return row?.id ?? null
}

const VERIFY_EMAIL = sql(
  'accounts_verify',
  'update users set email_verified = true, updated_at = $2 where id = $1 and not email_verified returning id',
)

/** Records that the user has proven the e-mail address. If the user proved the address before, returns false. */
export async function verifyEmail(deps: Deps, tx: Tx, user_id: string): Promise<boolean> {
  return (await tx.query(VERIFY_EMAIL, [user_id, deps.clock.now()])).length === 1
}

const SET_IDENTITY = sql(
  'credentials_rename',
  'update users set issuer = $2, subject = $3, updated_at = $4 where id = $1',
)

/** Replaces the issuer and subject of a user, so that the server refuses access tokens with the previous subject. */
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
const MAKE_OPERATOR = sql('admin_make_operator', 'update users set super_admin = true, updated_at = $2 where id = $1')
const TAKE_OPERATOR = sql(
  'admin_revoke_operator',
  'update users set super_admin = false, updated_at = $2 where id = $1',
)

/** Disables a user. The server refuses the user from the next request on. */
export async function disableUser(deps: Deps, tx: Tx, user_id: string): Promise<void> {
  await tx.query(DISABLE, [user_id, deps.clock.now()])
}

/** Enables a disabled user. */
export async function enableUser(deps: Deps, tx: Tx, user_id: string): Promise<void> {
  await tx.query(ENABLE, [user_id, deps.clock.now()])
}

/** Makes a user an operator. */
export async function makeOperator(deps: Deps, tx: Tx, user_id: string): Promise<void> {
  await tx.query(MAKE_OPERATOR, [user_id, deps.clock.now()])
}

/** Takes the operator role from a user. The user keeps the memberships of merchants. */
export async function takeOperatorRole(deps: Deps, tx: Tx, user_id: string): Promise<void> {
  await tx.query(TAKE_OPERATOR, [user_id, deps.clock.now()])
}

const SET_MEMBER = sql(
  'members_set',
  `with noted as (
     insert into member_history (merchant_id, user_id, created_at) values ($1, $3, $5) on conflict do nothing
   )
   insert into members (merchant_id, id, user_id, role, name, created_at, updated_at) values ($1, $2, $3, $4, null, $5, $5)
   on conflict (merchant_id, user_id) do update set role = excluded.role, updated_at = excluded.updated_at`,
)

/** Makes a user a member of a merchant with this role. If the user is a member, replaces the member's role. */
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
 * Returns the id of the user with this e-mail address, which is in lower case. If no user has the address, creates a user without
 * an identity.
 */
export async function inviteUser(
  deps: Deps,
  tx: Tx,
  { email, name }: { email: string; name: string },
): Promise<string> {
  await tx.query(INVITE, [newId(deps, 0), email, name, deps.clock.now()])
  const [user] = await tx.query<{ id: string }>(BY_EMAIL, [email])
  if (!user) throw new Error('the database did not return the invited user')
  return user.id
}
