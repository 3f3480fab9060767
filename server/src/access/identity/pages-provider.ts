// Renders the pages of the OpenID provider: sign-out and errors.

import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Deps } from '../../kernel/db/index.ts'
import { pageStyle } from '../../kernel/http/index.ts'
import { html } from '../../kernel/lib/index.ts'
import { messagePage, pageHtml, textsOf, type View, waitInWords } from './pages.ts'
import { languageOf } from './pages-texts.ts'

/**
 * Returns the content security policy of the pages. The policy allows only style sheets of this server and embedded images. If
 * `script` is true, the policy also allows scripts of this server. Forms may lead only to this server and `form_origins`.
 */
export function pagePolicy(form_origins: readonly string[], script = false): string {
  const forms = ["'self'", ...form_origins].join(' ')
  const scripts = script ? " script-src 'self';" : ''
  return `default-src 'none'; style-src 'self';${scripts} img-src data:; base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`
}

function viewOf(deps: Deps, ctx: KoaContextWithOIDC): View {
  const { lang, ui_locales } = ctx.query
  return {
    brand: deps.config.brand_name,
    language: languageOf([lang, ctx.oidc?.params?.ui_locales ?? ui_locales], ctx.get('accept-language')),
    url: ctx.originalUrl,
    style: pageStyle().path,
    dashboard: '/dashboard/',
    for_operators: false,
    by_invitation: deps.config.sign_up === 'invited',
  }
}

function sendProviderPage(ctx: KoaContextWithOIDC, text: string, form_origins: readonly string[] = []): void {
  ctx.type = 'html'
  ctx.set('content-security-policy', pagePolicy(form_origins))
  ctx.set('referrer-policy', 'same-origin')
  ctx.body = text
}

/**
 * Sends the page that asks the user to confirm the sign-out, so that a link on another site cannot sign the user out.
 */
export function signOutPage(deps: Deps, ctx: KoaContextWithOIDC): void {
  const view = viewOf(deps, ctx)
  const t = textsOf(view)
  const state = ctx.oidc.session?.state as { secret: string; postLogoutRedirectUri?: string }
  const action = new URL(ctx.oidc.urlFor('end_session_confirm')).pathname
  const body = html`<p>${t.sign_out_lead}</p>
<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${state.secret}">
<button type="submit" name="logout" value="yes">${t.sign_out}</button>
</form>
<p><a href="${view.dashboard}">${t.stay}</a></p>`
  const next = state.postLogoutRedirectUri
  sendProviderPage(ctx, pageHtml(view, t.sign_out, body), next ? [new URL(next).origin] : [])
}

/** Sends the page after a sign-out without a return URL. */
export function signedOutPage(deps: Deps, ctx: KoaContextWithOIDC): void {
  const view = viewOf(deps, ctx)
  const t = textsOf(view)
  sendProviderPage(ctx, messagePage(view, t.signed_out, t.signed_out_lead, { href: view.dashboard, text: t.sign_in }))
}

/**
 * The value of the Retry-After header in seconds, if the database does not answer or too many forms are in progress.
 */
export const RETRY_AFTER_S = 3

/** Sends the error page without internal details. The caller has already set the status. */
export function errorPage(deps: Deps, ctx: KoaContextWithOIDC): void {
  const view = viewOf(deps, ctx)
  const t = textsOf(view)
  const wait = waitInWords(t, RETRY_AFTER_S)
  const lead = ctx.status === 503 ? t.failed_wait(wait) : ctx.status >= 500 ? t.failed_lead : t.expired_lead
  sendProviderPage(ctx, messagePage(view, ctx.status >= 500 ? t.failed : t.expired, lead))
}
