// Defines the pages that sign up, confirm or change an e-mail address, and reset a password. The answers are the same with and without an
// account, and only the e-mails differ. So no answer reveals an account.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { EMAIL_MAX, isPublicEmailAddress, withoutDirectionMarks } from '../../kernel/lib/index.ts'
import { confirmEmail, type NewAccount, resetPassword, sendResetLink, signUp } from './accounts.ts'
import { beginAttempt } from './attempts.ts'
import { checkPassword, hashPassword, type PasswordProblem, passwordProblem } from './credentials.ts'
import { deviceName } from './device-name.ts'
import { changeEmail } from './email-change.ts'
import { deviceOf, findSigningIn, formField } from './interactions.ts'
import { atFixedTime, maySendMail, requireAllowed } from './mail-answers.ts'
import { findMailedLink, type LinkKind, type LinkOwner } from './mailed-links.ts'
import { messagePage, operatorView, type Problems, textsOf, type View, withLanguage } from './pages.ts'
import { changePage, choosePage, confirmPage, forgotPage, signUpPage } from './pages-forms.ts'
import type { IdentityTexts } from './pages-texts.ts'
import { type IdentitySite, PAGE_ROUTE } from './provider-site.ts'

const LINE = /^[^\p{Cc}\p{Cs}]+$/u
const LINE_MAX = 100

/** Adds the routes of these pages. */
export function accountRoutes(scope: FastifyInstance, site: IdentitySite): void {
  signUpRoutes(scope, site)
  forgotRoutes(scope, site)
  chooseRoutes(scope, site)
  confirmRoutes(scope, site)
  changeRoutes(scope, site)
}

function signUpRoutes(scope: FastifyInstance, site: IdentitySite): void {
  const { deps } = site
  scope.get('/identity/sign-up', PAGE_ROUTE, async (request, reply) => {
    const view = site.view(request)
    return site.send(reply, 200, view.by_invitation ? invitationPage(view) : signUpPage(view))
  })
  scope.post('/identity/sign-up', PAGE_ROUTE, async (request, reply) => {
    const view = site.view(request)
    if (view.by_invitation) return site.send(reply, 403, invitationPage(view))
    const t = textsOf(view)
    const [business_name, name] = ['business_name', 'name'].map((field) =>
      withoutDirectionMarks(formField(request, field)).trim(),
    ) as [string, string]
    const email = emailInput(request)
    const password = formField(request, 'password')
    const problems = {
      ...lineProblem(t, 'business_name', business_name, t.missing_business),
      ...lineProblem(t, 'name', name, t.missing_name),
      ...emailProblem(t, email),
      ...(await newPasswordProblem(t, password, { email, name })),
    }
    if (Object.keys(problems).length > 0) {
      return site.send(reply, 400, signUpPage(view, { email, name, business_name }, problems))
    }
    await atFixedTime(async () => {
      if (!(await maySendMail(deps, request, email))) return
      const password_hash = await hashPassword(deps, password)
      const account: NewAccount = { email, name, business_name, language: view.language, password_hash }
      await signUp(deps, account, mailContext(site), { request_id: request.id, address: request.ip })
    })
    return site.send(reply, 200, mailSentPage(site, view, t.check_mail_sign_up))
  })
}

/** Returns the page that explains that a user needs an invitation, with a link for invited users. */
function invitationPage(view: View): string {
  const t = textsOf(view)
  const way_on = { href: withLanguage('/identity/forgot', view.language), text: t.use_invitation }
  return messagePage(view, t.invited_title, t.invited_lead, way_on)
}

/**
 * Returns the page after a form that sends an e-mail, with or without an account. If SMTP_URL is empty, the page says that this
 * installation sends no e-mails.
 */
function mailSentPage({ deps }: IdentitySite, view: View, sent: string): string {
  const t = textsOf(view)
  return deps.config.smtp_url === ''
    ? messagePage(view, t.no_mail, t.no_mail_lead)
    : messagePage(view, t.check_mail, sent)
}

function forgotRoutes(scope: FastifyInstance, site: IdentitySite): void {
  const { deps } = site
  // The sign-in page of operators names its console, because no user is known yet.
  const viewOf = (request: FastifyRequest) =>
    consoleView(site, request, (request.query as { console?: unknown }).console === 'operator')
  scope.get('/identity/forgot', PAGE_ROUTE, async (request, reply) => {
    return site.send(reply, 200, forgotPage(viewOf(request)))
  })
  scope.post('/identity/forgot', PAGE_ROUTE, async (request, reply) => {
    const view = viewOf(request)
    const t = textsOf(view)
    const email = emailInput(request)
    const problems = emailProblem(t, email)
    if (Object.keys(problems).length > 0) return site.send(reply, 400, forgotPage(view, { email }, problems))
    await atFixedTime(async () => {
      if (!(await maySendMail(deps, request, email))) return
      await sendResetLink(deps, email, view.language, mailContext(site))
    })
    return site.send(reply, 200, mailSentPage(site, view, t.check_mail_reset))
  })
}

/** Returns the view of a page, whose links lead to the console of operators or to the dashboard. */
function consoleView(site: IdentitySite, request: FastifyRequest, for_operators: boolean): View {
  const view = site.view(request)
  return for_operators ? operatorView(view, site.home('operator')) : view
}

function chooseRoutes(scope: FastifyInstance, site: IdentitySite): void {
  const { deps } = site
  const pageOwner = ({ email, password_hash, has_first_password }: LinkOwner) => ({
    email,
    welcome: password_hash === null || has_first_password,
  })
  scope.get('/identity/reset', PAGE_ROUTE, async (request, reply) => {
    const owner = await linkOwner(site, request, 'reset')
    if (!owner) return site.send(reply, 400, linkGonePage(site.view(request)))
    return site.send(reply, 200, choosePage(consoleView(site, request, owner.is_operator), pageOwner(owner)))
  })
  scope.post('/identity/reset', PAGE_ROUTE, async (request, reply) => {
    const owner = await linkOwner(site, request, 'reset')
    if (!owner) return site.send(reply, 400, linkGonePage(site.view(request)))
    const view = consoleView(site, request, owner.is_operator)
    const t = textsOf(view)
    const password = formField(request, 'password')
    const is_same = owner.has_first_password && (await checkPassword(owner.password_hash, password))
    const problems = is_same ? { password: t.password_first } : await newPasswordProblem(t, password, owner)
    if (problems.password) return site.send(reply, 400, choosePage(view, pageOwner(owner), problems))
    const act = { request_id: request.id, address: request.ip }
    const password_hash = await hashPassword(deps, password)
    const device = deviceName(request.headers['user-agent'])
    const reset = { owner, token: tokenOf(request), password_hash, device }
    const is_set = await resetPassword(deps, reset, mailContext(site), act, site.revokeAllKeys)
    if (!is_set) return site.send(reply, 400, linkGonePage(view))
    return site.send(reply, 200, messagePage(view, t.password_saved, t.password_saved_lead))
  })
}

function confirmRoutes(scope: FastifyInstance, site: IdentitySite): void {
  const { deps } = site
  scope.get('/identity/confirm', PAGE_ROUTE, async (request, reply) => {
    const view = site.view(request)
    const owner = await linkOwner(site, request, 'confirm')
    return owner ? site.send(reply, 200, confirmPage(view, owner)) : site.send(reply, 400, linkGonePage(view))
  })
  // The form also requires the password, because a stranger may have made the account and the owner of the address may open the
  // link.
  scope.post('/identity/confirm', PAGE_ROUTE, async (request, reply) => {
    const view = site.view(request)
    const t = textsOf(view)
    const owner = await linkOwner(site, request, 'confirm')
    if (!owner) return site.send(reply, 400, linkGonePage(view))
    if (!(await entersPassword(site, request, owner))) {
      return site.send(reply, 401, confirmPage(view, owner, { password: t.wrong_password }))
    }
    const act = { request_id: request.id, address: request.ip }
    if (!(await confirmEmail(deps, owner, tokenOf(request), act))) return site.send(reply, 400, linkGonePage(view))
    return site.send(reply, 200, messagePage(view, t.confirmed, t.confirmed_lead))
  })
}

// Only a posted form changes the address, because mail programs also open links. The form requires the password: the user may
// have mistyped the new address, and its owner must not get the account.
function changeRoutes(scope: FastifyInstance, site: IdentitySite): void {
  const { deps } = site
  scope.get('/identity/email', PAGE_ROUTE, async (request, reply) => {
    const owner = await linkOwner(site, request, 'change')
    if (!owner) return site.send(reply, 400, changeGonePage(site.view(request)))
    return site.send(reply, 200, changePage(consoleView(site, request, owner.is_operator), owner.new_email ?? ''))
  })
  scope.post('/identity/email', PAGE_ROUTE, async (request, reply) => {
    const owner = await linkOwner(site, request, 'change')
    if (!owner) return site.send(reply, 400, changeGonePage(site.view(request)))
    const view = consoleView(site, request, owner.is_operator)
    const t = textsOf(view)
    if (!(await entersPassword(site, request, owner))) {
      return site.send(reply, 401, changePage(view, owner.new_email ?? '', { password: t.wrong_password }))
    }
    const act = { request_id: request.id, address: request.ip }
    const link = { owner, token: tokenOf(request), device: deviceName(request.headers['user-agent']) }
    const changed = await changeEmail(deps, link, act)
    if (changed === 'gone') return site.send(reply, 400, changeGonePage(view))
    if (changed === 'taken') return site.send(reply, 409, messagePage(view, t.address_taken, t.address_taken_lead))
    return site.send(reply, 200, messagePage(view, t.address_changed, t.address_changed_lead))
  })
}

/** Returns true if the form has the password of the user. A wrong password counts as a failed sign-in. */
async function entersPassword({ deps }: IdentitySite, request: FastifyRequest, owner: LinkOwner): Promise<boolean> {
  const device = deviceOf(deps, request, await findSigningIn(deps, owner.email))
  const client = { account: owner.email, address: request.ip, device }
  const attempt = requireAllowed(await beginAttempt(deps, 'password', client))
  const is_right = await checkPassword(owner.password_hash, formField(request, 'password'))
  if (is_right) await attempt.succeeded()
  return is_right
}

function mailContext(site: IdentitySite) {
  return { brand: site.deps.config.brand_name, base_url: site.base_url() }
}

/**
 * Returns the token of a mailed link from the URL of the request. A form without an action posts to the URL of its page.
 */
function tokenOf(request: FastifyRequest): string {
  const { token } = request.query as { token?: unknown }
  return typeof token === 'string' ? token : ''
}

function linkOwner({ deps }: IdentitySite, request: FastifyRequest, kind: LinkKind): Promise<LinkOwner | null> {
  return findMailedLink(deps, deps.db, kind, tokenOf(request))
}

function linkGonePage(view: View): string {
  const t = textsOf(view)
  const way_on = { href: withLanguage('/identity/forgot', view.language), text: t.reset_title }
  return messagePage(view, t.link_gone, t.link_gone_lead, way_on)
}

function changeGonePage(view: View): string {
  const t = textsOf(view)
  return messagePage(view, t.link_gone, t.change_gone_lead)
}

function emailInput(request: FastifyRequest): string {
  return formField(request, 'email').trim().toLowerCase()
}

function emailProblem(t: IdentityTexts, email: string): Problems {
  const { length } = [...email]
  if (length > EMAIL_MAX) return { email: t.long_text(EMAIL_MAX, length) }
  return isPublicEmailAddress(email) ? {} : { email: t.bad_email }
}

function lineProblem(t: IdentityTexts, name: string, text: string, missing: string): Problems {
  if (text === '') return { [name]: missing }
  const { length } = [...text]
  if (length > LINE_MAX) return { [name]: t.long_text(LINE_MAX, length) }
  return LINE.test(text) ? {} : { [name]: t.bad_text }
}

async function newPasswordProblem(
  t: IdentityTexts,
  password: string,
  person: { email: string; name: string },
): Promise<Problems> {
  if (password === '') return { password: t.missing_password }
  const problem = await passwordProblem(password, person)
  const sentences: Record<PasswordProblem, string> = {
    short: t.password_short,
    long: t.password_long,
    common: t.password_common,
    personal: t.password_personal,
  }
  return problem ? { password: sentences[problem] } : {}
}
