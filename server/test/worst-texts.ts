// Makes the slowest texts for a regular expression: texts that a checker finds, and texts that are slow for many expressions.

import recheck from 'recheck'

// This version of the checker runs in JavaScript and starts no other program.
process.env.RECHECK_SYNC_BACKEND = 'pure'
const CHECK_MS = 500

/** A text that grows with the number of repeated pumps. */
export type WorstText = { name: string; pumps: { prefix: string; pump: string }[]; suffix: string }

const ANY = [
  ...'\\ "\'/=%<>{}[]().,:;&?#@+-*_0aA\t\n\r\0\u{a0}\u{2028}\u{200f}é',
  '\\"',
  '\\\\"',
  '"\\',
  '{"',
  '[{',
  '="',
  'a=',
  '0.',
  'a.',
  'a@',
  'a ',
  'a-',
  '<a>',
  '</',
  '<!--',
  '/*',
  '\r\n',
  '\ud800',
  '🙂',
]
const ENDS = ['', '\0']

/** Returns the worst texts for one expression. The texts from the checker come first. */
export function worstTexts({ source, flags }: RegExp): WorstText[] {
  return [...attackOn(source, flags), ...ownWords(source), ...HOSTILE]
}

const filled = new WeakMap<WorstText, Map<number, string>>()

/** Makes a text of about `size` characters. */
export function fill(worst: WorstText, size: number): string {
  const known = filled.get(worst) ?? new Map<number, string>()
  filled.set(worst, known)
  const text = known.get(size) ?? write(worst, size)
  known.set(size, text)
  return text
}

function write({ pumps, suffix }: WorstText, size: number): string {
  const fixed = pumps.reduce((sum, { prefix }) => sum + prefix.length, suffix.length)
  const share = Math.max(0, size - fixed) / pumps.length
  return pumps.map(({ prefix, pump }) => prefix + pump.repeat(Math.ceil(share / pump.length))).join('') + suffix
}

function attackOn(source: string, flags: string): WorstText[] {
  // Without an unlimited repetition, an expression does a limited amount of work at each position.
  if (!/[*+]|\{\d+,\}/.test(source)) return []
  const found = recheck.checkSync(source, flags, { timeout: CHECK_MS })
  if (found.status !== 'vulnerable') return []
  const { pumps, suffix } = found.attack
  return [{ name: 'the attack of the checker', pumps, suffix }]
}

/** Makes texts that repeat the words of the expression, so that a match can begin at many positions. */
function ownWords(source: string): WorstText[] {
  const plain = source.replace(/\\[bBdDsSwWpP](?:\{[^}]*\})?/g, ' ').replace(/\\([^A-Za-z0-9])/g, '$1')
  const words = new Set(plain.match(/[A-Za-z0-9_]{2,}/g) ?? [])
  return repeated([...words].flatMap((word) => [word, `${word} `, `_${word}`]))
}

function repeated(pumps: readonly string[]): WorstText[] {
  return pumps.flatMap((pump) =>
    ENDS.map((suffix) => ({ name: `${JSON.stringify(pump)} again and again`, pumps: [{ prefix: '', pump }], suffix })),
  )
}

/** Texts that are slow for all kinds of scanners. */
export const HOSTILE: readonly WorstText[] = repeated(ANY)
