// Fields of a body that a call does not know. They are ignored, and named, so that a mistyped field is not lost silently.

import type { FastifyRequest, RouteOptions } from 'fastify'
import { redactText } from '../lib/index.ts'

/** What a part of a body may hold. Null: anything. */
export type Known = { fields: ReadonlyMap<string, Known | null>; items: Known | null } | null

type Schema = {
  properties?: Record<string, Schema>
  patternProperties?: object
  additionalProperties?: unknown
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  oneOf?: Schema[]
}

/** More fields than these are not named, nor longer names whole. */
const NAMED_MAX = 20
const NAME_MAX = 64
const LENGTH_MAX = 1_000
const NONE: ReadonlyMap<string, Known | null> = new Map()

/** The fields that the body of a documented route may have. Null: the route is not documented, or takes anything. */
export function bodyFields({ schema, config }: Pick<RouteOptions, 'schema' | 'config'>): Known {
  if (schema?.hide === true) return null
  const body = schema?.body as Schema | undefined
  const known = body === undefined ? { fields: NONE, items: null } : knownOf([body])
  if (known === null || typeof config?.access !== 'object') return known
  // These choose for whom a request acts: see chooseCaller.
  const choices = config.access.roles === undefined ? ['merchant_id'] : ['merchant_id', 'environment']
  return { ...known, fields: new Map([...choices.map((name) => [name, null] as const), ...known.fields]) }
}

function knownOf(schemas: readonly Schema[]): Known {
  const options = schemas.flatMap((one) => [one, ...(one.anyOf ?? []), ...(one.allOf ?? []), ...(one.oneOf ?? [])])
  const free = options.some(
    (one) => one.patternProperties !== undefined || (one.additionalProperties ?? false) !== false,
  )
  const objects = options.flatMap(({ properties }) => (properties === undefined ? [] : [properties]))
  const items = options.flatMap((one) => one.items ?? [])
  if (free || (objects.length === 0 && items.length === 0)) return null
  const names = new Set(objects.flatMap((properties) => Object.keys(properties)))
  const fieldOf = (name: string) => knownOf(objects.flatMap((properties) => properties[name] ?? []))
  return {
    fields: new Map([...names].map((name) => [name, fieldOf(name)])),
    items: items.length === 0 ? null : knownOf(items),
  }
}

/**
 * The fields of a parsed body that its call does not know, for a header: paths such as `items[0].qty`, percent-encoded where
 * they are not plain, separated by commas. Null: there are none. `...` stands for those beyond the first 20.
 */
export function ignoredFields({ body }: Pick<FastifyRequest, 'body'>, known: Known): string | null {
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

/** Adds the unknown fields of one value, at most one more than is named. */
function collect(value: object, known: NonNullable<Known>, path: string, found: string[]): void {
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
  // A secret that was sent as a name is taken out first: encoded or cut, it would no longer be known as one.
  const plain = name === '' ? '""' : encodeURIComponent(redactText(name).slice(0, NAME_MAX).toWellFormed())
  return path === '' ? plain : `${path}.${plain}`
}
