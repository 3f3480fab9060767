// Renders Markdown as HTML. All HTML comes from the html template, which escapes each text.

import { Marked, type Token, type Tokens } from 'marked'
import { type Html, html } from '../../kernel/lib/index.ts'
import { codeBlock, codeTabs, isTabLanguage } from './code.ts'

/** The functions with which a page finds addresses of the site during rendering. */
export type LinkContext = {
  /**
   * Returns the address for a link of the page. Null means that the site has no such page, and the page shows only the text.
   */
  resolve(href: string): string | null
  /**
   * Returns the address of the page about an inline code, such as the name of an event. Null means that no other page is about
   * the code.
   */
  about(code: string): string | null
}

/** A heading of a page, for "On this page" and for the search. `needs_script`: only the script shows its section. */
export type PageHeading = { id: string; text: string; level: number; needs_script?: true }

/**
 * A part of a page from one heading to the next, as plain text for the search. `code` is the text of the code blocks.
 */
export type PageSection = { heading: PageHeading | null; text: string; code: string }

/** The parts of a rendered page: the HTML and the headings without the title, and the sections for the search. */
export type RenderedMarkdown = { body: Html[]; headings: PageHeading[]; sections: PageSection[] }

const marked = new Marked({ gfm: true })

/**
 * Renders the Markdown of a page. The result has no heading of level 1, because the frame of the page shows the title.
 */
export function renderMarkdown(markdown: string, links: LinkContext): RenderedMarkdown {
  const tokens = marked.lexer(markdown)
  const headings: PageHeading[] = []
  const sections: PageSection[] = [{ heading: null, text: '', code: '' }]
  const page: RenderState = { links, ids: new Set(), tabs: 0, is_linking: true }
  const body: Html[] = []
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token
    if (token.type === 'heading') {
      const heading = headingOf(token as Tokens.Heading, page)
      if (heading.level === 1) continue
      headings.push(heading)
      sections.push({ heading, text: '', code: '' })
      body.push(headingHtml(token as Tokens.Heading, heading, page))
      continue
    }
    const section = sections.at(-1) as PageSection
    if (token.type === 'code') section.code += ` ${token.text}`
    else section.text += ` ${tokenText([token])}`
    const group = codeGroup(tokens, i)
    if (group.length > 1) {
      page.tabs += 1
      body.push(codeTabs(`tabs-${page.tabs}`, group))
      section.code += ` ${group
        .slice(1)
        .map(({ text }) => text)
        .join(' ')}`
      i = tokens.indexOf(group.at(-1) as Token)
    } else body.push(...block([token], page))
  }
  return { body, headings, sections }
}

type RenderState = { links: LinkContext; ids: Set<string>; tabs: number; is_linking: boolean }

/**
 * Returns the code blocks from this token on that follow each other, each in another language. Together the blocks are one
 * example.
 */
function codeGroup(tokens: readonly Token[], from: number): Tokens.Code[] {
  const group: Tokens.Code[] = []
  for (const token of tokens.slice(from)) {
    if (token.type === 'space' && group.length > 0) continue
    const code = token as Tokens.Code
    if (token.type !== 'code' || !isTabLanguage(code.lang) || group.some(({ lang }) => lang === code.lang)) break
    group.push(code)
  }
  return group
}

function headingOf(token: Tokens.Heading, page: RenderState): PageHeading {
  const text = tokenText(token.tokens)
  return { id: uniqueId(text, page.ids), text, level: token.depth }
}

function headingHtml(token: Tokens.Heading, { id, text, level }: PageHeading, page: RenderState): Html {
  const content = inline(token.tokens, { ...page, is_linking: false })
  const anchor = html`<a class="anchor" href="#${id}" aria-label="Link to: ${text}">#</a>`
  if (level === 2) return html`<h2 id="${id}">${content} ${anchor}</h2>\n`
  if (level === 3) return html`<h3 id="${id}">${content} ${anchor}</h3>\n`
  return html`<h4 id="${id}">${content} ${anchor}</h4>\n`
}

/** Returns the anchor of a heading in the form of GitHub, so that links between the files also work on the site. */
function uniqueId(text: string, ids: Set<string>): string {
  const base = text
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}_ -]/gu, '')
    .replaceAll(' ', '-')
  let id = base
  for (let number = 1; ids.has(id); number += 1) id = `${base}-${number}`
  ids.add(id)
  return id
}

/** Renders blocks. The page shows HTML in the Markdown as text, and leaves out HTML comments. */
function block(tokens: readonly Token[], page: RenderState): Html[] {
  return tokens.flatMap((token): Html[] => {
    switch (token.type) {
      case 'paragraph':
        return [paragraphHtml(token as Tokens.Paragraph, page)]
      case 'text':
        return inline((token as Tokens.Text).tokens ?? [token], page)
      case 'code':
        return [codeBlock(token as Tokens.Code)]
      case 'list':
        return [listHtml(token as Tokens.List, page)]
      case 'table':
        return [tableHtml(token as Tokens.Table, page)]
      case 'blockquote':
        return [html`<aside class="note">${block((token as Tokens.Blockquote).tokens, page)}</aside>\n`]
      case 'hr':
        return [html`<hr>\n`]
      case 'html':
        return isComment(token.raw) ? [] : [html`<p>${token.raw}</p>\n`]
      case 'heading':
        return [headingHtml(token as Tokens.Heading, headingOf(token as Tokens.Heading, page), page)]
      default:
        return []
    }
  })
}

const isComment = (text: string) => /^\s*<!--[\s\S]*?-->\s*$/.test(text)

const CALL = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/

/** Renders a paragraph. If the paragraph contains only a method and a path, it becomes the bar of a call. */
function paragraphHtml({ tokens }: Tokens.Paragraph, page: RenderState): Html {
  const only = tokens.length === 1 && tokens[0]?.type === 'codespan' ? CALL.exec(tokens[0].text) : null
  if (only === null) return html`<p>${inline(tokens, page)}</p>\n`
  const [, method = '', path = ''] = only
  return html`<p class="call">${methodBadge(method)} <code>${breakable(path)}</code></p>\n`
}

/** Renders the HTTP method of a call in the colour of the method. */
export function methodBadge(method: string): Html {
  return html`<span class="method method-${method.toLowerCase()}">${method}</span>`
}

function listHtml({ ordered, start, items }: Tokens.List, page: RenderState): Html {
  const lines = items.map((item) => html`<li>${block(item.tokens, page)}</li>\n`)
  if (!ordered) return html`<ul>\n${lines}</ul>\n`
  return start === '' || start === 1 ? html`<ol>\n${lines}</ol>\n` : html`<ol start="${start}">\n${lines}</ol>\n`
}

/**
 * Renders a table whose first column names the row. The HTML states the roles, because the style sheet stacks the cells on
 * narrow screens. If the name of a row is one inline code, the row has an anchor.
 */
function tableHtml({ header, rows }: Tokens.Table, page: RenderState): Html {
  const heads = header.map(({ tokens }) => html`<th role="columnheader" scope="col">${inline(tokens, page)}</th>`)
  const lines = rows.map(([first, ...rest]) => {
    const name = inline(first?.tokens ?? [], page)
    const cells = rest.map(
      ({ tokens }, i) =>
        html`<td role="cell" data-head="${tokenText(header[i + 1]?.tokens ?? [])}">${inline(tokens, page)}</td>`,
    )
    return html`<tr role="row"${rowAnchor(first?.tokens ?? [], page)}><th role="rowheader" scope="row">${name}</th>${cells}</tr>\n`
  })
  return html`<div class="scroll"><table role="table">
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">
${lines}</tbody>
</table></div>\n`
}

function rowAnchor(tokens: readonly Token[], page: RenderState): Html | null {
  const text = tokens[0]?.type === 'codespan' ? tokens[0].text : ''
  if (!/^[\w.-]+$/.test(text) || page.ids.has(text)) return null
  page.ids.add(text)
  return html` id="${text}"`
}

function inline(tokens: readonly Token[] | undefined, page: RenderState): Html[] {
  return (tokens ?? []).flatMap((token): Html[] => {
    switch (token.type) {
      case 'text':
      case 'escape':
        return token.type === 'text' && token.tokens ? inline(token.tokens, page) : [html`${decoded(token.text)}`]
      case 'strong':
        return [html`<strong>${inline(token.tokens, page)}</strong>`]
      case 'em':
        return [html`<em>${inline(token.tokens, page)}</em>`]
      case 'del':
        return [html`<del>${inline(token.tokens, page)}</del>`]
      case 'codespan':
        return [codeSpan(token.text, page)]
      case 'link':
        return [linkHtml(token as Tokens.Link, page)]
      case 'image':
        return [html`${decoded(token.text)}`]
      case 'br':
        return [html`<br>`]
      case 'html':
        return isComment(token.raw) ? [] : [html`${token.raw}`]
      default:
        return []
    }
  })
}

function codeSpan(text: string, { links, is_linking }: RenderState): Html {
  const address = is_linking ? links.about(text) : null
  const call = CALL.exec(text)
  const code = html`<code>${call === null ? breakable(text) : html`${call[1]} ${breakable(call[2] as string)}`}</code>`
  return address === null ? code : html`<a class="to-code" href="${address}">${code}</a>`
}

function linkHtml({ href, tokens }: Tokens.Link, page: RenderState): Html {
  const content = inline(tokens, { ...page, is_linking: false })
  const address = page.is_linking ? page.links.resolve(href) : null
  return address === null ? html`${content}` : html`<a href="${address}">${content}</a>`
}

/** Adds optional line breaks to a long path or name, after a slash, a dot or an underscore. */
function breakable(text: string): Html {
  if (text.length < 16) return html`${text}`
  return html`${text.split(/(?<=[/._])(?=\w|\{)/).map((part, i) => html`${i > 0 && html`<wbr>`}${part}`)}`
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'", nbsp: '\u00a0' }

/**
 * Replaces the HTML entities of ENTITIES in a Markdown text with their characters. The template escapes these characters again.
 */
function decoded(text: string): string {
  return text.replace(/&(lt|gt|amp|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name] as string)
}

/** Returns the plain text of Markdown tokens, for headings and for the search. */
export function tokenText(tokens: readonly Token[]): string {
  const words = tokens.map((token): string => {
    if (token.type === 'table') {
      const { rows } = token as Tokens.Table
      return rows.map((cells) => rowText(cells.map(({ tokens: cell }) => tokenText(cell)))).join(' ')
    }
    if (token.type === 'list') return (token as Tokens.List).items.map((item) => tokenText(item.tokens)).join(' ')
    if (token.type === 'html') return ''
    if (token.type === 'codespan' || token.type === 'code') return token.text
    if ('tokens' in token && token.tokens) return tokenText(token.tokens)
    return 'text' in token ? decoded(String(token.text)) : ''
  })
  return words.join(tokens.some(({ type }) => type === 'paragraph' || type === 'space') ? ' ' : '')
}

/** Returns a row of a table as a sentence: `page: whole number, the number of the page.` */
function rowText([name = '', ...cells]: readonly string[]): string {
  const rest = cells.filter((cell) => cell !== '').join(', ')
  return `${name}${rest === '' ? '' : `: ${rest}`}${/[.:?]$/.test(rest) ? '' : '.'}`
}

/**
 * Returns the first sentence of a page, or its part before a colon, as plain text for lists of pages. The bar of a call is no
 * sentence.
 */
export function summaryOf(markdown: string): string {
  const paragraph = marked
    .lexer(markdown)
    .find(({ type, raw }) => type === 'paragraph' && !CALL.test(raw.trim().replaceAll('`', '')))
  const parts = paragraph !== undefined && 'tokens' in paragraph ? (paragraph.tokens ?? []) : []
  let summary = ''
  for (const part of parts) {
    const text = tokenText([part]).replaceAll('\n', ' ')
    // Inline code may contain a full stop or a colon, so the function looks for the end of the sentence only in other text.
    const end = part.type === 'codespan' ? [] : [text.indexOf('. '), text.indexOf(': ')].filter((at) => at >= 0)
    if (end.length > 0) return `${summary}${text.slice(0, Math.min(...end))}`
    summary += text
  }
  return summary.replace(/[.:]$/, '')
}
