// Renders JSON schemas as readable tables: one row per field.

import { type Html, html } from '../lib/index.ts'

/** The parts of a JSON schema that the documentation reads. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  format?: string
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
}

/** A parameter of an operation. */
export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema }

type JsonContent = { 'application/json'?: { schema: Schema } }

/** One operation of the OpenAPI document. */
export type Operation = {
  summary?: string
  description?: string
  tags?: string[]
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { content: JsonContent }
  responses: Record<string, { description: string; content?: JsonContent }>
}

/** The parts of the OpenAPI document that the documentation reads. */
export type OpenApi = {
  info: { title: string; version: string; description?: string }
  tags?: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
}

/** One field of a table. Null as `required` means that the column does not apply to the field. */
export type FieldRow = { name: string; required: boolean | null; type: Html; description: string }

/** Returns the fields of an object, including nested fields: `pagination.page`, `attempts[].number`. */
export function fieldRows(schema: Schema, prefix = '', nested_required = true): FieldRow[] {
  if (schema.anyOf && schema.properties === undefined) {
    const rows = schema.anyOf.flatMap((option) => fieldRows(option, prefix, nested_required))
    return rows.filter((row, i) => rows.findIndex(({ name }) => name === row.name) === i)
  }
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const { inner, nullable } = withoutNull(field)
    const required = nested_required && (schema.required ?? []).includes(name)
    const description = field.description ?? inner.description ?? inner.items?.description ?? ''
    const path = `${prefix}${name}`
    const row: FieldRow = { name: path, required, type: typeOf(inner, nullable), description }
    const below =
      inner.type === 'array' && inner.items
        ? fieldRows(inner.items, `${path}[].`, required)
        : fieldRows(inner, `${path}.`, required)
    return [row, ...below]
  })
}

/** Returns query and path parameters as rows. */
export function parameterRows(parameters: readonly Parameter[]): FieldRow[] {
  return parameters.map(({ name, required, description, schema }) => ({
    name: name === 'idempotency-key' ? 'Idempotency-Key' : name,
    required: required ?? false,
    type: typeOf(schema, false),
    description: description ?? schema.description ?? '',
  }))
}

/** Returns a schema without null. In the schema, null may be an option or a type. */
function withoutNull(schema: Schema): { inner: Schema; nullable: boolean } {
  if (schema.anyOf) {
    const rest = schema.anyOf.filter((option) => option.type !== 'null')
    return { inner: rest[0] ?? schema, nullable: rest.length < schema.anyOf.length }
  }
  if (!Array.isArray(schema.type) || !schema.type.includes('null')) return { inner: schema, nullable: false }
  const types = schema.type.filter((type) => type !== 'null')
  const inner = { ...schema, type: types.length === 1 ? (types[0] as string) : types }
  if (inner.enum) inner.enum = inner.enum.filter((value) => value !== null)
  return { inner, nullable: true }
}

/** Returns the type of a value with its limits. */
function typeOf(schema: Schema, nullable: boolean): Html {
  const or_null = nullable ? ' or null' : ''
  if (schema.enum) {
    const options = schema.enum.map((value, i) => html`${i > 0 ? ', ' : ''}<code>${String(value)}</code>`)
    return html`${schema.enum.length > 1 ? 'one of ' : ''}${options}${or_null}`
  }
  return html`${plainType(schema)}${or_null}${limitsOf(schema)}`
}

function plainType(schema: Schema): string {
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

function limitsOf({ minLength, maxLength, minimum, maximum, maxItems, default: preset }: Schema): string {
  const limits: string[] = []
  if (minLength !== undefined && maxLength !== undefined) limits.push(`${minLength} to ${maxLength} characters`)
  else if (maxLength !== undefined) limits.push(`at most ${maxLength} characters`)
  if (minimum !== undefined && maximum !== undefined) limits.push(`${minimum} to ${maximum}`)
  if (maxItems !== undefined) limits.push(`at most ${maxItems}`)
  if (preset !== undefined) limits.push(`default ${String(preset)}`)
  return limits.length === 0 ? '' : `, ${limits.join(', ')}`
}
