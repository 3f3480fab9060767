// Accounts: signing up, confirming an e-mail address, and setting a new password by mail.
//
// No answer tells whether an address has an account: the page is the same, and what differs is in the e-mail.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuse, systemClock } from '../../kernel/lib/index.ts'
import { confirmEmail, type NewAccount, resetPassword, sendResetLink, signUp } from './accounts.ts'
import { type Attempt, beginAttempt } from './attempts.ts'
import { checkPassword, hashPassword, type PasswordProblem, passwordProblem } from './credentials.ts'
import { deviceOf, findSigningIn, textField } from './interactions.ts'
import { findLink, type LinkKind, type LinkOwner } from './mailed-links.ts'
import { messagePage, type Problems, textsOf, type View, withLanguage } from './pages.ts'
import { choosePage, confirmPage, forgotPage, signUpPage } from './pages-forms.ts'
import type { Texts } from './pages-texts.ts'
import { PAGE_ROUTE, type Site } from './provider-site.ts'

const EMAIL = /^[^\s@\p{Cc}\p{Cs}]{1,64}@[^\s@\p{Cc}\p{Cs}]{1,185}\.[^\s@\p{Cc}\p{Cs}]{2,63}$/u
const LINE = /^[^\p{Cc}\p{Cs}]{1,100}$/u

/** Adds the pages. */
export function accountRoutes(scope: FastifyInstance, site: Site): void {
  signUpRoutes(scope, site)
  forgotRoutes(scope, site)
  chooseRoutes(scope, site)
  confirmRoutes(scope, site)
}

function signUpRoutes(scope: FastifyInstance, site: Site): void {
  const { deps } = site
  scope.get('/identity/sign-up', PAGE_ROUTE, async (request, reply) => {
    return site.send(reply, 200, signUpPage(site.view(request)))
  })
  scope.post('/identity/sign-up', PAGE_ROUTE, async (request, reply) => {
    const view = site.view(request)
    const t = textsOf(view)
    const [business_name, name] = ['business_name', 'name'].map((field) => textField(request, field).trim()) as [
      string,
      string,
    ]
    const email = emailField(request)
    const password = textField(request, 'password')
    const problems = {
      ...lineProblem(t, 'business_name', business_name, t.missing_business),
      ...lineProblem(t, 'name', name, t.missing_name),
      ...emailProblem(t, email),
      ...newPasswordProblem(t, password, { email, name }),
    }
    if (Object.keys(problems).length > 0) {
      return site.send(reply, 400, signUpPage(view, { email, name, business_name }, problems))
    }
    await atFixedTime(async () => {
      if (!(await maySendMail(site, request, email))) return
      const password_hash = await hashPassword(deps, password)
      const account: NewAccount = { email, name, business_name, language: view.language, password_hash }
      await signUp(deps, account, letterhead(site), { request_id: request.id, address: request.ip })
    })
    return site.send(reply, 200, sentPage(site, view, t.check_mail_sign_up))
  })
}

/**
 * What follows on a form that leads to an e-mail. Where this installation sends none the page says so. It is the same whether
 * there is an account or not.
 */
function sentPage({ deps }: Site, view: View, sent: string): string {
  const t = textsOf(view)
  return deps.config.smtp_url === ''
    ? messagePage(view, t.no_mail, t.no_mail_lead)
    : messagePage(view, t.check_mail, sent)
}

function forgotRoutes(scope: FastifyInstance, site: Site): void {
  scope.get('/identity/forgot', PAGE_ROUTE, async (request, reply) => {
    return site.send(reply, 200, forgotPage(site.view(request)))
  })
  scope.post('/identity/forgot', PAGE_ROUTE, async (request, reply) => {
    const view = site.view(request)
    const t = textsOf(view)
    const email = emailField(request)
    const problems = emailProblem(t, email)
    if (Object.keys(problems).length > 0) return site.send(reply, 400, forgotPage(view, { email }, problems))
    await atFixedTime(async () => {
      if (!(await maySendMail(site, request, email))) return
      await sendResetLink(site.deps, email, view.language, letterhead(site))
    })
    return site.send(reply, 200, sentPage(site, view, t.check_mail_reset))
  })
}

function chooseRoutes(scope: FastifyInstance, site: Site): void {
  const { deps } = site
  const shown = ({ email, password_hash }: LinkOwner) => ({ email, welcome: password_hash === null })
  scope.get('/identity/reset', PAGE_ROUTE, async (request, reply) => {
    const view = site.view(request)
    const owner = await ownerOf(site, request, 'reset')
    if (!owner) return site.send(reply, 400, linkGonePage(view))
    return site.send(reply, 200, choosePage(view, shown(owner)))
  })
  scope.post('/identity/reset', PAGE_ROUTE, async (request, reply) => {
    const view = site.view(request)
    const t = textsOf(view)
    const owner = await ownerOf(site, request, 'reset')
    if (!owner) return site.send(reply, 400, linkGonePage(view))
    const password = textField(request, 'password')
    const problems = newPasswordProblem(t, password, owner)
    if (problems.password) return site.send(reply, 400, choosePage(view, shown(owner), problems))
    const act = { request_id: request.id, address: request.ip }
    const password_hash = await hashPassword(deps, password)
    const reset = { owner, token: tokenOf(request), password_hash }
    const done = await resetPassword(deps, reset, letterhead(site), act, site.revokeAllKeys)
    if (!done) return site.send(reply, 400, linkGonePage(view))
    return site.send(reply, 200, messagePage(view, t.password_saved, t.password_saved_lead))
  })
}

function confirmRoutes(scope: FastifyInstance, site: Site): void {
  const { deps } = site
  scope.get('/identity/confirm', PAGE_ROUTE, async (request, reply) => {
    const view = site.view(request)
    const owner = await ownerOf(site, request, 'confirm')
    return owner ? site.send(reply, 200, confirmPage(view, owner)) : site.send(reply, 400, linkGonePage(view))
  })
  // The mailbox alone does not confirm an account: somebody else may have made it with this address and wait for just that.
  scope.post('/identity/confirm', PAGE_ROUTE, async (request, reply) => {
    const view = site.view(request)
    const t = textsOf(view)
    const owner = await ownerOf(site, request, 'confirm')
    if (!owner) return site.send(reply, 400, linkGonePage(view))
    const device = deviceOf(deps, request, await findSigningIn(deps, owner.email))
    const trier = { account: owner.email, address: request.ip, device }
    const attempt = allowed(await beginAttempt(deps, 'password', trier))
    if (!(await checkPassword(owner.password_hash, textField(request, 'password')))) {
      return site.send(reply, 401, confirmPage(view, owner, { password: t.wrong_password }))
    }
    await attempt.succeeded()
    const act = { request_id: request.id, address: request.ip }
    if (!(await confirmEmail(deps, owner, tokenOf(request), act))) return site.send(reply, 400, linkGonePage(view))
    return site.send(reply, 200, messagePage(view, t.confirmed, t.confirmed_lead))
  })
}

/** How long an answer takes after which mail may be sent. A test may shorten it. */
export const MAIL_ANSWER = { ms: 400 }

/** Does the work and ends at a fixed time, or, where that passed, at a whole multiple of it: the work's own tells nothing. */
async function atFixedTime(work: () => Promise<void>): Promise<void> {
  const begin = systemClock.now().getTime()
  await work()
  const passed = systemClock.now().getTime() - begin
  const { ms } = MAIL_ANSWER
  await new Promise<void>((resolve) => void systemClock.after(ms - (passed % ms), resolve))
}

function letterhead(site: Site) {
  return { brand: site.deps.config.brand_name, base_url: site.base_url() }
}

/** The token of a mailed link. It stands in the URL, which forms without an action of their own post to. */
function tokenOf(request: FastifyRequest): string {
  const { token } = request.query as { token?: unknown }
  return typeof token === 'string' ? token : ''
}

function ownerOf({ deps }: Site, request: FastifyRequest, kind: LinkKind): Promise<LinkOwner | null> {
  return findLink(deps, deps.db, kind, tokenOf(request))
}

function linkGonePage(view: View): string {
  const t = textsOf(view)
  const way_on = { href: withLanguage('/identity/forgot', view.language), text: t.reset_title }
  return messagePage(view, t.link_gone, t.link_gone_lead, way_on)
}

function allowed(attempt: Attempt): Extract<Attempt, { allowed: true }> {
  return attempt.allowed ? attempt : refuse('rate_limited', { retry_after_s: attempt.retry_after_s })
}

/**
 * Whether one more e-mail may go to this address. Too many are not sent, and nobody is told so: the page would tell that
 * somebody else asked before. Refuses (429) who has too many sent to whomever.
 */
async function maySendMail({ deps }: Site, { ip }: FastifyRequest, email: string): Promise<boolean> {
  const attempt = await beginAttempt(deps, 'mail', { account: email, address: ip, device: null })
  if (!attempt.allowed && attempt.blocked === 'address') allowed(attempt)
  return attempt.allowed
}

function emailField(request: FastifyRequest): string {
  return textField(request, 'email').trim().toLowerCase()
}

function emailProblem(t: Texts, email: string): Problems {
  return EMAIL.test(email) ? {} : { email: t.bad_email }
}

function lineProblem(t: Texts, name: string, text: string, missing: string): Problems {
  if (text === '') return { [name]: missing }
  return LINE.test(text) ? {} : { [name]: t.bad_text }
}

function newPasswordProblem(t: Texts, password: string, person: { email: string; name: string }): Problems {
  if (password === '') return { password: t.missing_password }
  const problem = passwordProblem(password, person)
  const sentences: Record<PasswordProblem, string> = {
    short: t.password_short,
    long: t.password_long,
    common: t.password_common,
    personal: t.password_personal,
  }
  return problem ? { password: sentences[problem] } : {}
}
