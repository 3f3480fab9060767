// Renders the documentation page: prose for topics that every caller needs, and tables from the OpenAPI document.

import { type Config, catalogue, type Html, html } from '../lib/index.ts'
import { SCOPES } from './access.ts'
import { type FieldRow, fieldRows, type OpenApi, type Operation, parameterRows } from './docs-schema.ts'

/** The outcome at the simulated provider for a phone or a destination with the given ending. */
type MagicNumberRow = { ending: string; happens: string; ends_as: string }
/** The outcomes of payments and of payouts at the simulated provider. */
export type MagicTables = { magic_numbers: readonly MagicNumberRow[]; payout_magic_numbers: readonly MagicNumberRow[] }

/** Returns the body of the page. */
export function docsPage(api: OpenApi, config: Config, magic: MagicTables): Html {
  const base_url = config.base_url || `http://127.0.0.1:${config.port}`
  const operations = operationsOf(api)
  return html`<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div>
<p class="brand"><a href="/">${config.brand_name}</a></p>
<p class="version">API ${api.info.version} · <a href="/openapi.json">OpenAPI</a></p>
</div></header>
<div class="columns">
${contents(api, operations)}
<main id="main">
<h1>${api.info.title}</h1>
${prose(api.info.description ?? '')}
<p>The API is at <code>${base_url}</code>. Requests and responses are JSON in UTF-8. Amounts are in Tanzanian shillings (TZS).</p>
${authentication(config)}
${firstPayment(config, base_url)}
${statuses()}
<section aria-labelledby="endpoints"><h2 id="endpoints">Endpoints</h2>
${(api.tags ?? []).map(
  ({ name, description }) => html`<h3 id="${anchor(name)}" class="tag">${name}</h3>
<p>${description}</p>
${operations.filter(({ operation }) => operation.tags?.includes(name)).map(endpoint)}`,
)}
</section>
${webhooks(config)}
${errors()}
${sandbox(magic)}
</main>
</div>`
}

type Listed = { id: string; method: string; path: string; operation: Operation }

function operationsOf(api: OpenApi): Listed[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: anchor(`${method} ${path}`),
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
}

function anchor(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

const SECTIONS = [
  ['authentication', 'Authentication'],
  ['first-payment', 'First payment'],
  ['statuses', 'Statuses of a payment'],
] as const

function contents(api: OpenApi, operations: readonly Listed[]): Html {
  const link = (id: string, text: string) => html`<li><a href="#${id}">${text}</a></li>`
  return html`<nav class="contents" aria-label="On this page">
<ul>
${SECTIONS.map(([id, text]) => link(id, text))}
${(api.tags ?? []).map(
  ({ name }) => html`<li><a href="#${anchor(name)}">${name}</a><ul>
${operations
  .filter(({ operation }) => operation.tags?.includes(name))
  .map(({ id, operation, path }) => link(id, operation.summary ?? path))}
</ul></li>`,
)}
${link('receiving-webhooks', 'Receiving webhooks')}
${link('errors', 'Errors')}
${link('sandbox', 'Sandbox')}
</ul>
</nav>`
}

function authentication(config: Config): Html {
  const [live, sandbox] =
    config.api_key_style === 'sk' ? ['sk_live_', 'sk_test_'] : [`${config.brand}_live_`, `${config.brand}_sandbox_`]
  const scopes = Object.entries(SCOPES).map(([scope, grants]) => [html`<code>${scope}</code>`, html`${grants}`])
  return html`<section aria-labelledby="authentication"><h2 id="authentication">Authentication</h2>
<p>Send your API key with every request, as <code>Authorization: Bearer &lt;key&gt;</code> or as
<code>X-API-Key: &lt;key&gt;</code>. Never put it into a URL, a web page or an app: a key is for servers.</p>
<p>A key that begins with <code>${sandbox}</code> uses a simulated provider and never moves money. A key that begins
with <code>${live}</code> moves real money. The server shows a key once, when you create the key. You can revoke a key
at any time: the next request with that key gets 401.</p>
<p>Every key has scopes. If a key lacks the scope of a call, the call gets 403 <code>insufficient_scope</code>.</p>
${table('Scopes', ['Scope', 'Allows'], scopes)}
</section>`
}

function firstPayment(config: Config, base_url: string): Html {
  const key = config.api_key_style === 'sk' ? 'sk_test_' : `${config.brand}_sandbox_`
  return html`<section aria-labelledby="first-payment"><h2 id="first-payment">First payment</h2>
<p>With a sandbox key, a phone that ends in 001 always pays:</p>
${codeBlock(`curl -i ${base_url}/v1/collections/wallet-push \\
  -H "Authorization: Bearer ${key}..." \\
  -H "Idempotency-Key: order-1042-attempt-1" \\
  -H "Content-Type: application/json" \\
  -d '{"amount": "25000.00", "phone": "0754123001", "reference": "ORDER-1042"}'`)}
<p>The response is 202: the server has stored the payment and sends the prompt. The payment is not paid yet.</p>
${codeBlock(`{
  "success": true,
  "data": {
    "collection_id": "01a1fdef-f09c-8b9d-a92f-5bb2a0bd109f",
    "reference": "ORDER-1042",
    "status": "processing",
    "message": "Payment prompt sent. The customer approves it on the phone by entering the PIN."
  }
}`)}
<p>Wait for the webhook <code>collection.success</code>, or poll
<code>GET /v1/collections/{collection_id}</code> until the status is no longer <code>processing</code>.</p>
<h3 id="idempotency">Repeating a request</h3>
<p>Every call that makes a payment needs an <code>Idempotency-Key</code>. If no response reaches you, send the same request
with the same key again. You get the first response, with <code>Idempotency-Replayed: true</code>, and no second payment.
The same key with another request gets 422 <code>idempotency_key_reused</code>. While the first request is still running,
the second request gets 409 <code>idempotency_in_progress</code>. The server repeats a response for
${config.idempotency_replay_days} days, and an old key never makes a second payment. If the server refuses a request with
400, 401, 403, 404, 422 or 429, or with 409 <code>payment_in_progress</code>, the request changes nothing, and its key
stays free.</p>
<h3 id="mistyped">Mistyped parameters</h3>
<p>The server refuses an unknown query parameter with 400 <code>validation_failed</code>: <code>details.fields</code>
names the parameter and a similar one, if there is one. The server ignores an unknown field of the body; the header
<code>X-${config.brand.charAt(0).toUpperCase()}${config.brand.slice(1)}-Ignored-Fields</code> of the response names it.</p>
</section>`
}

const STATUSES: [string, string, string][] = [
  ['created', 'The customer has not chosen how to pay yet.', 'No'],
  ['processing', 'The payer has the prompt or the QR code, and the outcome is not known yet.', 'No'],
  ['successful', 'Paid, and credited to your balance.', 'Yes: deliver'],
  ['failed', 'Not paid; failure_reason_code gives the reason. If a late success arrives, it becomes successful.', 'No'],
  [
    'pending_clearance',
    'The money arrived and is held for review, for example because the amount differs.',
    'No: wait',
  ],
  ['reversed', 'The payment was paid, and the money went back to the customer.', 'No longer'],
]

function statuses(): Html {
  const rows = STATUSES.map(([status, meaning, paid]) => [
    html`<code>${status}</code>`,
    html`${meaning}`,
    html`${paid}`,
  ])
  return html`<section aria-labelledby="statuses"><h2 id="statuses">Statuses of a payment</h2>
${table('Statuses of a collection', ['Status', 'Means', 'Paid?'], rows)}
</section>`
}

function endpoint({ id, method, path, operation }: Listed): Html {
  const parameters = operation.parameters ?? []
  const places = [
    ['header', 'Headers'],
    ['path', 'In the path'],
    ['query', 'In the query'],
  ] as const
  const body = operation.requestBody?.content['application/json']?.schema
  const responses = Object.entries(operation.responses)
  const good = responses.find(([status]) => status.startsWith('2'))
  const answer = good?.[1].content?.['application/json']?.schema
  const data = answer?.properties?.data ?? answer
  const bad = responses.filter(([status]) => !status.startsWith('2'))
  return html`<section class="endpoint" aria-labelledby="${id}">
<h4 id="${id}">${operation.summary}</h4>
<p class="path"><span class="method method-${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code></p>
${prose(operation.description ?? '')}
${operation.security ? null : html`<p>Needs no key.</p>`}
${places.map(([place, title]) => fields(title, parameterRows(parameters.filter((one) => one.in === place))))}
${body && fields('Body', fieldRows(body))}
${
  good &&
  data &&
  fields(
    `Answer ${good[0]}`,
    fieldRows(data).map((row) => ({ ...row, required: null })),
    answer !== data,
  )
}
<details><summary>Errors</summary>
<ul>${bad.map(([status, { description }]) => html`<li><strong>${status}</strong> ${description}</li>`)}</ul>
<p>The codes of each status are under <a href="#errors">Errors</a>.</p>
</details>
</section>`
}

function fields(title: string, rows: readonly FieldRow[], in_data = false): Html | null {
  if (rows.length === 0) return null
  const caption = in_data ? `${title}, fields of data` : title
  return table(
    caption,
    ['Field', 'Type', 'Meaning'],
    rows.map(({ name, required, type, description }) => [
      html`<code>${breakable(name)}</code>${required === true && html` <span class="required">required</span>`}`,
      type,
      inline(description),
    ]),
  )
}

function webhooks(config: Config): Html {
  const brand = `X-${config.brand.charAt(0).toUpperCase()}${config.brand.slice(1)}`
  const rows = [
    ['webhook-id', 'The id of the delivery: the same over all attempts and replays. Ignore a repeated id.'],
    ['webhook-timestamp', 'Seconds since 1970 at the time of sending.'],
    [
      'webhook-signature',
      'The signature over id, time and body, by the Standard Webhooks convention. Verify this signature.',
    ],
    [`${brand}-Signature`, 'HMAC-SHA256 of the raw body in hex, keyed with the whole secret as text.'],
    [`${brand}-Signature-Previous`, 'The same signature with the previous secret, for 24 hours after a rotation.'],
    [`${brand}-Event`, 'The name of the event.'],
    [`${brand}-Delivery`, 'The same as webhook-id.'],
    [`${brand}-Timestamp`, `The same as webhook-timestamp. ${brand}-Signature does not cover this header.`],
  ].map(([name, meaning]) => [html`<code>${name}</code>`, html`${meaning}`])
  return html`<section aria-labelledby="receiving-webhooks"><h2 id="receiving-webhooks">Receiving webhooks</h2>
<p>Set your address once with <code>PATCH /v1/merchant/webhook-config</code>, and store the signing secret of the
response. The server shows the secret once. The server then posts every event to you as JSON:</p>
${codeBlock(`{
  "event": "collection.success",
  "merchant_code": "M2JBTVPA",
  "collection_id": "01a1fdef-f09c-8b9d-a92f-5bb2a0bd109f",
  "reference": "ORDER-1042",
  "merchant_reference": "ORDER-1042",
  "amount": "25000.00",
  "currency": "TZS",
  "status": "successful",
  "method": "wallet_push",
  "completed_at": "2026-01-05T09:00:02.000Z",
  "timestamp": "2026-01-05T09:00:02.000Z",
  "sandbox": true
}`)}
<p>Only events of a sandbox key have <code>sandbox</code>, and only test deliveries have <code>test</code>. Deliver
goods if the event is <code>collection.success</code> and has neither.</p>
${table('Headers of a delivery', ['Header', 'Content'], rows)}
<h3 id="verify">Verifying</h3>
<p>Verify the signature over the raw bytes, before you parse the body. If the signature is wrong, respond with 401. The
SDK does this in one call:</p>
${codeBlock(`import { verifyWebhook } from '@malipo/sdk'

const event = verifyWebhook({ body: raw_body, headers: request.headers, secret })`)}
<p>Without the SDK, you can verify in any language. The key is the part after <code>whsec_</code>, decoded from base64.
Compute HMAC-SHA256 over <code>webhook-id</code>, a dot, <code>webhook-timestamp</code>, a dot and the body. Compare its
base64 in constant time with each <code>v1,</code> part of <code>webhook-signature</code>. Refuse a timestamp more than five
minutes away.</p>
${codeBlock(`import { createHmac, timingSafeEqual } from 'node:crypto'

const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(raw_body).digest()
const genuine = signature.split(' ').some((part) => {
  const given = Buffer.from(part.replace(/^v1,/, ''), 'base64')
  return given.length === expected.length && timingSafeEqual(given, expected)
})`)}
<h3 id="retries">Retries</h3>
<p>Any 2xx within ${seconds(config.webhook_timeout_ms)} counts as delivered: store the event, respond, then process it. After
any other response the server retries 1, 5, 15 and 30 minutes after the previous attempt. It follows no redirects. After
five failures the delivery is <code>failed</code>. The server keeps a failed delivery, and you can replay it. Events can arrive more than once and out of order.</p>
</section>`
}

function seconds(ms: number): string {
  return ms === 1000 ? '1 second' : `${ms / 1000} seconds`
}

function errors(): Html {
  const rows = Object.entries(catalogue).map(([code, { status, message }]) => [
    html`<code>${code}</code>`,
    html`${status}`,
    html`${message}`,
  ])
  return html`<section aria-labelledby="errors"><h2 id="errors">Errors</h2>
${codeBlock(`{
  "success": false,
  "error": {
    "code": "validation_failed",
    "message": "The request is not valid. See details.fields for what to change.",
    "details": {"fields": [{"field": "phone", "message": "is required"}]}
  }
}`)}
<p>Use the code in programs. New codes may follow: treat an unknown code by its status. After a 5xx, or without a response,
repeat the request with the same Idempotency-Key.</p>
${table('Error codes', ['Code', 'Status', 'Message'], rows)}
</section>`
}

function sandbox({ magic_numbers, payout_magic_numbers }: MagicTables): Html {
  const rowsOf = (magic: readonly MagicNumberRow[]) =>
    magic.map(({ ending, happens, ends_as }) => [html`<code>${ending}</code>`, html`${happens}`, inline(ends_as)])
  const head = ['Ending', 'What happens', 'Ends as']
  return html`<section aria-labelledby="sandbox"><h2 id="sandbox">Sandbox</h2>
<p>With a sandbox key you can simulate every outcome. Send <code>simulate_status</code> (<code>successful</code>,
<code>failed</code>, <code>pending_clearance</code> or <code>reversed</code>), or a phone whose last three digits choose
the outcome; <code>simulate_status</code> overrides the phone. Any other phone pays. The server sends the same webhooks as
for a real payment, with <code>sandbox</code>.</p>
${table('Outcome by the last three digits of the phone', head, rowsOf(magic_numbers))}
<p>For an approved payout, the last three digits of the destination, a phone or a bank account, choose the outcome. A payout
to any other destination succeeds.</p>
${table('Outcome by the last three digits of the destination', head, rowsOf(payout_magic_numbers))}
</section>`
}

function codeBlock(text: string): Html {
  return html`<pre tabindex="0"><code>${text}</code></pre>`
}

/**
 * Renders a table whose first column names the row. On a narrow screen the style sheet stacks the cells. The function writes
 * the roles into the HTML, because a stacked table would lose its roles.
 */
function table(caption: string, head: readonly string[], rows: readonly (readonly Html[])[]): Html {
  return html`<div class="scroll"><table role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${head.map((text) => html`<th role="columnheader" scope="col">${text}</th>`)}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  ([first, ...rest]) => html`<tr role="row"><th role="rowheader" scope="row">${first}</th>${rest.map(
    (cell) => html`<td role="cell">${cell}</td>`,
  )}</tr>
`,
)}</tbody>
</table></div>`
}

/** Lets a long path or field name break after a slash, a dot or an underscore. */
function breakable(text: string): Html {
  return html`${text.split(/(?<=[/._])/).map((part, i) => html`${i > 0 && html`<wbr>`}${part}`)}`
}

/** Renders paragraphs with the \`code\` and **bold** that the descriptions in the schemas contain. */
function prose(text: string): Html[] {
  return text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => html`<p>${inline(paragraph)}</p>`)
}

function inline(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`') && part.length > 2) return html`<code>${part.slice(1, -1)}</code>`
    if (part.startsWith('**') && part.length > 4) return html`<strong>${inline(part.slice(2, -2))}</strong>`
    return html`${part}`
  })
  return html`${parts}`
}
