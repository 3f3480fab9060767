// Defines the page that sets up the second step during a sign-in. The user adds a secret to the authenticator app, enters a
// code, and gets recovery codes.

import type { FastifyInstance } from 'fastify'
import { inTransaction } from '../../kernel/db/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { forgetOthers } from './adapter.ts'
import { beginAttempt } from './attempts.ts'
import { forgetConsoleSessions } from './console-sessions.ts'
import { formField, notifyUser, openSignIn, type SignInRoute } from './interactions.ts'
import { CODE_AMR } from './interactions-code.ts'
import { endLinks, lockMailedLinks } from './mailed-links.ts'
import { needsSecondFactor } from './operator-factor.ts'
import { textsOf, withLanguage } from './pages.ts'
import { enrolPage, recoveryCodesPage } from './pages-forms.ts'
import { type IdentitySite, PAGE_ROUTE } from './provider-site.ts'
import { counterOf, hasSecondStep, newTotpSecret, otpauthUrl, setSecondStep } from './totp.ts'

/** Adds the routes of the page that sets up the second step. */
export function enrolRoutes(scope: FastifyInstance, site: IdentitySite): void {
  const { deps } = site
  const enrolment = (secret: string, email: string, must: boolean) => ({
    secret,
    must,
    url: otpauthUrl(secret, email, deps.config.brand_name),
  })

  scope.get<SignInRoute>('/identity/sign-in/:uid/enrol', PAGE_ROUTE, async (request, reply) => {
    const { view, first, firstStep, remember } = await openSignIn(site, request, reply)
    const person = await firstStep()
    // If the user has a second step, the user must complete that step before a replacement.
    if (!first?.may_replace && (await hasSecondStep(deps.db, person.id))) refuse('not_found')
    // If the user reloads the page, the page shows the same secret, because the app may have stored that secret.
    const secret = first?.new_secret ?? newTotpSecret(deps)
    await remember({ ...first, subject: person.subject, new_secret: secret })
    return site.send(reply, 200, enrolPage(view, enrolment(secret, person.email, needsSecondFactor(deps, person))))
  })

  scope.post<SignInRoute>('/identity/sign-in/:uid/enrol', PAGE_ROUTE, async (request, reply) => {
    const { view, first, firstStep, finish, kept, enrol, remember } = await openSignIn(site, request, reply)
    const person = await firstStep()
    const secret = first?.new_secret ?? refuse('not_found')
    const attempt = await beginAttempt(deps, 'code', { account: person.id, address: request.ip, device: null })
    if (!attempt.allowed) refuse('rate_limited', { retry_after_s: attempt.retry_after_s })
    const counter = counterOf(deps, secret, formField(request, 'code'))
    if (counter === null) {
      const problems = { code: textsOf(view).wrong_code }
      return site.send(
        reply,
        401,
        enrolPage(view, enrolment(secret, person.email, needsSecondFactor(deps, person)), problems),
      )
    }
    await attempt.succeeded()
    const codes = await inTransaction(deps.db, async (tx) => {
      await lockMailedLinks(tx, person.id)
      if (!first?.may_replace && (await hasSecondStep(tx, person.id))) refuse('not_found')
      const recovery_codes = await setSecondStep(deps, tx, person.id, secret, counter)
      // The server ends the other sessions of the user, because they may have begun with the password alone.
      await endLinks(tx, 'change', person.id)
      await forgetOthers(tx, person.subject, kept)
      await forgetConsoleSessions(tx, person.id)
      await notifyUser(site, tx, request, person, {
        action: 'user.enrol_second_step',
        mail: 'identity.second_step',
        after: { second_step: 'totp' },
      })
      return recovery_codes
    })
    if (enrol !== 'passkey')
      return site.send(reply, 200, recoveryCodesPage(view, codes, await finish(person, CODE_AMR)))
    await remember({ subject: person.subject, may_replace: true })
    const next = withLanguage(`/identity/sign-in/${request.params.uid}/passkey`, view.language)
    return site.send(reply, 200, recoveryCodesPage(view, codes, next))
  })
}
