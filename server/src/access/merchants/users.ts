// People: making them, and their memberships.

import { type Deps, sql, type Tx, violatedConstraint } from '../../kernel/db/index.ts'
import type { MerchantRole } from '../../kernel/http/index.ts'
import { newId, refuse, routingCodeOf } from '../../kernel/lib/index.ts'

/** A new person. Issuer and subject are null for somebody who was invited and has not signed in yet. */
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

/** Makes a person. The e-mail address is stored in lower case. Refuses (409 invalid_state) one that is taken. */
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
 * Binds somebody who was invited by e-mail to the issuer and subject that they signed in with. Answers their id, or null
 * when nobody with this address waits for it: a binding is never replaced, whoever comes second finds none to make.
 */
export async function bindUser(
  deps: Deps,
  tx: Tx,
  { email, issuer, subject }: { email: string; issuer: string; subject: string },
): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(BIND, [email, issuer, subject, deps.clock.now()])
  return row?.id ?? null
}

const SET_MEMBER = sql(
  'members_set',
  `insert into members (merchant_id, id, user_id, role, name, created_at, updated_at) values ($1, $2, $3, $4, null, $5, $5)
   on conflict (merchant_id, user_id) do update set role = excluded.role, updated_at = excluded.updated_at`,
)

/** Gives a person a role in a merchant, in place of the one they had there. */
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

/** The person with this e-mail address (in lower case), made without an identity when there is none yet. */
export async function inviteUser(
  deps: Deps,
  tx: Tx,
  { email, name }: { email: string; name: string },
): Promise<string> {
  await tx.query(INVITE, [newId(deps, 0), email, name, deps.clock.now()])
  const [user] = await tx.query<{ id: string }>(BY_EMAIL, [email])
  if (!user) throw new Error('a user who was just invited exists')
  return user.id
}
