// Serving the consoles: one page for every address below /dashboard or /operator, and its files. The page is told what it
// must know of this installation; nothing in it runs or is styled but what comes from here.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../kernel/db/index.ts'
import { type App, baseUrlOf, bestEncoding, payUrlOf } from '../../kernel/http/index.ts'
import { escapeHtml, refuse } from '../../kernel/lib/index.ts'
import { type Built, CONSOLES, type Console, readBuilt } from './files.ts'

const A_YEAR_S = 31_536_000
/** Where the build leaves room for what the page is told. */
const PLACE = '<meta name="malipo" content="">'
const PUBLIC = { schema: { hide: true }, config: { access: 'public', limit: 'none' } } as const

/** What the page of a console is told. Nothing of it is secret. */
export type ConsoleFacts = {
  console: Console
  brand_name: string
  /** The OpenID Connect issuer that people sign in at, and this console's client there. */
  issuer: string
  client_id: string
  scope: string
  /** Where payers pay. */
  pay_url: string
  /** The address of the API, for examples. */
  base_url: string
  brand: string
  /** Live payments move no money on this installation. */
  rehearses: boolean
  nonce: string
}

/** Adds /dashboard and /operator. `rehearses`: see `ConsoleFacts`. `read` is replaced in tests. */
export function siteRoutes(
  deps: Deps,
  { rehearses, read = readBuilt }: { rehearses: boolean; read?: (name: Console) => Built | null },
): (app: App) => void {
  return (app) => {
    for (const name of CONSOLES) {
      const built = read(name)
      if (built === null) deps.log.warn({ console: name }, HOW_TO_BUILD)
      const page = (request: FastifyRequest, reply: FastifyReply) => {
        const moved = canonical(deps, app, request)
        if (moved !== null) return reply.redirect(moved, 302)
        return sendPage(deps, app, reply, { name, built, rehearses })
      }
      app.get(`/${name}`, PUBLIC, page)
      app.get(`/${name}/*`, PUBLIC, page)
      app.get<{ Params: { file: string } }>(`/${name}/assets/:file`, PUBLIC, (request, reply) => {
        const file = built?.assets.get(request.params.file)
        if (file === undefined) return refuse('not_found')
        const encoding = bestEncoding(request.headers['accept-encoding'])
        const packed = encoding === null ? null : file[encoding]
        if (encoding !== null && packed !== null) reply.header('content-encoding', encoding)
        return reply
          .headers({ 'cache-control': `public, max-age=${A_YEAR_S}, immutable`, vary: 'accept-encoding' })
          .type(file.type)
          .send(packed ?? file.plain)
      })
    }
  }
}

/** People are sent back from the sign-in to one address of this machine: whoever opened another of its names goes there first. */
function canonical({ config }: Deps, app: App, request: FastifyRequest): string | null {
  if (config.base_url !== '') return null
  const own = new URL(baseUrlOf(config, app))
  return request.hostname === 'localhost' && own.hostname === '127.0.0.1' ? `${own.origin}${request.url}` : null
}

function sendPage(
  deps: Deps,
  app: App,
  reply: FastifyReply,
  { name, built, rehearses }: { name: Console; built: Built | null; rehearses: boolean },
): FastifyReply {
  const { config } = deps
  const base_url = baseUrlOf(config, app)
  const issuer = config.oidc_issuer || `${base_url}/identity`
  const nonce = Buffer.from(deps.random.bytes(16)).toString('base64url')
  reply.headers(headersOf(nonce, new URL(issuer).origin)).type('text/html; charset=utf-8')
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
    nonce,
  }
  return reply.send(
    built.page.replace(PLACE, () => `<meta name="malipo" content="${escapeHtml(JSON.stringify(facts))}">`),
  )
}

/** Scripts are ours alone. Style elements that the components write carry the nonce of the page. */
function headersOf(nonce: string, issuer: string): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data: blob:",
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
  'this console is not built: on a machine with the development packages run `npm ci` and `npm run build`, copy web/dist here, and start again'

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Not built</title></head>
<body><h1>This page has not been built</h1>
<p>Payments and the API work. For the consoles, run <code>npm ci</code> and <code>npm run build</code> on a machine with the
development packages, copy <code>web/dist</code> to this one, then start the server again.</p>
<h1 lang="sw">Ukurasa huu haujaandaliwa</h1>
<p lang="sw">Malipo na API zinafanya kazi. Ili kupata ukurasa huu, endesha <code>npm ci</code> na <code>npm run build</code> kwenye
kompyuta yenye vifaa vya wasanidi programu, nakili <code>web/dist</code> hapa, kisha anzisha tena mfumo.</p></body></html>
`
