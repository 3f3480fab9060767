// Makes the generated files of the Python SDK: the types of the calls from the OpenAPI document, and the asyncio resources.

type PySchema = {
  type?: string | string[]
  enum?: unknown[]
  anyOf?: PySchema[]
  oneOf?: PySchema[]
  allOf?: PySchema[]
  $ref?: string
  properties?: Record<string, PySchema>
  required?: string[]
  items?: PySchema
  additionalProperties?: boolean | PySchema
}
type PyParameter = { $ref?: string; name: string; in: string; schema: PySchema }
type PyContent = { content?: Record<string, { schema?: PySchema }> }
type PyOperation = {
  operationId?: string
  security?: Record<string, unknown>[]
  parameters?: PyParameter[]
  requestBody?: PyContent
  responses: Record<string, PyContent>
}
/** The parts of an OpenAPI document that this file reads. */
export type PyDocument = {
  paths: Record<string, Record<string, PyOperation>>
  components?: { schemas?: Record<string, PySchema>; parameters?: Record<string, PyParameter> }
}

const HEAD = `"""The types of the calls that an API key can make. \`npm run generate\` makes this file from openapi.json; do not edit it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

#: An amount of shillings: a decimal text such as "25000.00", a number, or a Decimal.
Amount = Union[str, int, float, Decimal]
`
/** The API key determines these fields, so the SDK does not offer them. */
const DECIDED = new Set(['merchant_id', 'environment'])

/** The fields of the API whose names are keywords of Python, so that no class can declare them. */
const KEYWORDS = new Set(['from'])

/** Returns the text of the Python module with a TypedDict for each input, filter and answer. */
export function pythonTypes(document: PyDocument): string {
  const parts = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, one]) => one.security?.some((way) => 'api_key' in way) || path === '/v1/destinations')
      .flatMap(([method, operation]) => callClasses(document, `${method} ${path}`, operation)),
  )
  return `${HEAD}\n\n${parts.join('\n\n')}`
}

function callClasses(document: PyDocument, call: string, operation: PyOperation): string[] {
  const { operationId, requestBody, parameters = [], responses } = operation
  if (operationId === undefined) throw new Error(`${call} has a call without an operationId`)
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1)
  const found: string[] = []
  const body = requestBody?.content?.['application/json']?.schema
  if (body !== undefined) found.push(classOf(document, `${name}Input`, body, false))
  const query = parameters
    .map((one) => (one.$ref === undefined ? one : document.components?.parameters?.[nameOf(one.$ref)]))
    .filter((one): one is PyParameter => one !== undefined && one.in === 'query' && !DECIDED.has(one.name))
  if (query.length > 0) {
    const fields = query.map((one) => `    "${one.name}": "${filterType(document, one.schema)}",\n`)
    found.push(
      `${name}Filters = TypedDict(\n    "${name}Filters",\n    {\n${indented(fields.join(''))}    },\n    total=False,\n)\n`,
    )
  }
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const envelope = success?.content?.['application/json']?.schema
  if (envelope === undefined) return found
  const either = propertiesOf(document, envelope).data
  // GET /v1/me has one answer for users and one for API keys. The SDK calls it with an API key.
  const data = either?.anyOf?.find((one) => 'key_id' in propertiesOf(document, one)) ?? either
  if (data === undefined) return found
  const fields = propertiesOf(document, data)
  const item = fields.pagination === undefined ? undefined : fields.items?.items
  if (item !== undefined) {
    found.push(classOf(document, `${name}Item`, item, true))
    const page = `    items: List[${name}Item]\n    pagination: Dict[str, int]\n`
    found.push(`class ${name}Answer(TypedDict):\n${page}`)
    return found
  }
  found.push(classOf(document, `${name}Answer`, data, true))
  // The answer has a secret only if the request made the secret. The calls that always make a secret need a type with the secret.
  if (!call.startsWith('get ') && fields.secret !== undefined && !requiredOf(document, data).includes('secret')) {
    found.push(`class ${name}AnswerWithSecret(_${name}AnswerRequired):\n    secret: str\n`)
  }
  return found
}

/**
 * Returns a class with the required fields, and a class below it with the others. If one of the two groups is empty, returns
 * one class.
 */
function classOf(document: PyDocument, name: string, schema: PySchema, is_answer: boolean): string {
  const fields = Object.entries(propertiesOf(document, schema)).filter(([field]) => is_answer || !DECIDED.has(field))
  const required = new Set(requiredOf(document, schema))
  const lines = (wanted: boolean) =>
    fields
      .filter(([field]) => required.has(field) === wanted)
      .map(([field, one]) => `    ${field}: ${pyType(document, one, is_answer)}\n`)
      .join('')
  const [always, sometimes] = [lines(true), lines(false)]
  if (fields.some(([field]) => KEYWORDS.has(field))) {
    const pairs = fields.map(([field, one]) => `    "${field}": "${pyType(document, one, is_answer)}",\n`).join('')
    return `${name} = TypedDict(\n    "${name}",\n    {\n${indented(pairs)}    },\n${sometimes === '' ? '' : '    total=False,\n'})\n`
  }
  if (always === '') return `class ${name}(TypedDict, total=False):\n${sometimes || '    pass\n'}`
  if (sometimes === '') return `class ${name}(TypedDict):\n${always}`
  return `class _${name}Required(TypedDict):\n${always}\n\nclass ${name}(_${name}Required, total=False):\n${sometimes}`
}

function pyType(document: PyDocument, schema: PySchema, is_answer: boolean): string {
  const one = resolved(document, schema)
  const several = one.anyOf ?? one.oneOf
  if (several !== undefined) return union(several.map((part) => pyType(document, part, is_answer)))
  if (one.allOf !== undefined) return 'Dict[str, Any]'
  const types = [one.type ?? 'object'].flat()
  // A newer server can add values to a closed list of an answer, so there the type stays open.
  if (one.enum !== undefined && !is_answer) {
    const values = one.enum.filter((value) => value !== null).map((value) => pyLiteral(value))
    return union([
      `Literal[${values.join(', ')}]`,
      ...(types.includes('null') || one.enum.includes(null) ? ['None'] : []),
    ])
  }
  if (!is_answer && types.includes('string') && types.includes('number')) return 'Amount'
  return union(types.map((type) => plainPyType(document, type, one, is_answer)))
}

function plainPyType(document: PyDocument, type: string, schema: PySchema, is_answer: boolean): string {
  const rest = schema.additionalProperties
  switch (type) {
    case 'string':
      return 'str'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'null':
      return 'None'
    case 'array':
      return `List[${schema.items === undefined ? 'Any' : pyType(document, schema.items, is_answer)}]`
    default:
      return `Dict[str, ${typeof rest === 'object' ? pyType(document, rest, is_answer) : 'Any'}]`
  }
}

/**
 * Returns the type of a filter: `int` for a whole number, and otherwise `Any`. The SDK converts other values, such as a
 * datetime, to text.
 */
function filterType(document: PyDocument, schema: PySchema): string {
  return pyType(document, schema, true).includes('int') ? 'int' : 'Any'
}

function union(types: string[]): string {
  const distinct = [...new Set(types)]
  const values = distinct.filter((type) => type !== 'None')
  const text = values.length === 1 ? (values[0] as string) : `Union[${values.join(', ')}]`
  if (values.length === 0) return 'None'
  return distinct.includes('None') ? `Optional[${text}]` : text
}

function pyLiteral(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}

function resolved(document: PyDocument, schema: PySchema): PySchema {
  return schema.$ref === undefined
    ? schema
    : resolved(document, document.components?.schemas?.[nameOf(schema.$ref)] ?? {})
}

/** Returns the fields of an object, with those of the objects that it combines. */
function propertiesOf(document: PyDocument, schema: PySchema): Record<string, PySchema> {
  const { properties = {}, allOf = [], anyOf = [], oneOf = [] } = resolved(document, schema)
  const combined = [...allOf, ...anyOf, ...oneOf].map((one) => propertiesOf(document, one))
  return Object.assign({}, ...combined, properties)
}

/**
 * Returns the names of the fields that every object has. These are the fields of each part of allOf, and the fields that all
 * parts of anyOf and oneOf share.
 */
function requiredOf(document: PyDocument, schema: PySchema): string[] {
  const { required = [], allOf = [], anyOf = [], oneOf = [] } = resolved(document, schema)
  const [first = [], ...rest] = [...anyOf, ...oneOf].map((one) => requiredOf(document, one))
  const shared = first.filter((field) => rest.every((fields) => fields.includes(field)))
  return [...required, ...allOf.flatMap((one) => requiredOf(document, one)), ...shared]
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '    ')
}

/** Returns the text of the asyncio resources, made from the text of the synchronous resources. */
export function pythonAsyncResources(resources: string): string {
  return resources
    .replace(
      /^""".*"""$/m,
      '"""The resources of the API for asyncio. `npm run generate` makes this file from _resources.py; do not edit it."""',
    )
    .replace('from typing import Iterator, Optional', 'from typing import TYPE_CHECKING, AsyncIterator, Optional')
    .replace(
      'from ._requester import Requester, segment\n',
      'from ._requester import segment\n\nif TYPE_CHECKING:\n    from ._client import AsyncRequester\n',
    )
    .replace('http: Requester)', 'http: AsyncRequester)')
    .replace(/^ {4}def (?!__)((?:(?!^ {4}def )[\s\S])*?-> (?!Iterator\[))/gm, '    async def $1')
    .replaceAll('Iterator[', 'AsyncIterator[')
    .replace('TYPE_CHECKING, AsyncAsyncIterator', 'TYPE_CHECKING, AsyncIterator')
    .replace(/return self\._http\.(get|file|change|change_with_secret)\(/g, 'return await self._http.$1(')
}
