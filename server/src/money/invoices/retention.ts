// Erases the names, phones and e-mail addresses of customers from old invoices.

import type { Deps } from '../../kernel/db/index.ts'
import { retentionTask, type Task } from '../../kernel/work/index.ts'

/**
 * Makes the task that erases customers from invoices after RETENTION_PAYERS_DAYS. The column of the name allows no null, so the
 * task writes a placeholder.
 */
export function invoiceRetention(deps: Deps): Task {
  const changes = `customer_phone = null, customer_name = 'xxxxxx', customer_email = null`
  return retentionTask(deps, { table: 'invoices', id: 'id', changes })
}
