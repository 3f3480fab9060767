// Changes the e-mail address of a user. The user asks for the change in a console, and confirms it on the page of a link in an
// e-mail to the new address.

import { hasGateway, queueEmail } from '../../adapters/messages/index.ts'
import { type Act, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction, sql, type Tx, violatedConstraint } from '../../kernel/db/index.ts'
import type { SessionPrincipal } from '../../kernel/http/index.ts'
import { isPublicEmailAddress, type Language, maskEmail, refuse, refuseField } from '../../kernel/lib/index.ts'
import { replaceEmail } from '../merchants/index.ts'
import { lockEmail, type MailContext, pageUrl, type RequestAct } from './accounts.ts'
import { beginAttempt } from './attempts.ts'
import { endSessions, lockUser } from './credentials.ts'
import { atFixedTime, maySendMail, requireAllowed } from './mail-answers.ts'
import { clearLinks, endLinks, type LinkOwner, lockMailedLinks, newLink, useLink } from './mailed-links.ts'
import { isDemoUser } from './operator-factor.ts'
import { identityMail } from './pages-mails.ts'
import { EMBEDDED } from './tokens.ts'

const OWNER_OF = sql('email_change_owner', 'select language from users where email = $1')
const ASKING = sql(
  'email_change_asking',
  `select u.language from users u where u.id = $1 and u.subject = $2 and u.disabled_at is null and ($3::uuid is null or exists (
     select from console_sessions c where c.id = $3 and c.user_id = u.id))`,
)

/** The requested address, and true if the installation has a mail server. */
export type EmailRequest = { email: string; has_mail_server: boolean }

/**
 * Queues an e-mail to the new address with a link that changes the address, and a notice to the present address. If another user
 * has the new address, its e-mail says so and has no link, but the answer and the notice are the same. Refuses a wrong address
 * with 400, too many requests with 429, and a user who may not change the address with invalid_state.
 */
export async function requestEmail(
  deps: Deps,
  principal: SessionPrincipal,
  act: Act,
  given: { email: string; device: string },
  base_url: string,
): Promise<EmailRequest> {
  checkMayChangeEmail(principal)
  const { user_id, subject, session_id } = principal
  const email = given.email.toLowerCase()
  if (!isPublicEmailAddress(email)) refuseField('email', 'must be an e-mail address')
  // Outside production, the server requires no second factor of demo operators, so no other user may get such an address.
  if (isDemoUser(email)) refuseField('email', 'must not be an address of a demo user')
  if (email === principal.email) refuseField('email', 'must not be your current e-mail address')
  const ip = act.address ?? ''
  requireAllowed(await beginAttempt(deps, 'email_change', { account: user_id, address: ip, device: null }))
  await atFixedTime(async () => {
    const may_mail = await maySendMail(deps, { ip }, email)
    // One transaction stores the link, the e-mail and the audit entry. If the process dies before the commit, nothing has changed,
    // and the user asks again. If it dies after the commit, the worker sends the e-mail.
    await inTransaction(deps.db, async (tx) => {
      // Of two requests at once, the second one waits, and then ends the link of the first one.
      await lockMailedLinks(tx, user_id)
      // While the request waited, the user may have ended its session or changed the password.
      const [user] = await tx.query<{ language: Language }>(ASKING, [user_id, subject, session_id])
      if (!user) refuse('invalid_session')
      // An earlier link always ends. Otherwise its end would reveal whether another user has the new address.
      await endLinks(tx, 'change', user_id)
      const { language } = user
      const mail = { brand: deps.config.brand_name, base_url }
      if (may_mail) await mailNewAddress(deps, tx, { user_id, language }, email, mail)
      const notice = { to: principal.email, language, brand: mail.brand, url: pageUrl(base_url, 'forgot', language) }
      const asked = { at: deps.clock.now(), address: act.address ?? null, device: given.device }
      const new_email = maskEmail(email)
      await queueEmail(deps, tx, identityMail('identity.email_requested', { ...notice, act: asked, new_email }))
      // The user has not proved the new address, and the audit log keeps its entries forever.
      const [before, after] = [{ email: principal.email }, { email: principal.email, new_email }]
      const target = { target_type: 'user', target_id: user_id, before, after }
      await recordAudit(deps, tx, { ...act, ...target, merchant_id: PLATFORM, action: 'user.request_email' })
    })
  })
  return { email, has_mail_server: hasGateway(deps.config, 'email') }
}

/**
 * Refuses a user of another issuer, a demo user, and a user with an unproven address. An invitation to an unproven address gives
 * access once it is proved, so a stranger who signed up with it must not prove another address instead.
 */
function checkMayChangeEmail({ issuer, email, email_verified }: SessionPrincipal): void {
  if (issuer !== EMBEDDED) {
    refuse('invalid_state', { message: 'You sign in at another identity provider. Change the e-mail address there.' })
  }
  if (isDemoUser(email)) {
    refuse('invalid_state', {
      message: 'The e-mail address of a demo user does not change. Sign up with an address of your own.',
    })
  }
  if (!email_verified) {
    refuse('invalid_state', {
      message: 'Confirm your e-mail address first: open the link in the e-mail that you got when you signed up.',
    })
  }
}

async function mailNewAddress(
  deps: Deps,
  tx: Tx,
  { user_id, language }: { user_id: string; language: Language },
  to: string,
  mail: MailContext,
): Promise<void> {
  const { brand, base_url } = mail
  const [other] = await tx.query<{ language: Language }>(OWNER_OF, [to])
  if (other) {
    const url = pageUrl(base_url, 'forgot', other.language)
    await queueEmail(deps, tx, identityMail('identity.email_taken', { to, language: other.language, brand, url }))
    return
  }
  const token = await newLink(deps, tx, 'change', user_id, to)
  const url = pageUrl(base_url, 'email', language, token)
  await queueEmail(deps, tx, identityMail('identity.email_change', { to, language, brand, url }))
}

/**
 * Replaces the e-mail address of the user of a link, ends all links and sessions of the user, and queues an e-mail to the earlier
 * address. `gone`: the link is used up or has expired, or the user is disabled. `taken`: another user has the address by now.
 */
export async function changeEmail(
  deps: Deps,
  { owner, token, device }: { owner: LinkOwner; token: string; device: string },
  request: RequestAct,
): Promise<'changed' | 'gone' | 'taken'> {
  const { user_id, email, new_email, language } = owner
  if (new_email === null) return 'gone'
  try {
    // If the process dies before the commit, the link still works and the address is the earlier one. If it dies after the commit,
    // the user gets no answer, but signs in with the new address, and the worker sends the e-mail.
    return await inTransaction(deps.db, async (tx) => {
      await lockEmail(tx, new_email)
      await lockUser(tx, user_id)
      // Of two requests with one link, the second one waits for the lock and finds no link.
      if (!(await useLink(deps, tx, token))) return 'gone'
      if (!(await replaceEmail(deps, tx, user_id, new_email))) return 'gone'
      // This is after the change of the address, which waits for a request that mails a link to the earlier address.
      await clearLinks(tx, user_id)
      await endSessions(deps, tx, user_id)
      const done = { at: deps.clock.now(), address: request.address ?? null, device }
      const notice = { to: email, language, brand: deps.config.brand_name, url: '', act: done }
      await queueEmail(deps, tx, identityMail('identity.email_changed', notice))
      const actor = { kind: 'user', id: user_id, name: email } as const
      const [before, after] = [{ email }, { email: new_email }]
      const target = { target_type: 'user', target_id: user_id, before, after }
      await recordAudit(deps, tx, {
        ...request,
        ...target,
        actor,
        merchant_id: PLATFORM,
        action: 'user.change_email',
      })
      return 'changed'
    })
  } catch (error) {
    // The transaction is undone, so the link still works.
    if (violatedConstraint(error) === 'users_email_key') return 'taken'
    throw error
  }
}
