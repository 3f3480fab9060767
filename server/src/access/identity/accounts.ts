// Creates accounts, confirms e-mail addresses and resets passwords, and queues the e-mails about these actions.

import { queueEmail } from '../../adapters/messages/index.ts'
import { type Act, type AuditAction, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { baseUrlOf } from '../../kernel/http/index.ts'
import type { Language } from '../../kernel/lib/index.ts'
import {
  addMerchant,
  createUser,
  type RevokeAllKeys,
  reclaimMerchants,
  setMember,
  verifyEmail,
} from '../merchants/index.ts'
import { lockUser, storePassword } from './credentials.ts'
import { INVITATION_HOLDS } from './invitations.ts'
import { clearLinks, type LinkOwner, lockMailedLinks, newLink, useLink } from './mailed-links.ts'
import { identityMail } from './pages-mails.ts'
import { EMBEDDED } from './tokens.ts'
import { dropSecondStep } from './totp.ts'

/** The input for a new account: the user, and the name of the business. */
export type NewAccount = {
  email: string
  name: string
  business_name: string
  language: Language
  password_hash: string
}

/** The brand and the public URL of the installation, for e-mails. */
export type MailContext = { brand: string; base_url: string }

/** The IP address of the client, and the names of its browser and system. Empty means unknown. */
export type MailedClient = { address: string | null; device: string }

/** The request id and the IP address of the client, for the audit log. */
export type RequestAct = Omit<Act, 'actor'>

// The lock conflicts with a change of the address, but not with other changes of the user. After a wait for such a change,
// PostgreSQL reads the row again and finds no user with the earlier address.
const FIND = sql(
  'accounts_find',
  `select u.id, u.language, u.disabled_at is null and
     (u.issuer is not distinct from $2 or (u.issuer is null and ($3 or ${INVITATION_HOLDS}))) as ours
   from users u where u.email = $1 for key share of u`,
)

type ExistingAccount = { id: string; language: Language; ours: boolean }

/**
 * Returns the account of an e-mail address, which keeps the address until the transaction ends. `ours` is false for a disabled user and for a user of a foreign issuer. If
 * SIGN_UP=invited, it is also false for a user without an issuer whose invitation is withdrawn.
 */
async function findMailedAccount(deps: Deps, tx: Tx, email: string): Promise<ExistingAccount | undefined> {
  const [existing] = await tx.query<ExistingAccount>(FIND, [email, EMBEDDED, deps.config.sign_up === 'open'])
  return existing
}

/** Returns the URL of an identity page. If `token` is given, the URL has this token of a mailed link. */
export function pageUrl(base_url: string, path: string, language: Language, token?: string): string {
  return `${base_url}/identity/${path}?${new URLSearchParams({ ...(token ? { token } : {}), lang: language })}`
}

/**
 * Creates a user with a PENDING merchant and queues an e-mail with a confirmation link. If the e-mail address has an account,
 * only queues an e-mail that states this fact. The function returns the same in both cases.
 */
export async function signUp(deps: Deps, account: NewAccount, mail: MailContext, request: RequestAct): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockEmail(tx, account.email)
    const existing = await findMailedAccount(deps, tx, account.email)
    if (existing) await mailExistingAccount(deps, tx, account.email, existing, mail)
    else await addAccount(deps, tx, account, mail, request)
  })
}

const LOCK_EMAIL = sql('accounts_lock_email', 'select pg_advisory_xact_lock(hashtextextended($1, 7165243380915629))')

/**
 * Locks an e-mail address until the transaction ends. If two sign-ups or changes use the same address at the same time, the
 * second one waits for the lock and then finds the account.
 */
export async function lockEmail(tx: Tx, email: string): Promise<void> {
  await tx.query(LOCK_EMAIL, [email])
}

async function mailExistingAccount(
  deps: Deps,
  tx: Tx,
  to: string,
  account: ExistingAccount,
  { brand, base_url }: MailContext,
): Promise<void> {
  const { language } = account
  const token = account.ours ? await newLink(deps, tx, 'reset', account.id) : undefined
  const where = token ? pageUrl(base_url, 'reset', language, token) : pageUrl(base_url, 'forgot', language)
  await queueEmail(deps, tx, identityMail('identity.known', { to, language, brand, url: where }))
}

async function addAccount(
  deps: Deps,
  tx: Tx,
  account: NewAccount,
  mail: MailContext,
  request: RequestAct,
): Promise<void> {
  const { email, name, business_name, language, password_hash } = account
  const identity = 'embedded'
  const new_user = { email, name, language, email_verified: false, operator_role: null, identity } as const
  const user = await createUser(deps, tx, new_user)
  const act = { ...request, actor: { kind: 'user', id: user.id, name: email } } as const
  const merchant = await addMerchant(deps, tx, act, { name: business_name, email, approved: false })
  await setMember(deps, tx, merchant.id, user.id, 'MERCHANT_ADMIN')
  await storePassword(deps, tx, user.id, password_hash)
  const token = await newLink(deps, tx, 'confirm', user.id)
  const where = pageUrl(mail.base_url, 'confirm', language, token)
  await queueEmail(deps, tx, identityMail('identity.confirm', { to: email, language, brand: mail.brand, url: where }))
}

/**
 * Queues an e-mail with a link to set a password. If no account of this address may get a link, the e-mail states that the
 * address has no account.
 */
export async function sendResetLink(deps: Deps, to: string, language: Language, mail: MailContext): Promise<void> {
  const { brand, base_url } = mail
  await inTransaction(deps.db, async (tx) => {
    const existing = await findMailedAccount(deps, tx, to)
    if (!existing?.ours) {
      const where = pageUrl(base_url, 'sign-up', language)
      const kind = deps.config.sign_up === 'open' ? 'identity.unknown' : 'identity.uninvited'
      await queueEmail(deps, tx, identityMail(kind, { to, language, brand, url: where }))
      return
    }
    const token = await newLink(deps, tx, 'reset', existing.id)
    const where = pageUrl(base_url, 'reset', existing.language, token)
    await queueEmail(deps, tx, identityMail('identity.reset', { to, language: existing.language, brand, url: where }))
  })
}

/**
 * Sets a new password and ends all sessions. If the link has expired or is used up, returns false. If the e-mail address was
 * not proved before, a stranger may have made the account. So the function also removes the second step and calls
 * `reclaimMerchants`.
 */
export async function resetPassword(
  deps: Deps,
  input: { owner: LinkOwner; token: string; password_hash: string; device: string },
  mail: MailContext,
  request: RequestAct,
  revokeAllKeys: RevokeAllKeys,
): Promise<boolean> {
  const { owner, token, password_hash, device } = input
  const { user_id, email, language } = owner
  return inTransaction(deps.db, async (tx) => {
    await lockUser(tx, user_id)
    if (!(await useLink(deps, tx, token))) return false
    await clearLinks(tx, user_id)
    await storePassword(deps, tx, user_id, password_hash)
    const proven_now = await verifyEmail(deps, tx, user_id)
    if (proven_now) {
      await dropSecondStep(tx, user_id)
      const act = { ...request, actor: { kind: 'user', id: user_id, name: email } } as const
      await reclaimMerchants(deps, tx, act, user_id, revokeAllKeys)
    }
    const where = pageUrl(mail.base_url, 'forgot', language)
    const act = { at: deps.clock.now(), address: request.address ?? null, device }
    const notice = { to: email, language, brand: mail.brand, url: where, act }
    await queueEmail(deps, tx, identityMail('identity.changed', notice))
    await auditUser(deps, tx, owner, 'user.set_password', request)
    return true
  })
}

/** Stores a new password that the signed-in user chose, ends all sessions, and queues an e-mail to the user. */
export async function replacePassword(
  deps: Deps,
  tx: Tx,
  user: { user_id: string; email: string; device: string },
  password_hash: string,
  act: Act,
): Promise<void> {
  const { user_id, email, device } = user
  await clearLinks(tx, user_id)
  await storePassword(deps, tx, user_id, password_hash)
  await mailUser(deps, tx, user_id, 'identity.changed', { address: act.address ?? null, device })
  const target = { target_type: 'user', target_id: user_id, after: { email } }
  await recordAudit(deps, tx, { ...act, ...target, merchant_id: PLATFORM, action: 'user.set_password' })
}

/** Deletes the second step, the recovery codes and the passkeys of a user, and queues an e-mail to the user. */
export async function removeSecondStep(deps: Deps, tx: Tx, user_id: string): Promise<void> {
  await dropSecondStep(tx, user_id)
  await mailUser(deps, tx, user_id, 'identity.second_step_removed')
}

/** Queues an e-mail about the use of a recovery code, because a thief may have used the code. */
export function notifyRecoveryCode(deps: Deps, tx: Tx, user_id: string, client: MailedClient): Promise<void> {
  return mailUser(deps, tx, user_id, 'identity.recovery', client)
}

/** Queues an e-mail about the removal of a passkey, because a thief of the session may have removed it. */
export function notifyPasskeyRemoved(deps: Deps, tx: Tx, user_id: string, client: MailedClient): Promise<void> {
  return mailUser(deps, tx, user_id, 'identity.passkey_removed', client)
}

const OWNER = sql('accounts_owner', 'select email, language from users where id = $1')

async function mailUser(
  deps: Deps,
  tx: Tx,
  user_id: string,
  kind: 'identity.second_step_removed' | 'identity.recovery' | 'identity.passkey_removed' | 'identity.changed',
  client: MailedClient = { address: null, device: '' },
): Promise<void> {
  const [owner] = await tx.query<{ email: string; language: Language }>(OWNER, [user_id])
  if (!owner) throw new Error('the database has no user for this e-mail')
  const { email: to, language } = owner
  const { brand_name: brand } = deps.config
  const url = pageUrl(baseUrlOf(deps.config), 'forgot', language)
  const act = { at: deps.clock.now(), ...client }
  await queueEmail(deps, tx, identityMail(kind, { to, language, brand, url, act }))
}

/**
 * Uses up a link and records that the user has proved the e-mail address. If the link has expired or is used up, returns false.
 */
export async function confirmEmail(deps: Deps, owner: LinkOwner, token: string, request: RequestAct): Promise<boolean> {
  return inTransaction(deps.db, async (tx) => {
    await lockMailedLinks(tx, owner.user_id)
    if (!(await useLink(deps, tx, token))) return false
    await verifyEmail(deps, tx, owner.user_id)
    await auditUser(deps, tx, owner, 'user.confirm_email', request)
    return true
  })
}

function auditUser(
  deps: Deps,
  tx: Tx,
  { user_id, email }: LinkOwner,
  action: AuditAction,
  request: RequestAct,
): Promise<void> {
  return recordAudit(deps, tx, {
    ...request,
    merchant_id: PLATFORM,
    actor: { kind: 'user', id: user_id, name: email },
    action,
    target_type: 'user',
    target_id: user_id,
    after: { email },
  })
}
