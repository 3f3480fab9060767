// Renders the layout of the identity pages: HTML that also works on cheap phones, with a script only for passkeys.

import { FAVICON, logoHtml, OPERATOR_FAVICON } from '../../kernel/http/index.ts'
import { type Html, html, type Language } from '../../kernel/lib/index.ts'
import { type IdentityTexts, TEXTS } from './pages-texts.ts'

/** The brand, the language and the URLs of a page. */
export type View = {
  brand: string
  language: Language
  /** The path and the query of this page, for the link to the other language. */
  url: string
  /** The path of the style sheet. */
  style: string
  /** The URL of the console to which the user signs in. If the console is unknown, the URL of the dashboard. */
  dashboard: string
  /** True if the page belongs to the operator console, whose pages have another colour. */
  for_operators: boolean
  /** True if a new user needs an invitation (SIGN_UP=invited). */
  by_invitation: boolean
}

/** Returns the view of a page for operators, whose links lead to their console at `home`. */
export function operatorView(view: View, home: string): View {
  return { ...view, dashboard: home, for_operators: true }
}

/** Returns the path of the form for a forgotten password. The form of an operator leads back to the operator console. */
export function forgotPath(view: View): string {
  return `/identity/forgot${view.for_operators ? '?console=operator' : ''}`
}

/** The problems of a form by field name. */
export type Problems = Readonly<Record<string, string>>

/** Returns the texts of a page in its language. */
export function textsOf(view: View): IdentityTexts {
  return TEXTS[view.language]
}

/** Returns a whole page. At its top, the page lists `problems`, each with a link to its field. */
export function pageHtml(view: View, title: string, body: Html, problems: Problems = {}): string {
  const t = textsOf(view)
  const found = Object.entries(problems)
  const other = view.language === 'sw' ? 'en' : 'sw'
  return html`<!doctype html>
<html lang="${view.language}"${view.for_operators && html` class="for-operators"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${found.length > 0 ? `${t.problem_title}: ` : ''}${title} - ${view.brand}</title>
<link rel="icon" href="${view.for_operators ? OPERATOR_FAVICON : FAVICON}">
<link rel="stylesheet" href="${view.style}">
</head>
<body class="identity-page">
<a class="skip" href="#main">${t.skip}</a>
<header class="identity-top">
<p class="brand"><a href="${view.dashboard}">${logoHtml(28)} ${view.brand}</a>${view.for_operators && html` <span class="for-whom">${t.operators}</span>`}</p>
<p class="language"><a href="${withLanguage(view.url, other)}" lang="${other}" hreflang="${other}">${t.other}</a></p>
</header>
<main id="main" class="identity">
<h1>${title}</h1>
${
  found.length > 0 &&
  html`<div class="problems" role="alert" aria-labelledby="problems-title">
<h2 id="problems-title">${t.problems}</h2>
<ul>${found.map(([name, problem]) => html`<li><a href="#${name}">${problem}</a></li>`)}</ul>
</div>
`
}${body}
</main>
</body>
</html>
`.toString()
}

/** Returns the URL of an identity page with this language. */
export function withLanguage(url: string, language: Language): string {
  const [path = '', query = ''] = url.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('lang', language)
  return `${path}?${parameters}`
}

/** Returns a link to another identity page in the same language. */
export function link(view: View, path: string, text: string): Html {
  return html`<a href="${withLanguage(path, view.language)}">${text}</a>`
}

/**
 * A field of a form. `autocomplete` is for browsers and password managers. If `numeric` is true, a phone opens the keyboard of
 * digits.
 */
export type FormField = {
  name: string
  label: string
  type: 'text' | 'email' | 'password'
  autocomplete: string
  value?: string
  hint?: string
  numeric?: boolean
  max?: number
  /** True if the page begins with this field. After a refusal, the browser focuses no field, because the problems come first. */
  first?: true
}

/** Returns a field with its label, hint and problem. */
export function fieldHtml(field: FormField, problems: Problems): Html {
  const { name, label, type, autocomplete, value, hint, numeric, max, first } = field
  const problem = problems[name]
  const described = [...(hint ? [`${name}-hint`] : []), ...(problem ? [`${name}-problem`] : [])].join(' ')
  const attributes = [
    value ? html` value="${value}"` : null,
    numeric ? html` inputmode="numeric"` : null,
    type === 'email' || numeric ? html` autocapitalize="none" spellcheck="false"` : null,
    max ? html` maxlength="${max}"` : null,
    described ? html` aria-describedby="${described}"` : null,
    problem ? html` aria-invalid="true"` : null,
    first && Object.keys(problems).length === 0 ? html` autofocus` : null,
  ]
  return html`<div class="field">
<label for="${name}">${label}</label>
${
  hint &&
  html`<p class="hint" id="${name}-hint">${hint}</p>
`
}${
  problem &&
  html`<p class="problem" id="${name}-problem">${problem}</p>
`
}<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required${attributes}>
</div>
`
}

/**
 * Returns a form with one button, which posts to the URL of its page. Browsers do not check the input, so that the messages
 * have the language of the page.
 */
export function form(fields: readonly Html[], button: string): Html {
  return html`<form method="post" novalidate>
${fields}<button type="submit">${button}</button>
</form>
`
}

/** Returns a page with a message and a link. Without `way_on`, the link leads to the console of the view. */
export function messagePage(view: View, title: string, lead: string, way_on?: { href: string; text: string }): string {
  const t = textsOf(view)
  const { href, text } = way_on ?? { href: view.dashboard, text: view.for_operators ? t.to_operators : t.to_dashboard }
  return pageHtml(
    view,
    title,
    html`<p>${lead}</p>
<p><a class="button" href="${href}">${text}</a></p>`,
  )
}

/** Returns a duration in words: up to 90 seconds in seconds, above in minutes. */
export function waitInWords(t: IdentityTexts, seconds: number): string {
  return seconds <= 90 ? t.seconds(seconds) : t.minutes(Math.ceil(seconds / 60))
}
