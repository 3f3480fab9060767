// Erases the names, phones and e-mail addresses of customers from old payment links and hosted pages.

import type { Deps } from '../../kernel/db/index.ts'
import { retentionTask, type Task } from '../../kernel/work/index.ts'

/** Makes the task that erases customers from payment links and hosted pages after RETENTION_PAYERS_DAYS. */
export function linkRetention(deps: Deps): Task {
  const changes = 'customer_phone = null, customer_name = null, customer_email = null'
  return retentionTask(deps, { table: 'payment_links', id: 'id', changes })
}
