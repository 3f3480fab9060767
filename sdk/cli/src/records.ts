// Finds a record of any kind by its id or reference, for the commands `get` and `open`.

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

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The lists that find records by the merchant's own reference, and the field with the id of their records. */
const LISTS = [
  { kind: 'collection', path: '/v1/collections', id_field: 'collection_id' },
  { kind: 'disbursement', path: '/v1/disbursements', id_field: 'id' },
] as const
const LIST_PAGE = 100
/** The greatest number of pages that the tool reads of each list, because the server also lists longer references. */
const PAGES_MAX = 10
const SHOWN_MAX = 5

/**
 * Finds a record of the account by its id, its TXN reference, or the merchant's own reference. If no record or more than one
 * record fits, throws a Problem that says how to find the record.
 */
export async function findRecord(api: Api, text: string): Promise<FoundRecord> {
  const hidden = new Set<string>()
  const by_id = await findById(api, text, hidden)
  if (by_id !== null) return by_id
  const { same, longer, is_complete } = await findByReference(api, text, hidden)
  const [only] = same
  if (only !== undefined && same.length === 1) {
    const found = await findById(api, only.id, hidden)
    if (found !== null) return found
  }
  if (same.length > 1) {
    throw new Problem(
      `${same.length} records have the reference ${text}: ${describeListed(same, ({ status, created_at }) => `${status}, ${created_at}`)} Show one of them by its id.`,
    )
  }
  const { environment } = await api.account()
  const sentences = [
    `There is no record with the id or the reference ${text} in the ${environment} environment of this key.`,
    longer.length === 0
      ? ''
      : `These references begin with it: ${describeListed(longer, ({ reference }) => reference)}`,
    is_complete ? '' : 'There are more of them than the tool reads: search for the reference in the dashboard.',
    hidden.size === 0 ? '' : `The key may not read these kinds: ${[...hidden].join(', ')}.`,
    'If the record belongs to the other environment, use a key of that environment.',
  ]
  throw new Problem(sentences.filter((one) => one !== '').join(' '))
}

/** A record in the answer of a list. */
type ListedRecord = { kind: string; id: string; reference: string; status: string; created_at: string }

/** Lists records with their ids, and with the text of `detail` in brackets. The text ends with a full stop. */
function describeListed(records: readonly ListedRecord[], detail: (record: ListedRecord) => string): string {
  const shown = records.slice(0, SHOWN_MAX).map((one) => `${one.kind} ${one.id} (${detail(one)})`)
  const more = records.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
}

/** Finds a record by its id or TXN reference. Adds to `hidden` the kinds that the key may not read. */
async function findById(api: Api, id: string, hidden: Set<string>): Promise<FoundRecord | null> {
  // The server gives each other record a UUID, so another text can only be a reference of the merchant.
  const kinds = id.toUpperCase().startsWith('TXN-') ? [TRANSACTION] : UUID.test(id) ? KINDS : []
  for (const { kind, path, page } of kinds) {
    const record = await readIfAllowed(api, kind, path + encodeURIComponent(id), hidden)
    if (record !== null) return { kind, record, page: page === null ? null : page + encodeURIComponent(id) }
  }
  const event = UUID.test(id) ? await findEvent(api, id, hidden) : null
  return event === null ? null : { kind: 'event', record: event, page: null }
}

/**
 * Finds the payments and payouts with this reference in any case, and those whose reference begins with it. If the server lists
 * more records than the tool reads, `is_complete` is false.
 */
async function findByReference(
  api: Api,
  reference: string,
  hidden: Set<string>,
): Promise<{ same: ListedRecord[]; longer: ListedRecord[]; is_complete: boolean }> {
  const found: ListedRecord[] = []
  let is_complete = true
  for (const { kind, path, id_field } of LISTS) {
    for (let page = 1; ; page++) {
      const query = new URLSearchParams({ reference, page: String(page), page_size: String(LIST_PAGE) })
      const list = (await readIfAllowed(api, kind, `${path}?${query}`, hidden)) as {
        items: (Omit<ListedRecord, 'kind' | 'id'> & Record<string, string>)[]
        pagination: { total_pages: number }
      } | null
      found.push(...(list?.items ?? []).map((item) => ({ ...item, kind, id: String(item[id_field]) })))
      if (list === null || page >= list.pagination.total_pages) break
      if (page === PAGES_MAX) {
        is_complete = false
        break
      }
    }
  }
  const isSame = (one: ListedRecord) => one.reference.toLowerCase() === reference.toLowerCase()
  return { same: found.filter(isSame), longer: found.filter((one) => !isSame(one)), is_complete }
}

/**
 * Reads a record or a page. Null means that the record does not exist, that the server does not accept the text, or that the key
 * may not read the kind.
 */
async function readIfAllowed(
  api: Api,
  kind: string,
  path: string,
  hidden: Set<string>,
): Promise<Record<string, unknown> | null> {
  try {
    return await api.get<Record<string, unknown>>(path)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    if (error.code === 'insufficient_scope') hidden.add(kind)
    else if (error.status !== 404 && error.code !== 'validation_failed') throw error
    return null
  }
}

/**
 * Finds an event by its id in the list of events. Null means that there is no such event, or that the key may not read events.
 */
async function findEvent(api: Api, id: string, hidden: Set<string>): Promise<Record<string, unknown> | null> {
  const before = (BigInt(`0x${id.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0')
  const after = before.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  const time = new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) + 1)
  const query = new URLSearchParams({ after, to: time.toISOString(), page_size: '100' })
  const page = await readIfAllowed(api, 'event', `/v1/events?${query}`, hidden)
  const items = (page?.items ?? []) as Record<string, unknown>[]
  return items.find((item) => item.id === id.toLowerCase()) ?? null
}
