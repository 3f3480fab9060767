// Defines the page of the second step of a sign-in: a code of the authenticator app, a recovery code or a passkey.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { inTransaction, type Tx } from '../../kernel/db/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { beginAttempt } from './attempts.ts'
import { formField, notifyUser, openSignIn, type SignInRoute, type SigningIn } from './interactions.ts'
import { PASSKEY_AMR, signInOptions, signInWithPasskey } from './interactions-passkey.ts'
import { type Problems, textsOf, type View, withLanguage } from './pages.ts'
import { codePage } from './pages-forms.ts'
import { type IdentitySite, PAGE_ROUTE } from './provider-site.ts'
import { useCode } from './totp.ts'

/** Adds the routes of the page that checks the second step. */
export function codeRoutes(scope: FastifyInstance, site: IdentitySite): void {
  const { deps } = site
  const show = async (
    { view, person, uid }: { view: View; person: SigningIn; uid: string },
    reply: FastifyReply,
    status: number,
    problems: Problems = {},
  ) => {
    const options = await signInOptions(site, uid, person)
    return site.send(reply, status, codePage(view, options, problems), { script: options !== null })
  }
  scope.get<SignInRoute>('/identity/sign-in/:uid/code', PAGE_ROUTE, async (request, reply) => {
    const { view, firstStep } = await openSignIn(site, request, reply)
    return show({ view, person: await firstStep(), uid: request.params.uid }, reply, 200)
  })

  scope.post<SignInRoute>('/identity/sign-in/:uid/code', PAGE_ROUTE, async (request, reply) => {
    const { view, firstStep, finish, remember, enrol } = await openSignIn(site, request, reply)
    const { uid } = request.params
    const person = await firstStep()
    // Known browsers have no separate counter for codes, because the second step protects against a thief who knows the
    // password.
    const attempt = await beginAttempt(deps, 'code', { account: person.id, address: request.ip, device: null })
    if (!attempt.allowed) refuse('rate_limited', { retry_after_s: attempt.retry_after_s })
    const passkey = formField(request, 'passkey')
    const amr = passkey === '' ? CODE_AMR : PASSKEY_AMR
    if (passkey !== '') {
      const is_right = await signInWithPasskey(site, uid, person, passkey)
      if (!is_right) return show({ view, person, uid }, reply, 401, { passkey: textsOf(view).wrong_passkey })
    } else {
      const used = await inTransaction(deps.db, async (tx) => {
        const found = await useCode(deps, tx, person.id, formField(request, 'code'))
        if (found === 'recovery') await notifyRecovery(site, tx, request, person)
        return found
      })
      if (used === null) return show({ view, person, uid }, reply, 401, { code: textsOf(view).wrong_code })
    }
    await attempt.succeeded()
    if (enrol) {
      await remember({ subject: person.subject, may_replace: true })
      const step = enrol === 'passkey' ? 'passkey' : 'enrol'
      return reply.redirect(withLanguage(`/identity/sign-in/${uid}/${step}`, view.language), 303)
    }
    return reply.redirect(await finish(person, amr), 303)
  })
}

/** The authentication methods of a sign-in with a password and a code (RFC 8176). */
export const CODE_AMR = ['pwd', 'otp', 'mfa']

/** Writes the use of a recovery code to the audit log and queues an e-mail, because a thief may have used the code. */
function notifyRecovery(site: IdentitySite, tx: Tx, request: FastifyRequest, person: SigningIn): Promise<void> {
  return notifyUser(site, tx, request, person, {
    action: 'user.use_recovery_code',
    mail: 'identity.recovery',
    after: { email: person.email },
  })
}
