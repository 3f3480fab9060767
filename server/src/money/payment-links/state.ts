// Defines the statuses of a payment link as merchants and payers read them.

import type { LinkStatus } from '../collections/index.ts'

/** All statuses of a payment link as merchants and payers see them. */
export const LINK_STATUSES = ['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED'] as const
/** The status of one payment link. The server never stores EXPIRED; `linkStatusAt` derives it. */
export type ShownLinkStatus = (typeof LINK_STATUSES)[number]

/** Returns the status at `now`. If a stored ACTIVE link has passed its `expires_at`, the status is EXPIRED. */
export function linkStatusAt(link: { status: LinkStatus; expires_at: Date | null }, now: Date): ShownLinkStatus {
  const has_expired = link.expires_at !== null && link.expires_at <= now
  return link.status === 'ACTIVE' && has_expired ? 'EXPIRED' : link.status
}
