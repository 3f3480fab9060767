// Matches the text of a search with the pages and actions of a console.

import type { IconName } from './icons.tsx'

/**
 * A page or an action that the search offers: `to` is a path below the console, `run` does the action. `words` are further
 * words in both languages, which the search finds and does not show.
 */
export type SearchPlace = { label: string; icon: IconName; is_act?: boolean; words?: string } & (
  | { to: string }
  | { run: () => void }
)

/** The lowest number of letters of a word in which the search tolerates a typing error. */
const TYPO_LETTERS_MIN = 5

/** Returns the text in lower case and without accents. */
function foldText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
}

/** Returns true if one edit makes `a` from `b`: one letter more, less or other, or two neighbours in the other order. */
function isOneEdit(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  const rest = Math.min(a.length, b.length) - start
  while (end < rest && a.at(-1 - end) === b.at(-1 - end)) end++
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  return (x.length <= 1 && y.length <= 1) || (x.length === 2 && x === `${y[1]}${y[0]}`)
}

/** Returns true if the beginning of a known word is the typed word with one typing error. */
function isNear(typed: string, known: string): boolean {
  if (!/^\p{L}+$/u.test(typed) || typed.length < TYPO_LETTERS_MIN) return false
  return [typed.length - 1, typed.length, typed.length + 1].some(
    (length) => length <= known.length && isOneEdit(typed, known.slice(0, length)),
  )
}

/**
 * Returns the items whose words contain each word of the text. If no item has all words, words of five letters or more may
 * have one typing error.
 */
export function matchWords<Item>(items: readonly Item[], text: string, wordsOf: (item: Item) => string): Item[] {
  const typed = foldText(text).split(/\s+/).filter(Boolean)
  const known = items.map((item) => {
    const words = foldText(wordsOf(item))
    return { item, words, list: words.split(/[^\p{L}\p{N}]+/u) }
  })
  const exact = known.filter(({ words }) => typed.every((word) => words.includes(word)))
  const found =
    exact.length > 0
      ? exact
      : known.filter(({ words, list }) =>
          typed.every((word) => words.includes(word) || list.some((one) => isNear(word, one))),
        )
  return found.map(({ item }) => item)
}
