// Erases payers from the bodies of old deliveries. The server signs a body when it sends it, so a later replay signs the shorter body.

import type { Deps } from '../../kernel/db/index.ts'
import { retentionTask, type Task } from '../../kernel/work/index.ts'

// A quotation mark within a text has a backslash before it, so the patterns match fields only. The first field is another one.
const TEXT = '"(?:[^"\\\\]|\\\\.)*"'
const PAIRS = `(?:${TEXT}:${TEXT},?)*`
const FIELDS = `,"(?:customer_phone":(?:${TEXT}|null)|metadata":(?:\\{${PAIRS}\\}|null))`

/** Makes the task that removes the payer's phone and the metadata from the bodies of deliveries after RETENTION_PAYERS_DAYS. */
export function deliveryRetention(deps: Deps): Task {
  const changes = `body = regexp_replace(t.body, '${FIELDS}', '', 'g')`
  return retentionTask(deps, { table: 'webhook_deliveries', id: 'id', changes })
}
