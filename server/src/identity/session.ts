// Sessions: from a token to a person, with the rights that this person has now.

import { type Deps, sql } from '../db/index.ts'
import type { Membership, SessionPrincipal } from '../http/index.ts'
import { gather, refuse } from '../lib/index.ts'
import { type Claims, createEmbeddedVerifier, TOKEN_MAX } from './tokens.ts'

type Row = {
  place: number
  user_id: string
  email: string
  name: string
  super_admin: boolean
  memberships: (Omit<Membership['merchant'], 'may_go_live'> & {
    role: Membership['role']
    verified: boolean
    priced: boolean
  })[]
}

const FIND = sql(
  'session_find',
  `select i.place, u.id as user_id, u.email, u.name, u.super_admin, coalesce((
     select json_agg(json_build_object('role', s.role, 'id', m.id, 'routing_code', m.routing_code, 'code', m.merchant_code,
         'name', m.name, 'status', m.status, 'verified', m.verified, 'priced', exists (
           select from pricing_rules p where p.merchant_id = m.id and p.flow = 'withdrawal' and p.valid_until is null)) order by m.name, m.id)
     from members s join merchants m on m.id = s.merchant_id where s.user_id = u.id), '[]'::json) as memberships
   from json_to_recordset($1::json) as i(place int, issuer text, subject text)
   join users u on u.issuer = i.issuer and u.subject = i.subject
   where u.disabled_at is null`,
)

/** Ways of signing in that are a second factor, or as good as one. */
const STRONG = ['otp', 'mfa', 'hwk', 'swk', 'sc', 'cli']

/**
 * Makes the check of session tokens. Rights are read on every request, and nothing of them is remembered: a removed
 * member is refused on the next request. Throws invalid_session for every token that is not good, without saying why.
 */
export function createSessions(deps: Deps): (token: string) => Promise<SessionPrincipal> {
  const verify = createEmbeddedVerifier(deps)
  const find = gather<Claims, SessionPrincipal | null>(
    async (claims) => {
      const asked = claims.map(({ issuer, subject }, place) => ({ place, issuer, subject }))
      const rows = await deps.db.query<Row>(FIND, [JSON.stringify(asked)])
      const found = new Map(rows.map((row) => [row.place, row]))
      return claims.map((claim, place) => {
        const row = found.get(place)
        return row ? principalOf(deps, row, claim) : null
      })
    },
    { max_items: 200, max_running: 2 },
  )
  return async (token) => {
    if (token.length > TOKEN_MAX) refuse('invalid_session')
    const claims = await verify(token)
    return (claims && (await find(claims))) ?? refuse('invalid_session')
  }
}

function principalOf(deps: Deps, row: Row, claims: Claims): SessionPrincipal {
  const { user_id, email, name } = row
  const strong = claims.amr.some((way) => STRONG.includes(way))
  return {
    kind: 'session',
    user_id,
    email,
    name,
    // An operator with nothing but a password is no operator where money is real.
    super_admin: row.super_admin && (strong || deps.config.node_env !== 'production'),
    memberships: row.memberships.map(({ role, verified, priced, ...merchant }) => ({
      role,
      merchant: { ...merchant, may_go_live: merchant.status === 'ACTIVE' && verified && priced },
    })),
  }
}
