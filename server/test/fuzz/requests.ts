// Generates valid, nearly valid and hostile requests for the calls of the OpenAPI document.

import fc from 'fast-check'

/** The parts of a JSON schema that the generator reads. */
export type FuzzSchema = {
  type?: string | string[]
  enum?: unknown[]
  format?: string
  anyOf?: FuzzSchema[]
  properties?: Record<string, FuzzSchema>
  additionalProperties?: boolean | FuzzSchema
  required?: string[]
  items?: FuzzSchema
  examples?: unknown[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}
type FuzzParameter = { name: string; in: string; required?: boolean; schema: FuzzSchema }
type FuzzMedia = Record<string, { schema?: FuzzSchema; example?: unknown }>

/** An operation of the OpenAPI document. */
export type FuzzOperation = {
  name: string
  method: string
  path: string
  parameters: FuzzParameter[]
  body: FuzzMedia | null
  /** The kinds of credentials that the call accepts. */
  security: readonly string[]
  responses: Record<string, { content?: FuzzMedia }>
}

/** A request. The test sends the text of a body unchanged. */
export type FuzzRequest = {
  method: string
  url: string
  headers: Record<string, string>
  payload?: string
}

/** Values of earlier answers by the name of their field, so that requests reach records that exist. */
export type ValuePool = Map<string, string[]>

const HOSTILE_TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202eabc',
  "' or 1=1 --",
  '<script>alert(1)</script>',
  '{{7*7}}',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'x'.repeat(300),
  'é'.repeat(5_000),
  '99999999999999999999999999',
  '-1',
  '1e400',
  'NaN',
  'null',
  '0',
  '٠١٢',
]
const HOSTILE_VALUES: readonly unknown[] = [
  null,
  true,
  [],
  {},
  [[]],
  0,
  -1,
  0.001,
  1e308,
  Number.MAX_SAFE_INTEGER,
  { __proto__: null, toString: 1 },
  ...HOSTILE_TEXTS,
]
/**
 * The texts of hostile bodies: texts that are no JSON, JSON values that are no objects, and objects that parsers read
 * differently.
 */
const HOSTILE_BODIES = [
  '',
  '{',
  'null',
  '[]',
  '"text"',
  '1e999',
  '{"__proto__":{"admin":true}}',
  '{"amount":"1","amount":"2"}',
  '\ufeff{}',
  `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`,
  `{"amount":${'9'.repeat(400)}}`,
  '{"a":"\\ud800"}',
]

const TEXTS: Record<string, string> = {
  uuid: '01a1fdef-f09c-8b9d-a92f-5bb2a0bd109f',
  'date-time': '2026-01-05T09:00:00Z',
  email: 'asha@example.com',
}

/** Makes the generator of one request to a call. */
export function requestArbitrary(operation: FuzzOperation, pool: ValuePool): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(
    { weight: 5, arbitrary: sound(operation, pool) },
    { weight: 4, arbitrary: nearlySound(operation, pool) },
    { weight: 2, arbitrary: hostile(operation, pool) },
  )
}

const key = fc.oneof({ weight: 9, arbitrary: fc.uuid() }, fc.constantFrom('same-key', 'x'.repeat(255)))

function sound(operation: FuzzOperation, pool: ValuePool): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({ values: parameterValues(operation, pool, false), body: bodyValue(operation, pool), key })
    .map(({ values, body, key: once }) => assemble(operation, values, body, once))
}

/** Changes one field of the body of a request. The parameters may have hostile values. */
function nearlySound(operation: FuzzOperation, pool: ValuePool): fc.Arbitrary<FuzzRequest> {
  const change = fc.record({ at: fc.nat(), value: fc.constantFrom(...HOSTILE_VALUES), drops: fc.boolean() })
  return fc
    .record({ values: parameterValues(operation, pool, true), body: bodyValue(operation, pool), key, change })
    .map(({ values, body, key: once, change: { at, value, drops } }) => {
      if (typeof body !== 'object' || body === null || Array.isArray(body))
        return assemble(operation, values, body, once)
      const names = [...Object.keys(body), 'unknown_field']
      const name = names[at % names.length] as string
      const changed: Record<string, unknown> = { ...body, [name]: value }
      if (drops) delete changed[name]
      return assemble(operation, values, changed, once)
    })
}

function hostile(operation: FuzzOperation, pool: ValuePool): fc.Arbitrary<FuzzRequest> {
  const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: 'binary', maxLength: 40 }))
  return fc
    .record({
      values: parameterValues(operation, pool, true),
      payload: fc.oneof(fc.constantFrom(...HOSTILE_BODIES), fc.json({ maxDepth: 4 })),
      type: fc.constantFrom('application/json', 'application/json; charset=utf-16', 'text/plain', 'text/csv', ''),
      once: fc.constantFrom('', 'a b', 'x'.repeat(256), 'é', 'ok'),
      extra: fc.array(fc.tuple(text, text), { maxLength: 2 }),
    })
    .map(({ values, payload, type, once, extra }) => {
      const request = assemble(operation, values, undefined, 'unused')
      const query = extra.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')
      if (query !== '') request.url += `${request.url.includes('?') ? '&' : '?'}${query}`
      if (/^[\x20-\x7e]*$/.test(once)) request.headers['idempotency-key'] = once
      if (operation.method === 'GET') return request
      if (type !== '') request.headers['content-type'] = type
      return { ...request, payload }
    })
}

type Values = { path: Record<string, string>; query: Record<string, string> }

function parameterValues(operation: FuzzOperation, pool: ValuePool, is_wild: boolean): fc.Arbitrary<Values> {
  const of = (place: 'path' | 'query') => {
    const entries = operation.parameters
      .filter((one) => one.in === place)
      .map(({ name, required, schema }) => {
        const usual = fc.oneof(
          { weight: 6, arbitrary: fromPool(pool, name, textOfSchema(schema, name)) },
          { weight: is_wild ? 2 : 0, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
        )
        const is_sent = place === 'path' || required === true
        return [name, is_sent ? usual : fc.option(usual, { freq: 3, nil: undefined })] as const
      })
    return fc.record(Object.fromEntries(entries)) as fc.Arbitrary<Record<string, string>>
  }
  return fc.record({ path: of('path'), query: of('query') })
}

/** The names of fields that hold the same kind of id. */
const SAME: Record<string, readonly string[]> = {
  link_id: ['id'],
  invoice_id: ['id'],
  withdrawal_id: ['id'],
  disbursement_id: ['id'],
  key_id: ['id'],
  member_id: ['id'],
  user_id: ['id'],
  address_id: ['id'],
  pause_id: ['id'],
  session_id: ['id'],
  passkey_id: ['id'],
}

function fromPool(pool: ValuePool, name: string, other: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const known = [name, ...(SAME[name] ?? [])].flatMap((one) => pool.get(one) ?? [])
  return known.length === 0 ? other : fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...known) }, other)
}

function textOfSchema(schema: FuzzSchema, name: string): fc.Arbitrary<string> {
  return schemaValue(schema, name, new Map()).map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  )
}

function bodyValue({ body }: FuzzOperation, pool: ValuePool): fc.Arbitrary<unknown> {
  const media = body?.['application/json']
  if (media?.schema === undefined) return fc.constant(body === null ? undefined : 'reference,amount\r\n')
  const made = schemaValue(media.schema, '', pool)
  const { example } = media
  if (typeof example !== 'object' || example === null) return made
  // A body near the example passes the checks of the schema more often than a random body.
  const near = made.map((value) => ({ ...(value as object), ...example }))
  return fc.oneof({ weight: 3, arbitrary: near }, { weight: 2, arbitrary: made }, fc.constant(example))
}

function schemaValue(schema: FuzzSchema, name: string, pool: ValuePool): fc.Arbitrary<unknown> {
  const example = schema.examples?.[0]
  const made = plainValue(schema, name, pool)
  return example === undefined ? made : fc.oneof(fc.constant(example), made)
}

function plainValue(schema: FuzzSchema, name: string, pool: ValuePool): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => schemaValue(one, name, pool)))
  const types = [schema.type ?? 'string'].flat()
  return fc.oneof(...types.map((type) => valueOfType(type, schema, name, pool)))
}

function valueOfType(type: string, schema: FuzzSchema, name: string, pool: ValuePool): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1_000, 2_000_000) })
    case 'number':
      return fc.integer({ min: 1, max: 5_000_000 })
    case 'array':
      return fc.array(schemaValue(schema.items ?? {}, name, pool), { maxLength: 3 })
    case 'object':
      return objectOf(schema, pool)
    default:
      return textOf(schema, name, pool)
  }
}

function objectOf(schema: FuzzSchema, pool: ValuePool): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, schemaValue(one, name, pool)]),
  )
  const made = fc.record(fields, { requiredKeys: required.filter((name) => name in properties) })
  if (typeof additionalProperties !== 'object') return made
  return fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), schemaValue(additionalProperties, '', pool), {
    maxKeys: 3,
  })
}

const PHONES = ['0754123001', '0754123007', '0754123010', '+255754123014', '255684123456', '12']
const AMOUNTS = ['500', '25000.00', '1000', '0', '-5', '1.005', '99999999999999', '3000000']

function textOf(
  { format, minLength = 0, maxLength = 60 }: FuzzSchema,
  name: string,
  pool: ValuePool,
): fc.Arbitrary<string> {
  if (/amount|price|fee|charge/.test(name)) return fc.constantFrom(...AMOUNTS)
  if (/phone|destination_identifier/.test(name)) return fc.constantFrom(...PHONES)
  if (/url/.test(name)) return fc.constantFrom('https://shop.example.com/x', 'http://127.0.0.1:1/x', 'ftp://x', 'x')
  if (format !== undefined && format in TEXTS) return fromPool(pool, name, fc.constant(TEXTS[format] as string))
  const text = fc.string({ minLength, maxLength: Math.min(Math.max(maxLength, minLength), 60) })
  return fromPool(pool, name, text)
}

function assemble(operation: FuzzOperation, { path, query }: Values, body: unknown, once: string): FuzzRequest {
  const url = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => segment(path[name] ?? 'x'))
  const sent = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = sent.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')
  const headers: Record<string, string> = {}
  if (operation.parameters.some(({ name }) => name === 'idempotency-key')) headers['idempotency-key'] = once
  const request = { method: operation.method, url: text === '' ? url : `${url}?${text}`, headers }
  if (body === undefined || operation.method === 'GET') return request
  const is_json = typeof body !== 'string'
  headers['content-type'] = is_json ? 'application/json' : 'text/csv'
  return { ...request, payload: is_json ? JSON.stringify(body) : body }
}

/**
 * Encodes a text for a URL. A lone surrogate has no encoding, so the function replaces it by the replacement character.
 */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/**
 * Encodes a segment of a path. An empty segment, or a segment of dots, would lead to another path, so the function replaces it.
 */
function segment(text: string): string {
  return text === '' || /^\.+$/.test(text) ? 'x' : encoded(text)
}
