// Reads what needs attention. The frame reads it once for the numbers of the menu and for the first page.

import { createContext, useContext } from 'react'
import type { Calls } from '../ui/api-types.ts'
import { type Environment, useRead } from '../ui/data.ts'

/** One kind of trouble, or the records of one kind that wait. */
export type AttentionItem = Calls['GET /v1/merchant/attention']['data']['items'][number]

/** The pause between two reads. */
const READ_MS = 10_000

/** The items of the business and environment of the page. Undefined means that the read has no response yet. */
export const AttentionContext = createContext<readonly AttentionItem[] | undefined>(undefined)

/** Reads the items. The frame calls this function, and pages use `useAttention`. */
export function useAttentionRead(scope: { environment: Environment; merchant_id: string }, enabled: boolean) {
  const read = useRead('GET /v1/merchant/attention', { query: scope }, { live: READ_MS, keep: true, enabled })
  return read.data?.items
}

/** Returns the items. */
export function useAttention(): readonly AttentionItem[] {
  return useContext(AttentionContext) ?? []
}

/** Returns the number beside a line of the menu: the items of these kinds, in this environment. */
export function countOf(
  items: readonly AttentionItem[] | undefined,
  environment: Environment,
  ...kinds: AttentionItem['kind'][]
): number | undefined {
  return items
    ?.filter((item) => kinds.includes(item.kind) && item.environment === environment)
    .reduce((sum, { count }) => sum + count, 0)
}
