// Finds a record of any kind by its id, for the command `get`.

import type { Api } from './api.ts'
import { Refused } from './api.ts'
import { Problem } from './problem.ts'

/**
 * A record with its kind, and the path of its page in the dashboard. Null means that the dashboard has no page for it.
 */
export type FoundRecord = { kind: string; record: Record<string, unknown>; page: string | null }

const KINDS: readonly { kind: string; path: string; page: string | null }[] = [
  { kind: 'collection', path: '/v1/collections/', page: 'collections/' },
  { kind: 'payment_link', path: '/v1/payment-links/', page: 'links/' },
  { kind: 'invoice', path: '/v1/invoices/', page: 'invoices/' },
  { kind: 'disbursement', path: '/v1/disbursements/', page: 'withdrawals/' },
  { kind: 'delivery', path: '/v1/merchant/webhook-deliveries/', page: 'webhooks/' },
]
const TRANSACTION = { kind: 'transaction', path: '/v1/transactions/', page: 'transactions/' }

/** Finds a record of the account by its id or TXN reference. If no record has this id, throws a Problem. */
export async function findRecord(api: Api, id: string): Promise<FoundRecord> {
  const kinds = id.toUpperCase().startsWith('TXN-') ? [TRANSACTION] : KINDS
  const without_scope: string[] = []
  for (const { kind, path, page } of kinds) {
    try {
      const record = await api.get<Record<string, unknown>>(path + encodeURIComponent(id))
      return { kind, record, page: page === null ? null : page + encodeURIComponent(id) }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (error.code === 'insufficient_scope') without_scope.push(kind)
      else if (error.status !== 404) throw error
    }
  }
  const event = await findEvent(api, id)
  if (event !== null) return { kind: 'event', record: event, page: null }
  const { environment } = await api.account()
  const scopes = without_scope.length === 0 ? '' : ` The key may not read these kinds: ${without_scope.join(', ')}.`
  throw new Problem(
    `There is no record ${id} in the ${environment} environment of this key.${scopes} If the record belongs to the other environment, use a key of that environment.`,
  )
}

/**
 * Finds an event by its id in the list of events. Null means that there is no such event, or that the key may not read events.
 */
async function findEvent(api: Api, id: string): Promise<Record<string, unknown> | null> {
  try {
    const before = (BigInt(`0x${id.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0')
    const after = before.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    const time = new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) + 1)
    const query = new URLSearchParams({ after, to: time.toISOString(), page_size: '100' })
    const { items } = await api.get<{ items: Record<string, unknown>[] }>(`/v1/events?${query}`)
    return items.find((item) => item.id === id.toLowerCase()) ?? null
  } catch (error) {
    if (error instanceof Refused || error instanceof SyntaxError || error instanceof RangeError) return null
    throw error
  }
}
