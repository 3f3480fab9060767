// Contains the example records of the gallery, in the format of the API.

import type { AttentionItem } from '../dashboard/attention.ts'
import type { Overview } from '../dashboard/home/totals.tsx'
import type { Membership } from '../dashboard/merchant.ts'
import type { Calls } from '../ui/api-types.ts'
import type { SentThing } from '../ui/delivery-state.tsx'
import type { FoundGroup } from '../ui/search-dialog.tsx'

type TimelineData = Calls['GET /v1/collections/{collection_id}/timeline']['data']

/** A time that never passes, so that a delivery always has its next attempt before it. */
const LATER = '2126-01-05T08:24:00.000Z'

/** The businesses of the user. */
export const MEMBERSHIPS: readonly Membership[] = ['Duka la Asha', 'Mgahawa wa Pwani'].map((name, i) => ({
  merchant_id: `01a21f5b-f687-86ed-be07-c4a82589a80${i}`,
  merchant_code: `DUKA${i}`,
  name,
  role: 'MERCHANT_ADMIN',
  status: 'ACTIVE',
  verified: true,
  priced: true,
  second_factor_required: false,
}))

/** The rows of the list. */
export const ROWS = [
  { id: '1', amount: '25000', status: 'successful', reference: 'ORDER-1042' },
  { id: '2', amount: '1250000', status: 'pending_clearance', reference: 'ORDER-1041' },
  { id: '3', amount: '900', status: 'failed', reference: null },
] as const

const total = (count: number, amount: number) => ({ count, amount: `${amount}.00` })
const NONE = total(0, 0)

/** Returns the totals of days whose payments are these: the number of successful and of failed ones. */
function overviewOf(days: readonly (readonly [successful: number, failed: number])[]): Overview {
  const series = days.map(([successful, failed], day) => ({
    from: new Date(Date.parse('2026-01-01T21:00:00Z') + day * 86_400_000).toISOString(),
    to: new Date(Date.parse('2026-01-02T21:00:00Z') + day * 86_400_000).toISOString(),
    successful: total(successful, successful * 18_500),
    failed: total(failed, failed * 9_000),
  }))
  const all = days.reduce((sum, [successful]) => sum + successful, 0)
  return {
    ...{ environment: 'live', period: '7d', currency: 'TZS', fees: '0.00', series, methods: [] },
    from: series[0]?.from ?? '',
    to: series.at(-1)?.to ?? '',
    collections: {
      ...{ failed: NONE, pending: NONE, held: NONE, reversed: NONE, created: NONE },
      successful: total(all, all * 18_500),
    },
    success_rate: all === 0 ? null : '91.4',
    withdrawals: { success: NONE, waiting: NONE, in_progress: NONE, failed: NONE },
  }
}

/** The totals of the charts. */
export const OVERVIEWS = {
  week: overviewOf([
    [12, 1],
    [31, 4],
    [8, 6],
    [0, 0],
    [54, 2],
    [47, 5],
    [22, 0],
  ]),
  one_day: overviewOf([[12, 3]]),
  one_of_week: overviewOf([
    [0, 0],
    [0, 0],
    [0, 0],
    [9, 1],
    [0, 0],
    [0, 0],
    [0, 0],
  ]),
  empty: overviewOf([
    [0, 0],
    [0, 0],
    [0, 0],
  ]),
}

const at = (second: number) => `2026-01-05T09:00:${String(second).padStart(2, '0')}.000Z`
const attempt = { kind: 'attempt', number: 1, provider: 'selcom', method: 'wallet_push' } as const
const delivery = { kind: 'webhook', delivery_id: '01a21f5b-f687-86ed-be07-c4a82589a80f' } as const

/** The timelines of a paid payment, of a failed payment, and of a payment without any step. */
export const TIMELINES: Record<'paid' | 'failed' | 'none', TimelineData> = {
  paid: {
    complete: true,
    items: [
      {
        ...{ at: at(0), kind: 'request', id: '1', request_id: 'req_7f3a', method: 'POST' },
        ...{ path: '/v1/collections/wallet-push', status: 202, duration_ms: 38 },
      },
      { at: at(0), kind: 'status', from: null, to: 'processing', actor: 'merchant', reason: null },
      { ...attempt, at: at(0), what: 'created', provider_reference: 'P7K2Q9', provider_status: null },
      { ...attempt, at: at(1), what: 'sent', provider_reference: 'P7K2Q9', provider_status: null },
      { ...attempt, at: at(24), what: 'answered', provider_reference: 'P7K2Q9', provider_status: 'COMPLETED' },
      { at: at(24), kind: 'status', from: 'processing', to: 'successful', actor: 'provider', reason: null },
      {
        ...{ at: at(24), kind: 'transfer', posting: 'collection_settled', debit: 'provider_float' },
        ...{ credit: 'available', amount: '25000.00', reference: 'TXN-7K2Q9P' },
      },
      {
        ...delivery,
        ...{ at: at(25), event: 'collection.success', number: 1, status_code: 200, duration_ms: 181 },
        ...{ error: null, delivered: true, next_attempt_at: null },
      },
    ],
  },
  failed: {
    complete: false,
    items: [
      { at: at(0), kind: 'status', from: null, to: 'processing', actor: 'payer', reason: null },
      { at: at(40), kind: 'status', from: 'processing', to: 'failed', actor: 'provider', reason: 'wrong_pin' },
      {
        ...delivery,
        ...{ at: at(41), event: 'collection.failed', number: 2, status_code: 500, duration_ms: 1_204 },
        ...{ error: null, delivered: false, next_attempt_at: LATER },
      },
    ],
  },
  none: { complete: true, items: [] },
}

const endpoint = {
  environment: 'live',
  endpoint_id: '01a21f5b-f687-86ed-be07-c4a82589a80e',
  failed: 4,
  given_up: 1,
  oldest_at: '2026-01-05T06:10:00.000Z',
  last_failed_at: '2026-01-05T09:00:00.000Z',
  last_status_code: 503,
  last_error: null,
  next_attempt_at: LATER,
  webhook_url: 'https://duka.example.co.tz/malipo/webhooks/payments',
  changed: false,
} as const
const problem = {
  environment: 'live',
  count: 1,
  status: null,
  since: '2026-01-05T06:10:00.000Z',
  amount: null,
  limit: null,
  rate: null,
  rate_before: null,
  webhook: null,
} as const

/** The problems of a business. */
export const PROBLEMS: readonly AttentionItem[] = [
  { ...problem, kind: 'webhooks_failing', webhook: endpoint },
  { ...problem, kind: 'payments_held', count: 2, status: 'pending_clearance', amount: '340000.00' },
  { ...problem, kind: 'success_rate_low', since: null, rate: '61', rate_before: '92' },
]

const hit = {
  currency: null,
  name: null,
  phone: null,
  reference: null,
  description: null,
  status: null,
  environment: 'live',
  merchant_id: null,
  merchant_name: null,
  created_at: '2026-01-05T09:00:00.000Z',
} as const

/** The hits of the search for "1042". */
export const HITS: readonly FoundGroup[] = [
  {
    kind: 'payment',
    more: true,
    items: [
      {
        ...{ ...hit, kind: 'payment', id: '1', title: '25000.00', currency: 'TZS', status: 'successful' },
        ...{ name: 'Neema Mushi', phone: '255754123456', reference: 'ORDER-1042', target: 'collections/1' },
      },
      {
        ...{ ...hit, kind: 'payment', id: '2', title: '1250000.00', currency: 'TZS', status: 'pending_clearance' },
        ...{ phone: '255754123457', reference: 'ORDER-10420', target: 'collections/2' },
      },
    ],
  },
  {
    kind: 'invoice',
    more: false,
    items: [
      { ...hit, kind: 'invoice', id: '3', title: '1042', status: 'OVERDUE', name: 'Neema Mushi', target: 'invoices/3' },
    ],
  },
]

/** Each state of a delivery and of a message. */
export const DELIVERIES: readonly SentThing[] = [
  { status: 'pending', attempts: 0, next_at: LATER },
  { status: 'pending', attempts: 2, next_at: LATER },
  { status: 'delivered', attempts: 1, next_at: null },
  { status: 'failed', attempts: 5, next_at: null },
  { status: 'failed', attempts: 1, next_at: null },
  { status: 'cancelled', attempts: 2, next_at: null },
  { status: 'sent', attempts: 1, next_at: null },
  ...(['sandbox', 'no_gateway', 'limit'] as const).map((kept) => ({
    status: 'kept' as const,
    attempts: 0,
    next_at: null,
    kept,
  })),
]
