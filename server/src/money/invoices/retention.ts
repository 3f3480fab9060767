// Erases customers from old invoices.

import type { Deps } from '../../kernel/db/index.ts'
import { retentionTask, type Task } from '../../kernel/work/index.ts'

/** Makes the task that erases customers from invoices after RETENTION_PAYERS_DAYS. An invoice always has a name. */
export function invoiceRetention(deps: Deps): Task {
  const changes = `customer_phone = null, customer_name = 'xxxxxx', customer_email = null`
  return retentionTask(deps, { table: 'invoices', id: 'id', changes })
}
