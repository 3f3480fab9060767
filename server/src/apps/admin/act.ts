// Names the actor that the admin command writes into the audit log.

import type { Act } from '../../books/audit/index.ts'

/** The admin command. The command has no user account, so the entry names no user. */
export const COMMAND_ACT: Act = { actor: { kind: 'command', id: null, name: 'admin' }, request_id: null, address: null }
