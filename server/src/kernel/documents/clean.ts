// Cleans texts for drawing, because merchants and payers write them. The functions remove or replace characters that the fonts
// cannot draw.

import { plainLine } from '../lib/index.ts'
import { canDraw } from './fonts.ts'

/** The character that replaces a character without a glyph. */
const BOX = '\u25a1'
/** The greatest number of accents on one letter, because further accents would overlap the line above. */
const MOST_MARKS = 2
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' })
const PLAIN = /^[\x20-\x7e]*$/
// `clean` replaces each ligature character with its letters, so that copied text contains letters.
const SHAPES = /[\ufb00-\ufb4f\ufb50-\ufdff\ufe70-\ufefc]/g
const UNSEEN = /\p{Cf}|\p{Co}|\p{Cn}|\p{Variation_Selector}/u

/**
 * Returns one line for drawing without control characters or direction marks. Cuts the text to `max` characters before it
 * replaces ligatures. If the fonts lack the base of a character, a box replaces the character.
 */
export function clean(text: string, max: number): string {
  const line = plainLine(text.toWellFormed(), max)
  if (PLAIN.test(line)) return line
  const letters = line.replace(SHAPES, (shape) => shape.normalize('NFKC')).normalize('NFC')
  return graphemes(letters).map(drawable).join('').trim()
}

/** Returns the lines of a text for drawing, without empty lines. After 2000 characters, the function cuts the text. */
export function cleanLines(text: string): string[] {
  const short = text.length <= 2000 ? text : `${text.slice(0, 1999)}…`
  return short
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => clean(line, 2000))
    .filter((line) => line !== '')
}

/** Splits text into the characters that people see (graphemes). */
export function graphemes(text: string): string[] {
  return PLAIN.test(text) ? [...text] : Array.from(GRAPHEMES.segment(text), ({ segment }) => segment)
}

function drawable(grapheme: string): string {
  const seen = [...grapheme].filter((char) => !UNSEEN.test(char))
  const [base, ...rest] = seen
  if (base === undefined) return /^\p{Cf}+$/u.test(grapheme) ? '' : BOX
  if (!canDraw(base)) return BOX
  return base + rest.filter(canDraw).slice(0, MOST_MARKS).join('')
}

const LETTERS = String.raw`\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Nko}\p{Script=Syriac}\p{Script=Thaana}`
const WORD = String.raw`[${LETTERS}][${LETTERS}\p{Mn}]*`
const RIGHT_TO_LEFT = new RegExp(`[${LETTERS}]`, 'u')
const RUNS = new RegExp(`${WORD}(?: ${WORD})*`, 'gu')

/**
 * Returns the parts of a line in reading order. `place` is the position of a part from the left. Only adjacent words of scripts
 * such as Arabic and Hebrew go from right to left.
 */
export function pieces(line: string): { text: string; place: number }[] {
  if (!RIGHT_TO_LEFT.test(line)) return [{ text: line, place: 0 }]
  const found: { text: string; place: number }[] = []
  let end = 0
  const add = (texts: string[], reversed: boolean) => {
    const first = found.length
    for (const [i, text] of texts.entries()) found.push({ text, place: first + (reversed ? texts.length - 1 - i : i) })
  }
  for (const run of line.matchAll(RUNS)) {
    if (run.index > end) add([line.slice(end, run.index)], false)
    add(run[0].split(/( )/).filter(Boolean), true)
    end = run.index + run[0].length
  }
  if (end < line.length) add([line.slice(end)], false)
  return found
}
