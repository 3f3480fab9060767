// Defines the pages with passkeys during a sign-in: add a passkey after the second step, and use a passkey as the second step.

import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { inTransaction } from '../../kernel/db/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { forgetOthers } from './adapter.ts'
import { beginAttempt } from './attempts.ts'
import { forgetConsoleSessions } from './console-sessions.ts'
import { deviceName } from './device-name.ts'
import { formField, notifyUser, openSignIn, type SignInRoute, type SigningIn } from './interactions.ts'
import { endLinks, lockMailedLinks } from './mailed-links.ts'
import { textsOf } from './pages.ts'
import { addPasskeyPage, passkeyScript, SCRIPT_PATH } from './pages-passkeys.ts'
import { addPasskey, type Ceremony, PASSKEYS_MAX } from './passkey-store.ts'
import { checkNewPasskey, creationOptions, relyingParty, requestOptions, usePasskeyText } from './passkeys.ts'
import { type IdentitySite, PAGE_ROUTE } from './provider-site.ts'
import { hasSecondStep } from './totp.ts'

const NAME_MAX = 60
const NAME = /^[^\p{Cc}\p{Cs}]{1,60}$/u

/** Adds the routes of the page that adds a passkey, and of the script. */
export function passkeyPageRoutes(scope: FastifyInstance, site: IdentitySite): void {
  const { deps } = site
  scope.get(SCRIPT_PATH, PAGE_ROUTE, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .type('text/javascript; charset=utf-8')
      .send(passkeyScript().text),
  )

  scope.get<SignInRoute>('/identity/sign-in/:uid/passkey', PAGE_ROUTE, async (request, reply) => {
    const { view, person, ceremony, party } = await openAddition(site, request, reply)
    const options = await creationOptions(deps, party, ceremony, person.email)
    const name = deviceName(request.headers['user-agent'])
    return site.send(reply, 200, addPasskeyPage(view, { options, name, name_max: NAME_MAX }), { script: true })
  })

  scope.post<SignInRoute>('/identity/sign-in/:uid/passkey', PAGE_ROUTE, async (request, reply) => {
    const { view, person, ceremony, party, finish, kept } = await openAddition(site, request, reply)
    const t = textsOf(view)
    const name = formField(request, 'name').trim() || deviceName(request.headers['user-agent']) || t.passkey
    const showAgain = async (status: number, problems: { passkey?: string; name?: string }) => {
      const options = await creationOptions(deps, party, ceremony, person.email)
      const page = addPasskeyPage(view, { options, name: name.slice(0, NAME_MAX), name_max: NAME_MAX }, problems)
      return site.send(reply, status, page, { script: true })
    }
    if (!NAME.test(name)) return showAgain(400, { name: t.bad_text })
    const attempt = await beginAttempt(deps, 'code', { account: person.id, address: request.ip, device: null })
    if (!attempt.allowed) refuse('rate_limited', { retry_after_s: attempt.retry_after_s })
    const passkey = await checkNewPasskey(deps, party, ceremony, formField(request, 'passkey'))
    if (passkey === null) return showAgain(401, { passkey: t.wrong_passkey })
    await attempt.succeeded()
    const result = await inTransaction(deps.db, async (tx) => {
      await lockMailedLinks(tx, person.id)
      const added = await addPasskey(deps, tx, person.id, { ...passkey, name })
      if (added !== 'added') return added
      // The server ends the other sessions of the user, as for a new authenticator app.
      await endLinks(tx, 'change', person.id)
      await forgetOthers(tx, person.subject, kept)
      await forgetConsoleSessions(tx, person.id)
      const after = { email: person.email, passkey: name }
      await notifyUser(site, tx, request, person, { action: 'user.add_passkey', mail: 'identity.passkey_added', after })
      return added
    })
    if (result === 'full') return showAgain(409, { passkey: t.passkeys_full(PASSKEYS_MAX) })
    if (result === 'known') return showAgain(409, { passkey: t.passkey_known })
    if (result === 'no_second_step') refuse('not_found')
    return reply.redirect(await finish(person, PASSKEY_AMR), 303)
  })
}

/** The authentication methods of a sign-in with a password and a passkey (RFC 8176). */
export const PASSKEY_AMR = ['pwd', 'pop', 'mfa']

/**
 * Returns the open sign-in of a user who may add a passkey. If the user has not entered the password and completed or set up
 * the second step in this sign-in, refuses with not_found.
 */
async function openAddition(
  site: IdentitySite,
  request: FastifyRequest<SignInRoute>,
  reply: Parameters<typeof openSignIn>[2],
) {
  const { deps } = site
  const sign_in = await openSignIn(site, request, reply)
  const person = await sign_in.firstStep()
  const party = relyingParty(site.base_url())
  const is_proved = sign_in.first?.may_replace === true && (await hasSecondStep(deps.db, person.id))
  if (!is_proved || party === null) refuse('not_found')
  const ceremony: Ceremony = { purpose: 'add', binding: request.params.uid, user_id: person.id }
  return { ...sign_in, person, party, ceremony }
}

/**
 * Returns the options for the second step with a passkey. Null means that the user has no passkey for this server, or that
 * browsers allow no passkeys at its URL.
 */
export async function signInOptions(
  site: IdentitySite,
  uid: string,
  person: SigningIn,
): Promise<PublicKeyCredentialRequestOptionsJSON | null> {
  const party = relyingParty(site.base_url())
  return party && requestOptions(site.deps, party, { purpose: 'sign_in', binding: uid, user_id: person.id })
}

/** Returns true if the answer of the passkey is valid for this sign-in. */
export async function signInWithPasskey(
  site: IdentitySite,
  uid: string,
  person: SigningIn,
  answer: string,
): Promise<boolean> {
  const party = relyingParty(site.base_url())
  if (party === null) return false
  return usePasskeyText(site.deps, party, { purpose: 'sign_in', binding: uid, user_id: person.id }, answer)
}
