// Serves the page that a browser receives for an unknown address. A program receives the error of the API instead.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { languageOf } from '../../access/identity/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { FAVICON, logoHtml, pageStyle } from '../../kernel/http/index.ts'
import { html, type Language } from '../../kernel/lib/index.ts'
import { FRONT_TEXTS } from './front-page-texts.ts'

/** The addresses that programs use. A request to such an address receives JSON, even if it accepts HTML. */
const FOR_PROGRAMS = /^\/(?:v1|public|callbacks)(?:[/?]|$)/i
const NOT_FOUND = 404

const TEXTS: Record<Language, { title: string; lead: string; home: string; home_means: string }> = {
  sw: {
    title: 'Ukurasa huu haupo',
    lead: 'Angalia anwani uliyoandika. Kama ulifuata kiungo, huenda ukurasa umehamishwa. Endelea hapa:',
    home: 'Ukurasa wa kwanza',
    home_means: 'Inaeleza mfumo huu, na ina viungo vya dashibodi na mwongozo.',
  },
  en: {
    title: 'This page does not exist',
    lead: 'Check the address. If you followed a link, the page may have moved. Continue here:',
    home: 'First page',
    home_means: 'Describes this installation and links to its consoles and documentation.',
  },
}

/**
 * Makes the handler for requests without a route. If a browser requests a page, the handler answers 404 with a page in the
 * language of the request. Otherwise the handler returns null.
 */
export function browserNotFound({ config }: Pick<Deps, 'config'>) {
  return (request: FastifyRequest, reply: FastifyReply, status: number): FastifyReply | null => {
    const is_page = request.method === 'GET' && request.headers.accept?.includes('text/html') === true
    if (!is_page || status !== NOT_FOUND || FOR_PROGRAMS.test(request.url)) return null
    // If the router could not parse the address, the request has no parsed query.
    const lang = new URLSearchParams(request.url.split('?', 2)[1]).get('lang')
    const language = languageOf([lang], request.headers['accept-language'])
    return reply
      .code(status)
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      .headers({ 'referrer-policy': 'no-referrer', vary: 'accept, accept-language', 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(unknownPage(language, config.brand_name))
  }
}

/** Returns the page. The page does not contain the address, so that a link cannot add text to the page. */
function unknownPage(language: Language, brand: string): string {
  const { title, lead, home, home_means } = TEXTS[language]
  const { skip, other, doors } = FRONT_TEXTS[language]
  const other_language = language === 'sw' ? 'en' : 'sw'
  const shown = doors.filter(({ href }) => href !== '/operator')
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${brand} - ${title}</title>
<link rel="icon" href="${FAVICON}">
<link rel="stylesheet" href="${pageStyle().path}">
</head>
<body class="front">
<a class="skip" href="#main">${skip}</a>
<header class="front-top">
<p class="brand">${logoHtml(32)} ${brand}</p>
<p><a href="?lang=${other_language}" lang="${other_language}" hreflang="${other_language}">${other}</a></p>
</header>
<main id="main">
<h1>${title}</h1>
<p class="lead">${lead}</p>
<ul class="doors">
<li><a href="/?lang=${language}"><strong>${home}</strong><span>${home_means}</span></a></li>
${shown.map(({ href, name, text }) => html`<li><a href="${href}"><strong>${name}</strong><span>${text}</span></a></li>\n`)}</ul>
</main>
</body>
</html>
`
  return page.toString()
}
