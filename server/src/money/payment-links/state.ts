// Where a payment link stands, as it is read.

import type { LinkStatus } from '../collections/index.ts'

/** Statuses of a payment link. */
export const LINK_STATUSES = ['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED'] as const
/** One of them. */
export type ShownStatus = (typeof LINK_STATUSES)[number]

/** The status at `now`: a link that is ACTIVE past its end is EXPIRED, without anybody having written so. */
export function statusAt(link: { status: LinkStatus; expires_at: Date | null }, now: Date): ShownStatus {
  const over = link.expires_at !== null && link.expires_at <= now
  return link.status === 'ACTIVE' && over ? 'EXPIRED' : link.status
}
