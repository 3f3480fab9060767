// Decides which operators need a second factor to sign in: all except demo operators outside production.

import type { OperatorRole } from '../../kernel/http/index.ts'
import type { Config } from '../../kernel/lib/index.ts'

/** The end of the e-mail addresses of all demo users. No real domain can have this name. */
export const DEMO_DOMAIN = '@demo.malipo.example'

/** Returns true if this is the e-mail address of a demo user. */
export function isDemoUser(email: string): boolean {
  return email.endsWith(DEMO_DOMAIN)
}

/**
 * Returns true if a user has the operator role only after a sign-in with a second factor. Outside production, a demo operator
 * needs no second factor. Production does not start while demo users can sign in.
 */
export function needsSecondFactor(
  { config }: { config: Pick<Config, 'node_env'> },
  { operator_role, email }: { operator_role: OperatorRole | null; email: string },
): boolean {
  return operator_role !== null && (config.node_env === 'production' || !isDemoUser(email))
}
