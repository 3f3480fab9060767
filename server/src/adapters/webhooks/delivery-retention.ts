// Erases personal data of payers from the bodies of old deliveries. The server signs a body at each send, so a replay signs the
// shorter body.

import type { Deps } from '../../kernel/db/index.ts'
import { retentionTask, type Task } from '../../kernel/work/index.ts'

// Within a JSON text, a backslash precedes each quotation mark, so the patterns match only fields. The patterns begin with a
// comma, because these fields are never the first field.
const TEXT = '"(?:[^"\\\\]|\\\\.)*"'
const PAIRS = `(?:${TEXT}:${TEXT},?)*`
const FIELDS = `,"(?:customer_phone":(?:${TEXT}|null)|metadata":(?:\\{${PAIRS}\\}|null))`

/** Makes the task that removes the payer's phone and the metadata from deliveries after RETENTION_PAYERS_DAYS. */
export function deliveryRetention(deps: Deps): Task {
  const changes = `body = regexp_replace(t.body, '${FIELDS}', '', 'g')`
  return retentionTask(deps, { table: 'webhook_deliveries', id: 'id', changes })
}
