// Defines the routes for the caller's sessions: list and end sessions, show the current session, and confirm it.

import { actOf, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction } from '../../kernel/db/index.ts'
import { type App, baseUrlOf, type Routes, session } from '../../kernel/http/index.ts'
import { isId, refuse } from '../../kernel/lib/index.ts'
import { endConsoleSession, type ListedSession, listConsoleSessions } from './console-sessions.ts'
import { deviceName } from './device-name.ts'
import { requestEmail } from './email-change.ts'
import { endLinks, lockMailedLinks } from './mailed-links.ts'
import { confirmationOf, confirmIdentity } from './session-confirm.ts'
import { changeOwnLanguage } from './session-language.ts'
import { changeOwnName } from './session-name.ts'
import { changePassword } from './session-password.ts'
import {
  ConfirmBody,
  CurrentSessionAnswer,
  EmailAnswer,
  EmailBody,
  LanguageAnswer,
  LanguageBody,
  NameAnswer,
  NameBody,
  PasswordAnswer,
  PasswordBody,
  SessionAnswer,
  SessionParams,
  SessionsAnswer,
  type SessionView,
} from './session-schema.ts'

const tags = ['People']

/** Adds the routes for the caller's sessions. */
export function sessionRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/session',
      {
        config: { access: 'session' },
        schema: {
          tags,
          operationId: 'getSession',
          summary: 'Show the session of the caller',
          response: { 200: CurrentSessionAnswer },
        },
      },
      async (request) => {
        const principal = session(request)
        const auth_time = principal.auth_time?.toISOString() ?? null
        return { success: true as const, data: { auth_time, ...(await confirmationOf(deps, app, principal)) } }
      },
    )
    app.post(
      '/v1/session/confirm',
      {
        config: { access: 'session', refusals: ['invalid_state'] },
        schema: {
          tags,
          operationId: 'confirmSession',
          summary: 'Confirm the session of the caller with a code, the password or a passkey',
          description:
            'For `STEP_UP_S` seconds, the session then counts as a recent sign-in. `confirm_with` of `GET /v1/session` names the field to send. If `passkey` is true there, `passkey` can replace it.',
          body: ConfirmBody,
          response: { 200: CurrentSessionAnswer },
        },
      },
      async (request) => {
        const principal = session(request)
        const device = deviceName(request.headers['user-agent'])
        await confirmIdentity(deps, app, principal, actOf(request), { ...request.body, device })
        const auth_time = deps.clock.now().toISOString()
        return { success: true as const, data: { auth_time, ...(await confirmationOf(deps, app, principal)) } }
      },
    )
    app.post(
      '/v1/session/password',
      {
        config: { access: 'session', refusals: ['step_up_required'] },
        schema: {
          tags,
          operationId: 'replacePassword',
          summary: 'Change the password of the caller and end all sessions',
          description:
            'The server mails the user. If the user has a second step, the session needs a recent sign-in or `POST /v1/session/confirm`.',
          body: PasswordBody,
          response: { 200: PasswordAnswer },
        },
      },
      async (request) => {
        const device = deviceName(request.headers['user-agent'])
        await changePassword(deps, session(request), actOf(request), { ...request.body, device })
        return { success: true as const, data: { sessions_ended: true } }
      },
    )
    nameRoute(deps, app)
    languageRoute(deps, app)
    emailRoute(deps, app)
    listRoutes(deps, app)
  }
}

function nameRoute(deps: Deps, app: App): void {
  app.patch(
    '/v1/session/name',
    {
      config: { access: 'session' },
      schema: {
        tags,
        operationId: 'updateOwnName',
        summary: 'Change the name of the caller',
        description: 'The names that merchants gave to their members do not change.',
        body: NameBody,
        response: { 200: NameAnswer },
      },
    },
    async (request) => {
      const name = await changeOwnName(deps, session(request), actOf(request), request.body.name)
      return { success: true as const, data: { name } }
    },
  )
}

function languageRoute(deps: Deps, app: App): void {
  app.patch(
    '/v1/session/language',
    {
      config: { access: 'session' },
      schema: {
        tags,
        operationId: 'updateOwnLanguage',
        summary: 'Change the language of the e-mails to the caller',
        description: 'The language of the consoles does not change: each browser keeps its own.',
        body: LanguageBody,
        response: { 200: LanguageAnswer },
      },
    },
    async (request) => {
      const { language } = request.body
      await changeOwnLanguage(deps, session(request), actOf(request), language)
      return { success: true as const, data: { language } }
    },
  )
}

function emailRoute(deps: Deps, app: App): void {
  app.post(
    '/v1/session/email',
    {
      config: { access: 'session', step_up: 'always', refusals: ['invalid_state'] },
      schema: {
        tags,
        operationId: 'requestOwnEmail',
        summary: 'Ask for a new e-mail address of the caller',
        description:
          'The server mails a link to the new address. It works for 1 hour. A later request, a new password or `DELETE /v1/sessions/{session_id}` ends it. The server also mails the present address. The address changes when the user opens the link and enters the password. All sessions then end, and the server mails the earlier address. The answer is the same if another user has the address.',
        body: EmailBody,
        response: { 200: EmailAnswer },
      },
    },
    async (request) => {
      const base_url = baseUrlOf(deps.config, app)
      const given = { email: request.body.email, device: deviceName(request.headers['user-agent']) }
      const data = await requestEmail(deps, session(request), actOf(request), given, base_url)
      return { success: true as const, data }
    },
  )
}

function listRoutes(deps: Deps, app: App): void {
  app.get(
    '/v1/sessions',
    {
      config: { access: 'session' },
      schema: {
        tags,
        operationId: 'listSessions',
        summary: 'List the open sessions of the caller, the last used first',
        description: 'Empty if the user signs in at another identity provider.',
        response: { 200: SessionsAnswer },
      },
    },
    async (request) => {
      const { user_id, session_id } = session(request)
      const items = await listConsoleSessions(deps, user_id)
      return { success: true as const, data: { items: items.map((item) => sessionView(item, session_id)) } }
    },
  )
  app.delete(
    '/v1/sessions/:session_id',
    {
      config: { access: 'session' },
      schema: {
        tags,
        operationId: 'endSession',
        summary: 'End a session of the caller',
        description:
          'The server refuses the session from the next request on. The session of the same browser at the other console ends too, and so does an open link that changes the e-mail address.',
        params: SessionParams,
        response: { 200: SessionAnswer },
      },
    },
    async (request) => {
      const { user_id, email, session_id } = session(request)
      const ended = await inTransaction(deps.db, async (tx) => {
        const id = request.params.session_id.toLowerCase()
        // A link of a thief's session must not outlive the session.
        await lockMailedLinks(tx, user_id)
        await endLinks(tx, 'change', user_id)
        const found = isId(id) ? await endConsoleSession(tx, user_id, id) : null
        if (found === null)
          refuse('not_found', { message: 'You have no open session with this id. Read your sessions again.' })
        const { console, device, address } = found
        await recordAudit(deps, tx, {
          ...actOf(request),
          merchant_id: PLATFORM,
          action: 'user.end_session',
          target_type: 'user',
          target_id: user_id,
          before: { email, console, device, address },
        })
        return found
      })
      return { success: true as const, data: sessionView(ended, session_id) }
    },
  )
}

function sessionView({ signed_in_at, seen_at, ...session }: ListedSession, current: string | null): SessionView {
  const times = { signed_in_at: signed_in_at.toISOString(), seen_at: seen_at.toISOString() }
  return { ...session, ...times, current: session.id === current }
}
