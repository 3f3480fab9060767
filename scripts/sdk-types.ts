// Converts the OpenAPI document into the types of the TypeScript SDK: the calls that an API key can make, and the named
// schemas.

type SdkSchema = {
  type?: string | string[]
  description?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: SdkSchema[]
  oneOf?: SdkSchema[]
  allOf?: SdkSchema[]
  $ref?: string
  properties?: Record<string, SdkSchema>
  required?: string[]
  items?: SdkSchema
  additionalProperties?: boolean | SdkSchema
}
type SdkParameter = {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema: SdkSchema
}
type SdkContent = { content?: Record<string, { schema?: SdkSchema }> }
type SdkOperation = {
  operationId?: string
  deprecated?: boolean
  security?: Record<string, unknown>[]
  parameters?: SdkParameter[]
  requestBody?: SdkContent
  responses: Record<string, SdkContent & { $ref?: string }>
}
/** The parts of an OpenAPI document that this file reads. */
export type SdkDocument = {
  paths: Record<string, Record<string, SdkOperation>>
  webhooks?: Record<string, Record<string, SdkOperation>>
  components?: { schemas?: Record<string, SdkSchema>; parameters?: Record<string, SdkParameter> }
}

/** The API key determines these fields, so the SDK does not offer them. */
const DECIDED_BY_KEY = new Set(['merchant_id', 'environment'])
const WIDTH = 120

/** Returns the text of a TypeScript module with the error codes, the schemas and the inputs and answers of each call. */
export function sdkTypes(document: SdkDocument, error_codes: readonly string[]): string {
  const { schemas = {} } = document.components ?? {}
  const used = new Set<string>()
  const calls = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      isForKeys(path, operation) ? callTypes(document, `${method.toUpperCase()} ${path}`, operation, used) : [],
    ),
  )
  const events = Object.values(document.webhooks ?? {}).map(({ post }) => {
    const ref = post?.requestBody?.content?.['application/json']?.schema?.$ref
    if (ref === undefined) throw new Error('an event of the OpenAPI document has no named schema')
    used.add(lastPart(ref))
    return lastPart(ref)
  })
  const named = new Map<string, string>()
  const done = new Set<string>()
  for (let open = [...used]; open.length > 0; open = [...used].filter((name) => !done.has(name))) {
    for (const name of open) {
      done.add(name)
      const text = typeText(document, flattened(document, schemas[name] ?? {}), used, true)
      named.set(name, declaration(name, text, describedAs(name, schemas[name])))
    }
  }
  const codes = `/** The error codes of the API. */\nexport type ErrorCode =\n${error_codes.map((code) => `  | '${code}'`).join('\n')}\n`
  const sorted_types = [...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  const event_names = Object.keys(document.webhooks ?? {})
  const list = `/** The names of the events that this version knows. */\nexport const EVENT_NAMES: readonly string[] = ${quotedList(event_names)}\n`
  const union = declaration('WebhookEvent', events.map((name) => `\n  | ${name}`).join(''), EVENT_DESCRIPTION)
  return `${HEAD}${[codes, list, union, ...sorted_types, ...calls].join('\n')}`
}

/** Returns the comment of a named schema: its own description, or a sentence with its name. */
function describedAs(name: string, schema: SdkSchema | undefined): string {
  if (schema?.description !== undefined) return schema.description
  return schema?.enum === undefined ? `The schema \`${name}\` of the API.` : `The values of \`${name}\` in the API.`
}

const HEAD = `// The types of the calls that an API key can make. Generated from openapi.json by \`npm run generate\`; do not edit.

`

const EVENT_DESCRIPTION =
  'The event of a webhook: `switch (event.event)` separates the kinds. A newer server can send other events, which reach the `default` of the switch: log `unknownEventNotice(event)`, and answer 200.'

function isForKeys(path: string, { security, deprecated }: SdkOperation): boolean {
  const is_public = security === undefined || security.length === 0
  if (deprecated || !path.startsWith('/v1/')) return false
  return is_public || security.some((one) => 'api_key' in one)
}

/** Returns the declarations of the input, the filters and the answer of a call. */
function callTypes(document: SdkDocument, call: string, operation: SdkOperation, used: Set<string>): string[] {
  const { operationId, requestBody, responses } = operation
  if (operationId === undefined) throw new Error(`${call} has no operationId`)
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1)
  const found: string[] = []
  const body = requestBody?.content?.['application/json']?.schema
  if (body !== undefined) {
    found.push(
      declaration(
        `${name}Input`,
        typeText(document, withoutDecided(flattened(document, body)), used, false),
        `The input of ${call}.`,
      ),
    )
  }
  const query = (operation.parameters ?? [])
    .map((one) => (one.$ref === undefined ? one : (document.components?.parameters?.[lastPart(one.$ref)] ?? one)))
    .filter((one) => one.in === 'query' && !DECIDED_BY_KEY.has(one.name))
  if (query.length > 0) {
    const fields = Object.fromEntries(
      query.map(({ name: field, description, schema }) => [field, description ? { ...schema, description } : schema]),
    )
    const required = query.filter((one) => one.required).map((one) => one.name)
    const schema = { type: 'object', properties: fields, required }
    found.push(declaration(`${name}Filters`, typeText(document, schema, used, false), `The filters of ${call}.`))
  }
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const data = dataSchema(document, answer?.content?.['application/json']?.schema)
  if (data !== undefined)
    found.push(declaration(`${name}Answer`, typeText(document, data, used, true), `The answer to ${call}.`))
  return found
}

/** Finds the schema of `data` in the envelope. */
function dataSchema(document: SdkDocument, schema: SdkSchema | undefined): SdkSchema | undefined {
  if (schema === undefined) return undefined
  const { properties, allOf = [] } = resolved(document, schema)
  return properties?.data ?? allOf.map((one) => dataSchema(document, one)).find((one) => one !== undefined)
}

function resolved(document: SdkDocument, schema: SdkSchema): SdkSchema {
  return schema.$ref === undefined ? schema : (document.components?.schemas?.[lastPart(schema.$ref)] ?? {})
}

/** Joins the parts of a schema into one object, so that a type shows all its fields. */
function flattened(document: SdkDocument, schema: SdkSchema): SdkSchema {
  const { allOf, ...own } = resolved(document, schema)
  if (allOf === undefined) return own
  const parts = [...allOf.map((one) => flattened(document, one)), own]
  return {
    ...own,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  }
}

function withoutDecided(schema: SdkSchema): SdkSchema {
  const kept = Object.entries(schema.properties ?? {}).filter(([name]) => !DECIDED_BY_KEY.has(name))
  return schema.properties === undefined ? schema : { ...schema, properties: Object.fromEntries(kept) }
}

function declaration(name: string, text: string, description?: string): string {
  return `${comment(description, '')}export type ${name} = ${text}\n`
}

/** Returns the type of a schema. Texts of a closed list stay open in answers, because a newer server can add values. */
function typeText(
  document: SdkDocument,
  schema: SdkSchema,
  used: Set<string>,
  is_answer: boolean,
  indent = '',
): string {
  // In an input, a list of values is closed. The named types of answers have open lists, so an input does not use them.
  if (schema.$ref !== undefined && !is_answer)
    return typeText(document, resolved(document, schema), used, false, indent)
  if (schema.$ref !== undefined) {
    used.add(lastPart(schema.$ref))
    return lastPart(schema.$ref)
  }
  const of = (one: SdkSchema) => typeText(document, one, used, is_answer, indent)
  const several = schema.anyOf ?? schema.oneOf
  if (several !== undefined) return either(several.map(of))
  if (schema.allOf !== undefined) {
    const { allOf, ...own } = schema
    return [...allOf.map(of), ...(own.properties === undefined ? [] : [of(own)])].join(' & ')
  }
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) {
    const nullable = Array.isArray(schema.type) && schema.type.includes('null') && !schema.enum.includes(null)
    const is_open = is_answer && schema.enum.length > 1 && schema.enum.some((value) => typeof value === 'string')
    return either([...schema.enum.map(literal), ...(is_open ? ['(string & {})'] : []), ...(nullable ? ['null'] : [])])
  }
  const types = [schema.type ?? 'unknown'].flat()
  return either(types.map((type) => plainType(document, type, schema, used, is_answer, indent)))
}

function plainType(
  document: SdkDocument,
  type: string,
  schema: SdkSchema,
  used: Set<string>,
  is_answer: boolean,
  indent: string,
): string {
  if (type === 'integer') return 'number'
  if (type === 'array') {
    return `Array<${schema.items === undefined ? 'unknown' : typeText(document, schema.items, used, is_answer, indent)}>`
  }
  if (type !== 'object') return type
  const { properties, required = [], additionalProperties } = schema
  if (properties === undefined || Object.keys(properties).length === 0) {
    const is_typed = typeof additionalProperties === 'object'
    return `Record<string, ${is_typed ? typeText(document, additionalProperties, used, is_answer, indent) : 'unknown'}>`
  }
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(([name, field]) => {
    const optional = required.includes(name) ? '' : '?'
    // JSON omits a field whose value is undefined, so an optional field of an input may be undefined.
    const missing = optional === '' || is_answer ? '' : ' | undefined'
    return `${comment(field.description, inner)}${inner}${keyText(name)}${optional}: ${typeText(document, field, used, is_answer, inner)}${missing}\n`
  })
  return `{\n${fields.join('')}${indent}}`
}

/** Returns a description as a comment, in lines of at most 120 characters. */
function comment(description: string | undefined, indent: string): string {
  const words = (description ?? '').replaceAll('*/', '* /').split(/\s+/).filter(Boolean)
  if (words.length === 0) return ''
  const lines = ['']
  for (const word of words) {
    const last = lines.at(-1) as string
    if (last !== '' && indent.length + last.length + word.length > WIDTH - 8) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value))
const either = (types: readonly string[]) => [...new Set(types)].join(' | ')
const keyText = (name: string) => (/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name))
const quotedList = (names: readonly string[]) => `[\n${names.map((name) => `  '${name}',\n`).join('')}]`
const lastPart = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1)
