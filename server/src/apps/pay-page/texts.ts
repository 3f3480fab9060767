// Selects the texts of the pay page and fills their placeholders.

import { type Html, type HtmlValue, html, type Language } from '../../kernel/lib/index.ts'
import { en } from './texts-en.ts'
import { sw } from './texts-sw.ts'

/** The key of a text of the pay page, in both languages. */
export type TextKey = keyof typeof sw

type Placeholders<Sentence extends string> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

/** The key of a text without placeholders. */
export type PlainTextKey = { [K in TextKey]: [Placeholders<(typeof sw)[K]>] extends [never] ? K : never }[TextKey]

/** The values for the placeholders of a text. Each {name} needs one value. */
type TextValues<K extends TextKey, Value> = [Placeholders<(typeof sw)[K]>] extends [never]
  ? []
  : [values: Record<Placeholders<(typeof sw)[K]>, Value>]

/**
 * The texts of one language. `say` returns HTML and escapes each value that is not HTML. `plain` returns plain text.
 */
export type PageTexts = {
  language: Language
  say<K extends TextKey>(key: K, ...values: TextValues<K, HtmlValue>): Html
  plain<K extends TextKey>(key: K, ...values: TextValues<K, string>): string
}

/** Every text of the pay page, by language. */
export const TEXTS: Readonly<Record<Language, Readonly<Record<TextKey, string>>>> = { sw, en }

const SPEAKERS: Record<Language, PageTexts> = { sw: createPageTexts('sw'), en: createPageTexts('en') }

/** Returns the functions that fill the texts of a language. */
export function pageTexts(language: Language): PageTexts {
  return SPEAKERS[language]
}

/** A text split at its placeholders: the strings around the placeholders, and the names of the placeholders. */
type TextPieces = { strings: TemplateStringsArray; names: readonly string[] }

function createPageTexts(language: Language): PageTexts {
  // The texts are part of the source code and need no escaping, so `say` escapes only the values.
  const pieces = Object.fromEntries(
    Object.entries(TEXTS[language]).map(([key, sentence]) => [key, splitText(sentence)]),
  ) as Record<TextKey, TextPieces>
  const value = (name: string | undefined, values: readonly unknown[]) =>
    name === undefined ? undefined : (values[0] as Readonly<Record<string, never>>)[name]
  return {
    language,
    say: (key, ...values) => html(pieces[key].strings, ...pieces[key].names.map((name) => value(name, values))),
    plain: (key, ...values) =>
      pieces[key].strings.map((text, i) => text + (value(pieces[key].names[i], values) ?? '')).join(''),
  }
}

function splitText(sentence: string): TextPieces {
  const parts = sentence.split(/\{(\w+)\}/)
  const strings = parts.filter((_, i) => i % 2 === 0)
  return {
    strings: Object.assign(strings, { raw: strings }),
    names: parts.filter((_, i) => i % 2 === 1),
  }
}

/**
 * Returns the language of a page. If `?lang=` names a language, the page has that language. If the browser lists English first
 * and does not list Swahili, the page is in English. Otherwise the page is in Swahili.
 */
export function payLanguage(asked: unknown, accept: string | undefined): Language {
  if (asked === 'sw' || asked === 'en') return asked
  return accept !== undefined && /^\s*en\b/i.test(accept) && !/\bsw\b/i.test(accept) ? 'en' : 'sw'
}

/**
 * Adds the language to the query of a path of the pay page. The server sets no cookie for payers, so the address must contain
 * the language.
 */
export function pathInLanguage(path: string, language: Language): string {
  const [before = '', query = ''] = path.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('lang', language)
  return `${before}?${parameters}`
}
