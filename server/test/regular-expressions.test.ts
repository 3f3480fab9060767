// Tests the time of regular expressions. A slow expression delays every request, because one thread answers all requests.
// Own process: the test measures the time of this process.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailedName } from '../src/access/merchants/invitation-mail.ts'
import { smsText } from '../src/adapters/messages/sms-text.ts'
import { createRedaction } from '../src/adapters/providers/redact.ts'
import { clean, cleanLines } from '../src/kernel/documents/clean.ts'
import { parseBody } from '../src/kernel/http/json.ts'
import {
  canonicalPhone,
  csvLine,
  escapeHtml,
  mayHoldSecret,
  plainLine,
  plainText,
  redactSecrets,
  visibleLine,
} from '../src/kernel/lib/index.ts'
import { type Expression, expressionsIn, findExpressions } from './expressions.ts'
import { fill, HOSTILE, type WorstText, worstTexts } from './worst-texts.ts'

const SIZE = 64 * 1024
const LIMIT_MS = 5
/**
 * The highest number of runs. The fastest run counts, because a busy machine slows some runs and a slow expression slows all
 * runs.
 */
const RUNS = 40

/** The sources of expressions that may be slow, each with the reason. */
const EXCEPTIONS: Record<string, string> = {
  '\\/\\*[\\s\\S]*?\\*\\/': 'pay-page/assets.ts reads only our own files with it, once, at the start',
  '[0-9a-f]{8}-[0-9a-f-]{27}|\\d+': 'lib/log-repeats.ts reads only the first 300 characters of a message with it',
}

/** The texts of expressions that the code builds from values at run time, each with an example. */
const EXAMPLES: Record<string, RegExp> = {
  "new RegExp(`(?<![0-9A-Za-z])${escaped}(?![0-9A-Za-z])`, 'g')": /(?<![0-9A-Za-z])4321(?![0-9A-Za-z])/g,
  "new RegExp(visibleLine(max).pattern, 'u')": new RegExp(visibleLine(100).pattern, 'u'),
}

const found = findExpressions()
const expressions = [
  ...found.expressions,
  ...Object.values(EXAMPLES).map(
    ({ source, flags }): Expression => ({ place: 'EXAMPLES', source, flags, visits_all: true }),
  ),
]

test('each regular expression of the server, except the listed ones, takes less than 5 ms for 64 KB of each tested text', () => {
  const slow: string[] = []
  for (const { source, flags, visits_all, places } of distinct(expressions)) {
    if (source in EXCEPTIONS) continue
    const expression = new RegExp(source, flags)
    for (const text of worstTexts(expression)) {
      const ms = timeOf(expression, text, visits_all)
      if (ms < LIMIT_MS) continue
      slow.push(`${places.join(', ')}: ${expression} takes ${ms.toFixed(1)} ms for ${text.name}`)
      break
    }
  }
  assert.equal(slow.length, 0, `\n${slow.join('\n')}\nMake it linear, or scan by hand (lib/redact.ts).\n`)
})

/** Functions that parse texts from other systems, either character by character or with several expressions. */
const READERS: Record<string, (text: string) => unknown> = {
  redactSecrets,
  mayHoldSecret,
  plainLine,
  plainText,
  escapeHtml,
  canonicalPhone,
  csvLine: (text) => csvLine([text, text]),
  // The largest number of characters that a caller keeps.
  clean: (text) => clean(text, 2_000),
  cleanLines,
  mailedName,
  smsText,
  'a gateway redaction': createRedaction(['a-secret-of-the-gateway']).clean,
  parseBody: (text) => {
    try {
      return parseBody(text)
    } catch {
      return null
    }
  },
  'parseBody of a string': (text) => parseBody(JSON.stringify({ text, list: [] })),
}
const READER_LIMIT_MS = 100

test('each listed function that reads outside texts takes less than 100 ms for each hostile text of 64 KB', () => {
  const names = ['"pin":"', '"pin":{', '"pin":{"', '\\"pin\\":\\"', '"pin":"\\', '<pin>', '&pin=', '"pin":[{"a":"\\"']
  const texts = [
    ...HOSTILE,
    ...[...names, '_eyJ', '-eyJ0123456789.a', 'malipo_live_', ' whsec_', 'http://', 'www.'].map(
      (pump): WorstText => ({ name: JSON.stringify(pump), pumps: [{ prefix: '', pump }], suffix: '' }),
    ),
    ...names.map((prefix): WorstText => ({ name: `${prefix}\\\\...`, pumps: [{ prefix, pump: '\\' }], suffix: '"' })),
  ]
  const slow: string[] = []
  for (const [reader, read] of Object.entries(READERS)) {
    for (const text of texts) {
      const input = fill(text, SIZE)
      let best = Number.POSITIVE_INFINITY
      for (let run = 0; run < RUNS && best >= READER_LIMIT_MS && (run < 3 || best < 1_000); run++) {
        const began = performance.now()
        read(input)
        best = Math.min(best, performance.now() - began)
      }
      if (best >= READER_LIMIT_MS) slow.push(`${reader} takes ${best.toFixed(0)} ms for ${text.name}`)
    }
  }
  assert.deepEqual(slow, [])
})

test('the search finds literal expressions, constructed expressions and patterns of schemas in the sources', () => {
  assert.ok(found.expressions.length > 200, `only ${found.expressions.length} are in the sources`)
  const unread = found.unread.filter(({ text }) => !(text in EXAMPLES))
  assert.deepEqual(unread, [], 'give each of these an example in EXAMPLES')
  const sources = new Set(found.expressions.map(({ source }) => source))
  for (const source of Object.keys(EXCEPTIONS)) assert.ok(sources.has(source), `not in the sources: ${source}`)
  const { expressions, unread: open } = expressionsIn([
    {
      path: 'a.ts',
      text: `const A = 'x+'\nexport const B = new RegExp(\`^\${A}$\`, 'g')\nconst s = { pattern: A + 'y' }`,
    },
    { path: 'b.ts', text: `text.split(/ +/); text.match(/a/y); new RegExp(given)\nconst C = { pattern: '^' + A }` },
  ])
  assert.deepEqual(
    expressions.map(({ place, source, flags, visits_all }) => `${place} /${source}/${flags} ${visits_all}`),
    ['a.ts:2 /^x+$/g true', 'a.ts:3 /x+y/u false', 'b.ts:1 / +/ true', 'b.ts:1 /a/y true', 'b.ts:2 /^x+/u false'],
  )
  assert.deepEqual(open, [{ place: 'b.ts:1', text: 'new RegExp(given)' }])
})

test('the check of regular expressions finds an expression that takes quadratic time', () => {
  for (const expression of [/\s+$/, /(\\*)"a\1"/g, /\bip\b.*\bwhite list/i, /^(?:a|aa)+$/]) {
    assert.ok(
      worstTexts(expression).some((text) => timeOf(expression, text, expression.global) >= LIMIT_MS),
      `not found: ${expression}`,
    )
  }
})

function distinct(all: readonly Expression[]) {
  const by_text = new Map<string, Expression & { places: string[] }>()
  for (const one of all) {
    const key = `/${one.source}/${one.flags} ${one.visits_all}`
    const known = by_text.get(key)
    if (known) known.places.push(one.place)
    else by_text.set(key, { ...one, places: [one.place] })
  }
  return by_text.values()
}

/**
 * Returns the fastest time for the first size whose text reaches the limit. If no text up to 64 KB reaches the limit, returns
 * 0. The function skips the longer texts if they stay below the limit even when the time grows with the square of the length.
 * Faster growth reaches the limit in the short texts.
 */
function timeOf(expression: RegExp, text: WorstText, visits_all: boolean): number {
  for (const size of [32, 2_048, 8_192, 16_384, SIZE]) {
    const input = fill(text, size)
    let best = Number.POSITIVE_INFINITY
    for (let run = 0; run < RUNS && best >= LIMIT_MS && (run < 5 || best < LIMIT_MS * 8); run++) {
      const began = performance.now()
      visit(expression, input, visits_all)
      best = Math.min(best, performance.now() - began)
    }
    if (best >= LIMIT_MS) return best
    if (best * (SIZE / size) ** 2 < LIMIT_MS) return 0
  }
  return 0
}

function visit(expression: RegExp, input: string, visits_all: boolean): void {
  if (!visits_all) return void expression.exec(input)
  input.replace(new RegExp(expression, `${expression.flags.replace(/[gy]/g, '')}g`), '')
}
