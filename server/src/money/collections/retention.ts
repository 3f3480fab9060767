// Erases the names, phones and e-mail addresses of payers from old payments. The first digits of a phone stay, because totals
// count payments by network.

import type { Deps } from '../../kernel/db/index.ts'
import { retentionTask, type Task } from '../../kernel/work/index.ts'

/** Makes the tasks that erase payers from payments and their attempts after RETENTION_PAYERS_DAYS. */
export function paymentRetention(deps: Deps): Task[] {
  return [
    retentionTask(deps, {
      table: 'collections',
      id: 'id',
      changes: `customer_phone = left(t.customer_phone, 6) || 'xxxxxx', customer_name = null, customer_email = null`,
    }),
    retentionTask(deps, {
      table: 'collection_attempts',
      id: 'collection_id',
      changes: `phone = left(t.phone, 6) || 'xxxxxx'`,
    }),
  ]
}
