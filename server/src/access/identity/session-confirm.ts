// Confirms a session without a new sign-in: the user enters a code or the password, or uses a passkey.

import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { type Act, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction } from '../../kernel/db/index.ts'
import { type App, baseUrlOf, type SessionPrincipal } from '../../kernel/http/index.ts'
import { refuse, refuseField } from '../../kernel/lib/index.ts'
import { notifyRecoveryCode } from './accounts.ts'
import { beginAttempt } from './attempts.ts'
import { confirmSession } from './console-sessions.ts'
import { hasPassword } from './credentials.ts'
import type { PasskeyAnswerBody } from './passkey-schema.ts'
import { type Ceremony, usablePasskeys } from './passkey-store.ts'
import { type RelyingParty, relyingParty, requestOptions, usePasskey } from './passkeys.ts'
import { consoleRedirectUris } from './provider.ts'
import type { CurrentSessionView } from './session-schema.ts'
import { hasSecondStep, useCode } from './totp.ts'

/** The credential that confirms a session: one of the three fields. */
export type Confirmation = {
  code?: string | undefined
  password?: string | undefined
  passkey?: PasskeyAnswerBody | undefined
}

/**
 * Returns how the user can confirm the session. A session without a row needs a new sign-in. `passkey` is true if the user has
 * a passkey that is valid in the console of the session.
 */
export async function confirmationOf(
  deps: Deps,
  app: App,
  principal: SessionPrincipal,
): Promise<Pick<CurrentSessionView, 'confirm_with' | 'passkey'>> {
  const { session_id, user_id } = principal
  if (session_id === null) return { confirm_with: 'sign_in', passkey: false }
  const party = sessionParty(deps, app, principal)
  const passkey = party !== null && (await usablePasskeys(deps.db, user_id, party.domain)).length > 0
  return { confirm_with: (await hasSecondStep(deps.db, user_id)) ? 'code' : 'password', passkey }
}

/**
 * Returns the options with which the browser uses a passkey to confirm the session. If the user has no passkey for the console
 * of the session, refuses with invalid_state.
 */
export async function confirmationOptions(
  deps: Deps,
  app: App,
  principal: SessionPrincipal,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const party = sessionParty(deps, app, principal)
  const ceremony = ceremonyOf(principal)
  const options = party && ceremony && (await requestOptions(deps, party, ceremony))
  return (
    options ??
    refuse('invalid_state', {
      message: 'You have no passkey that can confirm this session. Confirm it in another way.',
    })
  )
}

/** Returns the relying party for the console of a session. Null means that no passkey can confirm the session. */
function sessionParty(deps: Deps, app: App, { console, session_id }: SessionPrincipal): RelyingParty | null {
  if (console === null || session_id === null) return null
  const base_url = baseUrlOf(deps.config, app)
  return relyingParty(base_url, consoleRedirectUris(deps, base_url, console)[0])
}

function ceremonyOf({ session_id, user_id }: SessionPrincipal): Ceremony | null {
  return session_id === null ? null : { purpose: 'confirm', binding: session_id, user_id }
}

/**
 * Confirms a session, which then counts as a recent sign-in. A wrong credential counts as a failed attempt. Refuses a missing
 * or wrong field with 400, and too many attempts with 429. If the session needs a new sign-in, refuses with invalid_state. If
 * the session has ended, refuses with invalid_session.
 */
export async function confirmIdentity(
  deps: Deps,
  app: App,
  principal: SessionPrincipal,
  act: Act,
  given: Confirmation & { device: string },
): Promise<void> {
  const { session_id, user_id, email } = principal
  if (session_id === null) {
    refuse('invalid_state', { message: 'Only a new sign-in confirms this session. Sign in again.' })
  }
  const field = await confirmationField(deps, principal, given)
  const [kind, account] = field === 'password' ? (['password', email] as const) : (['code', user_id] as const)
  const attempt = await beginAttempt(deps, kind, { account, address: act.address ?? '', device: null })
  if (!attempt.allowed) refuse('rate_limited', { retry_after_s: attempt.retry_after_s })
  const { code = '', password = '', passkey = null } = given
  if (field === 'password' && !(await hasPassword(deps.db, user_id, password))) refuseField(field, 'is not right')
  if (field === 'passkey' && !(await confirmsWithPasskey(deps, app, principal, passkey))) {
    refuseField(field, 'is not valid, or its challenge has expired. Get new options with POST /v1/session/passkey')
  }
  await inTransaction(deps.db, async (tx) => {
    const used = field === 'code' ? await useCode(deps, tx, user_id, code) : null
    if (field === 'code' && used === null) refuseField(field, 'is not right, or you have used it already')
    if (!(await confirmSession(deps, tx, session_id))) refuse('invalid_session')
    const after = { email, with: used === 'recovery' ? 'recovery_code' : field }
    const target = { target_type: 'user', target_id: user_id }
    await recordAudit(deps, tx, { ...act, ...target, merchant_id: PLATFORM, action: 'user.confirm_session', after })
    if (used === 'recovery')
      await notifyRecoveryCode(deps, tx, user_id, { address: act.address ?? null, device: given.device })
  })
  await attempt.succeeded()
}

/** Returns the name of the field with the credential. If the required field is missing, refuses with 400. */
async function confirmationField(
  deps: Deps,
  { user_id }: SessionPrincipal,
  given: Confirmation,
): Promise<'code' | 'password' | 'passkey'> {
  if (given.passkey !== undefined) return 'passkey'
  const field = (await hasSecondStep(deps.db, user_id)) ? 'code' : 'password'
  if (given[field]) return field
  refuseField(field, `is required, because ${field === 'code' ? 'you have a second step' : 'you have no second step'}`)
}

async function confirmsWithPasskey(
  deps: Deps,
  app: App,
  principal: SessionPrincipal,
  answer: PasskeyAnswerBody | null,
): Promise<boolean> {
  const party = sessionParty(deps, app, principal)
  const ceremony = ceremonyOf(principal)
  return party !== null && ceremony !== null && usePasskey(deps, party, ceremony, answer)
}
