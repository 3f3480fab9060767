// Finds unknown fields of a body. The server ignores unknown fields and lists their names in a header, so that a developer
// notices a mistyped field.

import type { FastifyRequest, RouteOptions } from 'fastify'
import { redactText } from '../lib/index.ts'

/** The known fields of a part of a body. Null means that the part accepts any field. */
export type BodyFields = { fields: ReadonlyMap<string, BodyFields | null>; items: BodyFields | null } | null

type BodySchema = {
  properties?: Record<string, BodySchema>
  patternProperties?: object
  additionalProperties?: unknown
  items?: BodySchema
  anyOf?: BodySchema[]
  allOf?: BodySchema[]
  oneOf?: BodySchema[]
}

/** The limits of the header: the number of names, the length of each name, and the length of the header. */
const NAMED_MAX = 20
const NAME_MAX = 64
const LENGTH_MAX = 1_000
const NO_FIELDS: ReadonlyMap<string, BodyFields | null> = new Map()

/**
 * Returns the known fields of the body of a documented route. Null means that the route is undocumented or accepts any
 * field.
 */
export function bodyFields({ schema, config }: Pick<RouteOptions, 'schema' | 'config'>): BodyFields {
  if (schema?.hide === true) return null
  const body = schema?.body as BodySchema | undefined
  const known = body === undefined ? { fields: NO_FIELDS, items: null } : fieldsOfSchemas([body])
  if (known === null || typeof config?.access !== 'object') return known
  // The fields by which a session chooses the merchant and environment of a request: see chooseCaller.
  const choices = config.access.roles === undefined ? ['merchant_id'] : ['merchant_id', 'environment']
  return { ...known, fields: new Map([...choices.map((name) => [name, null] as const), ...known.fields]) }
}

function fieldsOfSchemas(schemas: readonly BodySchema[]): BodyFields {
  const options = schemas.flatMap((one) => [one, ...(one.anyOf ?? []), ...(one.allOf ?? []), ...(one.oneOf ?? [])])
  const free = options.some(
    (one) => one.patternProperties !== undefined || (one.additionalProperties ?? false) !== false,
  )
  const objects = options.flatMap(({ properties }) => (properties === undefined ? [] : [properties]))
  const items = options.flatMap((one) => one.items ?? [])
  if (free || (objects.length === 0 && items.length === 0)) return null
  const names = new Set(objects.flatMap((properties) => Object.keys(properties)))
  const innerFields = (name: string) => fieldsOfSchemas(objects.flatMap((properties) => properties[name] ?? []))
  return {
    fields: new Map([...names].map((name) => [name, innerFields(name)])),
    items: items.length === 0 ? null : fieldsOfSchemas(items),
  }
}

/**
 * Returns the unknown fields of a parsed body as a header: percent-encoded paths such as `items[0].qty`, separated by commas.
 * Null means that all fields are known. `...` at the end means that the list would exceed 20 names or 1,000 characters.
 */
export function ignoredFields({ body }: Pick<FastifyRequest, 'body'>, known: BodyFields): string | null {
  if (known === null || typeof body !== 'object' || body === null) return null
  const found: string[] = []
  collect(body, known, '', found)
  if (found.length === 0) return null
  const named: string[] = []
  let length = 0
  for (const path of found.slice(0, NAMED_MAX)) {
    length += path.length + 2
    if (length - 2 > LENGTH_MAX) return [...named, '...'].join(', ')
    named.push(path)
  }
  return (found.length > NAMED_MAX ? [...named, '...'] : named).join(', ')
}

/** Adds the unknown fields of one value to `found`. The function stops at one field more than the header lists. */
function collect(value: object, known: NonNullable<BodyFields>, path: string, found: string[]): void {
  if (Array.isArray(value)) {
    if (known.items === null) return
    for (let i = 0; i < value.length && found.length <= NAMED_MAX; i++) {
      const item: unknown = value[i]
      if (typeof item === 'object' && item !== null) collect(item, known.items, `${path}[${i}]`, found)
    }
    return
  }
  for (const name in value) {
    if (found.length > NAMED_MAX) return
    const below = known.fields.get(name)
    if (below === undefined) found.push(pathOf(path, name))
    else if (below !== null) {
      const inner: unknown = (value as Record<string, unknown>)[name]
      if (typeof inner === 'object' && inner !== null) collect(inner, below, pathOf(path, name), found)
    }
  }
}

function pathOf(path: string, name: string): string {
  // The redaction could not find an encoded or cut secret. So the function first redacts secrets in a field name, and then
  // encodes and cuts the name.
  const plain = name === '' ? '""' : encodeURIComponent(redactText(name).slice(0, NAME_MAX).toWellFormed())
  return path === '' ? plain : `${path}.${plain}`
}
