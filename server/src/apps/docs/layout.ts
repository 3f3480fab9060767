// Renders the frame around the content of each page: the header with the search, the navigation, the contents, and links.

import { FAVICON, logoHtml } from '../../kernel/http/index.ts'
import { type Html, html } from '../../kernel/lib/index.ts'
import { methodBadge, type PageHeading } from './markdown.ts'
import type { DocPage } from './page.ts'
import { readerIds } from './try-form.ts'
import { FRAME_WORDS, type FrameWords } from './words.ts'

/** The addresses of the files that each page loads. */
export type SiteAssets = { base_style: string; style: string; script: string }

/** The facts of the installation that every page shows, and the addresses of the files. */
export type SiteFacts = { brand_name: string; version: string; assets: SiteAssets }

/** One page with its content and its position among all pages. */
export type FramedPage = {
  page: DocPage
  body: Html | readonly Html[]
  headings: readonly PageHeading[]
  all: readonly DocPage[]
  /** The same page in the other language. Null means that the page has no translation. */
  translation: DocPage | null
  query?: string
}

/** Returns the whole HTML document of a page. */
export function framedPage(site: SiteFacts, framed: FramedPage): string {
  const { page, body, headings } = framed
  const words = FRAME_WORDS[page.language]
  const title = page.path === '/docs' ? page.title : `${page.title} · ${site.brand_name}`
  // The search and error pages have no Markdown, so the frame shows no link to Markdown.
  const is_listed = framed.all.includes(page)
  const contents = headings.filter(({ level }) => level === 2 || level === 3)
  const document = html`<!doctype html>
<html lang="${page.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${FAVICON}">
<link rel="stylesheet" href="${site.assets.base_style}">
<link rel="stylesheet" href="${site.assets.style}">
${is_listed && html`<link rel="alternate" type="text/markdown" href="${markdownPath(page)}">\n`}${framed.translation && html`<link rel="alternate" hreflang="${framed.translation.language}" href="${framed.translation.path}">\n`}<script src="${site.assets.script}"></script>
</head>
<body class="docs" data-copy="${words.copy}" data-copied="${words.copied}">
<a class="skip" href="#main">${words.skip}</a>
${header(site, words, framed.query ?? '')}
<div class="docs-frame">
${navigation(framed, words)}
<main id="main">
${trail(framed, words)}
<h1>${page.title}</h1>
${is_listed && tools(framed, words)}
${contents.length > 1 && onThisPage(contents, words)}
<article${page.call !== null && html` data-reader-ids="${readerIds(page.call)}"`}>
${body}
</article>
${neighbours(framed, words)}
<footer class="docs-foot">
${page.source !== null && html`<p>${words.source}: <code>${page.source}</code></p>`}
<p>${site.brand_name} · API ${site.version} · <a href="/openapi.json">OpenAPI</a> · <a href="/llms.txt">llms.txt</a></p>
</footer>
</main>
</div>
</body>
</html>
`
  return document.toString()
}

/** Returns the address of a page's Markdown, which ends with `.md`. */
export function markdownPath({ path }: DocPage): string {
  return path === '/docs' ? '/docs/index.md' : `${path}.md`
}

function header({ brand_name }: SiteFacts, words: FrameWords, query: string): Html {
  return html`<header class="docs-top">
<button type="button" class="docs-menu" popovertarget="pages">${words.menu}</button>
<p class="docs-brand"><a href="/docs">${logoHtml(24)} ${brand_name} <span>${words.home}</span></a></p>
<form class="docs-search" role="search" action="/docs/search" method="get">
<input type="search" name="q" value="${query}" maxlength="100" autocomplete="off" spellcheck="false" aria-label="${words.search_label}" placeholder="${words.search_label}">
<button type="submit">${words.search}</button>
</form>
<div class="docs-links"><a href="/dashboard">${words.dashboard}</a>
<button type="button" class="docs-theme" aria-label="${words.theme}" title="${words.theme}" hidden></button></div>
</header>`
}

/** Renders the navigation. On a small screen, the button "Menu" opens the navigation without a script. */
function navigation({ page, all }: FramedPage, words: FrameWords): Html {
  const groups = [...new Set(all.map(({ group }) => group))]
  return html`<nav class="docs-nav" id="pages" popover aria-label="${words.pages}">
<button type="button" class="docs-close" popovertarget="pages" popovertargetaction="hide">${words.close}</button>
${groups.map(
  (group) => html`<p class="docs-group">${group}</p>
<ul>
${all.filter((one) => one.group === group && one.parent === null).map((one) => navigationItem(one, page, all))}</ul>
`,
)}</nav>`
}

function navigationItem(one: DocPage, page: DocPage, all: readonly DocPage[]): Html {
  const below = all.filter(({ parent }) => parent === one.path)
  const is_open = one.path === page.path || page.parent === one.path
  if (below.length === 0) return html`<li>${navigationLink(one, page)}</li>\n`
  return html`<li>${navigationLink(one, page)}${
    is_open &&
    html`<ul>
${below.map((call) => html`<li>${navigationLink(call, page)}</li>\n`)}</ul>`
  }</li>\n`
}

function navigationLink(one: DocPage, page: DocPage): Html {
  const current = one.path === page.path && html` aria-current="page"`
  const lang = one.language !== page.language && html` lang="${one.language}" hreflang="${one.language}"`
  const badge = one.call !== null && html` ${methodBadge(one.call.method)}`
  return html`<a href="${one.path}"${current}${lang}><span>${one.label}</span>${badge}</a>`
}

function trail({ page, all }: FramedPage, words: FrameWords): Html | null {
  if (page.path === '/docs') return null
  const parent = all.find(({ path }) => path === page.parent)
  return html`<nav class="docs-trail" aria-label="${words.you_are_here}"><ol>
<li><a href="/docs">${words.home}</a></li>
${parent ? html`<li><a href="${parent.path}">${parent.label}</a></li>\n` : html`<li>${page.group}</li>\n`}<li aria-current="page">${page.label}</li>
</ol></nav>`
}

function tools({ page, translation }: FramedPage, words: FrameWords): Html {
  const other =
    translation &&
    html`<a href="${translation.path}" lang="${translation.language}" hreflang="${translation.language}">${translation.language === 'sw' ? 'Kwa Kiswahili' : 'In English'}</a>`
  return html`<p class="docs-tools">${other} <button type="button" data-copy-page="${markdownPath(page)}" hidden>${words.copy_page}</button> <a href="${markdownPath(page)}">${words.as_markdown}</a></p>`
}

function onThisPage(headings: readonly PageHeading[], words: FrameWords): Html {
  return html`<nav class="docs-contents" aria-labelledby="docs-contents"><p id="docs-contents">${words.on_this_page}</p>
<ul>
${headings.map(({ id, text, level }) => html`<li class="level-${level}"><a href="#${id}">${text}</a></li>\n`)}</ul>
</nav>`
}

function neighbours({ page, all }: FramedPage, words: FrameWords): Html | null {
  const place = all.indexOf(page)
  if (place < 0) return null
  const before = all[place - 1]
  const after = all[place + 1]
  return html`<nav class="docs-neighbours" aria-label="${words.previous}, ${words.next}">
${before && html`<a rel="prev" href="${before.path}"><span>${words.previous}</span> ${before.label}</a>`}
${after && html`<a rel="next" href="${after.path}"><span>${words.next}</span> ${after.label}</a>`}
</nav>`
}
