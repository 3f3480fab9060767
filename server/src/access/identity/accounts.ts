// What signing up, confirming and resetting do, and which e-mails they send.

import { queueEmail } from '../../adapters/messages/index.ts'
import { type Act, type AuditAction, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import {
  addMerchant,
  createUser,
  type RevokeAllKeys,
  reclaimMerchants,
  setMember,
  verifyEmail,
} from '../merchants/index.ts'
import { storePassword } from './credentials.ts'
import { clearLinks, type LinkOwner, newLink, useLink } from './mailed-links.ts'
import { letter } from './pages-mails.ts'
import type { Language } from './pages-texts.ts'
import { EMBEDDED } from './tokens.ts'
import { dropSecondStep } from './totp.ts'

/** Somebody who signs up, with the business. */
export type NewAccount = {
  email: string
  name: string
  business_name: string
  language: Language
  password_hash: string
}

/** The brand, and the public address that links lead to. */
export type Letterhead = { brand: string; base_url: string }

/** The request that did it, for the audit log. */
export type Asked = Omit<Act, 'actor'>

const FIND = sql(
  'accounts_find',
  `select id, language, (issuer is null or issuer = $2) and disabled_at is null as ours from users where email = $1`,
)

type Known = { id: string; language: Language; ours: boolean }

function url(base_url: string, path: string, language: Language, token?: string): string {
  return `${base_url}/identity/${path}?${new URLSearchParams({ ...(token ? { token } : {}), lang: language })}`
}

/**
 * Makes a person and a PENDING merchant of which they are MERCHANT_ADMIN, and mails a link that confirms the address. An
 * address that has an account gets an e-mail that says so, and nothing else happens.
 */
export async function signUp(deps: Deps, account: NewAccount, head: Letterhead, asked: Asked): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await tx.query(LOCK_EMAIL, [account.email])
    const [known] = await tx.query<Known>(FIND, [account.email, EMBEDDED])
    if (known) await sendKnown(deps, tx, account.email, known, head)
    else await addAccount(deps, tx, account, head, asked)
  })
}

// Two sign-ups with one address at once: the second waits, and then finds the first.
const LOCK_EMAIL = sql('accounts_lock_email', 'select pg_advisory_xact_lock(hashtextextended($1, 7165243380915629))')

async function sendKnown(deps: Deps, tx: Tx, to: string, known: Known, { brand, base_url }: Letterhead): Promise<void> {
  const { language } = known
  const token = known.ours ? await newLink(deps, tx, 'reset', known.id) : undefined
  const where = token ? url(base_url, 'reset', language, token) : url(base_url, 'forgot', language)
  await queueEmail(deps, tx, letter('identity.known', { to, language, brand, url: where }))
}

async function addAccount(deps: Deps, tx: Tx, account: NewAccount, head: Letterhead, asked: Asked): Promise<void> {
  const { email, name, business_name, language, password_hash } = account
  const identity = 'embedded'
  const person = { email, name, language, email_verified: false, super_admin: false, identity } as const
  const user = await createUser(deps, tx, person)
  const act = { ...asked, actor: { kind: 'user', id: user.id, name: email } } as const
  const merchant = await addMerchant(deps, tx, act, { name: business_name, email, approved: false })
  await setMember(deps, tx, merchant.id, user.id, 'MERCHANT_ADMIN')
  await storePassword(deps, tx, user.id, password_hash)
  const token = await newLink(deps, tx, 'confirm', user.id)
  const where = url(head.base_url, 'confirm', language, token)
  await queueEmail(deps, tx, letter('identity.confirm', { to: email, language, brand: head.brand, url: where }))
}

/** Mails a link to set a password; to an address without an account, that there is none. */
export async function sendResetLink(deps: Deps, to: string, language: Language, head: Letterhead): Promise<void> {
  const { brand, base_url } = head
  await inTransaction(deps.db, async (tx) => {
    const [known] = await tx.query<Known>(FIND, [to, EMBEDDED])
    if (!known?.ours) {
      const where = url(base_url, 'sign-up', language)
      await queueEmail(deps, tx, letter('identity.unknown', { to, language, brand, url: where }))
      return
    }
    const token = await newLink(deps, tx, 'reset', known.id)
    const where = url(base_url, 'reset', known.language, token)
    await queueEmail(deps, tx, letter('identity.reset', { to, language: known.language, brand, url: where }))
  })
}

/**
 * Sets a new password for whoever came by a reset link, and signs them out everywhere. False: the link is used up. Where
 * the address was never proven before, whoever made the account may be somebody else: their second step goes too, and
 * whatever they may have left behind in the merchant that they made.
 */
export async function resetPassword(
  deps: Deps,
  input: { owner: LinkOwner; token: string; password_hash: string },
  head: Letterhead,
  asked: Asked,
  revokeAllKeys: RevokeAllKeys,
): Promise<boolean> {
  const { owner, token, password_hash } = input
  const { user_id, email, language } = owner
  return inTransaction(deps.db, async (tx) => {
    if (!(await useLink(deps, tx, token))) return false
    await clearLinks(tx, user_id)
    await storePassword(deps, tx, user_id, password_hash)
    const proven_now = await verifyEmail(deps, tx, user_id)
    if (proven_now) {
      await dropSecondStep(tx, user_id)
      const act = { ...asked, actor: { kind: 'user', id: user_id, name: email } } as const
      await reclaimMerchants(deps, tx, act, user_id, revokeAllKeys)
    }
    const where = url(head.base_url, 'forgot', language)
    await queueEmail(deps, tx, letter('identity.changed', { to: email, language, brand: head.brand, url: where }))
    await recordPerson(deps, tx, owner, 'user.set_password', asked)
    return true
  })
}

/** Notes that a person reads the mailbox of the account. False: the link is used up. */
export async function confirmEmail(deps: Deps, owner: LinkOwner, token: string, asked: Asked): Promise<boolean> {
  return inTransaction(deps.db, async (tx) => {
    if (!(await useLink(deps, tx, token))) return false
    await verifyEmail(deps, tx, owner.user_id)
    await recordPerson(deps, tx, owner, 'user.confirm_email', asked)
    return true
  })
}

function recordPerson(
  deps: Deps,
  tx: Tx,
  { user_id, email }: LinkOwner,
  action: AuditAction,
  asked: Asked,
): Promise<void> {
  return recordAudit(deps, tx, {
    ...asked,
    merchant_id: PLATFORM,
    actor: { kind: 'user', id: user_id, name: email },
    action,
    target_type: 'user',
    target_id: user_id,
    after: { email },
  })
}
