// Renders the form with which a reader sends a call to the sandbox. Without the script, the form stays hidden.

import { type Html, html } from '../../kernel/lib/index.ts'
import { type CallExample, exampleCall, READER_IDS } from './examples.ts'
import type { InstallationFacts } from './guides.ts'
import type { DocCall } from './openapi.ts'

/**
 * Returns the form of a call. If a reader cannot send the call with a sandbox key, or if the response is a stream, returns
 * null. A call without a key has no form, because with the address of a live page it would request real money.
 */
export function callForm(call: DocCall, { sandbox_prefix, live_prefix }: InstallationFacts): Html | null {
  const example = exampleCall(call.name)
  if (example === null || !needsKey(call) || isStream(call)) return null
  const { method, path, operation } = call
  const header = operation.parameters?.find(
    ({ in: place, name }) => place === 'header' && /^idempotency-key$/i.test(name),
  )
  return html`<section class="docs-try" hidden aria-labelledby="try-it">
<h2 id="try-it">Try it</h2>
<p>The form sends the call from this page to the sandbox. The page keeps your key in memory until you leave the page, and stores it nowhere.</p>
<form data-method="${method}" data-path="${path}" data-sandbox="${sandbox_prefix}" data-live="${live_prefix}"${header && html` data-repeats="yes"`} autocomplete="off">
${keyField(sandbox_prefix)}
${valueFields(call, example)}
${bodyField(call, example)}
<button type="submit">Send</button>
<p class="docs-problem" role="alert"></p>
</form>
<div class="docs-answer" aria-live="polite" hidden>
<h3>Answer</h3>
<p class="docs-answer-status"></p>
<figure class="code"><pre tabindex="0"><code></code></pre></figure>
</div>
</section>
`
}

const needsKey = ({ operation }: DocCall) => (operation.security ?? []).length > 0

/** Returns true if the response is a stream of events. A stream has no end, so a form cannot show it. */
function isStream({ operation }: DocCall): boolean {
  return Object.values(operation.responses).some(
    ({ content }) => content !== undefined && 'text/event-stream' in content,
  )
}

/**
 * The field is not a password field, because a browser would offer to store the key. The style sheet hides the characters.
 */
function keyField(sandbox_prefix: string): Html {
  return html`<div class="docs-field"><label for="try-key">Sandbox key</label>
<input id="try-key" class="docs-key" name="key" required spellcheck="false" autocapitalize="off" autocomplete="off" placeholder="${sandbox_prefix}…"></div>`
}

function valueFields({ operation, path }: DocCall, { path: values = {}, query = {} }: CallExample): Html[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  const in_path = names.map(
    (name) => html`<div class="docs-field"><label for="try-path-${name}"><code>${name}</code></label>
<input id="try-path-${name}" data-path-value="${name}" required spellcheck="false" value="${values[name] ?? ''}"></div>
`,
  )
  const has_query = operation.parameters?.some(
    ({ in: place, name }) => place === 'query' && !['environment', 'merchant_id'].includes(name),
  )
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const in_query =
    has_query &&
    html`<div class="docs-field"><label for="try-query">Query</label>
<input id="try-query" data-query="yes" spellcheck="false" value="${search.toString()}"></div>
`
  return in_query ? [...in_path, in_query] : in_path
}

function bodyField({ operation }: DocCall, { body }: CallExample): Html | null {
  if (operation.requestBody === undefined) return null
  const text = JSON.stringify(body ?? {}, null, 2)
  return html`<div class="docs-field"><label for="try-body">Body</label>
<textarea id="try-body" data-body="yes" rows="${Math.min(text.split('\n').length + 1, 14)}" spellcheck="false">${text}</textarea></div>
`
}

/**
 * Returns JSON for an attribute of the page: sample ids in the path, each with the list and field of the reader's own ids.
 */
export function readerIds(call: DocCall): string {
  const values = Object.values(exampleCall(call.name)?.path ?? {})
  return JSON.stringify(
    Object.fromEntries(values.flatMap((value) => (READER_IDS[value] ? [[value, READER_IDS[value]]] : []))),
  )
}
