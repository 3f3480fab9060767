// Reads the problems and waiting records that a member should look at. The frame reads them for the menu and for
// the first page.

import { createContext, useContext } from 'react'
import type { Calls } from '../ui/api-types.ts'
import { type Environment, useRead } from '../ui/data.ts'
import type { Membership } from './merchant.ts'

/** Problems of one kind, or waiting records of one kind, with their count. */
export type AttentionItem = Calls['GET /v1/merchant/attention']['data']['items'][number]

/** The pause between two reads, in milliseconds. */
const READ_MS = 10_000

/** The items of the business and environment of the page. Undefined means that no read has succeeded yet. */
export const AttentionContext = createContext<readonly AttentionItem[] | undefined>(undefined)

/** Reads the items for the frame every READ_MS. Pages use `useAttention`, so that they send no further reads. */
export function useAttentionRead(scope: { environment: Environment; merchant_id: string }, enabled: boolean) {
  const read = useRead('GET /v1/merchant/attention', { query: scope }, { live: READ_MS, keep: true, enabled })
  return read.data?.items
}

/** Returns the items that the frame has read. Before the first response, the list is empty. */
export function useAttention(): readonly AttentionItem[] {
  return useContext(AttentionContext) ?? []
}

/** The pause between two reads of the businesses with problems, in milliseconds. */
const BUSINESSES_READ_MS = 30_000

/** A business of the user that has problems, with their kinds, the most urgent first. */
export type TroubledBusiness = { business: Membership; kinds: readonly AttentionItem['kind'][] }

/** Returns which of these businesses of the user have problems in this environment. One request reads all of them. */
export function useTroubledBusinesses(environment: Environment, businesses: readonly Membership[]): TroubledBusiness[] {
  const input = { query: { environment } }
  const enabled = businesses.length > 0
  const { data } = useRead('GET /v1/me/attention', input, { live: BUSINESSES_READ_MS, keep: true, enabled })
  const found = new Map(data?.merchants.map(({ merchant_id, kinds }) => [merchant_id, kinds]))
  return businesses.flatMap((business) => {
    const kinds = found.get(business.merchant_id)
    return kinds === undefined ? [] : [{ business, kinds }]
  })
}

/** An endpoint with missed deliveries, as the list of problems describes it. */
export type FailingWebhook = NonNullable<AttentionItem['webhook']>

/**
 * Returns the problems of the webhook endpoints of an environment, the latest failure first. Undefined means that the frame
 * has no items yet.
 */
export function useWebhookItems(environment: Environment): AttentionItem[] | undefined {
  return useContext(AttentionContext)?.filter(({ webhook }) => webhook?.environment === environment)
}

/**
 * Returns the failing endpoints of an environment, the latest failure first. Undefined means that the frame has no items yet.
 */
export function useFailingEndpoints(environment: Environment): FailingWebhook[] | undefined {
  return useWebhookItems(environment)?.flatMap(({ kind, webhook }) =>
    kind === 'webhooks_failing' && webhook !== null ? [webhook] : [],
  )
}

/**
 * Returns true if the warning about these items has the button that sends the missed deliveries of the endpoint after a change of
 * it. Several failing endpoints share one line without this button.
 */
export function hasSendNow(items: readonly AttentionItem[], endpoint_id: string): boolean {
  const failing = items.filter(({ kind }) => kind === 'webhooks_failing')
  const [only, ...others] = failing
  if (others.length === 0 && only?.webhook?.endpoint_id === endpoint_id) return true
  return items.some(({ kind, webhook }) => kind === 'webhooks_waiting' && webhook?.endpoint_id === endpoint_id)
}

/**
 * Returns the path of the list of an endpoint's failed deliveries. If the server retries all of them, returns the path of the
 * list of the pending deliveries.
 */
export function failedDeliveries({ endpoint_id, given_up }: FailingWebhook): string {
  return `webhooks?endpoint_id=${endpoint_id}&status=${given_up > 0 ? 'failed' : 'pending'}`
}

/**
 * Returns the count of the items of these kinds in an environment, for a line of the menu. Undefined means that the frame has
 * no items yet.
 */
export function countOf(
  items: readonly AttentionItem[] | undefined,
  environment: Environment,
  ...kinds: AttentionItem['kind'][]
): number | undefined {
  return items
    ?.filter((item) => kinds.includes(item.kind) && item.environment === environment)
    .reduce((sum, { count }) => sum + count, 0)
}
