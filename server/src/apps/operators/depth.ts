// How far lists over all merchants go. They are merged from what each merchant has newest, and no index helps further down.

import { refuseField } from '../../kernel/lib/index.ts'

/** The rows that a list over all merchants shows and counts. */
export const DEPTH_MAX = 10_000

/** Refuses a page that lies deeper than a list over all merchants goes. A list of one merchant has no such end. */
export function checkDepth({
  page = 1,
  page_size = 20,
  merchant_id,
}: {
  page?: number
  page_size?: number
  merchant_id?: string
}): void {
  if (merchant_id !== undefined || page * page_size <= DEPTH_MAX) return
  refuseField('page', `must not go beyond the newest ${DEPTH_MAX} rows of all merchants. Name one with merchant_id`)
}
