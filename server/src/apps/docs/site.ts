// Renders the pages of the documentation. Makes the search index and the files for language models from the same Markdown.

import { posix } from 'node:path'
import { catalogue, type Html, html, type Language } from '../../kernel/lib/index.ts'
import type { InstallationFacts } from './guides.ts'
import { type DocReader, type FramedPage, framedPage, markdownPath, type SiteFacts } from './layout.ts'
import { type LinkContext, type PageHeading, renderMarkdown, summaryOf } from './markdown.ts'
import type { DocPage } from './page.ts'
import type { DocPages } from './pages.ts'
import { createSearchIndex, type IndexedSection, type SearchIndex, type SearchResult } from './search.ts'
import { callForm } from './try-form.ts'
import { FRAME_WORDS } from './words.ts'

/** The pages of one installation, and the facts that they show. */
export type DocsSite = DocPages & { facts: SiteFacts; installation: InstallationFacts }

/** Returns a page as a whole HTML document, with its frame in the language of the reader. */
export function renderPage(site: DocsSite, page: DocPage, reader: DocReader): string {
  const place = { ...placeOf(site, page), reader }
  if (page.body !== null) return framedPage(site.facts, { ...place, body: page.body(reader.language), headings: [] })
  const { body, headings } = renderMarkdown(page.markdown(), linksOf(site, page))
  const form = page.call === null ? null : callForm(page.call, site.installation)
  if (form === null) return framedPage(site.facts, { ...place, body, headings })
  const try_it: PageHeading = { id: 'try-it', text: 'Try it', level: 2, needs_script: true }
  return framedPage(site.facts, { ...place, body: [...body, form], headings: [...headings, try_it] })
}

function placeOf(site: DocsSite, page: DocPage): Pick<FramedPage, 'page' | 'all' | 'translation'> {
  const original = page.translates === null ? undefined : site.byPath.get(page.translates)
  const translation = original ?? site.pages.find(({ translates }) => translates === page.path) ?? null
  return { page, all: site.pages, translation }
}

const REPOSITORY_FILE = /^(?!\/|[a-z]+:)/

/** Addresses of this server outside /docs to which guides link. */
const OTHER_ADDRESSES: readonly string[] = ['/dashboard', '/openapi.json', '/llms.txt']

/** Returns the functions that turn the links and inline codes of a page into addresses. */
export function linksOf({ byPath, calls, pages }: DocsSite, page: DocPage): LinkContext {
  const base = page.source ?? 'docs/made/page.md'
  const bySource = new Map(pages.flatMap(({ source, path }) => (source === null ? [] : [[source, path] as const])))
  return {
    resolve(href) {
      const [target = '', anchor] = href.split('#')
      const end = anchor === undefined ? '' : `#${anchor}`
      if (target === '') return end
      if (!REPOSITORY_FILE.test(target)) return /^(?:https:|http:|mailto:|\/)/.test(target) ? href : null
      const path = bySource.get(posix.join(posix.dirname(base), target))
      return path === undefined ? null : `${path}${end}`
    },
    about(code) {
      if (OTHER_ADDRESSES.includes(code)) return code
      const call = /^(GET|POST|PUT|PATCH|DELETE) (\/[^?\s]*)/.exec(code)
      if (call !== null) {
        const shape = shapeOf(call[2] as string)
        const found = calls.find(({ method, path }) => method === call[1] && shapeOf(path) === shape)
        return found === undefined || found.name === page.call?.name ? null : `/docs/api/${found.name}`
      }
      if (Object.hasOwn(catalogue, code)) return page.path === '/docs/errors' ? null : `/docs/errors#${code}`
      const event = `/docs/events/${code}`
      return byPath.has(event) && event !== page.path ? event : null
    },
  }
}

/** Returns a path without the names of its parameters, because guides use shorter names. */
function shapeOf(path: string): string {
  return path.replace(/\{\w+\}/g, '{}')
}

/**
 * Makes the search index. After each page, the function lets the process do other work, because a longer turn would delay
 * requests.
 */
export async function indexPages(site: DocsSite): Promise<SearchIndex> {
  const sections: IndexedSection[] = []
  for (const page of site.pages) {
    if (page.path === '/docs') continue
    const rendered = renderMarkdown(page.markdown(), linksOf(site, page))
    for (const { heading, text, code } of rendered.sections) {
      if (heading !== null && `${text}${code}`.trim() === '') continue
      sections.push({
        path: page.path,
        title: page.title,
        heading: heading?.text ?? '',
        anchor: heading?.id ?? '',
        // If a section contains only examples, its result shows the summary of the page.
        text: text.trim() === '' ? summaryOf(page.markdown()) : text,
        code,
        group: page.group,
        language: page.language,
      })
    }
    await new Promise<void>((next) => setImmediate(next))
  }
  return createSearchIndex(sections)
}

/** Returns the page with the results of a search. If the query is empty, the page asks for words. */
export function searchPage(site: DocsSite, query: string, results: readonly SearchResult[], reader: DocReader): string {
  const words = FRAME_WORDS[reader.language]
  const body = query === '' ? html`<p>${words.ask_for_words}</p>` : resultList(query, results, reader.language)
  return ownPage(site, words.search, body, reader, query)
}

/** Returns the page about an address below /docs that does not exist, with links to similar pages. */
export function missingPage(site: DocsSite, path: string, results: readonly SearchResult[], reader: DocReader): string {
  const words = FRAME_WORDS[reader.language]
  const is_foreign = reader.language === 'sw' && results.every(({ language }) => language === 'en')
  const body = html`<p>${words.missing_address} <code>${path}</code>. ${words.missing_next}</p>
<p><a href="/docs">${words.home}</a></p>
${results.length > 0 && html`<h2 id="similar">${words.similar}</h2>\n${is_foreign && html`<p>${words.similar_in_english}</p>\n`}${resultItems(results, reader.language)}`}`
  return ownPage(site, words.missing, body, reader)
}

/** Renders a page that is not in the navigation, such as the search. */
function ownPage(site: DocsSite, title: string, body: Html, reader: DocReader, query = ''): string {
  const page: DocPage = {
    path: '/docs/search',
    title,
    label: title,
    group: 'Start',
    parent: null,
    language: reader.language,
    source: null,
    call: null,
    translates: null,
    body: null,
    markdown: () => '',
  }
  return framedPage(site.facts, { page, all: site.pages, translation: null, body, headings: [], query, reader })
}

function resultList(query: string, results: readonly SearchResult[], language: Language): Html {
  const words = FRAME_WORDS[language]
  if (results.length === 0) return html`<p role="status">${words.no_result(query)}</p>`
  return html`<p role="status">${words.results(results.length, query)}</p>
${resultItems(results, language)}`
}

function resultItems(results: readonly SearchResult[], language: Language): Html {
  const { groups } = FRAME_WORDS[language]
  return html`<ol class="docs-results">
${results.map(({ path, anchor, title, heading, excerpt, group, language: written_in }) => {
  const lang = written_in !== language && html` lang="${written_in}"`
  return html`<li><a href="${path}${anchor && `#${anchor}`}"${lang}>${title}${heading && html` <span>› ${heading}</span>`}</a>
<p${lang}>${excerpt}</p><p class="docs-result-group">${groups[group] ?? group}</p></li>
`
})}</ol>`
}

/** Returns llms.txt: the list of pages as Markdown. */
export function llmsText(site: DocsSite, base_url: string): string {
  const groups = [...new Set(site.pages.map(({ group }) => group))]
  const list = groups.map((group) => {
    const lines = site.pages
      .filter((page) => page.group === group && page.path !== '/docs')
      .map((page) => {
        const summary = page.call ? `${page.call.method} ${page.call.path}` : summaryOf(page.markdown())
        return `- [${page.title}](${base_url}${markdownPath(page)})${summary === '' ? '' : `: ${summary}`}`
      })
    return lines.length === 0 ? '' : `## ${group}\n\n${lines.join('\n')}\n`
  })
  return `# ${site.facts.brand_name}

> The API of ${site.facts.brand_name}: collect payments in Tanzanian shillings, pay out, and receive signed webhooks. All pages in one file: ${base_url}/llms-full.txt. OpenAPI: ${base_url}/openapi.json.

${list.filter(Boolean).join('\n')}`
}

/**
 * Returns llms-full.txt: the Markdown of all pages except the start page, the changelog, the lists of calls and the calls of
 * operators.
 */
export function llmsFullText(site: DocsSite): string {
  const lists = new Set(site.pages.map(({ parent }) => parent))
  return site.pages
    .filter(
      ({ path, call }) => !['/docs', '/docs/changelog'].includes(path) && !lists.has(path) && call?.tag !== 'Operator',
    )
    .map((page) => page.markdown())
    .join('\n---\n\n')
}
