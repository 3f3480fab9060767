// Lists all pages of the documentation, such as the guides, and one page for each call and each event.

import { callPage, joined } from './call-page.ts'
import { eventPage, eventsPage } from './event-page.ts'
import { exampleCall } from './examples.ts'
import {
  GUIDES,
  type Guide,
  type InstallationFacts,
  localised,
  readGuide,
  SDK_GUIDES,
  titleOf,
  VERSION_GUIDES,
} from './guides.ts'
import {
  callsOf,
  capabilityPath,
  type DocCall,
  type DocEvent,
  eventsOf,
  type OpenApiDocument,
  tableCell,
} from './openapi.ts'
import { CONSOLE_REFERENCE, type DocPage } from './page.ts'
import { snippetsOf } from './snippets.ts'
import { startBody, startMarkdown } from './start.ts'
import { DOCS_LEAD, FRAME_WORDS } from './words.ts'

/** All pages, the calls of the API, and the pages by address. */
export type DocPages = { pages: readonly DocPage[]; calls: readonly DocCall[]; byPath: ReadonlyMap<string, DocPage> }

const REFERENCE = 'API reference'
const EVENT_GROUP = 'Webhook events'

/**
 * Makes the list of pages. The process writes the Markdown of calls and events when a reader or the search first needs the
 * Markdown.
 */
export function createPages(api: OpenApiDocument, facts: InstallationFacts, brand_name: string): DocPages {
  const calls = callsOf(api)
  const tags = (api.tags ?? []).filter(({ name }) => calls.some(({ tag }) => tag === name))
  const capabilities = tags.flatMap((tag) => capabilityPages(tag, calls, facts.base_url))
  const pages: DocPage[] = [
    ...[...GUIDES, ...SDK_GUIDES].map((guide) => guidePage(guide, calls, facts)),
    ...capabilities.filter(({ group }) => group === REFERENCE),
    ...eventPages(eventsOf(api)),
    ...capabilities.filter(({ group }) => group !== REFERENCE),
    ...VERSION_GUIDES.map((guide) => guidePage(guide, calls, facts)),
  ]
  const title = FRAME_WORDS.en.start_title(brand_name)
  const start = made({
    path: '/docs',
    title,
    label: FRAME_WORDS.en.start_page,
    group: 'Start',
    markdown: () => startMarkdown(pages, title, DOCS_LEAD),
    body: (language) => startBody(pages, calls, language),
  })
  const all = [start, ...pages]
  return { pages: all, calls, byPath: new Map(all.map((page) => [page.path, page])) }
}

function made(page: Pick<DocPage, 'path' | 'title' | 'group' | 'markdown'> & Partial<DocPage>): DocPage {
  return {
    label: page.title,
    parent: null,
    language: 'en',
    source: null,
    call: null,
    translates: null,
    body: null,
    ...page,
    markdown: writtenOnce(page.markdown),
  }
}

function writtenOnce(make: () => string): () => string {
  let text: string | null = null
  return () => {
    text ??= make()
    return text
  }
}

const EXAMPLE_MARK = '<!-- example: '

/**
 * Adds the examples in the other languages after each curl command that follows a mark `<!-- example: NAME -->`. NAME is the
 * name of the call.
 */
function withExamples(markdown: string, calls: readonly DocCall[], base_url: string): string {
  const [before = '', ...rest] = markdown.split(EXAMPLE_MARK)
  const parts = rest.map((text) => {
    const name = text.slice(0, text.indexOf(' -->'))
    const call = calls.find((one) => one.name === name)
    const example = exampleCall(name)
    const end = text.indexOf('\n```\n', text.indexOf('```bash')) + '\n```\n'.length
    if (call === undefined || example === null) throw new Error(`a guide shows the example of an unknown call: ${name}`)
    const fences = snippetsOf(call, example, base_url).filter(({ lang }) => lang !== 'bash')
    const added = fences.map(({ lang, code }) => `\n\`\`\`${lang}\n${code}\n\`\`\`\n`).join('')
    return `${text.slice(text.indexOf('-->') + '-->\n'.length, end)}${added}${text.slice(end)}`
  })
  return [before, ...parts].join('')
}

function guidePage(guide: Guide, calls: readonly DocCall[], facts: InstallationFacts): DocPage {
  const text = withExamples(localised(readGuide(guide), facts), calls, facts.base_url)
  const { group, language, file, translates } = guide
  const title = titleOf(text)
  return made({
    path: `/docs/${guide.name}`,
    title,
    label: guide.label ?? title,
    group,
    language,
    source: file,
    translates: translates === undefined ? null : `/docs/${translates}`,
    markdown: () => text,
  })
}

/** The guide about a capability, as address and title. Not every capability has a guide. */
const TAG_GUIDES: Readonly<Record<string, readonly [string, string]>> = {
  Collections: ['payments', 'Payments'],
  'Payment links': ['pages', 'Pages and links'],
  Payers: ['pages', 'Pages and links'],
  Invoices: ['invoices', 'Invoices'],
  Withdrawals: ['withdrawals', 'Withdrawals and payouts'],
  Disbursements: ['withdrawals', 'Withdrawals and payouts'],
  Balance: ['reconciliation', 'Reconciliation for accountants'],
  Transactions: ['reconciliation', 'Reconciliation for accountants'],
  Webhooks: ['webhooks', 'Webhooks'],
  Requests: ['requests', 'Request log'],
  'API keys': ['authentication', 'Authentication'],
}

function guideLink(tag: string): string {
  const [name, title] = TAG_GUIDES[tag] ?? []
  return name === undefined ? '' : `The guide [${title}](../guides/${name}.md) explains how these calls work together.`
}

function capabilityPages(
  tag: { name: string; description?: string },
  calls: readonly DocCall[],
  base_url: string,
): DocPage[] {
  const own = calls.filter((call) => call.tag === tag.name)
  const path = capabilityPath(tag.name)
  const group = own.some(({ name }) => exampleCall(name) !== null) ? REFERENCE : CONSOLE_REFERENCE
  const rows = own.map(
    (call) => `| [${tableCell(call.title)}](/docs/api/${call.name}) | \`${call.method} ${call.path}\` |`,
  )
  const markdown = () =>
    joined([
      `# ${tag.name}`,
      tag.description ?? '',
      guideLink(tag.name),
      `| Call | Request |\n|---|---|\n${rows.join('\n')}`,
    ])
  return [
    made({ path, title: tag.name, group, markdown }),
    ...own.map((call) =>
      made({
        path: `/docs/api/${call.name}`,
        title: call.title,
        group,
        parent: path,
        call,
        markdown: () => callPage(call, base_url),
      }),
    ),
  ]
}

function eventPages(events: readonly DocEvent[]): DocPage[] {
  const path = '/docs/events'
  return [
    made({
      path,
      title: 'Webhook events',
      label: 'All events',
      group: EVENT_GROUP,
      markdown: () => eventsPage(events),
    }),
    ...events.map((event) =>
      made({ path: `${path}/${event.name}`, title: event.name, group: EVENT_GROUP, markdown: () => eventPage(event) }),
    ),
  ]
}
