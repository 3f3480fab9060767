// Reads the caller of a request: a user with its memberships, or an API key with its merchant.

import { type Reader, sql } from '../../kernel/db/index.ts'
import { dutiesOf, type KeyPrincipal, type Principal, type SessionPrincipal } from '../../kernel/http/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import type { KeyView, MeView } from './schema.ts'

const USER = sql('me_person', 'select id, email, email_verified, name, language from users where id = $1')
const MEMBERSHIPS = sql(
  'me_memberships',
  `select m.id as merchant_id, m.merchant_code, m.name, s.role, m.status, m.verified, m.second_factor_required, exists (
     select 1 from pricing_rules p where p.merchant_id = m.id and p.flow = 'withdrawal' and p.valid_until is null) as priced
   from members s join merchants m on m.id = s.merchant_id join users u on u.id = s.user_id
   where s.user_id = $1 and (u.email_verified or s.name is null) order by m.name, m.id`,
)

/** The fields of a user that `userView` takes from the principal of the request. */
type TokenField = 'super_admin' | 'operator_role' | 'operator_duties' | 'console' | 'auth_time' | 'second_factor'

const MERCHANT = sql('me_merchant', 'select name from merchants where id = $1')

/** Returns the caller for GET /v1/me: the user of a session, or the API key with its merchant. */
export function getMe(reader: Reader, principal: Principal): Promise<MeView | KeyView> {
  return principal.kind === 'session' ? userView(reader, principal) : keyView(reader, principal)
}

async function keyView(
  reader: Reader,
  { key_id, key_name, environment, scopes, merchant }: KeyPrincipal,
): Promise<KeyView> {
  const [row] = await reader.query<{ name: string }>(MERCHANT, [merchant.id])
  return {
    merchant_id: merchant.id,
    merchant_name: row?.name ?? refuse('invalid_api_key'),
    merchant_code: merchant.code,
    environment,
    scopes: [...scopes],
    key_id,
    key_name,
  }
}

/**
 * Returns the user of a session with the memberships, sorted by merchant name. If the user does not exist, refuses with
 * invalid_session.
 */
async function userView(reader: Reader, principal: SessionPrincipal): Promise<MeView> {
  const { user_id, operator_role, console, second_factor } = principal
  const [[user], memberships] = await Promise.all([
    reader.query<Omit<MeView, TokenField | 'memberships'>>(USER, [user_id]),
    reader.query<MeView['memberships'][number]>(MEMBERSHIPS, [user_id]),
  ])
  const auth_time = principal.auth_time?.toISOString() ?? null
  if (!user) refuse('invalid_session')
  const super_admin = operator_role === 'SUPER_ADMIN'
  const operator_duties = dutiesOf(operator_role)
  return { ...user, super_admin, operator_role, operator_duties, console, auth_time, second_factor, memberships }
}
