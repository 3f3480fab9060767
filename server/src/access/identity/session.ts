// Checks sessions. The server finds the user of an access token, and the current rights of the user.

import { PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction, sql, violatedConstraint } from '../../kernel/db/index.ts'
import type { Membership, SessionPrincipal } from '../../kernel/http/index.ts'
import { gather, refuse } from '../../kernel/lib/index.ts'
import { bindUser } from '../merchants/index.ts'
import { createForeignVerifier } from './foreign.ts'
import { INVITATION_HOLDS } from './invitations.ts'
import { type Claims, createEmbeddedVerifier, TOKEN_MAX } from './tokens.ts'

type SessionRow = {
  place: number
  user_id: string
  email: string
  email_verified: boolean
  name: string
  super_admin: boolean
  memberships: (Omit<Membership['merchant'], 'may_go_live'> & {
    role: Membership['role']
    verified: boolean
    priced: boolean
  })[]
}

// An invitation gives access only after the user has proven the e-mail address. Otherwise a stranger could sign up with the address
// of an invited user. Null in s.name means that the member has no invitation.
const FIND = sql(
  'session_find',
  `select i.place, u.id as user_id, u.email, u.email_verified, u.name, u.super_admin, coalesce((
     select json_agg(json_build_object('role', s.role, 'id', m.id, 'routing_code', m.routing_code, 'code', m.merchant_code,
         'name', m.name, 'status', m.status, 'verified', m.verified, 'priced', exists (
           select from pricing_rules p where p.merchant_id = m.id and p.flow = 'withdrawal' and p.valid_until is null)) order by m.name, m.id)
     from members s join merchants m on m.id = s.merchant_id
     where s.user_id = u.id and (u.email_verified or s.name is null)), '[]'::json) as memberships
   from json_to_recordset($1::json) as i(place int, issuer text, subject text)
   join users u on u.issuer = i.issuer and u.subject = i.subject
   where u.disabled_at is null`,
)

/** The id of the request and the address of its client, for the audit log. */
type TokenRequest = { id: string; ip: string }

/**
 * Creates the function that checks tokens of OIDC_ISSUER or of the built-in provider. The function reads the rights of the user on
 * every request without a cache. If a token is invalid, the refusal is always invalid_session without a reason.
 */
export function createSessions(deps: Deps): (token: string, request: TokenRequest) => Promise<SessionPrincipal> {
  const verifier = deps.config.oidc_issuer === '' ? createEmbeddedVerifier(deps) : createForeignVerifier(deps)
  const find = gather<Claims, SessionPrincipal | null>(
    async (claims) => {
      const subjects = claims.map(({ issuer, subject }, place) => ({ place, issuer, subject }))
      const rows = await deps.db.query<SessionRow>(FIND, [JSON.stringify(subjects)])
      const found = new Map(rows.map((row) => [row.place, row]))
      return claims.map((claim, place) => {
        const row = found.get(place)
        return row ? sessionPrincipal(deps, row, claim) : null
      })
    },
    { max_items: 200, max_running: 2 },
  )
  return async (token, request) => {
    if (token.length > TOKEN_MAX) refuse('invalid_session')
    const claims = (await verifier.verify(token)) ?? refuse('invalid_session')
    const principal = await find(claims)
    if (principal) return principal
    const email = await verifier.verifiedEmail(token, claims)
    if (email === null) refuse('invalid_session')
    await bindInvited(deps, claims, email, request)
    return (await find(claims)) ?? refuse('invalid_session')
  }
}

const INVITED = sql(
  'session_invited',
  `select 1 from users u where u.email = $1 and u.issuer is null and u.disabled_at is null and ($2 or ${INVITATION_HOLDS})`,
)

/**
 * Binds an invited user at the first sign-in. If no invited user has this address, the function does nothing. If SIGN_UP is invited,
 * a withdrawn invitation is no invitation.
 */
async function bindInvited(
  deps: Deps,
  { issuer, subject }: Claims,
  email: string,
  request: TokenRequest,
): Promise<void> {
  if ((await deps.db.query(INVITED, [email, deps.config.sign_up === 'open'])).length === 0) return
  try {
    await inTransaction(deps.db, async (tx) => {
      const user_id = await bindUser(deps, tx, { email, issuer, subject })
      if (user_id === null) return
      await recordAudit(deps, tx, {
        merchant_id: PLATFORM,
        actor: { kind: 'user', id: user_id, name: email },
        action: 'user.bind',
        target_type: 'user',
        target_id: user_id,
        before: { issuer: null, subject: null },
        after: { issuer, subject },
        request_id: request.id,
        address: request.ip,
      })
    })
  } catch (error) {
    // The subject belongs to a disabled user. A second account of this subject must not give access.
    if (violatedConstraint(error) !== 'users_subject_key') throw error
  }
}

function sessionPrincipal(deps: Deps, row: SessionRow, claims: Claims): SessionPrincipal {
  const { user_id, email, email_verified, name } = row
  return {
    kind: 'session',
    user_id,
    email,
    email_verified,
    name,
    console: claims.console,
    auth_time: claims.auth_time,
    by_command: claims.by_command,
    // In production, a sign-in without a second factor gives no operator role.
    super_admin: row.super_admin && (claims.strong || deps.config.node_env !== 'production'),
    memberships: row.memberships.map(({ role, verified, priced, ...merchant }) => ({
      role,
      merchant: { ...merchant, may_go_live: merchant.status === 'ACTIVE' && verified && priced },
    })),
  }
}
