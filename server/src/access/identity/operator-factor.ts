// Decides which operators must sign in with a second factor: all, except the demo operator outside production.

import type { OperatorRole } from '../../kernel/http/index.ts'
import type { Config } from '../../kernel/lib/index.ts'

/** The end of the e-mail addresses of all demo users. No mail server can have this domain. */
export const DEMO_DOMAIN = '@demo.malipo.example'

/** Returns true for the e-mail address of a demo user. */
export function isDemoUser(email: string): boolean {
  return email.endsWith(DEMO_DOMAIN)
}

/**
 * Returns true if a user gets the role of an operator only with a second factor. The demo operator of an installation outside production
 * needs none, so that a new installation can be tried; production refuses to start while demo users can sign in.
 */
export function needsSecondFactor(
  { config }: { config: Pick<Config, 'node_env'> },
  { operator_role, email }: { operator_role: OperatorRole | null; email: string },
): boolean {
  return operator_role !== null && (config.node_env === 'production' || !isDemoUser(email))
}
