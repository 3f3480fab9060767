// Renders the forms of the identity pages.

import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { type Html, html } from '../../kernel/lib/index.ts'
import {
  type FormField,
  fieldHtml,
  forgotPath,
  form,
  link,
  type Problems,
  pageHtml,
  textsOf,
  type View,
} from './pages.ts'
import { usePasskeyHtml } from './pages-passkeys.ts'

/** The input of a refused form. The page shows this input again, but never a password or a code. */
export type FormInput = { email?: string; name?: string; business_name?: string }

// The field has no maximum length. A browser would cut off the end of a pasted address, and the page would tell the user nothing.
function emailField(view: View, typed: FormInput, autocomplete: 'username' | 'email'): FormField {
  const value = typed.email ?? ''
  return { name: 'email', label: textsOf(view).email, type: 'email', autocomplete, value }
}

function newPasswordField(view: View): FormField {
  const t = textsOf(view)
  return {
    name: 'password',
    label: t.new_password,
    type: 'password',
    autocomplete: 'new-password',
    hint: t.password_hint,
  }
}

/** Returns the sign-in form. `typed` is the input of a refused form. */
export function signInPage(view: View, typed: FormInput = {}, problems: Problems = {}): string {
  const t = textsOf(view)
  const password: FormField = {
    name: 'password',
    label: t.password,
    type: 'password',
    autocomplete: 'current-password',
  }
  const email: FormField = { ...emailField(view, typed, 'username'), first: true, max: 254 }
  const fields = [email, password].map((one) => fieldHtml(one, problems))
  const register = view.by_invitation
    ? html`<p>${t.have_invitation} ${link(view, '/identity/forgot', t.use_invitation)}</p>`
    : html`<p>${t.no_account} ${link(view, '/identity/sign-up', t.create_account)}</p>`
  const body = html`<p>${view.for_operators ? t.operator_lead : t.sign_in_lead}</p>
${form(fields, t.sign_in)}<p>${link(view, forgotPath(view), t.forgot)}</p>
${view.for_operators ? null : register}`
  return pageHtml(view, t.sign_in, body, problems)
}

function codeField(label: string, hint?: string): FormField {
  const base = { name: 'code', label, type: 'text', autocomplete: 'one-time-code', max: 40 } as const
  // If a field also takes a recovery code, the field does not open the keyboard of digits, because a recovery code contains
  // letters.
  return hint ? { ...base, hint } : { ...base, numeric: true }
}

/**
 * Returns the page of the second step with a form for a code. If the user has a passkey, the page also has a form for a
 * passkey.
 */
export function codePage(
  view: View,
  passkey: PublicKeyCredentialRequestOptionsJSON | null,
  problems: Problems = {},
): string {
  const t = textsOf(view)
  const fields = [fieldHtml({ ...codeField(t.code_label, t.code_hint), first: true }, problems)]
  return pageHtml(
    view,
    t.code_title,
    html`${passkey && usePasskeyHtml(view, passkey)}<p>${passkey ? t.or_code : t.code_lead}</p>
${form(fields, t.sign_in)}`,
    problems,
  )
}

/** Returns the form that sets up the second step: the secret for the app, and a field for a code. */
export function enrolPage(
  view: View,
  enrol: { secret: string; url: string; must: boolean },
  problems: Problems = {},
): string {
  const t = textsOf(view)
  const fields = [fieldHtml(codeField(t.enrol_code), problems)]
  const groups = enrol.secret.match(/.{1,4}/g)?.join(' ') ?? ''
  const body = html`${
    enrol.must &&
    html`<p>${t.enrol_must}</p>
`
  }<p>${t.enrol_lead}</p>
<p><code class="key">${groups}</code></p>
<p><a href="${enrol.url}">${t.enrol_open}</a></p>
${form(fields, t.go_on)}`
  return pageHtml(view, t.enrol_title, body, problems)
}

/** Returns the page that shows the recovery codes once, with a link to the next page. */
export function recoveryCodesPage(view: View, codes: readonly string[], way_on: string): string {
  const t = textsOf(view)
  const body = html`<p>${t.recovery_lead}</p>
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p><a class="button" href="${way_on}">${t.recovery_done}</a></p>`
  return pageHtml(view, t.recovery_title, body)
}

/** Returns the sign-up form for a new merchant and its first user. */
export function signUpPage(view: View, typed: FormInput = {}, problems: Problems = {}): string {
  const t = textsOf(view)
  const fields: FormField[] = [
    { ...textField('business_name', t.business_name, 'organization'), value: typed.business_name ?? '' },
    { ...textField('name', t.person_name, 'name'), value: typed.name ?? '' },
    emailField(view, typed, 'email'),
    newPasswordField(view),
  ]
  const body = html`<p>${t.sign_up_lead}</p>
${form(
  fields.map((one) => fieldHtml(one, problems)),
  t.create_account,
)}<p>${t.have_account} <a href="${view.dashboard}">${t.sign_in}</a></p>`
  return pageHtml(view, t.create_account, body, problems)
}

function textField(name: string, label: string, autocomplete: string): FormField {
  return { name, label, type: 'text', autocomplete }
}

/** Returns the form that requests a link to set a new password. */
export function forgotPage(view: View, typed: FormInput = {}, problems: Problems = {}): string {
  const t = textsOf(view)
  const fields = [fieldHtml(emailField(view, typed, 'username'), problems)]
  return pageHtml(
    view,
    t.reset_title,
    html`<p>${t.reset_lead}</p>
${form(fields, t.send_link)}<p><a href="${view.dashboard}">${t.sign_in}</a></p>`,
    problems,
  )
}

/** Returns the form for a new password, which a mailed link opens. */
export function choosePage(view: View, owner: { email: string; welcome: boolean }, problems: Problems = {}): string {
  const t = textsOf(view)
  return pageHtml(
    view,
    owner.welcome ? t.welcome_title : t.choose_title,
    html`<p>${owner.welcome ? t.welcome_lead : t.choose_lead}</p>
${form([whoseAccount(owner.email), fieldHtml(newPasswordField(view), problems)], t.save)}`,
    problems,
  )
}

/**
 * Returns the form that confirms an e-mail address. The link proves that the user reads the mailbox, and the password proves
 * that the user made the account.
 */
export function confirmPage(view: View, owner: { email: string }, problems: Problems = {}): string {
  const t = textsOf(view)
  return passwordPage(view, { title: t.confirm_title, lead: t.confirm_lead, email: owner.email }, problems)
}

/**
 * Returns the form that changes the e-mail address. The page shows only the new address, because its owner may be a stranger.
 */
export function changePage(view: View, new_email: string, problems: Problems = {}): string {
  const t = textsOf(view)
  return passwordPage(view, { title: t.change_title, lead: t.change_lead, email: new_email }, problems)
}

function passwordPage(view: View, of: { title: string; lead: string; email: string }, problems: Problems): string {
  const t = textsOf(view)
  const password: FormField = {
    name: 'password',
    label: t.password,
    type: 'password',
    autocomplete: 'current-password',
  }
  const body = html`<p>${of.lead}</p>
${form([whoseAccount(of.email), fieldHtml(password, problems)], t.confirm)}`
  return pageHtml(view, of.title, body, problems)
}

/**
 * Returns the e-mail address as a text and as a hidden field, so that password managers find the account of the password.
 */
function whoseAccount(email: string): Html {
  return html`<p><strong>${email}</strong></p>
<input type="hidden" name="username" autocomplete="username" value="${email}">
`
}
