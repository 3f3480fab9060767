// Defines the routes for the caller's passkeys: list and remove passkeys, and get the options to confirm the session with a
// passkey.

import Type, { type Static } from 'typebox'
import { actOf, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction } from '../../kernel/db/index.ts'
import { type App, baseUrlOf, type Routes, session, success } from '../../kernel/http/index.ts'
import { isId, refuse } from '../../kernel/lib/index.ts'
import { notifyPasskeyRemoved } from './accounts.ts'
import { deviceName } from './device-name.ts'
import { PasskeyParams, PasskeyResponse, PasskeysResponse, type PasskeyView } from './passkey-schema.ts'
import { type ListedPasskey, listPasskeys, PASSKEYS_MAX, removePasskey } from './passkey-store.ts'
import { relyingParty } from './passkeys.ts'
import { confirmationOptions } from './session-confirm.ts'

const tags = ['People']

/** The options for `PublicKeyCredential.parseRequestOptionsFromJSON` of the browser. */
const RequestOptions = Type.Object({
  challenge: Type.String({
    description: 'Random bytes as base64url. The server accepts one answer, within 300 seconds.',
  }),
  rpId: Type.Optional(Type.String()),
  timeout: Type.Optional(Type.Integer({ description: 'Milliseconds.' })),
  userVerification: Type.Optional(Type.Literal('required')),
  allowCredentials: Type.Optional(
    Type.Array(
      Type.Object({ id: Type.String(), type: Type.String(), transports: Type.Optional(Type.Array(Type.String())) }),
    ),
  ),
})

/** Adds the routes for the caller's passkeys. */
export function passkeyRoutes(deps: Deps): Routes {
  return (app) => {
    listPasskeysRoute(deps, app)
    removePasskeyRoute(deps, app)
    app.post(
      '/v1/session/passkey',
      {
        config: { access: 'session', refusals: ['invalid_state'] },
        schema: {
          tags,
          operationId: 'createPasskeyChallenge',
          summary: 'Get the options to confirm the session of the caller with a passkey',
          description:
            'The options are for `PublicKeyCredential.parseRequestOptionsFromJSON` of the browser. `POST /v1/session/confirm` takes the answer of the passkey.',
          response: { 200: success(RequestOptions) },
        },
      },
      async (request) => {
        const options = await confirmationOptions(deps, app, session(request))
        return { success: true as const, data: options as Static<typeof RequestOptions> }
      },
    )
  }
}

function listPasskeysRoute(deps: Deps, app: App): void {
  app.get(
    '/v1/passkeys',
    {
      config: { access: 'session' },
      schema: {
        tags,
        operationId: 'listPasskeys',
        summary: 'List the passkeys of the caller, the oldest first',
        description:
          'Empty if the user signs in at another identity provider. A user adds a passkey on the pages of the identity provider: the console signs in with `prompt=login` and `enrol=passkey`.',
        response: { 200: PasskeysResponse },
      },
    },
    async (request) => {
      const { user_id, session_id } = session(request)
      const items = await listPasskeys(deps.db, user_id)
      const is_possible = session_id !== null && relyingParty(baseUrlOf(deps.config, app)) !== null
      const can_add = is_possible && items.length < PASSKEYS_MAX
      return { success: true as const, data: { items: items.map(passkeyView), can_add } }
    },
  )
}

function removePasskeyRoute(deps: Deps, app: App): void {
  app.delete(
    '/v1/passkeys/:passkey_id',
    {
      config: { access: 'session', step_up: 'always' },
      schema: {
        tags,
        operationId: 'deletePasskey',
        summary: 'Remove a passkey of the caller',
        description: 'The authenticator app and the recovery codes stay. The server mails the user.',
        params: PasskeyParams,
        response: { 200: PasskeyResponse },
      },
    },
    async (request) => {
      const { user_id, email } = session(request)
      const removed = await inTransaction(deps.db, async (tx) => {
        const id = request.params.passkey_id.toLowerCase()
        const found = isId(id) ? await removePasskey(tx, user_id, id) : null
        if (found === null)
          refuse('not_found', { message: 'You have no passkey with this id. Read your passkeys again.' })
        const device = deviceName(request.headers['user-agent'])
        await notifyPasskeyRemoved(deps, tx, user_id, { address: request.ip, device })
        await recordAudit(deps, tx, {
          ...actOf(request),
          merchant_id: PLATFORM,
          action: 'user.remove_passkey',
          target_type: 'user',
          target_id: user_id,
          before: { email, passkey: found.name },
        })
        return found
      })
      return { success: true as const, data: passkeyView(removed) }
    },
  )
}

function passkeyView({ created_at, used_at, ...passkey }: ListedPasskey): PasskeyView {
  return { ...passkey, created_at: created_at.toISOString(), used_at: used_at?.toISOString() ?? null }
}
