// Makes the functions that all identity pages use, such as the public URL, the provider and the layout.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import type { Deps } from '../../kernel/db/index.ts'
import { type App, type Console, pageStyle } from '../../kernel/http/index.ts'
import { gather } from '../../kernel/lib/index.ts'
import type { RevokeAllKeys } from '../merchants/index.ts'
import { type IssuerKey, issuerKey } from './keys.ts'
import type { View } from './pages.ts'
import { pagePolicy } from './pages-provider.ts'
import { languageOf } from './pages-texts.ts'
import { consoleOrigins, consoleRedirectUris, createProvider, MOUNT } from './provider.ts'

/** The dependencies and functions that the identity pages use. */
export type IdentitySite = {
  deps: Deps
  revokeAllKeys: RevokeAllKeys
  /** Returns the public URL of this installation. */
  base_url(): string
  provider(): Promise<Provider>
  view(request: FastifyRequest, ...languages: unknown[]): View
  /** Returns the public URL of a console. */
  home(console: Console): string
  /** Sends a page. If `script` is true, the page may load scripts of this server. */
  send(reply: FastifyReply, status: number, page: string, options?: { script: boolean }): FastifyReply
}

/** The route options of every identity page. The pages are public, and the API documentation omits them. */
export const PAGE_ROUTE = { schema: { hide: true }, config: { access: 'public' } } as const

/** Makes the functions for the identity pages of an app. */
export function createSite(deps: Deps, app: App, revokeAllKeys: RevokeAllKeys): IdentitySite {
  const { config } = deps
  // The first use makes the provider, because the port of the app is unknown before that use. If the signing key changes, the
  // next use makes another provider.
  let built: { key: IssuerKey; provider: Promise<Provider> } | null = null
  const base_url = () => config.base_url || `http://127.0.0.1:${portOf(app) ?? config.port}`
  // Concurrent sign-ins share one query, because each query needs a connection that payments also need.
  const currentKey = gather<string, IssuerKey>(
    async ([issuer = '', ...others]) => {
      const key = await issuerKey(deps, issuer)
      return [key, ...others.map(() => key)]
    },
    { max_items: 500, max_running: 1 },
  )
  const site: IdentitySite = {
    deps,
    revokeAllKeys,
    base_url,
    async provider() {
      const key = await currentKey(`${base_url()}${MOUNT}`)
      if (built?.key.kid !== key.kid) built = { key, provider: createProvider(deps, base_url(), key) }
      const current = built
      return current.provider.catch((error) => {
        // If the creation fails, the next sign-in tries again.
        if (built === current) built = null
        throw error
      })
    },
    view(request, ...languages) {
      const requested = [(request.query as { lang?: unknown } | undefined)?.lang, ...languages]
      return {
        brand: config.brand_name,
        language: languageOf(requested, request.headers['accept-language']),
        url: request.url,
        style: pageStyle().path,
        dashboard: site.home('dashboard'),
        for_operators: false,
        by_invitation: config.sign_up === 'invited',
      }
    },
    // The URL of a console is the folder of its first redirect URL.
    home: (console) => new URL('./', consoleRedirectUris(deps, base_url(), console)[0]).href,
    send(reply, status, page, { script } = { script: false }) {
      return reply
        .code(status)
        .header('content-security-policy', pagePolicy(consoleOrigins(deps, base_url()), script))
        .header('referrer-policy', 'same-origin')
        .type('text/html; charset=utf-8')
        .send(page)
    },
  }
  return site
}

function portOf(app: App): number | null {
  const address = app.server.address()
  return typeof address === 'object' && address !== null ? address.port : null
}
