// Opens the next or previous withdrawal of the operator's last list. Decided withdrawals keep their place in this list.

import { useNavigate } from '@tanstack/react-router'
import type { CallName, Input } from '../../ui/api.ts'
import { useCall } from '../../ui/data.ts'
import { hrefOf } from '../../ui/parts.tsx'

const STORAGE_KEY = 'malipo.operator.list-position'
const LIST_CALL = 'GET /v1/operator/withdrawals' satisfies CallName

/**
 * The operator's last list: its address, its query, and the ids of the withdrawals that it has shown. `before` and `after` count
 * the withdrawals of the list before and after these.
 */
type ListPosition = {
  search: Record<string, string>
  query: Record<string, string | number>
  ids: string[]
  before: number
  after: number
}

/** Counts the withdrawals of a list before and after one of its pages, which contains `length` withdrawals. */
export function countsAround(
  { page, page_size, total_items }: { page: number; page_size: number; total_items: number },
  length: number,
): Pick<ListPosition, 'before' | 'after'> {
  const before = (page - 1) * page_size
  return { before, after: Math.max(0, total_items - before - length) }
}

/** Stores the list in this tab, so that the operator can go from one of its withdrawals to the next. */
export function keepListPosition(position: ListPosition): void {
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(position))
}

function readListPosition(): ListPosition | null {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null')
  } catch {
    return null
  }
}

/**
 * Returns the path of the list, and the steps to the previous and the next withdrawal. Null as `steps` means that the
 * operator's last list does not contain this withdrawal.
 */
export function useNeighbours(id: string) {
  const navigate = useNavigate()
  const call = useCall()
  const position = readListPosition()
  const list = `withdrawals?${new URLSearchParams(position?.search ?? {})}`
  const place = position?.ids.indexOf(id) ?? -1
  if (position === null || place < 0) return { list, steps: null }
  const go = (to: string | null) => (to === null ? null : navigate({ to: hrefOf(`withdrawals/${to}`) }))
  const next = async () => {
    const found = position.ids[place + 1] ?? (await nextPage(position, call))
    await go(found)
    return found !== null
  }
  const previous = () => go(position.ids[place - 1] ?? null)
  const { before, after, ids } = position
  const steps = { place: before + place + 1, count: before + ids.length + after, is_first: place === 0, next, previous }
  return { list, steps }
}

/**
 * Returns the first withdrawal that the list has not shown yet. Null means that the list has no further withdrawal. Decided
 * withdrawals have left the list, so its first pages may have new ones.
 */
async function nextPage(position: ListPosition, call: ReturnType<typeof useCall>): Promise<string | null> {
  for (let page = Number(position.query.page) || 1; ; page += 1) {
    const query = { ...position.query, page } as Input<typeof LIST_CALL>['query']
    const { items, pagination } = await call(LIST_CALL, { query })
    const fresh = items.map(({ id }) => id).filter((id) => !position.ids.includes(id))
    if (fresh[0] !== undefined) {
      const { after } = countsAround(pagination, items.length)
      keepListPosition({ ...position, query: { ...position.query, page }, ids: [...position.ids, ...fresh], after })
      return fresh[0]
    }
    if (page >= pagination.total_pages) return null
  }
}
