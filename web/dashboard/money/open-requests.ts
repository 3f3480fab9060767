// Sums the open requests of withdrawals, whose money the server has not reserved.

import { useRead } from '../../ui/data.ts'
import { addAmounts } from '../../ui/show.ts'

const PAGE_SIZE = 100

/** The open requests that wait for an approval. Null as `amount` means that there are too many to add up. */
export type OpenRequests = { count: number; amount: string | null }

/** Reads the requests that an operator can still approve. Undefined as `data` means that one of the two reads has not succeeded yet. */
export function useOpenRequests() {
  const waiting = useRequestsIn('PENDING_ADMIN_APPROVAL')
  const reads = [waiting, useRequestsIn('INFO_REQUESTED')]
  const lists = reads.flatMap(({ data }) => data ?? [])
  const refetch = () => void Promise.all(reads.map((one) => one.refetch()))
  const error = reads.find((one) => one.error)?.error ?? null
  return { data: lists.length < reads.length ? undefined : openRequests(lists), error, refetch }
}

function useRequestsIn(status: 'PENDING_ADMIN_APPROVAL' | 'INFO_REQUESTED') {
  return useRead('GET /v1/merchant/withdrawals', { query: { status, page_size: PAGE_SIZE } }, { live: true })
}

type WithdrawalPage = NonNullable<ReturnType<typeof useRequestsIn>['data']>

function openRequests(lists: readonly WithdrawalPage[]): OpenRequests {
  const count = lists.reduce((sum, { pagination }) => sum + pagination.total_items, 0)
  const rows = lists.flatMap(({ items }) => items)
  return { count, amount: rows.length < count ? null : addAmounts(rows.map((row) => row.total_reserved_amount)) }
}
