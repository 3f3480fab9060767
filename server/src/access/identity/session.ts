// Authenticates sessions: finds the user of an access token, and reads the current rights of the user.

import { PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction, sql, type Tx, violatedConstraint } from '../../kernel/db/index.ts'
import type { Membership, OperatorRole, SessionPrincipal } from '../../kernel/http/index.ts'
import { gather, refuse } from '../../kernel/lib/index.ts'
import { bindUser, OPERATOR_ROLE } from '../merchants/index.ts'
import { recordActivity, type SessionEnd, type SessionTimes, sessionEnd } from './console-sessions.ts'
import { createForeignVerifier } from './foreign.ts'
import { INVITATION_HOLDS } from './invitations.ts'
import { needsSecondFactor } from './operator-factor.ts'
import { type Claims, createEmbeddedVerifier, TOKEN_MAX } from './tokens.ts'

type SessionRow = {
  place: number
  user_id: string
  email: string
  email_verified: boolean
  name: string
  operator_role: OperatorRole | null
  session_id: string | null
  signed_in_at: Date | null
  confirmed_at: Date | null
  seen_at: Date | null
  memberships: (Omit<Membership['merchant'], 'may_go_live'> & {
    role: Membership['role']
    second_factor_required: boolean
    unused: boolean
    verified: boolean
    priced: boolean
  })[]
}

const USER_COLUMNS = `u.id as user_id, u.email, u.email_verified, u.name, ${OPERATOR_ROLE} as operator_role,
     c.id as session_id, c.signed_in_at, c.confirmed_at, c.seen_at`

// An invitation gives access only after the user has proved the e-mail address. Otherwise a stranger could sign up with the
// address of an invited user. Null in s.name means that the membership has no invitation.
const MEMBERSHIPS = `select json_agg(json_build_object('role', s.role, 'second_factor_required', m.second_factor_required,
         'unused', s.first_seen_at is null, 'id', m.id, 'routing_code', m.routing_code, 'code', m.merchant_code,
         'name', m.name, 'status', m.status, 'verified', m.verified, 'priced', exists (
           select from pricing_rules p where p.merchant_id = m.id and p.flow = 'withdrawal' and p.valid_until is null)) order by m.name, m.id)
     from members s join merchants m on m.id = s.merchant_id
     where s.user_id = u.id and (u.email_verified or s.name is null)`

const FIND = sql(
  'session_find',
  `select i.place, ${USER_COLUMNS}, coalesce((
     ${MEMBERSHIPS}), '[]'::json) as memberships
   from json_to_recordset($1::json) as i(place int, issuer text, subject text, session_id uuid)
   join users u on u.issuer = i.issuer and u.subject = i.subject
   left join console_sessions c on c.id = i.session_id and c.user_id = u.id
   where u.disabled_at is null and (i.session_id is null or c.id is not null)`,
)
const FIND_AGAIN = sql(
  'session_find_again',
  `select 0 as place, ${USER_COLUMNS}, coalesce((
     ${MEMBERSHIPS} and s.merchant_id = $4), '[]'::json) as memberships
   from users u left join console_sessions c on c.id = $3 and c.user_id = u.id
   where u.issuer = $1 and u.subject = $2 and u.disabled_at is null and ($3::uuid is null or c.id is not null)`,
)

/** The parts of a request that the check needs: the id and the IP address for the audit log, and the headers. */
type TokenRequest = { id: string; ip: string; headers: Readonly<Record<string, unknown>> }

/**
 * The header of requests that a console sends in the background. The server does not count them as activity of the user.
 */
const BACKGROUND = 'x-background'

/** A user with its session. Null as `session` means that the session has no row. */
type FoundSession = { principal: SessionPrincipal; session: (SessionTimes & { id: string }) | null }

/**
 * Makes the function that authenticates a token. The function reads the rights of the user on every request, without a cache.
 * If the token is invalid, the refusal is invalid_session without a reason. If the session is too old or was idle for too long,
 * the refusal contains the reason.
 */
export function createSessions(deps: Deps): (token: string, request: TokenRequest) => Promise<SessionPrincipal> {
  const verifier = deps.config.oidc_issuer === '' ? createEmbeddedVerifier(deps) : createForeignVerifier(deps)
  const find = gather<Claims, FoundSession | null>(
    async (claims) => {
      const subjects = claims.map(({ issuer, subject, session_id }, place) => ({ place, issuer, subject, session_id }))
      const rows = await deps.db.query<SessionRow>(FIND, [JSON.stringify(subjects)])
      const found = new Map(rows.map((row) => [row.place, row]))
      return claims.map((claim, place) => {
        const row = found.get(place)
        return row ? { principal: sessionPrincipal(deps, row, claim), session: sessionTimes(row, claim) } : null
      })
    },
    { max_items: 200, max_running: 2 },
  )
  return async (token, request) => {
    if (token.length > TOKEN_MAX) refuse('invalid_session')
    const claims = (await verifier.verify(token)) ?? refuse('invalid_session')
    const found = await find(claims)
    if (found) return useSession(deps, found, request)
    const email = await verifier.verifiedEmail(token, claims)
    if (email === null) refuse('invalid_session')
    await bindInvited(deps, claims, email, request)
    return (await find(claims))?.principal ?? refuse('invalid_session')
  }
}

/**
 * Reads an authenticated session again in a transaction, with its membership in one merchant only. If the session has ended or
 * the user is disabled, refuses. The function does not check the token again, because a foreign issuer needs the network.
 */
export function createReadSessionAgain(
  deps: Deps,
): (tx: Tx, principal: SessionPrincipal, merchant_id: string) => Promise<SessionPrincipal> {
  return async (tx, principal, merchant_id) => {
    const { issuer, subject, session_id, second_factor: strong } = principal
    const [row] = await tx.query<SessionRow>(FIND_AGAIN, [issuer, subject, session_id, merchant_id])
    return row ? sessionPrincipal(deps, row, { ...principal, strong }) : refuse('invalid_session')
  }
}

const ENDED: Record<SessionEnd, string> = {
  idle: 'This session ended because you did not use it. Sign in again.',
  age: 'This session has reached its longest duration. Sign in again.',
}

/**
 * Returns the user of a session. If the session has a row and the request is no background request, records the activity. If
 * the session has ended, refuses.
 */
async function useSession(
  deps: Deps,
  { principal, session }: FoundSession,
  request: TokenRequest,
): Promise<SessionPrincipal> {
  if (session === null) {
    // The server checks only the age of a session without a row, because only the issuer records its activity. It does not check the
    // age of a token of the admin command.
    const { console, auth_time, by_command } = principal
    const times = auth_time && { console, signed_in_at: auth_time, seen_at: deps.clock.now() }
    if (times && !by_command && sessionEnd(deps, times, deps.clock.now()))
      refuse('invalid_session', { message: ENDED.age })
    return principal
  }
  const end = sessionEnd(deps, session, deps.clock.now())
  if (end !== null) refuse('invalid_session', { message: ENDED[end] })
  if (request.headers[BACKGROUND] === undefined) await recordActivity(deps, session, request.ip)
  return principal
}

function sessionTimes({ session_id, signed_in_at, seen_at }: SessionRow, { console }: Claims): FoundSession['session'] {
  if (session_id === null || signed_in_at === null || seen_at === null) return null
  return { id: session_id, console, signed_in_at, seen_at }
}

const INVITED = sql(
  'session_invited',
  `select 1 from users u where u.email = $1 and u.issuer is null and u.disabled_at is null and ($2 or ${INVITATION_HOLDS})`,
)

/**
 * Binds an invited user to the issuer and subject of the first sign-in. If no invited user has this e-mail address, does
 * nothing. If SIGN_UP=invited, ignores withdrawn invitations.
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
    // If a disabled user has the same subject, the server must not bind the subject to a second user.
    if (violatedConstraint(error) !== 'users_subject_key') throw error
  }
}

function newest(first: Date | null, second: Date | null): Date | null {
  return first !== null && second !== null && second > first ? second : (first ?? second)
}

type SessionFacts = Omit<Claims, 'session_id'>

function sessionPrincipal(deps: Deps, row: SessionRow, claims: SessionFacts): SessionPrincipal {
  const { user_id, email, email_verified, name } = row
  return {
    kind: 'session',
    user_id,
    issuer: claims.issuer,
    subject: claims.subject,
    email,
    email_verified,
    name,
    console: claims.console,
    session_id: row.session_id,
    auth_time: newest(claims.auth_time, row.confirmed_at),
    second_factor: claims.strong,
    by_command: claims.by_command,
    // Without a second factor, a user has no operator role. Outside production, a demo operator is the exception.
    operator_role: claims.strong || !needsSecondFactor(deps, row) ? row.operator_role : null,
    memberships: row.memberships.map(({ role, second_factor_required, unused, verified, priced, ...merchant }) => ({
      role,
      second_factor_required,
      unused,
      merchant: { ...merchant, may_go_live: merchant.status === 'ACTIVE' && verified && priced },
    })),
  }
}
