// Defines the statuses of a payment link for readers.

import type { LinkStatus } from '../collections/index.ts'

/** Statuses of a payment link. */
export const LINK_STATUSES = ['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED'] as const
/** One status of a payment link, including EXPIRED, which the server never stores. */
export type ShownLinkStatus = (typeof LINK_STATUSES)[number]

/** Returns the status at `now`. A stored ACTIVE link is EXPIRED after its `expires_at`. */
export function linkStatusAt(link: { status: LinkStatus; expires_at: Date | null }, now: Date): ShownLinkStatus {
  const has_expired = link.expires_at !== null && link.expires_at <= now
  return link.status === 'ACTIVE' && has_expired ? 'EXPIRED' : link.status
}
