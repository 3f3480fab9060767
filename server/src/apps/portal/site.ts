// Serves the consoles: one page for every address below /dashboard or /operator, and its files. The server writes facts of the
// installation into the page. The page loads scripts and styles only from this server.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasGateway } from '../../adapters/messages/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { type App, baseUrlOf, bestEncoding, payUrlOf } from '../../kernel/http/index.ts'
import { escapeHtml, refuse } from '../../kernel/lib/index.ts'
import { type BuiltConsole, CONSOLES, type ConsoleName, readBuiltConsole } from './files.ts'

const YEAR_S = 31_536_000
/** The element of the built page that the server replaces by the facts of the installation. */
const FACTS_PLACE = '<meta name="malipo" content="">'
const PUBLIC_ROUTE = { schema: { hide: true }, config: { access: 'public', limit: 'none' } } as const

/** The facts of the installation that the page of a console needs. No fact is secret. */
export type ConsoleFacts = {
  console: ConsoleName
  brand_name: string
  /** The OpenID Connect issuer at which users sign in, and the client id of this console at the issuer. */
  issuer: string
  client_id: string
  scope: string
  /** The address of the pay pages. */
  pay_url: string
  /** The address of the API, for the examples in the console. */
  base_url: string
  brand: string
  /** True means that live payments of this installation move no money. */
  rehearses: boolean
  /** True means that the server can send live messages on this channel. Otherwise, it only stores them. */
  sends: { email: boolean; sms: boolean }
  nonce: string
}

/**
 * Adds the pages and files below /dashboard and /operator. `rehearses` is a field of `ConsoleFacts`. Tests replace `read`.
 */
export function siteRoutes(
  deps: Deps,
  { rehearses, read = readBuiltConsole }: { rehearses: boolean; read?: (name: ConsoleName) => BuiltConsole | null },
): (app: App) => void {
  return (app) => {
    for (const name of CONSOLES) {
      const built = read(name)
      if (built === null) deps.log.warn({ component: 'portal', console: name }, HOW_TO_BUILD)
      const page = (request: FastifyRequest, reply: FastifyReply) => {
        const canonical_url = loopbackAddress(deps, app, request, name)
        if (canonical_url !== null) return reply.redirect(canonical_url, 302)
        return sendConsolePage(deps, app, reply, { name, built, rehearses })
      }
      app.get(`/${name}`, PUBLIC_ROUTE, page)
      app.get(`/${name}/*`, PUBLIC_ROUTE, page)
      app.get<{ Params: { file: string } }>(`/${name}/assets/:file`, PUBLIC_ROUTE, (request, reply) => {
        const file = built?.assets.get(request.params.file)
        if (file === undefined) return refuse('not_found')
        const encoding = bestEncoding(request.headers['accept-encoding'])
        const compressed = encoding === null ? null : file[encoding]
        if (encoding !== null && compressed !== null) reply.header('content-encoding', encoding)
        return reply
          .headers({ 'cache-control': `public, max-age=${YEAR_S}, immutable`, vary: 'accept-encoding' })
          .type(file.type)
          .send(compressed ?? file.plain)
      })
    }
  }
}

/**
 * Returns the address at 127.0.0.1 for a request to localhost, because the sign-in returns to 127.0.0.1. If the request needs
 * no redirect, returns null.
 */
function loopbackAddress({ config }: Deps, app: App, request: FastifyRequest, name: ConsoleName): string | null {
  if (config.base_url !== '' || (name === 'operator' && config.operator_url !== '')) return null
  const base = new URL(baseUrlOf(config, app))
  return request.hostname === 'localhost' && base.hostname === '127.0.0.1' ? `${base.origin}${request.url}` : null
}

function sendConsolePage(
  deps: Deps,
  app: App,
  reply: FastifyReply,
  { name, built, rehearses }: { name: ConsoleName; built: BuiltConsole | null; rehearses: boolean },
): FastifyReply {
  const { config } = deps
  const base_url = baseUrlOf(config, app)
  const issuer = config.oidc_issuer || `${base_url}/identity`
  const nonce = Buffer.from(deps.random.bytes(16)).toString('base64url')
  reply.headers(consoleHeaders(nonce, new URL(issuer).origin)).type('text/html; charset=utf-8')
  if (built === null) return reply.code(503).send(NOT_BUILT)
  const facts: ConsoleFacts = {
    console: name,
    brand_name: config.brand_name,
    issuer,
    client_id: (name === 'operator' ? config.operator_client_id : config.dashboard_client_id) || name,
    scope: 'openid profile email offline_access',
    pay_url: payUrlOf(config, app),
    base_url,
    brand: config.brand,
    rehearses,
    sends: { email: hasGateway(config, 'email'), sms: hasGateway(config, 'sms') },
    nonce,
  }
  return reply.send(
    built.page.replace(FACTS_PLACE, () => `<meta name="malipo" content="${escapeHtml(JSON.stringify(facts))}">`),
  )
}

/** Returns headers that permit only scripts of this server. The style elements of the page have the nonce. */
function consoleHeaders(nonce: string, issuer: string): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data: blob:",
      "font-src 'self'",
      `connect-src 'self' ${issuer}`,
      "manifest-src 'none'",
      "base-uri 'none'",
      `form-action 'self' ${issuer}`,
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'x-robots-tag': 'noindex',
  }
}

const HOW_TO_BUILD =
  'this console is not built. Run `npm ci` and `npm run build` on a machine with the development packages, copy web/dist here, and restart the server'

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Not built</title></head>
<body><h1>This page has not been built</h1>
<p>Payments and the API work. To use the consoles, run <code>npm ci</code> and <code>npm run build</code> on a machine with the
development packages, copy <code>web/dist</code> to this machine, then restart the server.</p>
<h1 lang="sw">Ukurasa huu haujaandaliwa</h1>
<p lang="sw">Malipo na API zinafanya kazi. Ili kupata ukurasa huu, endesha <code>npm ci</code> na <code>npm run build</code> kwenye
kompyuta yenye vifaa vya wasanidi programu, nakili <code>web/dist</code> hapa, kisha anzisha tena mfumo.</p></body></html>
`
