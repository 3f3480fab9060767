// Who is signed in, and where they belong.

import { type Reader, sql } from '../db/index.ts'
import type { SessionPrincipal } from '../http/index.ts'
import { refuse } from '../lib/index.ts'
import type { MeView } from './schema.ts'

const PERSON = sql('me_person', 'select id, email, email_verified, name, language from users where id = $1')
const MEMBERSHIPS = sql(
  'me_memberships',
  `select m.id as merchant_id, m.merchant_code, m.name, s.role, m.status, m.verified, exists (
     select 1 from pricing_rules p where p.merchant_id = m.id and p.flow = 'withdrawal' and p.valid_until is null) as priced
   from members s join merchants m on m.id = s.merchant_id join users u on u.id = s.user_id
   where s.user_id = $1 and (u.email_verified or s.name is null) order by m.name, m.id`,
)

/** What is of the token, and not of the person. */
type OfSession = 'super_admin' | 'console' | 'auth_time'

/** The person of a session with their memberships, by the merchants' names. */
export async function getMe(reader: Reader, principal: SessionPrincipal): Promise<MeView> {
  const { user_id, super_admin, console } = principal
  const [[person], memberships] = await Promise.all([
    reader.query<Omit<MeView, OfSession | 'memberships'>>(PERSON, [user_id]),
    reader.query<MeView['memberships'][number]>(MEMBERSHIPS, [user_id]),
  ])
  const auth_time = principal.auth_time?.toISOString() ?? null
  return person ? { ...person, super_admin, console, auth_time, memberships } : refuse('invalid_session')
}
