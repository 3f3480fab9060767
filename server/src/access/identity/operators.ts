// Reads the operators, with their second factors and sign-ins.

import { type Reader, sql } from '../../kernel/db/index.ts'
import type { OperatorRole } from '../../kernel/http/index.ts'
import { OPERATOR_ROLE } from '../merchants/index.ts'

/**
 * A user with an operator role. `last_sign_in_at` is the newest stored sign-in at the operator console. Null means that none is
 * stored. `has_signed_in` is false for an unbound invited user, and for a user with an unchanged first password.
 */
export type OperatorAccount = {
  user_id: string
  email: string
  name: string
  role: OperatorRole
  disabled: boolean
  authenticator: boolean
  passkeys: number
  last_sign_in_at: Date | null
  has_signed_in: boolean
}

const IS_OPERATOR = '(u.super_admin or u.operator_role is not null)'
const LIST = sql(
  'operators_list',
  `select u.id as user_id, u.email, u.name, ${OPERATOR_ROLE} as role, u.disabled_at is not null as disabled,
     exists (select from second_steps f where f.user_id = u.id) as authenticator,
     (select count(*)::int from passkeys p where p.user_id = u.id) as passkeys,
     (select max(s.signed_in_at) from console_sessions s where s.user_id = u.id and s.console = 'operator') as last_sign_in_at,
     u.issuer is not null and not exists (select from credentials c where c.user_id = u.id and c.is_first) as has_signed_in
   from users u where ${IS_OPERATOR} order by u.disabled_at is not null, u.email limit $1 offset $2`,
)
const COUNT = sql('operators_count', `select count(*)::int as total from users u where ${IS_OPERATOR}`)
const EMAIL = sql('operators_email', `select u.email from users u where u.id = $1 and ${IS_OPERATOR}`)

/**
 * Returns a part of the operators sorted by e-mail address, disabled operators last, and the number of all operators.
 */
export async function listOperators(
  reader: Reader,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: OperatorAccount[]; total: number }> {
  const [rows, counted] = await Promise.all([
    reader.query<OperatorAccount>(LIST, [limit, offset]),
    reader.query<{ total: number }>(COUNT),
  ])
  return { rows, total: counted[0]?.total ?? 0 }
}

/** Returns the e-mail address of an operator. Null means that no operator has this id. */
export async function findOperatorEmail(reader: Reader, user_id: string): Promise<string | null> {
  return (await reader.query<{ email: string }>(EMAIL, [user_id]))[0]?.email ?? null
}
