// From one withdrawal to the next: those of the list that the reader came from, in its order, also after they were decided.

import { useNavigate } from '@tanstack/react-router'
import type { CallName, Input } from '../../ui/api.ts'
import { useCall } from '../../ui/data.ts'
import { hrefOf } from '../../ui/parts.tsx'

const KEPT = 'malipo.operator.walk'
const LIST = 'GET /v1/operator/withdrawals' satisfies CallName

/** What the list showed: its address, what it asked for, and the ids so far. */
type Walk = { search: Record<string, string>; query: Record<string, string | number>; ids: string[] }

/** Remembers a list, so that its withdrawals can be walked through. */
export function keepWalk(walk: Walk): void {
  sessionStorage.setItem(KEPT, JSON.stringify(walk))
}

function readWalk(): Walk | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? 'null')
  } catch {
    return null
  }
}

/** Where this withdrawal stands in its list, and the ways on. Null: the reader came from no list that has it. */
export function useWalk(id: string) {
  const navigate = useNavigate()
  const call = useCall()
  const walk = readWalk()
  const list = `withdrawals?${new URLSearchParams(walk?.search ?? {})}`
  const place = walk?.ids.indexOf(id) ?? -1
  if (walk === null || place < 0) return { list, steps: null }
  const go = (to: string | null) => (to === null ? null : navigate({ to: hrefOf(`withdrawals/${to}`) }))
  const next = async () => {
    const found = walk.ids[place + 1] ?? (await nextPage(walk, call))
    await go(found)
    return found !== null
  }
  const previous = () => go(walk.ids[place - 1] ?? null)
  return { list, steps: { place: place + 1, count: walk.ids.length, next, previous } }
}

/** The first that was not shown yet. What was decided has left the list, so that its first pages may hold others by now. */
async function nextPage(walk: Walk, call: ReturnType<typeof useCall>): Promise<string | null> {
  for (let page = Number(walk.query.page) || 1; ; page += 1) {
    const query = { ...walk.query, page } as Input<typeof LIST>['query']
    const { items, pagination } = await call(LIST, { query })
    const fresh = items.map(({ id }) => id).filter((id) => !walk.ids.includes(id))
    if (fresh[0] !== undefined) {
      keepWalk({ ...walk, query: { ...walk.query, page }, ids: [...walk.ids, ...fresh] })
      return fresh[0]
    }
    if (page >= pagination.total_pages) return null
  }
}
