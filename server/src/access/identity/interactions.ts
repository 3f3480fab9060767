// Defines the password page of a sign-in, and the functions that all steps of a sign-in use.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { queueEmail } from '../../adapters/messages/index.ts'
import { type AuditAction, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import type { OperatorRole } from '../../kernel/http/index.ts'
import { type Language, languageOfTag, newId, refuse } from '../../kernel/lib/index.ts'
import { OPERATOR_ROLE } from '../merchants/index.ts'
import { pageUrl } from './accounts.ts'
import type { SignInResult } from './adapter.ts'
import { beginAttempt } from './attempts.ts'
import { checkPassword } from './credentials.ts'
import { deviceName } from './device-name.ts'
import { newLink } from './mailed-links.ts'
import { needsSecondFactor } from './operator-factor.ts'
import { operatorView, textsOf, withLanguage } from './pages.ts'
import { signInPage } from './pages-forms.ts'
import { identityMail } from './pages-mails.ts'
import { cookieName } from './provider.ts'
import { type IdentitySite, PAGE_ROUTE } from './provider-site.ts'
import { EMBEDDED } from './tokens.ts'
import { hasSecondStep } from './totp.ts'

/** The path parameter of the sign-in pages: the id of the sign-in. */
export type SignInRoute = { Params: { uid: string } }

/** The user of an open sign-in. */
export type SigningIn = {
  id: string
  subject: string
  email: string
  language: Language
  operator_role: OperatorRole | null
  password_hash: string | null
  /** True if the user must replace the password, because a command made it. */
  has_first_password: boolean
}

const COLUMNS = `u.id, u.subject, u.email, u.language, ${OPERATOR_ROLE} as operator_role, c.password_hash,
  coalesce(c.is_first, false) as has_first_password`
const BY_EMAIL = sql(
  'sign_in_by_email',
  `select ${COLUMNS} from users u left join credentials c on c.user_id = u.id
   where u.email = $1 and u.issuer = $2 and u.disabled_at is null`,
)
const BY_SUBJECT = sql(
  'sign_in_by_subject',
  `select ${COLUMNS} from users u left join credentials c on c.user_id = u.id
   where u.subject = $1 and u.issuer = $2 and u.disabled_at is null`,
)

/** Adds the routes of the password page. */
export function signInRoutes(scope: FastifyInstance, site: IdentitySite): void {
  const { deps } = site
  scope.get<SignInRoute>('/identity/sign-in/:uid', PAGE_ROUTE, async (request, reply) => {
    const { view } = await openSignIn(site, request, reply)
    return site.send(reply, 200, signInPage(view))
  })

  scope.post<SignInRoute>('/identity/sign-in/:uid', PAGE_ROUTE, async (request, reply) => {
    const { view, finish, remember, enrol } = await openSignIn(site, request, reply)
    const email = formField(request, 'email').trim().toLowerCase()
    const person = await findSigningIn(deps, email)
    const device = deviceOf(deps, request, person)
    const attempt = await beginAttempt(deps, 'password', { account: email, address: request.ip, device })
    if (!attempt.allowed) refuse('rate_limited', { retry_after_s: attempt.retry_after_s })
    const right = await checkPassword(person?.password_hash ?? null, formField(request, 'password'))
    if (!person || !right) {
      deps.log.info(
        { component: 'identity', request_id: request.id, address: request.ip },
        'the server refused a sign-in',
      )
      // The page shows every problem at the password field, so that no page reveals whether the e-mail address has an account.
      const problems = { password: textsOf(view).wrong_sign_in }
      return site.send(reply, 401, signInPage(view, { email }, problems))
    }
    await attempt.succeeded()
    if (person.has_first_password) {
      const token = await inTransaction(deps.db, (tx) => newLink(deps, tx, 'reset', person.id))
      return reply.redirect(pageUrl(site.base_url(), 'reset', view.language, token), 303)
    }
    const next = (step: string) => withLanguage(`/identity/sign-in/${request.params.uid}/${step}`, view.language)
    if (await hasSecondStep(deps.db, person.id)) {
      await remember({ subject: person.subject })
      return reply.redirect(next('code'), 303)
    }
    if (enrol || needsSecondFactor(deps, person)) {
      await remember({ subject: person.subject })
      return reply.redirect(next('enrol'), 303)
    }
    return reply.redirect(await finish(person, ['pwd']), 303)
  })
}

/** Writes an action of a user to the audit log, and queues an e-mail about the action in the language of the user. */
export async function notifyUser(
  site: IdentitySite,
  tx: Tx,
  request: FastifyRequest,
  { id, email, language }: SigningIn,
  { action, mail, after }: { action: AuditAction; mail: Parameters<typeof identityMail>[0]; after: object },
): Promise<void> {
  const { deps } = site
  await recordAudit(deps, tx, {
    merchant_id: PLATFORM,
    actor: { kind: 'user', id, name: email },
    action,
    target_type: 'user',
    target_id: id,
    after,
    request_id: request.id,
    address: request.ip,
  })
  const url = `${site.base_url()}${withLanguage('/identity/forgot', language)}`
  const act = { at: deps.clock.now(), address: request.ip, device: deviceName(request.headers['user-agent']) }
  await queueEmail(deps, tx, identityMail(mail, { to: email, language, brand: deps.config.brand_name, url, act }))
}

/**
 * If the browser is unknown, writes an audit entry and queues an e-mail. The function runs before the sign-in is complete, so
 * no sign-in lacks its e-mail even if the process dies.
 */
async function notifyNewPlace(site: IdentitySite, request: FastifyRequest, person: SigningIn): Promise<void> {
  const { deps } = site
  if (deviceOf(deps, request, person) !== null) return
  const after = { email: person.email, device: deviceName(request.headers['user-agent']) }
  await inTransaction(deps.db, (tx) =>
    notifyUser(site, tx, request, person, { action: 'user.sign_in_new_place', mail: 'identity.new_place', after }),
  )
}

/** Returns the enabled user of the built-in provider with this e-mail address. Null means that no such user exists. */
export async function findSigningIn(deps: Deps, email: string): Promise<SigningIn | null> {
  const [person] = await deps.db.query<SigningIn>(BY_EMAIL, [email, EMBEDDED])
  return person ?? null
}

/** Returns the value of a form field. If the field is missing or repeated, returns an empty text. */
export function formField(request: FastifyRequest, name: string): string {
  const value = (request.body as Record<string, unknown> | undefined)?.[name]
  return typeof value === 'string' ? value : ''
}

const ENROLLED = ['totp', 'passkey'] as const

/**
 * Returns the open sign-in of this browser, which the server finds by a cookie. If the sign-in does not exist or has expired,
 * throws SessionNotFound. If the URL names another sign-in, refuses with not_found.
 */
export async function openSignIn(site: IdentitySite, request: FastifyRequest<SignInRoute>, reply: FastifyReply) {
  const { deps } = site
  const provider = await site.provider()
  const { raw } = request
  const details = await provider.interactionDetails(raw, reply.raw)
  if (details.uid !== request.params.uid) refuse('not_found')
  const result = (details.result ?? {}) as SignInResult
  const store = (next: SignInResult) =>
    provider.interactionResult(raw, reply.raw, next, { mergeWithLastSubmission: false })
  const view = site.view(request, details.params.ui_locales)
  return {
    view: details.params.client_id === 'operator' ? operatorView(view, site.home('operator')) : view,
    /** The factor that the user must set up, as the console requests. Null means that the console requests no setup. */
    enrol: ENROLLED.find((factor) => factor === details.params.enrol) ?? null,
    first: result.first_step ?? null,
    /** The ids of this sign-in and of the browser's session. Null as `session` means that the browser has none. */
    kept: { interaction: details.uid, session: details.session?.cookie ?? null },
    /** Stores that the user has entered the right password. */
    remember: (first_step: NonNullable<SignInResult['first_step']>) => store({ first_step }),
    /**
     * Returns the user who entered the right password. If no user has entered it, or the password has changed since, refuses
     * with not_found.
     */
    async firstStep(): Promise<SigningIn> {
      const { subject } = result.first_step ?? refuse('not_found')
      const [person] = await deps.db.query<SigningIn>(BY_SUBJECT, [subject, EMBEDDED])
      return person ?? refuse('not_found')
    },
    /**
     * Completes and logs the sign-in, sets the cookie of the known browser, and returns the next URL. If the browser is unknown,
     * also writes an audit entry and queues an e-mail.
     */
    async finish(person: SigningIn, amr: string[]): Promise<string> {
      await notifyNewPlace(site, request, person)
      reply.header('set-cookie', deviceCookie(site, request, person))
      deps.log.info(
        { component: 'identity', request_id: request.id, user_id: person.id, address: request.ip, amr },
        'a user signed in',
      )
      // The time comes from the server's clock, because the same clock later computes the age of the sign-in.
      const ts = Math.floor(deps.clock.now().getTime() / 1000)
      const login = { accountId: person.subject, amr, ts }
      const asked = languageOfTag(String(details.params.ui_locales ?? ''))
      return store(asked === null || asked === view.language ? { login } : { login, language: view.language })
    },
  }
}

const DEVICE_COOKIE = 'identity_device'
const DEVICE_S = 180 * 86_400

// The cookie contains the subject of the user. Every new password replaces the subject, so the browser is then unknown again.
function deviceCookie(site: IdentitySite, request: FastifyRequest, person: SigningIn): string {
  const { deps } = site
  const until = deps.clock.now().getTime() + DEVICE_S * 1000
  const id = deviceOf(deps, request, person) ?? newId(deps, 0)
  const sealed = deps.vault.seal(JSON.stringify({ id, subject: person.subject, until }))
  const value = Buffer.from(sealed).toString('base64url')
  const secure = site.base_url().startsWith('https:')
  const flags = `HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return `${cookieName(DEVICE_COOKIE, secure)}=${value}; Path=/identity; Max-Age=${DEVICE_S}; ${flags}`
}

/**
 * Returns the id of this browser for the user. Null means that the browser is unknown: its cookie is missing, older than 180
 * days, or of another subject.
 */
export function deviceOf(deps: Deps, { headers }: FastifyRequest, person: SigningIn | null): string | null {
  const value = new RegExp(`(?:^|;\\s*)(?:__Secure-)?${DEVICE_COOKIE}=([\\w-]{1,1000})(?:;|$)`).exec(
    headers.cookie ?? '',
  )?.[1]
  if (value === undefined) return null
  try {
    const opened = JSON.parse(deps.vault.open(Buffer.from(value, 'base64url').toString()))
    const { id, subject, until } = opened as { id: string; subject?: string; until: number }
    return person !== null && subject === person.subject && until > deps.clock.now().getTime() ? id : null
  } catch {
    return null
  }
}
