// Finds pages of the documentation by words. The index contains the sections of every page except the start page.

import type { Language } from '../../kernel/lib/index.ts'
import { CONSOLE_REFERENCE } from './page.ts'

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
/** The score that a section loses for each better section of the same page, so that the first results show several pages. */
const REPEATED = 6
/** The highest number of words of a query of which two neighbours can also be one word. */
const JOINED_MAX = 4

/** The additional scores of guides, by group. */
const GUIDE_SCORES: Readonly<Record<string, number>> = { Start: 6, Guides: 6, SDKs: 4, Versions: 4 }

/** Words for one subject. The search finds each of them also by the others, with a lower score. */
const SAME_SUBJECT: readonly (readonly string[])[] = [
  ['payout', 'withdrawal', 'disbursement'],
  ['refund', 'reversal', 'reversed'],
  ['fee', 'charge'],
  ['sandbox', 'magic', 'test'],
  ['key', 'authentication'],
]
/** Words of questions that tell no subject. If a query has other words, the search ignores these. */
const NO_SUBJECT: ReadonlySet<string> = new Set([
  ...['a', 'an', 'the', 'of', 'to', 'in', 'for', 'is', 'are', 'do', 'does', 'how', 'what', 'can', 'i', 'my', 'api'],
])

/** Makes the index of sections. The index contains each text in lower case. */
export function createSearchIndex(sections: readonly IndexedSection[]): SearchIndex {
  return sections.map((section) => ({
    section,
    title: section.title.toLowerCase(),
    heading: section.heading.toLowerCase(),
    text: ` ${section.text.toLowerCase()} ${section.code.toLowerCase()}`,
  }))
}

/** Returns the distinct words of a query in lower case. */
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

/** Returns at most 30 sections that contain every word of the query with a subject, at most 3 of each page, best first. */
export function searchSections(index: SearchIndex, query: string): SearchResult[] {
  const words = searchWords(query)
  if (words.length === 0) return []
  const subjects = words.filter((word) => !NO_SUBJECT.has(word))
  const readings = readingsOf(subjects.length === 0 ? words : subjects)
  const shown_words = readings.flat().map(({ word }) => word)
  const found = index.flatMap((entry) => {
    const scores = readings.flatMap((terms) => scoreOf(entry, terms) ?? [])
    return scores.length === 0 ? [] : [{ entry, score: Math.max(...scores) + bonusOf(entry, words) }]
  })
  found.sort((a, b) => b.score - a.score)
  const per_page = new Map<string, number>()
  return found
    .flatMap(({ entry, score }) => {
      const better = per_page.get(entry.section.path) ?? 0
      per_page.set(entry.section.path, better + 1)
      return better < PER_PAGE_MAX ? [{ entry, score: score - REPEATED * better }] : []
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, RESULTS_MAX)
    .map(({ entry: { section } }) => {
      const { text, code: _, ...shown } = section
      return { ...shown, excerpt: excerptOf(text, shown_words) }
    })
}

/** Returns the pages whose title or last part of the address contains every word of the query with a subject, best first. */
export function searchPageNames(index: SearchIndex, query: string): SearchResult[] {
  const first_sections = new Map(index.toReversed().map((entry) => [entry.section.path, entry]))
  const names = [...first_sections.values()].reverse().map(({ section, title }) => ({
    section: { ...section, heading: '', anchor: '' },
    title,
    heading: '',
    text: ` ${addressWords(section.path)}`,
  }))
  return searchSections(names, query)
}

/** Returns the words at the end of an address: `createWalletPush` gives `create wallet push`. */
export function addressWords(path: string): string {
  const last = path.split('/').at(-1) ?? ''
  return last.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/[-_.]/g, ' ')
}

/** A word to find. `others` are its singular and other words for its subject. `typed` counts its words in the query. */
type SearchTerm = { word: string; others: readonly string[]; typed: number }

/**
 * Returns the query as typed. If the query has at most JOINED_MAX words, also returns it with each two neighbours as one word:
 * "pay out" is also "payout".
 */
function readingsOf(words: readonly string[]): SearchTerm[][] {
  const termOf = (word: string, typed = 1): SearchTerm => ({ word, others: otherWords(word), typed })
  const typed = words.map((word) => termOf(word))
  if (words.length > JOINED_MAX) return [typed]
  const joined = words
    .slice(1)
    .map((word, i) => [...typed.slice(0, i), termOf(`${words[i]}${word}`, 2), ...typed.slice(i + 2)])
  return [typed, ...joined]
}

/** Returns the singular of an English plural, and the other words for its subject. */
function otherWords(word: string): readonly string[] {
  const singular = word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
  const subject = SAME_SUBJECT.find((names) => names.includes(singular)) ?? []
  return [...new Set([singular, ...subject])].filter((other) => other !== word)
}

/** Returns the score of a section. Null means that a word is missing. A word in the title adds most to the score. */
function scoreOf({ title, heading, text }: SearchIndex[number], terms: readonly SearchTerm[]): number | null {
  let score = 0
  for (const { word, others, typed } of terms) {
    const partOf = (place: string, own: number) =>
      startsWord(place, word) ? own : others.some((other) => startsWord(place, other)) ? own / 2 : 0
    const found = partOf(title, 8) + partOf(heading, 6) + partOf(text, 2)
    if (found === 0) return null
    score += found * typed
  }
  return score
}

/**
 * Returns the score that does not depend on the single words. A guide explains a subject, but a call only lists its fields. The
 * calls of the consoles, and the changelog, have the words of merchants but rarely their answers.
 */
function bonusOf({ section, title, heading }: SearchIndex[number], words: readonly string[]): number {
  const phrase = words.join(' ')
  const exact = title === phrase || heading === phrase ? 20 : 0
  // The first section of a page describes the whole page.
  const first = section.heading === '' ? 1 : 0
  if (section.group === CONSOLE_REFERENCE || section.path === '/docs/changelog') return exact + first - 6
  return exact + first + (GUIDE_SCORES[section.group] ?? 0)
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
