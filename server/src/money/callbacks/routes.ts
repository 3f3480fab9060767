// Adds the endpoint that providers call: /callbacks/<provider>.

import Type from 'typebox'
import { CALLBACK_PATH, type Provider } from '../../adapters/providers/port.ts'
import { type App, failure } from '../../kernel/http/index.ts'
import { catalogue, refuse } from '../../kernel/lib/index.ts'
import type { CallbackReceiver } from './receive.ts'

const BODY_BYTES_MAX = 16 * 1024
/**
 * The response to a forged callback. The server serializes this response once, because an error object for each callback of a flood
 * costs too much.
 */
const FORGED = JSON.stringify(failure('forbidden', catalogue.forbidden.message, null))

/** Adds the callback endpoint. The endpoint accepts any content type, because a provider signs the raw bytes of its callback. */
export function callbackRoutes(
  receive: CallbackReceiver,
  providers: ReadonlyMap<string, Provider>,
): (app: App) => void {
  return (app) => {
    void app.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
      scope.post(
        '/callbacks/:provider',
        {
          schema: { hide: true, params: Type.Object({ provider: Type.String() }) },
          bodyLimit: BODY_BYTES_MAX,
          config: { access: 'public', limit: 'callbacks' },
        },
        async (request, reply) => {
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
          // Some providers sign nothing and send a secret in the query of the URL. The header `:path` has the path with this
          // query, as in HTTP/2.
          const headers = { ...(request.headers as Record<string, string | undefined>), [CALLBACK_PATH]: request.url }
          const { provider } = request.params as { provider: string }
          const taken = await receive(provider, headers, body)
          if (taken === 'unknown_provider') refuse('not_found')
          if (taken === 'forged') {
            return reply.code(catalogue.forbidden.status).type('application/json; charset=utf-8').send(FORGED)
          }
          scope.rememberCallbackAddress(request)
          return reply.code(200).send(providers.get(provider)?.callbackReply?.(body) ?? { received: true })
        },
      )
    })
  }
}
