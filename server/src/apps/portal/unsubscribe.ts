// Serves the page with which a member ends e-mails without a sign-in. A GET changes nothing, because link checkers open links.
// The button and mail programs (RFC 8058) send a POST.

import formbody from '@fastify/formbody'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { languageOf } from '../../access/identity/index.ts'
import {
  endNotices,
  memberOfAddress,
  NOTICE_KINDS,
  type NoticeKind,
  type UnsubscribeAddress,
} from '../../access/merchants/index.ts'
import { type Deps, inTransaction } from '../../kernel/db/index.ts'
import { type App, FAVICON, logoHtml, pageStyle } from '../../kernel/http/index.ts'
import { html, type Language, oneOf } from '../../kernel/lib/index.ts'
import { UNSUBSCRIBE_TEXTS } from './unsubscribe-texts.ts'

const PATH = '/unsubscribe/:merchant_id/:member_id/:kind/:signature'
const FORM_BYTES_MAX = 4096

const params = Type.Object({
  merchant_id: Type.String(),
  member_id: Type.String(),
  kind: oneOf(NOTICE_KINDS),
  signature: Type.String({ maxLength: 100 }),
})

/** Adds the page that ends e-mails to a member, and its form. */
export function unsubscribeRoutes(deps: Deps): (app: App) => void {
  const route = { schema: { hide: true, params }, config: { access: 'public', has_secret_path: true } } as const
  const answer = (request: FastifyRequest, reply: FastifyReply, status: number, page: UnsubscribePage) => {
    const language = languageOf([(request.query as { lang?: unknown }).lang], request.headers['accept-language'])
    return reply
      .code(status)
      .headers({
        'content-security-policy':
          "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
      })
      .type('text/html; charset=utf-8')
      .send(unsubscribePage(language, deps.config.brand_name, page))
  }
  return (app) => {
    app.get(PATH, route, async (request, reply) => {
      const { kind } = request.params
      const member = await memberOfAddress(deps, deps.db, request.params)
      if (member === null) return answer(request, reply, 404, { step: 'wrong' })
      return answer(request, reply, 200, { step: 'ask', kind, merchant: member.merchant_name })
    })
    void app.register(async (scope) => {
      await scope.register(formbody, { bodyLimit: FORM_BYTES_MAX })
      // RFC 8058 lets a mail program send the form in either encoding. The address contains all facts, so the server ignores
      // the body.
      scope.addContentTypeParser(
        'multipart/form-data',
        { bodyLimit: FORM_BYTES_MAX, parseAs: 'string' },
        (_request, _body, done) => done(null, {}),
      )
      scope.post(PATH, route, async (request, reply) => {
        const address = request.params as UnsubscribeAddress
        const { kind } = address
        const member = await memberOfAddress(deps, deps.db, address)
        if (member === null) return answer(request, reply, 404, { step: 'wrong' })
        await inTransaction(deps.db, (tx) => endNotices(deps, tx, member, kind))
        return answer(request, reply, 200, { step: 'done', kind, merchant: member.merchant_name })
      })
    })
  }
}

type UnsubscribePage = { step: 'ask' | 'done'; kind: NoticeKind; merchant: string } | { step: 'wrong' }

function unsubscribePage(language: Language, brand: string, page: UnsubscribePage): string {
  const t = UNSUBSCRIBE_TEXTS[language]
  const other = language === 'sw' ? 'en' : 'sw'
  const title = page.step === 'ask' ? t.title : page.step === 'done' ? t.done_title : t.wrong_title
  const dashboard = html`<p><a href="/dashboard">${t.dashboard}</a></p>`
  const body =
    page.step === 'wrong'
      ? html`<p>${t.wrong}</p>${dashboard}`
      : page.step === 'done'
        ? html`<p role="status">${t.done(t.kinds[page.kind], page.merchant)}</p><p>${t.back}</p>${dashboard}`
        : html`<p>${t.ask(t.kinds[page.kind], page.merchant)}</p>
<form method="post" action="?lang=${language}"><button type="submit" class="button">${t.button}</button></form>`
  return html`<!doctype html>
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
<header class="front-top">
<p class="brand">${logoHtml(32)} ${brand}</p>
<p>${page.step === 'ask' ? html`<a href="?lang=${other}" lang="${other}" hreflang="${other}">${t.other}</a>` : null}</p>
</header>
<main id="main">
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.toString()
}
