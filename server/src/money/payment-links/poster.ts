// Serves the printable poster of a payment link.

import Type from 'typebox'
import { contactLines, logoBase64 } from '../../access/merchants/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { drawDocument, type PosterDocument } from '../../kernel/documents/index.ts'
import { type Access, type App, caller, MERCHANT_ROLES, payUrlOf } from '../../kernel/http/index.ts'
import { enumOf, LANGUAGES, type Language, refuse } from '../../kernel/lib/index.ts'
import type { LiveProviders } from './create.ts'
import { pageDescription, publicUrl } from './present.ts'
import { LinksQuery } from './schema.ts'
import { linkStatusAt } from './state.ts'
import type { FindOwnLink, Link } from './store.ts'

const READ = { scopes: ['payment_links:read'], roles: MERCHANT_ROLES } as const satisfies Access
const Pdf = Type.Unsafe<Buffer>({ type: 'string', format: 'binary' })

/** Adds the route of the poster. `findOwn` finds a payment link of the merchant. */
export function posterRoute(deps: Deps, app: App, options: { live: LiveProviders; findOwn: FindOwnLink }): void {
  app.get(
    '/v1/payment-links/:link_id/poster.pdf',
    {
      schema: {
        tags: ['Payment links'],
        operationId: 'getPaymentLinkPoster',
        summary: 'Print a payment link as a poster',
        description: 'A PDF on A5 with a large code that opens the page. Only a link that takes payments has a poster.',
        params: Type.Object({ link_id: Type.String() }),
        querystring: Type.Object({
          ...Type.Pick(LinksQuery, ['merchant_id', 'environment']).properties,
          language: Type.Optional(enumOf('Language', LANGUAGES, 'The language of the poster: sw (default) or en.')),
        }),
        response: { 200: { content: { 'application/pdf': { schema: Pdf } } } },
      },
      config: { access: READ, refusals: ['payment_link_not_active', 'service_unavailable'] },
    },
    async (request, reply) => {
      const reader = caller(request)
      const owner = { merchant_id: reader.merchant.id, environment: reader.environment }
      const language = request.query.language ?? 'sw'
      const pdf = await drawDocument(owner, async () => {
        const link = await options.findOwn(reader, request.params.link_id)
        return { kind: 'poster', input: await posterOf(deps, app, options.live, link, language) }
      })
      return reply
        .type('application/pdf')
        .header('content-disposition', `inline; filename="poster-${request.params.link_id.toLowerCase()}.pdf"`)
        .header('cache-control', 'private, no-store')
        .send(pdf)
    },
  )
}

/** Returns the content of the poster of an active link. Refuses any other link with payment_link_not_active. */
async function posterOf(
  deps: Deps,
  app: App,
  live: LiveProviders,
  link: Link,
  language: Language,
): Promise<PosterDocument> {
  if (linkStatusAt(link, deps.clock.now()) !== 'ACTIVE') refuse('payment_link_not_active')
  const rehearses = live.every(({ capabilities }) => capabilities.rehearses)
  return {
    language,
    brand_name: deps.config.brand_name,
    merchant_name: link.merchant_name,
    logo: await logoBase64(deps.db, link),
    accent_color: link.accent_color,
    contact: contactLines({ ...link, support_email: null }),
    amount_minor: link.amount_minor,
    currency: link.currency,
    description: pageDescription(link, language),
    page_url: publicUrl(payUrlOf(deps.config, app), link.slug),
    test: rehearses || link.environment === 'sandbox',
    drawn_at: link.updated_at,
  }
}
