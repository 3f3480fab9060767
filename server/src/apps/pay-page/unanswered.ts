// The tries on a page that nobody has answered, whoever made them.

import type { Deps } from '../../kernel/db/index.ts'
import { gather } from '../../kernel/lib/index.ts'
import { findUnansweredAttempts, type UnansweredAttempt } from '../../money/collections/index.ts'
import type { Link } from '../../money/payment-links/index.ts'
import type { Unanswered } from './view.ts'

/** Most codes are never scanned: one that is older is no reason to warn. */
const CODE_MS = 15 * 60_000

/**
 * Makes the gatherer that says whether a page has a try that may still take money, and of what kind: one statement for all
 * pages that wait.
 */
export function createFindUnanswered(deps: Deps): (link: Link) => Promise<Unanswered['kind'] | null> {
  return gather<Link, Unanswered['kind'] | null>(
    async (links) => {
      const keys = new Map(links.map(({ merchant_id, id: link_id }) => [link_id, { merchant_id, link_id }]))
      const tries = await findUnansweredAttempts(deps.db, [...keys.values()])
      const now = deps.clock.now()
      return links.map(({ id }) =>
        kindOf(
          tries.filter(({ link_id }) => link_id === id),
          now,
        ),
      )
    },
    { max_items: 500, max_running: 2 },
  )
}

function kindOf(tries: readonly UnansweredAttempt[], now: Date): Unanswered['kind'] | null {
  if (tries.some(({ method }) => method !== 'qr')) return 'prompt'
  return tries.some(({ at }) => now.getTime() - at.getTime() < CODE_MS) ? 'code' : null
}
