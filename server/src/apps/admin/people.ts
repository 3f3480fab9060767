// Defines the commands for users. The commands give roles, such as the first operator's, issue access tokens for scripts, and
// read e-mails.

import {
  ACCESS_TOKEN_S,
  EMBEDDED,
  endSessions,
  issueAccessToken,
  issuerKey,
  keepSuperAdmin,
  latestIssuerKey,
  mayMailInvitation,
  newPassword,
  setPassword,
} from '../../access/identity/index.ts'
import {
  bindUser,
  createUser,
  findMerchant,
  inviteMember,
  lockSuperAdmins,
  OPERATOR_ROLE,
  setOperatorRole,
} from '../../access/merchants/index.ts'
import { listEmails } from '../../adapters/messages/index.ts'
import { type AuditAction, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { isOperatorRole, type OperatorRole, type Role } from '../../kernel/http/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { COMMAND_ACT } from './act.ts'

/**
 * A role for a user. Null in `merchant_id` means a role of operators. `subject` is the user's subject at OIDC_ISSUER. Null
 * means that the command binds no subject.
 */
export type RoleGrant = {
  email: string
  role: Role
  merchant_id: string | null
  name: string | null
  language: 'sw' | 'en'
  subject: string | null
}

/** The user with the role. Null in `password` means that the command made no password, and `note` gives the reason. */
type GrantedUser = { user_id: string; email: string; password: string | null; note?: string }

type UserRow = {
  id: string
  email_verified: boolean
  operator_role: OperatorRole | null
  issuer: string | null
  subject: string | null
  disabled_at: Date | null
}

/** The content of the audit entry about the user. Null means that the command did not change the user. */
type UserChange = { action: AuditAction; before?: object; after: object } | null

const FIND = sql(
  'admin_user_by_email',
  `select u.id, u.email_verified, ${OPERATOR_ROLE} as operator_role, u.issuer, u.subject, u.disabled_at
   from users u where u.email = $1 for update`,
)
const BY_SUBJECT = sql('admin_user_by_subject', 'select email from users where issuer = $1 and subject = $2')

/**
 * Gives a user a role. If the account is missing, creates the account. If the merchant is unknown, refuses with not_found. If
 * the user is a member, is disabled or has another subject, or a new operator is unconfirmed, refuses with invalid_state. Also
 * refuses if another user has the subject, or if the last SUPER_ADMIN would get another role.
 */
export function grantRole(deps: Deps, input: RoleGrant): Promise<GrantedUser> {
  const { email, merchant_id, role, name, subject } = input
  return inTransaction(deps.db, async (tx) => {
    if (merchant_id !== null && !(await findMerchant(tx, merchant_id))) {
      refuse('not_found', { message: 'There is no merchant with this id. Check --merchant.' })
    }
    if (subject !== null) await checkSubject(deps, tx, email, subject)
    const super_admins = isOperatorRole(role) ? await lockSuperAdmins(tx) : []
    const [existing] = await tx.query<UserRow>(FIND, [email])
    if (existing?.operator_role === 'SUPER_ADMIN' && isOperatorRole(role) && role !== 'SUPER_ADMIN')
      keepSuperAdmin(super_admins, existing.id)
    const [user_id, change] = existing ? await changeUser(deps, tx, input, existing) : await insertUser(deps, tx, input)

    const password = existing || deps.config.oidc_issuer !== '' ? null : newPassword(deps.random)
    if (password !== null) await setPassword(deps, tx, user_id, password, { is_first: true })
    if (!isOperatorRole(role) && merchant_id !== null) {
      await inviteMember(deps, tx, COMMAND_ACT, { merchant_id, email, role, name }, mayMailInvitation)
    }
    if (change) {
      const target = { target_type: 'user', target_id: user_id }
      await recordAudit(deps, tx, { ...COMMAND_ACT, ...target, ...change, merchant_id: PLATFORM })
    }
    const note = noteOf(deps, input, existing ?? null)
    return { user_id, email, password, ...(note === null ? {} : { note }) }
  })
}

async function insertUser(deps: Deps, tx: Tx, input: RoleGrant): Promise<[string, UserChange]> {
  const { email, language, role, subject } = input
  const issuer = deps.config.oidc_issuer
  const name = input.name ?? email
  const operator_role = isOperatorRole(role) ? role : null
  const identity = issuer === '' ? 'embedded' : subject === null ? null : { issuer, subject }
  // An account without an identity must prove its e-mail address at the first sign-in. For any other account, the person who
  // runs the command confirms the address.
  const user = { email, email_verified: identity !== null, name, language, operator_role, identity } as const
  const { id } = await createUser(deps, tx, user)
  return [id, { action: 'user.create', after: { email, name, language, operator_role, identity } }]
}

/**
 * If the input has a role of operators, gives the role to an existing user. If the input has a subject, binds the user to the
 * subject. A role that replaces an earlier role of operators ends the sessions at the built-in provider. A user who is disabled,
 * has another subject, or has no confirmed address for the role, is refused with invalid_state.
 */
async function changeUser(deps: Deps, tx: Tx, input: RoleGrant, existing: UserRow): Promise<[string, UserChange]> {
  const { email, subject } = input
  const issuer = deps.config.oidc_issuer
  if (existing.disabled_at !== null) refuse('invalid_state', { message: DISABLED })
  const binds = subject !== null && !(existing.issuer === issuer && existing.subject === subject)
  if (binds && existing.issuer !== null) {
    refuse('invalid_state', { message: 'This user already has another subject at OIDC_ISSUER. Check --subject.' })
  }
  if (binds) await bindUser(deps, tx, { email, issuer, subject })
  const new_role = isOperatorRole(input.role) && input.role !== existing.operator_role ? input.role : null
  // A stranger can sign up with any address. An account with an unproven address must not become an operator.
  if (new_role !== null && !existing.email_verified && existing.issuer !== null) {
    refuse('invalid_state', {
      message: 'This user has not confirmed the e-mail address yet. Ask the user to confirm the address first.',
    })
  }
  if (new_role !== null) await setOperatorRole(deps, tx, existing.id, new_role)
  if (new_role !== null && existing.operator_role !== null && existing.issuer === EMBEDDED)
    await endSessions(deps, tx, existing.id)
  if (!binds && new_role === null) return [existing.id, null]
  const { operator_role } = existing
  const before = { email, operator_role, issuer: existing.issuer, subject: existing.subject }
  const after = {
    ...before,
    ...(new_role === null ? {} : { operator_role: new_role }),
    ...(binds ? { issuer, subject } : {}),
  }
  return [existing.id, { action: 'user.change', before, after }]
}

async function checkSubject(deps: Deps, tx: Tx, email: string, subject: string): Promise<void> {
  const [owner] = await tx.query<{ email: string }>(BY_SUBJECT, [deps.config.oidc_issuer, subject])
  if (owner && owner.email !== email) {
    refuse('invalid_state', {
      message: 'Another user has this --subject. Check --subject, or name that user with --email.',
    })
  }
}

function noteOf({ config }: Deps, { subject, role }: RoleGrant, existing: UserRow | null): string | null {
  const earlier = existing?.operator_role ?? null
  if (earlier !== null && isOperatorRole(role) && role !== earlier)
    return `The user had the role ${earlier} and has the role ${role} from the next request on.${
      existing?.issuer === EMBEDDED ? ' All sessions of the user ended.' : ''
    }`
  if (existing) return 'The user existed already: the user has the role now, and signs in as before.'
  if (config.oidc_issuer === '') return null
  return subject === null
    ? `The user signs in at ${config.oidc_issuer}; the first time, that issuer must report this e-mail address as verified.`
    : `The user signs in at ${config.oidc_issuer}, with this subject.`
}

/**
 * Reads the newest e-mails of the outbox with their texts, for an installation without a mail server. A text may contain a link
 * that gives access to an account, so the command writes the audit log.
 */
export async function readEmails(
  deps: Deps,
  filter: { to?: string; merchant_id?: string },
): Promise<{ emails: Record<string, unknown>[] }> {
  const found = await listEmails(deps, { ...filter, open: true })
  await inTransaction(deps.db, (tx) =>
    recordAudit(deps, tx, {
      ...COMMAND_ACT,
      merchant_id: filter.merchant_id ?? PLATFORM,
      action: 'outbox.read',
      target_type: 'outbox',
      target_id: filter.merchant_id ?? PLATFORM,
      after: { emails: found.length, ...filter },
    }),
  )
  return { emails: found.map(({ created_at, ...email }) => ({ ...email, created_at: created_at.toISOString() })) }
}

const DISABLED = 'This user is disabled. Enable the user with "user enable" first.'

type TokenUserRow = { id: string; issuer: string | null; subject: string | null; disabled_at: Date | null }
const FOR_TOKEN = sql('admin_user_for_token', 'select id, issuer, subject, disabled_at from users where email = $1')

/**
 * Issues an access token of the built-in provider for scripts. The `amr` of the token is `cli`, which counts as a second
 * factor. If the user is unknown, refuses with not_found. If the user is disabled or has no account at the built-in provider,
 * refuses with invalid_state.
 */
export async function issueToken(deps: Deps, email: string): Promise<{ access_token: string; expires_in: number }> {
  const key = (await latestIssuerKey(deps)) ?? (await issuerKey(deps, embeddedIssuer(deps)))
  return inTransaction(deps.db, async (tx) => {
    const [user] = await tx.query<TokenUserRow>(FOR_TOKEN, [email])
    if (!user) refuse('not_found', { message: 'There is no user with this e-mail address. Check --email.' })
    if (user.disabled_at !== null) refuse('invalid_state', { message: DISABLED })
    if (user.issuer !== 'embedded' || user.subject === null) {
      refuse('invalid_state', {
        message: 'This user has no account at the built-in provider yet. Ask the user to sign up first.',
      })
    }
    const access_token = await issueAccessToken(deps, key, user.subject, ['cli'])
    await recordAudit(deps, tx, {
      ...COMMAND_ACT,
      merchant_id: PLATFORM,
      action: 'user.token',
      target_type: 'user',
      target_id: user.id,
      after: { email, expires_in: ACCESS_TOKEN_S },
    })
    return { access_token, expires_in: ACCESS_TOKEN_S }
  })
}

/** Returns the address of the built-in provider, also for an installation whose server has not run yet. */
function embeddedIssuer({ config }: Deps): string {
  return `${config.base_url || `http://127.0.0.1:${config.port}`}/identity`
}
