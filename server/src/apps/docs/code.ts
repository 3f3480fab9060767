// Renders code blocks with coloured syntax. One example in several languages becomes tabs, which need no script.

import { type Html, html } from '../../kernel/lib/index.ts'

/** A code block of Markdown: the language after its fence, and the code. */
export type CodeFence = { lang?: string | undefined; text: string }

/**
 * The languages of tabs, with their names. If blocks of these languages follow each other, the page shows them as tabs.
 */
const TAB_NAMES: Record<string, string> = { bash: 'curl', ts: 'TypeScript', php: 'PHP', python: 'Python' }

/** The names of languages that a single code block shows. */
const NAMES: Record<string, string> = {
  ...TAB_NAMES,
  bash: 'Shell',
  js: 'JavaScript',
  json: 'JSON',
  text: 'Text',
  http: 'HTTP',
  kotlin: 'Kotlin',
}

/** Returns true if a code block of this language can be a tab. */
export function isTabLanguage(lang: string | undefined): boolean {
  return lang !== undefined && lang in TAB_NAMES
}

/** Renders one code block. The block takes the keyboard focus, so that a reader can scroll it without a mouse. */
export function codeBlock({ lang = '', text }: CodeFence): Html {
  return html`<figure class="code"><figcaption>${NAMES[lang] ?? lang}</figcaption>${pre(lang, text)}</figure>\n`
}

/** Renders one example in several languages. A group of radio buttons shows one language at a time. */
export function codeTabs(id: string, fences: readonly CodeFence[]): Html {
  const inputs = fences.map(
    (
      { lang = '' },
      i,
    ) => html`<input type="radio" name="${id}" id="${id}-${lang}" value="${lang}"${i === 0 && html` checked`}>
<label for="${id}-${lang}">${TAB_NAMES[lang]}</label>
`,
  )
  const panels = fences.map(
    ({ lang = '', text }) => html`<div class="panel" data-lang="${lang}">${pre(lang, text)}</div>\n`,
  )
  return html`<fieldset class="code tabs"><legend class="unseen">Language of the example</legend>
${inputs}${panels}</fieldset>\n`
}

function pre(lang: string, text: string): Html {
  return html`<pre tabindex="0"><code>${coloured(lang, text)}</code></pre>`
}

/** The syntax of a language: the parts that the page colours. */
type CodeGrammar = {
  comments: readonly string[]
  quotes: string
  /** The words that have the colour of keywords. */
  words: ReadonlySet<string>
  /** True if the words are shell commands. The page colours such a word only at the beginning of a command. */
  is_shell?: true
}

const wordSet = (text: string) => new Set(text.split(' '))

const TYPESCRIPT: CodeGrammar = {
  comments: ['//'],
  quotes: `"'\``,
  words: wordSet(
    'import from export const let await async function return if else try catch throw new for of typeof instanceof type null true false switch case default break',
  ),
}

const GRAMMARS: Readonly<Record<string, CodeGrammar>> = {
  ts: TYPESCRIPT,
  js: TYPESCRIPT,
  json: { comments: [], quotes: '"', words: wordSet('true false null') },
  bash: {
    comments: ['#'],
    quotes: `"'`,
    words: wordSet('curl node npm export echo kill sleep php python3 composer pip cd git grep'),
    is_shell: true,
  },
  php: {
    comments: ['//', '<?php'],
    quotes: `"'`,
    words: wordSet(
      'use new function return if else try catch throw foreach as require echo null true false fn match namespace class',
    ),
  },
  python: {
    comments: ['#'],
    quotes: `"'`,
    words: wordSet(
      'import from def return if else elif try except raise for in with as async await not and or None True False class',
    ),
  },
}

type CodePart = { kind: '' | 'c' | 's' | 'k' | 'n' | 'p'; end: number }

/**
 * Wraps each coloured part of the code into an element with a class. If the language is unknown, the code stays plain.
 */
function coloured(lang: string, text: string): Html {
  const grammar = GRAMMARS[lang]
  if (grammar === undefined) return html`${text}`
  const out: Html[] = []
  let plain = 0
  for (let at = 0; at < text.length; ) {
    const { kind, end } = partAt(grammar, text, at)
    if (kind !== '') {
      out.push(html`${text.slice(plain, at)}<span class="h-${kind}">${text.slice(at, end)}</span>`)
      plain = end
    }
    at = end
  }
  return html`${out}${text.slice(plain)}`
}

const isWord = (char: string | undefined) => char !== undefined && /[\w]/.test(char)

/** Returns the kind and the end of the part that begins at the index `at`. */
function partAt(grammar: CodeGrammar, text: string, at: number): CodePart {
  const char = text[at] as string
  const before = text[at - 1] ?? '\n'
  const comment = grammar.comments.find((start) => text.startsWith(start, at))
  if (comment !== undefined && (comment !== '#' || /\s/.test(before))) return { kind: 'c', end: endOfLine(text, at) }
  if (grammar.quotes.includes(char)) {
    const end = endOfQuote(text, at)
    return { kind: grammar.quotes === '"' && text[end] === ':' ? 'p' : 's', end }
  }
  if (char === '$' && isWord(text[at + 1])) return { kind: 'p', end: endOfWord(text, at + 1) }
  if (grammar.is_shell && char === '-' && before === ' ') return { kind: 'n', end: endOfOption(text, at) }
  if (!isWord(char)) return { kind: '', end: at + 1 }
  const end = endOfWord(text, at)
  if (/\d/.test(char)) return { kind: grammar.is_shell ? '' : 'n', end }
  if (grammar.words.has(text.slice(at, end)) && (!grammar.is_shell || beginsCommand(text, at)))
    return { kind: 'k', end }
  return { kind: text[end] === '(' && !grammar.is_shell ? 'p' : '', end }
}

/** Returns true if only spaces are between the index `at` and a line start or a shell operator before it. */
function beginsCommand(text: string, at: number): boolean {
  let place = at - 1
  while (text[place] === ' ') place -= 1
  return place < 0 || '\n|&(;'.includes(text[place] as string)
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

function endOfQuote(text: string, at: number): number {
  for (let place = at + 1; place < text.length; place += 1) {
    if (text[place] === '\\') place += 1
    else if (text[place] === text[at]) return place + 1
  }
  return text.length
}

function endOfWord(text: string, at: number): number {
  let end = at
  while (isWord(text[end])) end += 1
  return Math.max(end, at + 1)
}

function endOfOption(text: string, at: number): number {
  let end = at
  while (text[end] === '-' || isWord(text[end])) end += 1
  return end
}
