// Writes the example of a call as a curl command, and as programs that use the SDKs.

import type { CallExample } from './examples.ts'
import type { DocCall } from './openapi.ts'

/** The languages of the examples, in the order of the tabs. `bash` is the curl command. */
export const SNIPPET_LANGUAGES = ['bash', 'ts', 'php', 'python'] as const
/** The language of an example, as its code fence names the language. */
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number]

/** The code of one example in one language. */
export type Snippet = { lang: SnippetLanguage; code: string }

/** Returns the example of a call in each language. If the SDKs do not offer the call, returns only the curl command. */
export function snippetsOf(call: DocCall, example: CallExample, base_url: string): Snippet[] {
  const curl: Snippet = { lang: 'bash', code: curlSnippet(call, example, base_url) }
  if (example.sdk === undefined) return [curl]
  const sdk = sdkCall(call, example, example.sdk)
  return [
    curl,
    { lang: 'ts', code: tsSnippet(sdk, base_url) },
    { lang: 'php', code: phpSnippet(sdk, base_url) },
    { lang: 'python', code: pythonSnippet(sdk, base_url) },
  ]
}

/** Returns the path of an example with the values of its parameters and its query. */
function examplePath({ path }: DocCall, { path: values = {}, query = {} }: CallExample): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? `{${name}}`))
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return search === '' ? filled : `${filled}?${search}`
}

function curlSnippet(call: DocCall, example: CallExample, base_url: string): string {
  const { method, operation } = call
  const has_key = (operation.security ?? []).length > 0
  const key = keyBeginning(call, example)
  const address = `${base_url}${examplePath(call, example)}`
  const is_implied = method === 'GET' || (method === 'POST' && example.body !== undefined)
  const lines = [
    `curl ${is_implied ? '' : `-X ${method} `}${/[?&]/.test(address) ? `"${address}"` : address}`,
    ...(has_key ? ['-H "Authorization: Bearer $SANDBOX_KEY"'] : []),
    ...(key === null ? [] : [`-H "Idempotency-Key: ${key}$(date +%s)"`]),
    ...(example.body ? ['-H "Content-Type: application/json"', `-d '${jsonText(example.body)}'`] : []),
    ...(isFile(call) ? [`-o ${fileName(call)}`] : []),
    // Without this option, curl would buffer the events.
    ...(STREAM in answerTypesOf(call) ? ['--no-buffer'] : []),
  ]
  return lines.join(' \\\n  ')
}

/** Returns true if the call requires an Idempotency-Key header. */
export function needsIdempotencyKey({ operation }: DocCall): boolean {
  return (operation.parameters ?? []).some(
    ({ in: place, name, required }) => place === 'header' && required === true && /^idempotency-key$/i.test(name),
  )
}

/**
 * Returns the first part of the idempotency key. Each program appends the time, because each run is a new attempt. Null means
 * that the call needs no key.
 */
function keyBeginning(call: DocCall, { body = {} }: CallExample): string | null {
  if (!needsIdempotencyKey(call)) return null
  return `${String(body.reference ?? body.merchant_reference ?? call.name)}-`
}

/** Writes a body as JSON. A short body is on one line. */
function jsonText(body: Readonly<Record<string, unknown>>): string {
  const short = JSON.stringify(body, null, 1).split(/\n\s*/).join(' ').replaceAll('{ ', '{').replaceAll(' }', '}')
  return short.length <= 64 ? short : JSON.stringify(body, null, 2).split('\n').join('\n  ')
}

const STREAM = 'text/event-stream'

function answerTypesOf({ operation }: DocCall): object {
  const [, answer] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? []
  return answer?.content ?? { 'application/json': {} }
}

function isFile(call: DocCall): boolean {
  const content = answerTypesOf(call)
  return !('application/json' in content) && !(STREAM in content)
}

function fileName({ path }: DocCall): string {
  const parts = path.split('/')
  const last = parts.at(-1) ?? ''
  if (last === 'export.csv') return `${parts.at(-2)}.csv`
  return last.includes('.') ? last : `${parts.at(-2)}.csv`
}

/** A call of an SDK. `answer` is the name of the variable for the response, or for one record of a list. */
type SdkCall = {
  resource: string
  method: string
  positional: readonly string[]
  input: Readonly<Record<string, unknown>> | null
  key: string | null
  kind: 'record' | 'list' | 'file'
  answer: string
  /** The field of each record that the program for a list prints. */
  shown: string
  file: string
}

/**
 * By resource, the variable name of one record and the field that identifies the record. Not every resource has an entry.
 */
const RECORDS: Readonly<Record<string, readonly [string, string]>> = {
  collections: ['collection', 'collection_id'],
  paymentLinks: ['link', 'id'],
  invoices: ['invoice', 'id'],
  disbursements: ['payout', 'id'],
  transactions: ['transaction', 'reference'],
  webhookDeliveries: ['delivery', 'id'],
  webhookEndpoints: ['endpoint', 'id'],
  webhookConfig: ['config', 'url'],
  destinations: ['destinations', 'code'],
  balance: ['balance', 'available'],
  me: ['me', 'merchant_id'],
}
/** The resources whose method `list` returns one response, without pages. */
const WHOLE_LISTS = ['destinations', 'webhookEndpoints']

function sdkCall(call: DocCall, example: CallExample, sdk: string): SdkCall {
  const [resource = '', method = ''] = sdk.split('.')
  const is_list = /^list/.test(method) && !WHOLE_LISTS.includes(resource)
  const kind = isFile(call) ? 'file' : is_list ? 'list' : 'record'
  const [record, field] = RECORDS[method === 'listCollections' ? 'collections' : resource] ?? ['answer', 'id']
  const answers: Record<string, string> = {
    statement: 'statement',
    timeline: 'timeline',
    limits: 'limits',
    replayAll: 'replayed',
    list: kind === 'record' ? resource : record,
  }
  return {
    resource,
    method,
    positional: Object.entries(example.path ?? {}).flatMap(([name, value]) => (name === 'merchant_id' ? [] : [value])),
    input: example.body ?? example.query ?? null,
    key: keyBeginning(call, example),
    kind,
    answer: answers[method] ?? record,
    shown: field,
    file: fileName(call),
  }
}

/** Writes the arguments of a call. If the arguments fit, they are on one line. */
function argumentsText(parts: readonly string[], head: string): string {
  const one_line = parts.join(', ')
  if (!one_line.includes('\n') && head.length + one_line.length <= 96) return one_line
  // A single object begins on the line of the call.
  if (parts.length === 1) return parts[0] as string
  return `\n${parts.map((part) => `  ${part.split('\n').join('\n  ')},\n`).join('')}`
}

type Writer = {
  string(text: string): string
  object(entries: [string, string][]): string
  list(items: string[]): string
}

function written(value: unknown, writer: Writer): string {
  if (typeof value === 'string') return writer.string(value)
  if (Array.isArray(value)) return writer.list(value.map((item) => written(item, writer)))
  if (typeof value === 'object' && value !== null)
    return writer.object(Object.entries(value).map(([name, inner]) => [name, written(inner, writer)]))
  return String(value)
}

/** Writes an object or a list. If the text is short, it is on one line. Otherwise each entry has its own line. */
function bracketed(open: string, parts: readonly string[], close: string, pad = ''): string {
  const one_line = parts.join(', ')
  if (!one_line.includes('\n') && one_line.length <= 72) return `${open}${pad}${one_line}${pad}${close}`
  return `${open}\n${parts.map((part) => `  ${part.split('\n').join('\n  ')},\n`).join('')}${close}`
}

const TS: Writer = {
  string: (text) => `'${text}'`,
  object: (entries) =>
    bracketed(
      '{',
      entries.map(([name, value]) => `${name}: ${value}`),
      '}',
      ' ',
    ),
  list: (items) => bracketed('[', items, ']'),
}

function tsSnippet(sdk: SdkCall, base_url: string): string {
  const { resource, method, positional, input, key, kind, answer, shown, file } = sdk
  const head = `malipo.${resource}.${method}`
  const parts = [
    ...positional.map(TS.string),
    ...(input === null ? [] : [written(input, TS)]),
    ...(key === null ? [] : [`{ idempotencyKey: \`${key}\${Date.now()}\` }`]),
  ]
  const call = `${head}(${argumentsText(parts, head)})`
  const lines = {
    record: `const ${answer} = await ${call}\nconsole.log(${answer})`,
    list: `for await (const ${answer} of ${call}) {\n  console.log(${answer}.${shown})\n}`,
    file: `const file = await ${call}\nawait writeFile('${file}', Buffer.from(await file.arrayBuffer()))`,
  }
  return `${kind === 'file' ? "import { writeFile } from 'node:fs/promises'\n" : ''}import { Malipo } from '@malipo/sdk'

const malipo = new Malipo({ apiKey: process.env.SANDBOX_KEY ?? '', baseUrl: '${base_url}' })

${lines[kind]}`
}

const PHP: Writer = {
  string: (text) => `'${text}'`,
  object: (entries) =>
    bracketed(
      '[',
      entries.map(([name, value]) => `'${name}' => ${value}`),
      ']',
    ),
  list: (items) => bracketed('[', items, ']'),
}

function phpSnippet(sdk: SdkCall, base_url: string): string {
  const { resource, method, positional, input, key, kind, answer, shown, file } = sdk
  const head = `$malipo->${resource}->${method}`
  const parts = [
    ...positional.map(PHP.string),
    ...(input === null ? [] : [written(input, PHP)]),
    ...(key === null ? [] : [`idempotencyKey: ${PHP.string(key)} . time()`]),
  ]
  const call = `${head}(${argumentsText(parts, head)})`
  const lines = {
    record: `$${answer} = ${call};\nprint_r($${answer});`,
    list: `foreach (${call} as $${answer}) {\n  echo $${answer}['${shown}'], "\\n";\n}`,
    file: `file_put_contents('${file}', ${call});`,
  }
  const code = `<?php
require 'vendor/autoload.php';

$malipo = new Malipo\\Client('${base_url}', getenv('SANDBOX_KEY'));

${lines[kind]}`
  // PHP indents by four spaces, so the function doubles each indentation.
  return code.replace(/^ +/gm, (spaces) => spaces + spaces)
}

const PYTHON: Writer = {
  string: (text) => `"${text}"`,
  object: (entries) =>
    bracketed(
      '{',
      entries.map(([name, value]) => `"${name}": ${value}`),
      '}',
    ),
  list: (items) => bracketed('[', items, ']'),
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function pythonSnippet(sdk: SdkCall, base_url: string): string {
  const { positional, input, key, kind, shown, file } = sdk
  const answer = snakeCase(sdk.answer)
  const head = `malipo.${snakeCase(sdk.resource)}.${snakeCase(sdk.method)}`
  const parts = [
    ...positional.map(PYTHON.string),
    ...(input === null ? [] : [written(input, PYTHON)]),
    ...(key === null ? [] : [`idempotency_key=f"${key}{int(time.time())}"`]),
  ]
  const call = `${head}(${argumentsText(parts, head)})`
  const lines = {
    record: `${answer} = ${call}\nprint(${answer})`,
    list: `for ${answer} in ${call}:\n  print(${answer}["${shown}"])`,
    file: `with open("${file}", "wb") as file:\n  file.write(${call})`,
  }
  const code = `import os
${key === null ? '' : 'import time\n'}
from malipo import Malipo

malipo = Malipo("${base_url}", os.environ["SANDBOX_KEY"])

${lines[kind]}`
  return code.replace(/^ +/gm, (spaces) => spaces + spaces)
}
