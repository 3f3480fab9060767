// Serves the first page of the installation in Swahili and English. The page links to the consoles and the documentation.
// Outside production, if the installation has a demo merchant and only simulates payments, the page also offers a payment page
// to try. The page needs no script.

import formbody from '@fastify/formbody'
import { languageOf } from '../../access/identity/index.ts'
import { findDemoMerchant, type Merchant } from '../../access/merchants/index.ts'
import { type Deps, inTransaction, type Reader, sql } from '../../kernel/db/index.ts'
import { type App, baseUrlOf, FAVICON, logoHtml, pageStyle, payUrlOf, VERSION } from '../../kernel/http/index.ts'
import { type Html, html, type Language, refuse } from '../../kernel/lib/index.ts'
import { checkPage, createLink, type LiveProviders, publicUrl } from '../../money/payment-links/index.ts'
import { FRONT_TEXTS } from './front-page-texts.ts'

const TRY_PATH = '/try-payment-page'
const TRY_REFERENCE = 'TRY-IT'
const TRY_AMOUNT = 15_000
const FORM_BYTES_MAX = 1024
const HOUR_MS = 3_600_000
/**
 * If visitors opened this many pages in the last hour, a visitor gets the newest page. So visitors cannot fill the database.
 */
const TRY_PAGES_PER_HOUR = 60

const RECENT_TRY_PAGES = sql(
  'front_recent_try_pages',
  `select count(*)::int as count, (array_agg(r.slug order by r.created_at desc))[1] as newest from (
     select slug, created_at from payment_links
     where merchant_id = $1 and environment = 'sandbox' and reference = $2 and created_at > $3
     order by created_at desc limit ${TRY_PAGES_PER_HOUR}) r`,
)

/**
 * Adds the first page. If an installation outside production only simulates payments and has a demo merchant, the page has a
 * form. The form opens a payment page of the demo merchant.
 */
export function frontPageRoutes(deps: Deps, { live }: { live: LiveProviders }): (app: App) => void {
  const { config } = deps
  const rehearses = live.every(({ capabilities }) => capabilities.rehearses === true)
  const findTryMerchant = async (reader: Reader) =>
    rehearses && config.node_env !== 'production' ? findDemoMerchant(reader) : null
  const route = { schema: { hide: true }, config: { access: 'public' } } as const
  return (app) => {
    app.get('/', route, async (request, reply) => {
      const language = languageOf([(request.query as { lang?: unknown }).lang], request.headers['accept-language'])
      const may_try = (await findTryMerchant(deps.db)) !== null
      const forms = may_try ? `'self' ${new URL(payUrlOf(config, app)).origin}` : "'none'"
      return reply
        .header(
          'content-security-policy',
          `default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`,
        )
        .headers({ 'referrer-policy': 'no-referrer', vary: 'accept-language', 'cache-control': 'no-cache' })
        .type('text/html; charset=utf-8')
        .send(frontPage(language, { brand: config.brand_name, base_url: baseUrlOf(config, app), may_try }))
    })
    void app.register(async (scope) => {
      // The form has no fields, but browsers send its content type, which needs a parser.
      await scope.register(formbody, { bodyLimit: FORM_BYTES_MAX })
      scope.post(TRY_PATH, route, async (request, reply) => {
        const merchant = await findTryMerchant(deps.db)
        if (merchant === null) return refuse('not_found')
        const language = languageOf([(request.query as { lang?: unknown }).lang], request.headers['accept-language'])
        return reply
          .header('cache-control', 'no-store')
          .redirect(
            `${publicUrl(payUrlOf(config, app), await openTryPage(deps, merchant, live))}?lang=${language}`,
            303,
          )
      })
    })
  }
}

/**
 * Makes a payment page in the sandbox and returns its slug. At the limit of the hour, returns the slug of the newest page.
 */
async function openTryPage(deps: Deps, merchant: Merchant, live: LiveProviders): Promise<string> {
  const now = deps.clock.now().getTime()
  const [recent] = await deps.db.query<{ count: number; newest: string | null }>(RECENT_TRY_PAGES, [
    merchant.id,
    TRY_REFERENCE,
    new Date(now - HOUR_MS),
  ])
  if (recent?.newest && recent.count >= TRY_PAGES_PER_HOUR) return recent.newest
  const { id, routing_code, merchant_code: code } = merchant
  const caller = {
    merchant: { id, routing_code, code },
    environment: 'sandbox',
    environments: ['sandbox'],
    role: null,
    actor: { kind: 'system', id: null, name: 'first page' },
  } as const
  const checked = checkPage({
    amount: TRY_AMOUNT,
    description: 'Kikapu cha majaribio / Test basket',
    reference: TRY_REFERENCE,
    expires_at: new Date(now + 24 * HOUR_MS).toISOString(),
  })
  const link = await inTransaction(deps.db, (tx) => createLink(deps, tx, caller, checked, live))
  return link.slug
}

type FrontPage = { brand: string; base_url: string; may_try: boolean }

function frontPage(language: Language, { brand, base_url, may_try }: FrontPage): string {
  const t = FRONT_TEXTS[language]
  const other = language === 'sw' ? 'en' : 'sw'
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${t.lead}">
<title>${brand} - ${t.title}</title>
<link rel="icon" href="${FAVICON}">
<link rel="stylesheet" href="${pageStyle().path}">
</head>
<body class="front">
<a class="skip" href="#main">${t.skip}</a>
<header class="front-top">
<p class="brand">${logoHtml(32)} ${brand}</p>
<p><a href="/?lang=${other}" lang="${other}" hreflang="${other}">${t.other}</a></p>
</header>
<main id="main">
<h1>${t.title}</h1>
<p class="lead">${t.lead}</p>
${may_try && tryForm(language, t.try_it, t.try_means)}
<ul class="doors">
${t.doors.map(
  ({
    href,
    name,
    text,
    icon,
  }) => html`<li class="door-${icon}"><a href="${href}"><svg width="28" height="28" viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[icon]}"/></svg><strong>${name}</strong><span>${text}</span></a></li>
`,
)}</ul>
</main>
<footer class="front-end"><p>${t.api} <code>${base_url}/v1</code> · <a href="/openapi.json">OpenAPI</a> · ${t.version} ${VERSION}</p></footer>
</body>
</html>
`
  return page.toString()
}

function tryForm(language: Language, button: string, text: string): Html {
  return html`<form method="post" action="${TRY_PATH}?lang=${language}" class="front-try"><button type="submit" class="button">${button}</button>
<p>${text}</p></form>
`
}

/** The icons of the links, as SVG paths of 24 by 24 units. */
const ICONS = {
  dashboard: 'M4 10v9.5h16V10M3 9.5 5 4h14l2 5.5a3 3 0 0 1-6 0 3 3 0 0 1-6 0 3 3 0 0 1-6 0zM9.5 19.5V15h5v4.5',
  operators: 'M12 3 4.5 6v5.5c0 4.5 3 8 7.5 9.5 4.5-1.5 7.5-5 7.5-9.5V6zM8.5 12l2.5 2.5 4.5-5',
  documentation:
    'M7 3h7l5 5v11.5A1.5 1.5 0 0 1 17.5 21H7A1.5 1.5 0 0 1 5.5 19.5v-15A1.5 1.5 0 0 1 7 3zM14 3v5h5M9 13h6M9 16.5h4',
} as const
