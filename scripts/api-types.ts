// Converts the OpenAPI document into the types of the calls of web/. The libraries that do this need a compiler interface that
// TypeScript 7 does not have.

type Schema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  $ref?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
}
type Parameter = { name: string; in: string; required?: boolean; schema: Schema }
type Body = { required?: boolean; content: Record<string, { schema?: Schema }> }
type Operation = { parameters?: (Parameter | { $ref: string })[]; requestBody?: Body; responses: Record<string, Body> }
/** The parts of an OpenAPI document that this file reads. */
export type ApiDocument = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> }
}

/**
 * Returns the text of a TypeScript module: the shared schemas, and the parameters, the body and the answer data of each call.
 */
export function apiTypes({ paths, components }: ApiDocument): string {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => `  ${name}: ${typeOf(schema)}\n`)
  const calls = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const { parameters = [], requestBody } = operation
      const all = parameters.map((one) => ('$ref' in one ? parameterNamed(components.parameters, one.$ref) : one))
      const of = (place: string) => all.filter((one) => one.in === place)
      const body = requestBody?.content['application/json']?.schema
      const parts = [
        `params: ${parametersOf(of('path'))}`,
        `query: ${parametersOf(of('query'))}`,
        `body: ${body === undefined ? 'undefined' : typeOf(body)}`,
        `data: ${dataOf(operation)}`,
      ]
      return `  '${method.toUpperCase()} ${path}': {\n${parts.map((part) => `    ${part}\n`).join('')}  }\n`
    }),
  )
  return `${HEAD}/** The shared schemas of bodies and answers. */\nexport type Schemas = {\n${schemas.join('')}}\n\n/** The calls by method and path. */\nexport type Calls = {\n${calls.join('')}}\n`
}

const HEAD = `// The calls of the API: parameters, body, and the data of the answer. Generated from openapi.json by \`npm run generate\`.

`

const nameIn = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

function parameterNamed(parameters: Record<string, Parameter>, reference: string): Parameter {
  const found = parameters[nameIn(reference)]
  if (found === undefined) throw new Error(`the OpenAPI document has no ${reference}`)
  return found
}

function parametersOf(parameters: readonly Parameter[]): string {
  const fields = parameters.map(({ name, required, schema }) => `${key(name)}${required ? '' : '?'}: ${typeOf(schema)}`)
  return `{ ${fields.join('; ')} }`
}

/**
 * Returns the type of the data in the first success answer. An answer without JSON, such as a file, has the type `unknown`.
 */
function dataOf({ responses }: Operation): string {
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const schema = answer?.content?.['application/json']?.schema
  const data = schema?.properties?.data
  return data === undefined ? 'unknown' : typeOf(data)
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return `Schemas['${nameIn(schema.$ref)}']`
  const several = schema.anyOf ?? schema.oneOf
  if (several !== undefined) return union(several.map(typeOf))
  if (schema.allOf !== undefined) {
    const own = schema.properties === undefined ? [] : [objectOf(schema)]
    return [...schema.allOf.map(typeOf), ...own].join(' & ')
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) {
    const nullable = Array.isArray(schema.type) && schema.type.includes('null') && !schema.enum.includes(null)
    return union([...schema.enum.map((value) => JSON.stringify(value)), ...(nullable ? ['null'] : [])])
  }
  return union([schema.type ?? 'unknown'].flat().map((type) => plain(type, schema)))
}

function plain(type: string, schema: Schema): string {
  switch (type) {
    case 'integer':
      return 'number'
    case 'array':
      return `Array<${schema.items === undefined ? 'unknown' : typeOf(schema.items)}>`
    case 'object':
      return objectOf(schema)
    default:
      return type
  }
}

function objectOf({ properties, required = [], additionalProperties }: Schema): string {
  if (properties === undefined) {
    return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`
  }
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  )
  return `{ ${fields.join('; ')} }`
}

const union = (types: readonly string[]) => [...new Set(types)].join(' | ')
const key = (name: string) => (/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name))
