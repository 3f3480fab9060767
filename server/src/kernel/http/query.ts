// The query parameters that a call takes. A mistyped filter must not return everything, so any other name is refused.

import type { FastifyRequest, RouteOptions } from 'fastify'
import { refuse } from '../lib/index.ts'
import { nearest } from './nearest.ts'

/** What a caller may choose on each call that acts for a merchant. */
const CHOICES = ['environment', 'merchant_id']

/** More names than this are not repeated in the answer, nor longer ones whole. */
const NAMED_MAX = 20
const NAME_MAX = 100

/** The query parameters that a documented route takes. Null: the route is not documented, and takes any. */
export function queryNames({ schema, config }: Pick<RouteOptions, 'schema' | 'config'>): ReadonlySet<string> | null {
  if (schema?.hide === true) return null
  const own = Object.keys((schema?.querystring as { properties?: object } | undefined)?.properties ?? {})
  return new Set(typeof config?.access === 'object' ? [...CHOICES, ...own] : own)
}

/** Refuses a request whose query names a parameter that its call does not take. */
export function checkQuery(request: FastifyRequest, known: ReadonlySet<string>): void {
  const unknown = Object.keys(request.query as object).filter((name) => !known.has(name))
  if (unknown.length === 0) return
  const fields = unknown
    .slice(0, NAMED_MAX)
    .map((name) => ({ field: name.slice(0, NAME_MAX), message: hint(name, known) }))
  refuse('validation_failed', { details: { fields } })
}

function hint(name: string, known: ReadonlySet<string>): string {
  if (known.size === 0) return 'is not a query parameter of this call, which takes none'
  const meant = nearest(name, known)
  const takes = [...known].sort().join(', ')
  return meant === null
    ? `is not a query parameter of this call, which takes ${takes}`
    : `is not a query parameter of this call. Did you mean ${meant}?`
}
