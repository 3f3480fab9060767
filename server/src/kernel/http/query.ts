// Checks query parameters. If a name is unknown, the server refuses the request, because a mistyped filter must not return all
// rows.

import type { FastifyRequest, RouteOptions } from 'fastify'
import { nearest, refuse } from '../lib/index.ts'

/** The parameters with which every call for a merchant may name the environment and the merchant. */
const CHOICES = ['environment', 'merchant_id']

/** The limits of the answer: the number of unknown names, and the length of each name. */
const NAMED_MAX = 20
const NAME_MAX = 100

/**
 * Returns the query parameters of a documented route. Null means that the route is undocumented and accepts any parameter.
 */
export function queryNames({ schema, config }: Pick<RouteOptions, 'schema' | 'config'>): ReadonlySet<string> | null {
  if (schema?.hide === true) return null
  const own = Object.keys((schema?.querystring as { properties?: object } | undefined)?.properties ?? {})
  return new Set(typeof config?.access === 'object' ? [...CHOICES, ...own] : own)
}

/** A parameter `metadata[name]`, which some lists accept with any name. */
const METADATA = /^metadata\[(.*)\]$/s

/**
 * If a call accepts parameters `metadata[name]`, moves them into one object, which the schema of the call validates. Runs
 * before `checkQuery`.
 */
export function gatherMetadata(request: FastifyRequest, known: ReadonlySet<string>): void {
  if (!known.has('metadata')) return
  const query = request.query as Record<string, unknown>
  const pairs = Object.keys(query).flatMap((name) => {
    const [, inner] = METADATA.exec(name) ?? []
    return inner === undefined ? [] : [[name, inner] as const]
  })
  if (pairs.length === 0 || query.metadata !== undefined) return
  query.metadata = Object.fromEntries(pairs.map(([name, inner]) => [inner, query[name]]))
  for (const [name] of pairs) delete query[name]
}

/** If a request has an unknown query parameter, refuses the request. */
export function checkQuery(request: FastifyRequest, known: ReadonlySet<string>): void {
  const unknown = Object.keys(request.query as object).filter((name) => !known.has(name))
  if (unknown.length === 0) return
  const fields = unknown
    .slice(0, NAMED_MAX)
    .map((name) => ({ field: name.slice(0, NAME_MAX), message: describeUnknown(name, known) }))
  refuse('validation_failed', { details: { fields } })
}

function describeUnknown(name: string, known: ReadonlySet<string>): string {
  if (known.size === 0) return 'is not a query parameter of this call, which takes none'
  const similar = nearest(name, known)
  const shown = [...known].map((one) => (one === 'metadata' ? 'metadata[name]' : one))
  const takes = shown.sort().join(', ')
  return similar === null
    ? `is not a query parameter of this call, which takes ${takes}`
    : `is not a query parameter of this call. Did you mean ${similar}?`
}
