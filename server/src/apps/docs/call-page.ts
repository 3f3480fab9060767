// Writes the page of one API call in Markdown: the parameters, the body, the response, the errors, and the events that follow.

import { EVENTS, type EventName } from '../../adapters/webhooks/index.ts'
import { catalogue, type ErrorCode } from '../../kernel/lib/index.ts'
import { exampleCall } from './examples.ts'
import { answerExample, type DocCall, fieldTable, jsonSchema, parameterTable, tableCell } from './openapi.ts'
import { needsIdempotencyKey, snippetsOf } from './snippets.ts'

/** Returns the Markdown page of a call. Its examples use `base_url`. The page leaves out each part without content. */
export function callPage(call: DocCall, base_url: string): string {
  const { method, path, title, tag, operation } = call
  const body = operation.requestBody ? jsonSchema(operation.requestBody.content) : null
  return joined([
    `# ${title}`,
    `\`${method} ${path}\``,
    operation.description ?? '',
    examplePart(call, base_url),
    part('Headers', parameterTable(operation, 'header', tag)),
    part('In the path', parameterTable(operation, 'path', tag)),
    part('In the query', parameterTable(operation, 'query', tag)),
    body === null ? '' : part('Body', fieldTable(body, false, tag)),
    answerPart(call),
    errorPart(call),
    eventPart(call),
  ])
}

/** Joins the parts that are not empty, with an empty line between them. */
export function joined(parts: readonly string[]): string {
  return `${parts.filter((text) => text !== '').join('\n\n')}\n`
}

function part(title: string, content: string): string {
  return content === '' ? '' : `## ${title}\n\n${content}`
}

function examplePart(call: DocCall, base_url: string): string {
  const example = exampleCall(call.name)
  if (example === null) return ''
  const fences = snippetsOf(call, example, base_url).map(({ lang, code }) => `\`\`\`${lang}\n${code}\n\`\`\``)
  return part('Example', joined([...fences, needsIdempotencyKey(call) ? RETRY_RULE : '']).trimEnd())
}

const RETRY_RULE =
  'Each new attempt has a new `Idempotency-Key`. A retry of the same attempt keeps its key, so that the server does the work once: [Idempotency](../guides/idempotency.md).'

/** Returns the successful response of a call: its status, an example, and its fields. */
function answerPart({ operation, tag }: DocCall): string {
  const [status, answer] = Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? []
  if (status === undefined || answer === undefined) return ''
  const schema = jsonSchema(answer.content)
  const types = Object.keys(answer.content ?? {})
  if (schema === null)
    return part(`Answer ${status}`, types.length === 0 ? 'No body.' : `A file: \`${types.join('`, `')}\`.`)
  const data = schema.properties?.data
  const example = answerExample(answer.content)
  const fields = fieldTable(data ?? schema, true, tag)
  return part(
    `Answer ${status}`,
    joined([
      `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
      fields === '' ? '' : `${data ? 'The fields of `data`:\n\n' : ''}${fields}`,
    ]).trimEnd(),
  )
}

/** Returns the error codes of a call, in the order of the error catalogue. */
export function codesOfCall({ operation }: DocCall): ErrorCode[] {
  const texts = Object.entries(operation.responses)
    .filter(([status]) => !status.startsWith('2'))
    .map(([, answer]) => JSON.stringify(answer))
    .join(' ')
  const named = new Set(texts.match(/[a-z][a-z_]+[a-z]/g))
  return (Object.keys(catalogue) as ErrorCode[]).filter((code) => named.has(code))
}

function errorPart(call: DocCall): string {
  const rows = codesOfCall(call)
    .map((code) => ({ code, ...catalogue[code] }))
    .sort((a, b) => a.status - b.status)
    .map(({ code, status, to_do }) => `| \`${code}\` | ${status} | ${tableCell(to_do)} |`)
  if (rows.length === 0) return ''
  return part(
    'Errors',
    `| Code | Status | What to do |\n|---|---|---|\n${rows.join('\n')}\n\n[Errors](../guides/errors.md) explains the body of an error.`,
  )
}

const IN: readonly EventName[] = [
  'collection.success',
  'collection.failed',
  'collection.pending_review',
  'collection.reversed',
]
const OUT: readonly EventName[] = [
  'disbursement.approved',
  'disbursement.info_requested',
  'disbursement.success',
  'disbursement.failed',
  'disbursement.reversed',
]

/** The events that the server can send after a call. A pattern matches the method and the path of the call. */
const CAUSES: readonly (readonly [RegExp, readonly EventName[]])[] = [
  [/^POST \/v1\/collections(?:\/(?:wallet-push|provider-pesa|stk-push|qr))?$/, IN],
  [/^POST \/v1\/(?:collections\/\{\w+\}\/refresh-status|payment-links|invoices\/\{\w+\}\/(?:send|payment-link))$/, IN],
  [/^POST \/public\/payment-links\/\{\w+\}\/(?:collect|pay)$/, IN],
  [/^POST \/v1\/(?:disbursements\/(?:provider-pesa|mobile-money|bank-account)|merchant\/withdrawals)$/, OUT],
  [/^POST \/v1\/sandbox\/disbursements\/\{\w+\}\/simulate$/, OUT],
  [/^POST \/v1\/merchant\/webhook-(?:config|endpoints\/\{\w+\})\/test$/, ['collection.success']],
  [/^POST \/v1\/merchant\/webhook-deliveries\/(?:\{\w+\}\/)?replay$/, EVENTS],
]

/** Returns the events that the server can send after a call. */
export function eventsAfter({ method, path }: DocCall): readonly EventName[] {
  return CAUSES.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1] ?? []
}

function eventPart(call: DocCall): string {
  const lines = eventsAfter(call).map((event) => `- \`${event}\``)
  return part('Webhooks that follow', lines.join('\n'))
}
