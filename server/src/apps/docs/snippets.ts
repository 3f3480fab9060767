// Writes the example of a call as a command of curl.

import type { CallExample } from './examples.ts'
import type { DocCall } from './openapi.ts'

/** An example of a call in one language. */
export type Snippet = { lang: 'bash'; code: string }

/** Returns the example of a call in each language. */
export function snippetsOf(call: DocCall, example: CallExample, base_url: string): Snippet[] {
  return [{ lang: 'bash', code: curlSnippet(call, example, base_url) }]
}

/** Returns the path of an example with its values. */
export function examplePath({ path }: DocCall, { path: values = {}, query = {} }: CallExample): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? `{${name}}`))
  const search = new URLSearchParams(query).toString()
  return search === '' ? filled : `${filled}?${search}`
}

function curlSnippet(call: DocCall, example: CallExample, base_url: string): string {
  const { method, operation } = call
  const has_key = (operation.security ?? []).length > 0
  const wants_key = operation.parameters?.some(
    ({ in: place, name }) => place === 'header' && /^idempotency-key$/i.test(name),
  )
  const address = `${base_url}${examplePath(call, example)}`
  const implied = method === 'GET' || (method === 'POST' && example.body !== undefined)
  const lines = [
    `curl ${implied ? '' : `-X ${method} `}${/[?&]/.test(address) ? `"${address}"` : address}`,
    ...(has_key ? ['-H "Authorization: Bearer $SANDBOX_KEY"'] : []),
    ...(wants_key ? [`-H "Idempotency-Key: $(uuidgen)"`] : []),
    ...(example.body ? ['-H "Content-Type: application/json"', `-d '${bodyText(example.body)}'`] : []),
    ...(isFile(call) ? [`-o ${fileName(call)}`] : []),
  ]
  return lines.join(' \\\n  ')
}

/** Writes a body on one line if it is short. */
function bodyText(body: Readonly<Record<string, unknown>>): string {
  const short = JSON.stringify(body, null, 1).split(/\n\s*/).join(' ')
  return short.length <= 64
    ? short.replace('{ ', '{').replace(/ \}$/, '}')
    : JSON.stringify(body, null, 2).split('\n').join('\n  ')
}

function isFile({ operation }: DocCall): boolean {
  const [, answer] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? []
  return answer?.content !== undefined && !('application/json' in answer.content)
}

function fileName({ path }: DocCall): string {
  const last = path.split('/').at(-1) ?? ''
  return last.includes('.') ? last : `${path.split('/').at(-2)}.csv`
}
