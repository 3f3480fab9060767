// Serves the documentation: the pages below /docs, their Markdown, the search, and the files for language models.

import { readFileSync } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../kernel/db/index.ts'
import {
  type App,
  baseUrlOf,
  contentVersion,
  inlineRefs,
  pageStyle,
  type StaticText,
  staticText,
  VERSION,
  yearIfCurrent,
} from '../../kernel/http/index.ts'
import { acceptedLanguage, languageOfTag, refuse } from '../../kernel/lib/index.ts'
import type { InstallationFacts } from './guides.ts'
import type { DocReader } from './layout.ts'
import type { OpenApiDocument } from './openapi.ts'
import type { DocPage } from './page.ts'
import { createPages } from './pages.ts'
import { addressWords, type SearchIndex, searchPageNames, searchSections } from './search.ts'
import { type DocsSite, indexPages, llmsFullText, llmsText, missingPage, renderPage, searchPage } from './site.ts'

/**
 * The content security policy. A page may load only the styles and the script of this server, and embedded images. A page may
 * send requests only to this server.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The highest number of similar pages on the page about a missing address. */
const SIMILAR_MAX = 5
const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'
const ROUTE = { schema: { hide: true }, config: { access: 'public' } } as const

const asset = (name: string, type: string) => {
  const text = readFileSync(new URL(name, import.meta.url))
  const version = contentVersion(text)
  const send = staticText(type, () => text.toString(), yearIfCurrent(version))
  return { name, path: `/docs/assets/${name}?v=${version}`, send }
}

/** Adds /docs, the pages below /docs, llms.txt and llms-full.txt. The process makes the pages at the first request. */
export function docsSiteRoutes(deps: Deps): (app: App) => void {
  const style = asset('docs.css', 'text/css; charset=utf-8')
  const script = asset('docs.js', 'text/javascript; charset=utf-8')
  return (app) => {
    let made: DocsSite | null = null
    const site = (): DocsSite => {
      made ??= makeSite(deps, app, { base_style: pageStyle().path, style: style.path, script: script.path })
      return made
    }
    let index: Promise<SearchIndex> | null = null
    const search = () => {
      index ??= indexPages(site())
      return index
    }
    const texts = new Map<string, StaticText>()
    const send = (name: string, type: string, make: () => string, request: FastifyRequest, reply: FastifyReply) => {
      const text = texts.get(name) ?? staticText(type, make)
      texts.set(name, text)
      return text(request, withPolicy(reply))
    }
    const sendMissing = async (path: string, request: FastifyRequest, reply: FastifyReply) => {
      if (!request.headers.accept?.includes('text/html')) return refuse('not_found')
      const results = searchPageNames(await search(), addressWords(path)).slice(0, SIMILAR_MAX)
      return withPolicy(reply)
        .code(404)
        .type(HTML)
        .send(missingPage(site(), path, results, readerOf(request)))
    }
    /** Redirects the path of a guide in the repository, such as /docs/guides/webhooks.md, to the page of the guide. */
    const sendGuide = (path: string, request: FastifyRequest, reply: FastifyReply) => {
      const file = `${path.slice(1).replace(/\.md$/, '')}.md`
      const page = site().pages.find(({ source }) => source === file)
      if (page === undefined) return sendMissing(path, request, reply)
      const wants_markdown = path.endsWith('.md') && !request.headers.accept?.includes('text/html')
      return reply.header('vary', 'accept').redirect(wants_markdown ? `${page.path}.md` : page.path, 302)
    }
    const sendPage = (path: string, request: FastifyRequest, reply: FastifyReply) => {
      const markdown_of = path.endsWith('.md') ? pageOfMarkdown(site(), path) : null
      if (markdown_of) return send(path, MARKDOWN, markdown_of.markdown, request, reply)
      const page = site().byPath.get(path)
      if (page === undefined) return sendMissing(path, request, reply)
      const reader = readerOf(request)
      const name = `${path} ${reader.language}${reader.carried ? ' carried' : ''}`
      return send(name, HTML, () => renderPage(site(), page, reader), request, reply.header('vary', 'accept-language'))
    }

    app.get('/docs', ROUTE, (request, reply) => sendPage('/docs', request, reply))
    app.get<{ Params: { '*': string } }>('/docs/*', ROUTE, (request, reply) => {
      const name = request.params['*']
      return name === '' ? reply.redirect('/docs', 308) : sendPage(`/docs/${name}`, request, reply)
    })
    app.get<{ Params: { '*': string } }>('/docs/guides/*', ROUTE, (request, reply) =>
      sendGuide(`/docs/guides/${request.params['*']}`, request, reply),
    )
    app.get('/docs/search', ROUTE, async (request, reply) => {
      const query = searchQueryOf(request)
      const results = searchSections(await search(), query)
      return withPolicy(reply)
        .header('cache-control', 'no-store')
        .type(HTML)
        .send(searchPage(site(), query, results, readerOf(request)))
    })
    app.get('/docs/search.json', ROUTE, async (request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .send({ results: searchSections(await search(), searchQueryOf(request)) }),
    )
    for (const file of [style, script]) app.get(`/docs/assets/${file.name}`, ROUTE, file.send)
    app.get('/llms.txt', ROUTE, (request, reply) =>
      send('/llms.txt', MARKDOWN, () => llmsText(site(), baseUrlOf(deps.config, app)), request, reply),
    )
    app.get('/llms-full.txt', ROUTE, (request, reply) =>
      send('/llms-full.txt', MARKDOWN, () => llmsFullText(site()), request, reply),
    )
  }
}

function makeSite({ config }: Deps, app: App, assets: DocsSite['facts']['assets']): DocsSite {
  const [live_prefix, sandbox_prefix] =
    config.api_key_style === 'sk' ? ['sk_live_', 'sk_test_'] : [`${config.brand}_live_`, `${config.brand}_sandbox_`]
  const facts: InstallationFacts = {
    base_url: baseUrlOf(config, app),
    header_brand: `${config.brand.charAt(0).toUpperCase()}${config.brand.slice(1)}`,
    live_prefix,
    sandbox_prefix,
  }
  const pages = createPages(inlineRefs(app.swagger()) as unknown as OpenApiDocument, facts, config.brand_name)
  return { ...pages, installation: facts, facts: { brand_name: config.brand_name, version: VERSION, assets } }
}

/**
 * Returns the language of the reader: that of `lang` in the address, or else that of the browser, or else English. If the
 * language is Swahili, or is not that of the browser, the links of the page contain the language.
 */
function readerOf(request: FastifyRequest): DocReader {
  const { lang } = request.query as { lang?: unknown }
  const preferred = acceptedLanguage(request.headers['accept-language']) ?? 'en'
  const language = (typeof lang === 'string' ? languageOfTag(lang) : null) ?? preferred
  return { language, carried: language === 'sw' || language !== preferred }
}

function searchQueryOf(request: FastifyRequest): string {
  const { q } = request.query as { q?: unknown }
  return typeof q === 'string' ? q.trim().slice(0, 100) : ''
}

function pageOfMarkdown({ byPath }: DocsSite, path: string): DocPage | undefined {
  return path === '/docs/index.md' ? byPath.get('/docs') : byPath.get(path.slice(0, -'.md'.length))
}

function withPolicy(reply: FastifyReply): FastifyReply {
  return reply.header('content-security-policy', POLICY).header('referrer-policy', 'no-referrer')
}
