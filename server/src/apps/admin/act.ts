// Who acts at the command line, for the audit log.

import type { Act } from '../../books/audit/index.ts'

/** The admin command: whoever runs it holds the database, so the entry can name nobody more closely. */
export const COMMAND_ACT: Act = { actor: { kind: 'command', id: null, name: 'admin' }, request_id: null, address: null }
