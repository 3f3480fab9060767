// Converts the OpenAPI document for merchants into collections of requests: one for Postman, and one for Bruno.

import { findRef, isObject } from '../server/src/kernel/http/openapi-share.ts'

type ListedParameter = {
  name: string
  in: string
  required?: boolean
  description?: string
  example?: unknown
  schema: object
}
type ListedOperation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security: object[]
  parameters?: (ListedParameter | { $ref: string })[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}
/** The parts of the OpenAPI document that this file reads. */
export type MerchantDocument = {
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, ListedOperation>>
}

/** The folder of the collections, as a path from the root of the repository. */
export const COLLECTIONS = 'sdk/collections'
const BASE_URL = 'http://127.0.0.1:8080'
/** A variable that Postman and Bruno replace by a new UUID for each request. */
const NEW_ID = '{{$guid}}'
const EXAMPLE_ID = '01a1fdef-f09c-8b9d-a92f-5bb2a0bd109f'

type Call = {
  name: string
  summary: string
  description: string
  tag: string
  method: string
  path: string
  needs_key: boolean
  takes_once: boolean
  in_path: { name: string; value: string; description: string }[]
  in_query: { name: string; value: string; description: string; required: boolean }[]
  body: string | null
}

/** Returns the files of both collections, by their paths from the root of the repository. */
export function collectionFiles(document: MerchantDocument): Map<string, string> {
  const calls = callsIn(document)
  return new Map([
    [`${COLLECTIONS}/malipo.postman_collection.json`, postmanCollection(document, calls)],
    ...brunoFiles(document, calls).map(([path, text]) => [`${COLLECTIONS}/bruno/${path}`, text] as const),
  ])
}

function callsIn(document: MerchantDocument): Call[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Call => {
      const parameters = (operation.parameters ?? []).map((one) =>
        '$ref' in one ? (findRef(document, one.$ref) as ListedParameter) : one,
      )
      const listed = (place: string) =>
        parameters
          .filter((one) => one.in === place)
          .map(({ name, description = '', required = false, ...one }) => {
            return { name, description, required, value: exampleText(name, place, one.example) }
          })
      const example = operation.requestBody?.content['application/json']?.example
      return {
        name: operation.operationId,
        summary: operation.summary,
        description: operation.description ?? '',
        tag: operation.tags[0] as string,
        method: method.toUpperCase(),
        path,
        needs_key: operation.security.length > 0,
        takes_once: parameters.some(({ name }) => name === 'idempotency-key'),
        in_path: listed('path'),
        in_query: listed('query'),
        body: example === undefined ? null : JSON.stringify(example, null, 2),
      }
    }),
  )
}

function exampleText(name: string, place: string, example: unknown): string {
  if (name === 'merchant_id') return 'me'
  if (name === 'period') return '2026-01'
  if (name === 'reference' && place === 'path') return 'TXN-01K6Q0Z3W5ABCDEFGHJKMNPQRS'
  if (example !== undefined && !isObject(example)) return String(example)
  return place === 'path' ? EXAMPLE_ID : ''
}

function postmanCollection({ info, tags }: MerchantDocument, calls: readonly Call[]): string {
  const collection = {
    info: {
      name: info.title,
      description: info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: BASE_URL },
      { key: 'api_key', value: '' },
    ],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: calls.filter(({ tag }) => tag === name).map(postmanItem),
    })),
  }
  return `${JSON.stringify(collection, null, 1)}\n`
}

function postmanItem({
  summary,
  description,
  method,
  path,
  needs_key,
  takes_once,
  in_path,
  in_query,
  body,
}: Call): object {
  const segments = path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/')
  const query = in_query.map(({ name, value, description: about, required }) => {
    return { key: name, value, description: about, disabled: !required }
  })
  return {
    name: summary,
    request: {
      method,
      description,
      ...(needs_key ? {} : { auth: { type: 'noauth' } }),
      header: [
        ...(takes_once ? [{ key: 'Idempotency-Key', value: NEW_ID }] : []),
        ...(body === null ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
      ],
      url: {
        raw: `{{base_url}}/${segments.join('/')}`,
        host: ['{{base_url}}'],
        path: segments,
        ...(query.length > 0 ? { query } : {}),
        variable: in_path.map(({ name, value, description: about }) => ({ key: name, value, description: about })),
      },
      ...(body === null ? {} : { body: { mode: 'raw', raw: body, options: { raw: { language: 'json' } } } }),
    },
  }
}

function brunoFiles({ info, tags }: MerchantDocument, calls: readonly Call[]): [string, string][] {
  const folders = tags.map(({ name }, i): [string, string] => [
    `${name}/folder.bru`,
    brunoText([['meta', [`name: ${name}`, `seq: ${i + 1}`]]]),
  ])
  return [
    ['bruno.json', `${JSON.stringify({ version: '1', name: info.title, type: 'collection' }, null, 2)}\n`],
    [
      'collection.bru',
      brunoText([
        ['auth', ['mode: bearer']],
        ['auth:bearer', ['token: {{api_key}}']],
      ]),
    ],
    ['environments/Sandbox.bru', `vars {\n  base_url: ${BASE_URL}\n}\nvars:secret [\n  api_key\n]\n`],
    ...folders,
    ...calls.map((call, i): [string, string] => [`${call.tag}/${call.name}.bru`, brunoRequest(call, i + 1)]),
  ]
}

function brunoRequest(call: Call, seq: number): string {
  const { summary, description, method, path, needs_key, takes_once, in_path, in_query, body } = call
  const url = `{{base_url}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
  // In Bruno, the sign ~ disables a parameter.
  const query = in_query.map(({ name, value, required }) => `${required ? '' : '~'}${name}: ${value}`.trimEnd())
  const blocks: [string, string[]][] = [
    ['meta', [`name: ${summary}`, 'type: http', `seq: ${seq}`]],
    [
      method.toLowerCase(),
      [`url: ${url}`, `body: ${body === null ? 'none' : 'json'}`, `auth: ${needs_key ? 'inherit' : 'none'}`],
    ],
    ['params:query', query],
    ['params:path', in_path.map(({ name, value }) => `${name}: ${value}`)],
    ['headers', takes_once ? [`Idempotency-Key: ${NEW_ID}`] : []],
    ['body:json', body === null ? [] : body.split('\n')],
    ['docs', description === '' ? [] : description.split('\n')],
  ]
  return brunoText(blocks.filter(([, lines]) => lines.length > 0))
}

function brunoText(blocks: readonly (readonly [string, readonly string[]])[]): string {
  const texts = blocks.map(
    ([name, lines]) => `${name} {\n${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}\n}\n`,
  )
  return texts.join('\n')
}
