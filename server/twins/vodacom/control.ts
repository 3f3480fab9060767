// Shows the books of the twin through the control API, which has a separate path and token. The API key of the gateway gives no
// access to the control API.

import { sameSecret } from '../../src/kernel/lib/index.ts'
import { totalsOf } from './book.ts'
import { magicRows } from './fates.ts'
import type { Twin } from './twin.ts'

/** The path prefix of the control API. */
export const CONTROL = '/control'
const LIST_MAX = 1000

/** The calls of the control API, for help texts. */
export const CONTROL_CALLS = `
  GET  /book            totals over everything
  GET  /transactions    the newest ${LIST_MAX} transactions, newest first
  GET  /transactions/ID one transaction, by the id that the caller chose
  GET  /magic           the table of magic numbers
`

/**
 * Answers a call of the control API with an HTTP status and content. `path` is the path after the prefix of the control API.
 */
export function control(
  twin: Twin,
  token: string,
  { method, path, authorization }: { method: string; path: string; authorization: string | undefined },
): [number, unknown] {
  if (!sameSecret(authorization ?? '', `Bearer ${token}`))
    return [401, { error: 'the control API requires its own token as Authorization: Bearer TOKEN' }]
  if (method !== 'GET') return [405, { error: 'the control API takes only GET' }]
  const [, name, id, ...more] = path.split('/')
  if (more.length > 0 || (id !== undefined && name !== 'transactions')) return NOT_FOUND
  switch (name) {
    case 'book':
      return [200, totalsOf(twin.book, twin.chances.struck)]
    case 'magic':
      return [200, magicRows()]
    case 'transactions': {
      const { by_conversation } = twin.book
      if (id === undefined) return [200, { items: [...by_conversation.values()].slice(-LIST_MAX).reverse() }]
      const found = by_conversation.get(id)
      return found === undefined ? NOT_FOUND : [200, found]
    }
    default:
      return NOT_FOUND
  }
}

const NOT_FOUND: [number, unknown] = [404, { error: 'not found' }]
