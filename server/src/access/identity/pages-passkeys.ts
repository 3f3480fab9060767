// Renders the parts of identity pages that use passkeys, and reads their script.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { type Html, html } from '../../kernel/lib/index.ts'
import { fieldHtml, type Problems, pageHtml, textsOf, type View } from './pages.ts'

/** The script of pages with passkeys. `path` contains a hash of the text, so browsers can cache the script. */
export type PasskeyScript = { text: string; path: string }

/** The path of the script without its hash. */
export const SCRIPT_PATH = '/identity/passkey.js'

let cached: PasskeyScript | null = null

/** Returns the script. The process reads its file once. */
export function passkeyScript(): PasskeyScript {
  if (cached) return cached
  const text = readFileSync(new URL('./passkey-page.js', import.meta.url), 'utf8')
  const version = createHash('sha256').update(text).digest('hex').slice(0, 16)
  cached = { text, path: `${SCRIPT_PATH}?v=${version}` }
  return cached
}

type PasskeyOptions =
  | { ceremony: 'create'; options: PublicKeyCredentialCreationOptionsJSON }
  | { ceremony: 'get'; options: PublicKeyCredentialRequestOptionsJSON }

/** Returns a form that sends the answer of a passkey. If the browser supports passkeys, the script shows the form. */
function passkeyForm(view: View, { ceremony, options }: PasskeyOptions, fields: readonly Html[], button: string): Html {
  const failed = ceremony === 'get' ? textsOf(view).passkey_failed : textsOf(view).add_passkey_failed
  return html`<form method="post" novalidate hidden data-passkey="${ceremony}" data-options="${JSON.stringify(options)}" data-failed="${failed}">
${fields}<input type="hidden" name="passkey">
<button type="submit" id="passkey">${button}</button>
<p class="problem" role="alert"></p>
</form>
<script type="module" src="${passkeyScript().path}"></script>
`
}

/** Returns the form of the second step with a passkey. */
export function usePasskeyHtml(view: View, options: PublicKeyCredentialRequestOptionsJSON): Html {
  return passkeyForm(view, { ceremony: 'get', options }, [], textsOf(view).use_passkey)
}

/** Returns the page that adds a passkey. `name` is the value of its name field. */
export function addPasskeyPage(
  view: View,
  { options, name, name_max }: { options: PublicKeyCredentialCreationOptionsJSON; name: string; name_max: number },
  problems: Problems = {},
): string {
  const t = textsOf(view)
  const hint = t.passkey_name_hint
  const field = { label: t.passkey_name, type: 'text', autocomplete: 'off', max: name_max, hint } as const
  const body = html`<p>${t.add_passkey_lead}</p>
<p data-without-passkeys>${t.no_passkeys}</p>
${passkeyForm(view, { ceremony: 'create', options }, [fieldHtml({ ...field, name: 'name', value: name }, problems)], t.add_passkey)}<p><a href="${view.dashboard}">${t.without_passkey}</a></p>`
  return pageHtml(view, t.add_passkey_title, body, problems)
}
