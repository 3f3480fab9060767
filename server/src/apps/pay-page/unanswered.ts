// Finds whether a payment link has an attempt that can still take money.

import type { Deps } from '../../kernel/db/index.ts'
import { gather } from '../../kernel/lib/index.ts'
import { findUnansweredAttempts, type UnansweredAttempt } from '../../money/collections/index.ts'
import type { Link } from '../../money/payment-links/index.ts'
import type { UnansweredNotice } from './view.ts'

/** The page warns about a QR code only for this time in milliseconds, because payers never scan most QR codes. */
const CODE_MS = 15 * 60_000

/**
 * Makes the function that finds the kind of an attempt that can still take money. Null means that no attempt of the page can.
 * One SQL statement answers up to 500 requests.
 */
export function createFindUnanswered(deps: Deps): (link: Link) => Promise<UnansweredNotice['kind'] | null> {
  return gather<Link, UnansweredNotice['kind'] | null>(
    async (links) => {
      const keys = new Map(links.map(({ merchant_id, id: link_id }) => [link_id, { merchant_id, link_id }]))
      const attempts = await findUnansweredAttempts(deps.db, [...keys.values()])
      const now = deps.clock.now()
      return links.map(({ id }) =>
        unansweredKind(
          attempts.filter(({ link_id }) => link_id === id),
          now,
        ),
      )
    },
    { max_items: 500, max_running: 2 },
  )
}

function unansweredKind(attempts: readonly UnansweredAttempt[], now: Date): UnansweredNotice['kind'] | null {
  if (attempts.some(({ method }) => method !== 'qr')) return 'prompt'
  return attempts.some(({ at }) => now.getTime() - at.getTime() < CODE_MS) ? 'code' : null
}
