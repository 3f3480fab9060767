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

/** The person of a session with their memberships, by the merchants' names. */
export async function getMe(reader: Reader, { user_id, super_admin }: SessionPrincipal): Promise<MeView> {
  const [[person], memberships] = await Promise.all([
    reader.query<Omit<MeView, 'super_admin' | 'memberships'>>(PERSON, [user_id]),
    reader.query<MeView['memberships'][number]>(MEMBERSHIPS, [user_id]),
  ])
  return person ? { ...person, super_admin, memberships } : refuse('invalid_session')
}
