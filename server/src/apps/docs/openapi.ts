// Reads the calls of the OpenAPI document in order, and writes their schemas as Markdown tables.

import { generalMeaning } from './meanings.ts'

/** The parts of a JSON schema that the documentation reads. */
export type DocSchema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: DocSchema[]
  oneOf?: DocSchema[]
  allOf?: DocSchema[]
  format?: string
  description?: string
  default?: unknown
  example?: unknown
  examples?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  properties?: Record<string, DocSchema>
  required?: string[]
  items?: DocSchema
}

type DocParameter = { name: string; in: string; required?: boolean; description?: string; schema: DocSchema }
type DocContent = Record<
  string,
  { schema?: DocSchema; example?: unknown; examples?: Record<string, { value?: unknown }> }
>
type DocAnswer = { description?: string; content?: DocContent }

/** One operation of the OpenAPI document, with the parts that the documentation reads. */
export type DocOperation = {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  security?: Record<string, unknown>[]
  parameters?: DocParameter[]
  requestBody?: { content: DocContent }
  responses: Record<string, DocAnswer>
}

/** The parts of the OpenAPI document that the documentation reads. The document contains no references. */
export type OpenApiDocument = {
  info: { title: string; version: string; description?: string }
  tags?: { name: string; description?: string }[]
  paths: Record<string, Record<string, DocOperation>>
  webhooks?: Record<string, Record<string, DocOperation>>
}

/** One webhook event: `when` is its cause, and `to_do` the next step of the receiver. */
export type DocEvent = {
  name: string
  when: string
  to_do: string
  fields: DocSchema
  example: unknown
  headers: string
}

/** Returns the webhook events in the order of the document. */
export function eventsOf(api: OpenApiDocument): DocEvent[] {
  return Object.entries(api.webhooks ?? {}).flatMap(([name, { post }]) => {
    const json = post?.requestBody?.content['application/json']
    if (post === undefined || json?.schema === undefined) return []
    const { summary = '', description = '' } = post
    const headers = parameterTable(post, 'header', 'Event')
    return [{ name, when: summary, to_do: description, fields: json.schema, example: json.example, headers }]
  })
}

/** One call. `name` is its operationId, or else its method and path. The address of its page is /docs/api/`name`. */
export type DocCall = {
  name: string
  method: string
  path: string
  tag: string
  title: string
  operation: DocOperation
}

/** Returns the calls in the order of the document. */
export function callsOf(api: OpenApiDocument): DocCall[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: operation.operationId ?? `${method}-${pathWords(path)}`,
      method: method.toUpperCase(),
      path,
      tag: operation.tags?.[0] ?? '',
      title: operation.summary ?? path,
      operation,
    })),
  )
}

/** Returns the address of the page about a capability, such as Invoices. */
export function capabilityPath(tag: string): string {
  return `/docs/api/${tag.toLowerCase().replaceAll(' ', '-')}`
}

/**
 * Returns the anchor of a call on the former one-page documentation, such as `post-v1-collections`. Old links still use the
 * anchor.
 */
export function oldAnchor({ method, path }: DocCall): string {
  return `${method.toLowerCase()}-${pathWords(path)}`
}

function pathWords(path: string): string {
  return path
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '-')
    .split('-')
    .filter(Boolean)
    .join('-')
}

/** Returns the schema of a JSON body. Null means that the body is not JSON. */
export function jsonSchema(content: DocContent | undefined): DocSchema | null {
  return content?.['application/json']?.schema ?? null
}

/** One row of a table in Markdown. Null in `required` means that the table marks no field as required. */
type FieldLine = { name: string; required: boolean | null; type: string; description: string }

/**
 * Returns a table of the fields of an object, also of nested fields such as `pagination.page`. `subject` is the capability of
 * the call. If `is_answer` is true, the table marks no field as required.
 */
export function fieldTable(schema: DocSchema, is_answer: boolean, subject: string): string {
  const lines = fieldLines(schema, '', true)
  return markdownTable(is_answer ? lines.map((line) => ({ ...line, required: null })) : lines, 'Field', subject)
}

/**
 * Returns a table of the parameters in one place: header, path or query. An empty text means that the call has no such
 * parameter.
 */
export function parameterTable(operation: DocOperation, place: string, subject: string): string {
  const lines = (operation.parameters ?? [])
    .filter((one) => one.in === place)
    .map(({ name, required, description, schema }) => ({
      name: name === 'idempotency-key' ? 'Idempotency-Key' : name,
      required: required ?? false,
      type: typeText(schema, false),
      description: description ?? schema.description ?? '',
    }))
  return markdownTable(lines, place === 'header' ? 'Header' : 'Parameter', subject)
}

/** Writes a Markdown table. If no line has a meaning, the table has no column for meanings. */
function markdownTable(lines: readonly FieldLine[], head: string, subject: string): string {
  if (lines.length === 0) return ''
  const meanings = lines.map(({ name, description }) => description || generalMeaning(subject, name))
  const has_meanings = meanings.some((text) => text !== '')
  const rows = lines.map(({ name, required, type }, i) => {
    const must = required === true ? ' **required**' : ''
    const cells = [`\`${name}\`${must}`, tableCell(type), ...(has_meanings ? [tableCell(meanings[i] ?? '')] : [])]
    return `| ${cells.join(' | ')} |`
  })
  const heads = has_meanings ? [`| ${head} | Type | Meaning |`, '|---|---|---|'] : [`| ${head} | Type |`, '|---|---|']
  return [...heads, ...rows].join('\n')
}

/** Escapes a text for a cell of a Markdown table. */
export function tableCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').split(/\s+/).join(' ')
}

function fieldLines(schema: DocSchema, prefix: string, nested_required: boolean): FieldLine[] {
  const options = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (options && schema.properties === undefined) {
    const lines = options.flatMap((option) => fieldLines(option, prefix, nested_required))
    return lines.filter((line, i) => lines.findIndex(({ name }) => name === line.name) === i)
  }
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const { inner, is_nullable } = withoutNull(field)
    const required = nested_required && (schema.required ?? []).includes(name)
    const description = field.description ?? inner.description ?? inner.items?.description ?? ''
    const path = `${prefix}${name}`
    const line: FieldLine = { name: path, required, type: typeText(inner, is_nullable), description }
    const is_list = inner.type === 'array' && inner.items !== undefined
    const below = fieldLines(is_list ? (inner.items as DocSchema) : inner, `${path}${is_list ? '[]' : ''}.`, required)
    return [line, ...below]
  })
}

/** Returns a schema without null, and whether it had null. A schema can contain null as an option or as a type. */
function withoutNull(schema: DocSchema): { inner: DocSchema; is_nullable: boolean } {
  const options = schema.anyOf ?? schema.oneOf
  if (options) {
    const rest = options.filter((option) => option.type !== 'null')
    return { inner: rest[0] ?? schema, is_nullable: rest.length < options.length }
  }
  if (!Array.isArray(schema.type) || !schema.type.includes('null')) return { inner: schema, is_nullable: false }
  const types = schema.type.filter((type) => type !== 'null')
  const inner = { ...schema, type: types.length === 1 ? (types[0] as string) : types }
  if (inner.enum) inner.enum = inner.enum.filter((value) => value !== null)
  return { inner, is_nullable: true }
}

/** Returns the type of a value and its limits in Markdown. */
function typeText(schema: DocSchema, is_nullable: boolean): string {
  const or_null = is_nullable ? ' or null' : ''
  const values = schema.enum ?? (schema.const === undefined ? null : [schema.const])
  if (values !== null) {
    const named = values.map((value) => `\`${String(value)}\``).join(', ')
    return `${values.length > 1 ? 'one of ' : ''}${named}${or_null}`
  }
  return `${plainType(schema)}${or_null}${limitsText(schema)}`
}

function plainType(schema: DocSchema): string {
  if (Array.isArray(schema.type)) return schema.type.map(typeName).join(' or ')
  if (schema.type === 'array')
    return `list of ${schema.items?.properties ? 'objects' : `${plainType(schema.items ?? {})}s`}`
  if (schema.format === 'uuid') return 'id (UUID)'
  if (schema.format === 'date-time') return 'time (ISO 8601)'
  return typeName(schema.type ?? 'object')
}

function typeName(type: string): string {
  const names: Record<string, string> = { string: 'text', boolean: 'true or false', integer: 'whole number' }
  return names[type] ?? type
}

function limitsText({ minLength, maxLength, minimum, maximum, maxItems, default: preset }: DocSchema): string {
  const limits: string[] = []
  if (minLength !== undefined && maxLength !== undefined) limits.push(`${minLength} to ${maxLength} characters`)
  else if (maxLength !== undefined) limits.push(`at most ${maxLength} characters`)
  if (minimum !== undefined && maximum !== undefined) limits.push(`${minimum} to ${maximum}`)
  if (maxItems !== undefined) limits.push(`at most ${maxItems}`)
  if (preset !== undefined) limits.push(`default ${String(preset)}`)
  return limits.length === 0 ? '' : `, ${limits.join(', ')}`
}

/** Returns an example of a response: the example of the document, or else a value that fits the schema. */
export function answerExample(content: DocContent | undefined): unknown {
  const json = content?.['application/json']
  if (json === undefined) return undefined
  const named = Object.values(json.examples ?? {})[0]?.value
  return json.example ?? named ?? (json.schema ? exampleValue(json.schema, '') : undefined)
}

const EXAMPLE_ID = '01a1fdef-f09c-8b9d-a92f-5bb2a0bd109f'

function exampleValue(schema: DocSchema, name: string): unknown {
  const given = schema.example ?? schema.examples?.[0] ?? schema.const ?? schema.enum?.[0] ?? schema.default
  if (given !== undefined) return given
  const { inner, is_nullable } = withoutNull(schema)
  if (inner !== schema && !is_nullable) return exampleValue(inner, name)
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((one) => exampleValue(one, name) as object))
  if (inner.properties)
    return Object.fromEntries(Object.entries(inner.properties).map(([key, field]) => [key, exampleValue(field, key)]))
  if (inner.type === 'array') return [exampleValue(inner.items ?? {}, name)]
  // If a field other than an object or a list can be null and has no example, the function uses null.
  if (is_nullable) return inner.example ?? inner.examples?.[0] ?? null
  if (inner.format === 'uuid') return EXAMPLE_ID
  if (inner.format === 'date-time') return '2026-01-05T09:00:02.000Z'
  if (inner.format === 'date') return '2026-01-05'
  if (inner.type === 'boolean') return false
  if (inner.type === 'integer' || inner.type === 'number') return inner.minimum ?? 0
  if (inner.type === 'object') return {}
  return /amount|fee|charge|balance|total|available|reserved|held|net/.test(name) ? '25000.00' : '...'
}
