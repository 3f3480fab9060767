// Renders the frame around the content of each page: the header with the search, the navigation, the contents, and links.

import { FAVICON, logoHtml } from '../../kernel/http/index.ts'
import { type Html, html, type Language } from '../../kernel/lib/index.ts'
import { methodBadge, type PageHeading } from './markdown.ts'
import type { DocPage } from './page.ts'
import { readerIds } from './try-form.ts'
import { FRAME_WORDS, type FrameWords } from './words.ts'

/** The addresses of the files that each page loads. */
export type SiteAssets = { base_style: string; style: string; script: string }

/** The facts of the installation that every page shows, and the addresses of the files. */
export type SiteFacts = { brand_name: string; version: string; assets: SiteAssets }

/** The language of the reader. If `carried` is true, the address of each link to a page contains this language. */
export type DocReader = { language: Language; carried: boolean }

/** One page with its content and its position among all pages. */
export type FramedPage = {
  reader: DocReader
  page: DocPage
  body: Html | readonly Html[]
  headings: readonly PageHeading[]
  all: readonly DocPage[]
  /** The same page in the other language. Null means that the page has no translation. */
  translation: DocPage | null
  query?: string
}

/** Returns the whole HTML document of a page. A page in Swahili always has a frame in Swahili. */
export function framedPage(site: SiteFacts, framed: FramedPage): string {
  const { page, body, headings } = framed
  const reader = page.language === 'sw' ? { language: page.language, carried: true } : framed.reader
  const { language } = reader
  const words = FRAME_WORDS[language]
  const heading = page.path === '/docs' ? words.start_title(site.brand_name) : page.title
  const title = page.path === '/docs' ? heading : `${page.title} · ${site.brand_name}`
  // The search and error pages have no Markdown, so the frame shows no link to Markdown.
  const is_listed = framed.all.includes(page)
  const contents = headings.filter(({ level }) => level === 2 || level === 3)
  const lang = langOf(page, language)
  const document = html`<!doctype html>
<html lang="${language}">
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
<body class="docs" data-copy="${words.copy}" data-copied="${words.copied}"${reader.carried && html` data-lang="${language}"`}>
<a class="skip" href="#main">${words.skip}</a>
${header(site, words, { ...framed, reader })}
<div class="docs-frame">
${navigation(framed, words, language)}
<main id="main">
${trail(framed, words, language)}
<h1${lang}>${heading}</h1>
${is_listed && tools(framed, words, lang !== false)}
${contents.length > 1 && onThisPage(contents, words, lang)}
<article${lang}${page.call !== null && html` data-reader-ids="${readerIds(page.call)}"`}>
${body}
</article>
${neighbours(framed, words, language)}
<footer class="docs-foot">
${page.source !== null && html`<p>${words.source}: <code>${page.source}</code></p>`}
<p>${site.brand_name} · API ${site.version} · <a href="/openapi.json">OpenAPI</a> · <a href="/llms.txt">llms.txt</a></p>
</footer>
</main>
</div>
</body>
</html>
`
  return reader.carried ? inLanguage(document.toString(), language) : document.toString()
}

/**
 * Adds the language to the address of each link to a page. If the address already has a query, or leads to Markdown or a file,
 * the link stays unchanged.
 */
function inLanguage(document: string, language: Language): string {
  return document.replaceAll(
    /<a([^>]*) href="(\/docs(?:\/[^"#?]*)?)(#[^"]*)?"/g,
    (link, before: string, path: string, anchor = '') =>
      path.endsWith('.md') ? link : `<a${before} href="${path}?lang=${language}${anchor}"`,
  )
}

/** Returns the attribute `lang` of a page in another language than the frame. The start page exists in both languages. */
function langOf({ language, body }: DocPage, reader: Language): Html | false {
  return body === null && language !== reader && html` lang="${language}"`
}

function labelOf({ path, label }: DocPage, reader: Language): string {
  return path === '/docs' ? FRAME_WORDS[reader].start_page : label
}

/** Returns the label of a page in the navigation. In an English frame, a translation has the label of its original. */
function menuLabel(page: DocPage, all: readonly DocPage[], reader: Language): { label: string; lang: Html | false } {
  const original = page.language === reader ? undefined : all.find(({ path }) => path === page.translates)
  if (original === undefined) return { label: labelOf(page, reader), lang: langOf(page, reader) }
  return { label: `${original.label} (${FRAME_WORDS[reader].other_language})`, lang: false }
}

/** Returns the address of a page's Markdown, which ends with `.md`. */
export function markdownPath({ path }: DocPage): string {
  return path === '/docs' ? '/docs/index.md' : `${path}.md`
}

function header({ brand_name }: SiteFacts, words: FrameWords, framed: FramedPage): Html {
  const { page, translation, reader, query = '' } = framed
  const other = reader.language === 'sw' ? 'en' : 'sw'
  const target = new URLSearchParams({ ...(query !== '' && { q: query }), lang: other })
  return html`<header class="docs-top">
<button type="button" class="docs-menu" popovertarget="pages">${words.menu}</button>
<p class="docs-brand"><a href="/docs">${logoHtml(24)} <strong>${brand_name}</strong> <span>${words.home}</span></a></p>
<form class="docs-search" role="search" action="/docs/search" method="get">
<input type="search" name="q" value="${query}" maxlength="100" autocomplete="off" spellcheck="false" aria-label="${words.search_label}" placeholder="${words.search_label}">
${reader.carried && html`<input type="hidden" name="lang" value="${reader.language}">`}<button type="submit">${words.search}</button>
</form>
<div class="docs-links"><a href="${translation?.language === other ? translation.path : page.path}?${target.toString()}" lang="${other}" hreflang="${other}">${words.other_language}</a>
<a href="/dashboard">${words.dashboard}</a>
<button type="button" class="docs-theme" aria-label="${words.theme}" title="${words.theme}" hidden></button></div>
</header>`
}

/** Renders the navigation. On a small screen, the button "Menu" opens the navigation without a script. */
function navigation({ page, all }: FramedPage, words: FrameWords, reader: Language): Html {
  const groups = [...new Set(all.map(({ group }) => group))]
  return html`<nav class="docs-nav" id="pages" popover aria-label="${words.pages}">
<button type="button" class="docs-close" popovertarget="pages" popovertargetaction="hide">${words.close}</button>
${groups.map(
  (group) => html`<p class="docs-group">${words.groups[group] ?? group}</p>
<ul>
${all.filter((one) => one.group === group && one.parent === null).map((one) => navigationItem(one, page, all, reader))}</ul>
`,
)}</nav>`
}

function navigationItem(one: DocPage, page: DocPage, all: readonly DocPage[], reader: Language): Html {
  const below = all.filter(({ parent }) => parent === one.path)
  const is_open = one.path === page.path || page.parent === one.path
  if (below.length === 0) return html`<li>${navigationLink(one, page, all, reader)}</li>\n`
  return html`<li>${navigationLink(one, page, all, reader)}${
    is_open &&
    html`<ul>
${below.map((call) => html`<li>${navigationLink(call, page, all, reader)}</li>\n`)}</ul>`
  }</li>\n`
}

function navigationLink(one: DocPage, page: DocPage, all: readonly DocPage[], reader: Language): Html {
  const current = one.path === page.path && html` aria-current="page"`
  const { label, lang } = menuLabel(one, all, reader)
  const target = langOf(one, reader) && html` hreflang="${one.language}"`
  const badge = one.call !== null && html` ${methodBadge(one.call.method)}`
  return html`<a href="${one.path}"${current}${lang}${target}><span>${label}</span>${badge}</a>`
}

function trail({ page, all }: FramedPage, words: FrameWords, reader: Language): Html | null {
  if (page.path === '/docs') return null
  const parent = all.find(({ path }) => path === page.parent)
  const group = words.groups[page.group] ?? page.group
  return html`<nav class="docs-trail" aria-label="${words.you_are_here}"><ol>
<li><a href="/docs">${words.home}</a></li>
${parent ? html`<li><a href="${parent.path}"${langOf(parent, reader)}>${parent.label}</a></li>\n` : all.includes(page) && group !== page.label && html`<li>${group}</li>\n`}<li aria-current="page"${langOf(page, reader)}>${page.label}</li>
</ol></nav>`
}

function tools({ page, translation }: FramedPage, words: FrameWords, is_foreign: boolean): Html {
  const other =
    translation &&
    html`<a href="${translation.path}?lang=${translation.language}" lang="${translation.language}" hreflang="${translation.language}">${translation.language === 'sw' ? 'Kwa Kiswahili' : 'In English'}</a>`
  return html`<p class="docs-tools">${is_foreign && html`<span>${words.in_english}</span> `}${other} <button type="button" data-copy-page="${markdownPath(page)}" hidden>${words.copy_page}</button> <a href="${markdownPath(page)}">${words.as_markdown}</a></p>`
}

function onThisPage(headings: readonly PageHeading[], words: FrameWords, lang: Html | false): Html {
  return html`<nav class="docs-contents" aria-labelledby="docs-contents"><p id="docs-contents">${words.on_this_page}</p>
<ul${lang}>
${headings.map(({ id, text, level, needs_script }) => html`<li class="level-${level}"${needs_script && html` hidden`}><a href="#${id}">${text}</a></li>\n`)}</ul>
</nav>`
}

function neighbours({ page, all }: FramedPage, words: FrameWords, reader: Language): Html | null {
  const place = all.indexOf(page)
  if (place < 0) return null
  const before = all[place - 1]
  const after = all[place + 1]
  const name = (other: DocPage) => {
    const { label, lang } = menuLabel(other, all, reader)
    return html`<bdi${lang}>${label}</bdi>`
  }
  return html`<nav class="docs-neighbours" aria-label="${words.previous}, ${words.next}">
${before && html`<a rel="prev" href="${before.path}"><span>${words.previous}</span> ${name(before)}</a>`}
${after && html`<a rel="next" href="${after.path}"><span>${words.next}</span> ${name(after)}</a>`}
</nav>`
}
