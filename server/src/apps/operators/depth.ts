// Limits how many pages a list of all merchants has. The database merges the newest rows of every merchant, and no index speeds
// up the merge.

import { refuseField } from '../../kernel/lib/index.ts'

/** The highest number of rows that a list of all merchants shows and counts. */
export const DEPTH_MAX = 10_000

/**
 * If a page of a list of all merchants would end after row `DEPTH_MAX`, refuses the field `page`. A list of one merchant has no
 * limit.
 */
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
  refuseField(
    'page',
    `must not go beyond the newest ${DEPTH_MAX} rows of all merchants. Choose a merchant with merchant_id`,
  )
}
