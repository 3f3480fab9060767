// Renders the start page of the documentation.

import { type Html, html, type Language } from '../../kernel/lib/index.ts'
import { methodBadge, summaryOf } from './markdown.ts'
import { type DocCall, oldAnchor } from './openapi.ts'
import type { DocPage } from './page.ts'
import { FRAME_WORDS } from './words.ts'

/**
 * By page, the anchors that its subject had on the former one-page documentation. Old links still use these anchors.
 */
const OLD_ANCHORS: Readonly<Record<string, readonly string[]>> = {
  '/docs/quickstart': ['first-payment'],
  '/docs/authentication': ['authentication'],
  '/docs/payments': ['statuses'],
  '/docs/idempotency': ['idempotency'],
  '/docs/webhooks': ['receiving-webhooks', 'verify', 'retries'],
  '/docs/errors': ['errors', 'mistyped'],
  '/docs/sandbox': ['sandbox'],
}

/**
 * Returns the content of the start page: a card for each page without a parent, and a list of all calls. Anchors of the former
 * one-page documentation lead to the card or the line of their subject.
 */
export function startBody(pages: readonly DocPage[], calls: readonly DocCall[], language: Language): Html {
  const words = FRAME_WORDS[language]
  const groups = [...new Set(pages.map(({ group }) => group))]
  const tags = [...new Set(calls.map(({ tag }) => tag))]
  return html`<p class="docs-lead">${words.start_lead}</p>
${groups.map(
  (group) => html`<h2 id="${groupAnchor(group)}">${words.groups[group] ?? group}</h2>
<ul class="docs-cards">
${pages.filter((page) => page.group === group && page.parent === null).map((page) => card(page, language))}</ul>
`,
)}<h2 id="endpoints">${words.all_calls}</h2>
${tags.map(
  (tag) => html`<h3${language !== 'en' && html` lang="en"`}>${tag}</h3>
<ul class="docs-calls"${language !== 'en' && html` lang="en"`}>
${calls
  .filter((call) => call.tag === tag)
  .map(
    (call) =>
      html`<li id="${oldAnchor(call)}"><a href="/docs/api/${call.name}">${methodBadge(call.method)} <span>${call.title}</span></a></li>\n`,
  )}</ul>
`,
)}`
}

const groupAnchor = (group: string) => `group-${group.toLowerCase().replaceAll(' ', '-')}`

function card(page: DocPage, reader: Language): Html {
  const { path, label, language } = page
  const [id, ...more] = OLD_ANCHORS[path] ?? (path.startsWith('/docs/api/') ? [path.slice('/docs/api/'.length)] : [])
  const anchors = more.map((one) => html`<span id="${one}"></span>`)
  const lang = language !== reader && html` lang="${language}"`
  return html`<li${id !== undefined && html` id="${id}"`}>${anchors}<a href="${path}"${lang}><strong>${label}</strong>
<span>${summaryOf(page.markdown())}</span></a></li>\n`
}

/** Returns the start page in Markdown: a list of links for each group. */
export function startMarkdown(pages: readonly DocPage[], title: string, lead: string): string {
  const groups = [...new Set(pages.map(({ group }) => group))]
  const lists = groups.map((group) => {
    const own = pages.filter((page) => page.group === group && page.parent === null)
    return `## ${group}\n\n${own.map(({ label, path }) => `- [${label}](${path})`).join('\n')}\n`
  })
  return `# ${title}\n\n${lead}\n\n${lists.join('\n')}`
}
