// Finds pages of the documentation by words. The index contains every section of every page.

import type { Language } from '../../kernel/lib/index.ts'

/** A section of a page. The search finds words of `text` and of the examples in `code`. A result shows an excerpt of `text`. */
export type IndexedSection = {
  path: string
  title: string
  heading: string
  anchor: string
  text: string
  code: string
  group: string
  language: Language
}

/** A result of a search. `excerpt` is the part of the text around the first word that the search found. */
export type SearchResult = Omit<IndexedSection, 'text' | 'code'> & { excerpt: string }

/** The sections with their text in lower case, ready for a search. */
export type SearchIndex = readonly { section: IndexedSection; title: string; heading: string; text: string }[]

const QUERY_MAX = 100
const RESULTS_MAX = 30
/** The highest number of results of one page, so that one long page does not displace the others. */
const PER_PAGE_MAX = 3
const EXCERPT = 180
/**
 * The extra score of a page that is no page of a call. The score is less than that of a word in a title, so the name of a call
 * finds the page of the call first.
 */
const GUIDE_BONUS = 5

/** Makes the index of sections. The index contains each text in lower case. */
export function createSearchIndex(sections: readonly IndexedSection[]): SearchIndex {
  return sections.map((section) => ({
    section,
    title: section.title.toLowerCase(),
    heading: section.heading.toLowerCase(),
    text: ` ${section.text.toLowerCase()} ${section.code.toLowerCase()}`,
  }))
}

/** Returns the distinct words of a query in lower case. A section must contain every word. */
export function searchWords(query: string): string[] {
  return [
    ...new Set(
      query
        .slice(0, QUERY_MAX)
        .toLowerCase()
        .split(/[^\p{Letter}\p{Number}_.-]+/u),
    ),
  ].filter(Boolean)
}

/** Returns at most 30 sections that contain every word of the query, at most 3 of each page, best first. */
export function searchSections(index: SearchIndex, query: string): SearchResult[] {
  const words = searchWords(query)
  if (words.length === 0) return []
  const found = index.flatMap((entry) => {
    const score = scoreOf(entry, words)
    return score === 0 ? [] : [{ entry, score }]
  })
  found.sort((a, b) => b.score - a.score)
  const per_page = new Map<string, number>()
  return found
    .filter(({ entry: { section } }) => {
      const count = (per_page.get(section.path) ?? 0) + 1
      per_page.set(section.path, count)
      return count <= PER_PAGE_MAX
    })
    .slice(0, RESULTS_MAX)
    .map(({ entry: { section } }) => {
      const { text, code: _, ...shown } = section
      return { ...shown, excerpt: excerptOf(text, words) }
    })
}

/** Returns the score of a section. 0 means that a word is missing. A word in the title adds most to the score. */
function scoreOf({ section, title, heading, text }: SearchIndex[number], words: readonly string[]): number {
  let score = 0
  for (const word of words) {
    const in_title = startsWord(title, word)
    const in_heading = startsWord(heading, word)
    const in_text = startsWord(text, word)
    if (!in_title && !in_heading && !in_text) return 0
    score += (in_title ? 8 : 0) + (in_heading ? 6 : 0) + (in_text ? 2 : 0)
  }
  const phrase = words.join(' ')
  if (title === phrase || heading === phrase) score += 20
  // The first section of a page describes the whole page. A guide explains a subject, but a call only lists its fields.
  return score + (section.heading === '' ? 1 : 0) + (section.path.startsWith('/docs/api/') ? 0 : GUIDE_BONUS)
}

/** Returns true if a word of the text begins with `word`. */
function startsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{Letter}\p{Number}]/u.test(text.charAt(at - 1))) return true
  }
  return false
}

function excerptOf(text: string, words: readonly string[]): string {
  const plain = text.split(/\s+/).join(' ').trim()
  const lower = plain.toLowerCase()
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0), plain.length)
  const from = first === plain.length || first < EXCERPT / 2 ? 0 : plain.indexOf(' ', first - EXCERPT / 2) + 1
  const begin = from > 0 ? '… ' : ''
  if (from + EXCERPT >= plain.length) return `${begin}${plain.slice(from)}`
  // The excerpt ends with a whole word.
  const end = plain.lastIndexOf(' ', from + EXCERPT)
  return `${begin}${plain.slice(from, end > from ? end : from + EXCERPT)} …`
}
