// Defines the actor that the admin command writes into the audit log.

import type { Act } from '../../books/audit/index.ts'

/** The admin command as an actor. The command has no user account, so the audit entry has no user id. */
export const COMMAND_ACT: Act = { actor: { kind: 'command', id: null, name: 'admin' }, request_id: null, address: null }
