// The sentences of the pay page, and filling them in.

import { type Html, type HtmlValue, html, type Language } from '../../kernel/lib/index.ts'
import { en } from './texts-en.ts'
import { sw } from './texts-sw.ts'

/** The name of a sentence. */
export type Key = keyof typeof sw

type Holes<Sentence extends string> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Holes<Rest>
  : never

/** The name of a sentence in which nothing is filled in. */
export type PlainKey = { [K in Key]: [Holes<(typeof sw)[K]>] extends [never] ? K : never }[Key]

/** What has to be handed in for a sentence: one value for each {name} in it. */
type Values<K extends Key, Value> = [Holes<(typeof sw)[K]>] extends [never]
  ? []
  : [values: Record<Holes<(typeof sw)[K]>, Value>]

/** The sentences of one language: as HTML, with what is filled in escaped unless it is HTML; or as plain text. */
export type Speaker = {
  language: Language
  say<K extends Key>(key: K, ...values: Values<K, HtmlValue>): Html
  plain<K extends Key>(key: K, ...values: Values<K, string>): string
}

/** Every sentence, by language. */
export const TEXTS: Readonly<Record<Language, Readonly<Record<Key, string>>>> = { sw, en }

const SPEAKERS: Record<Language, Speaker> = { sw: createSpeaker('sw'), en: createSpeaker('en') }

/** Who speaks this language. */
export function speaker(language: Language): Speaker {
  return SPEAKERS[language]
}

/** A sentence in pieces: what stands before the first hole, then after each one; and the names of the holes. */
type Pieces = { strings: TemplateStringsArray; names: readonly string[] }

function createSpeaker(language: Language): Speaker {
  // The sentences are ours, so they may stand where templates have their own markup; only values are escaped.
  const pieces = Object.fromEntries(
    Object.entries(TEXTS[language]).map(([key, sentence]) => [key, cut(sentence)]),
  ) as Record<Key, Pieces>
  const value = (name: string | undefined, values: readonly unknown[]) =>
    name === undefined ? undefined : (values[0] as Readonly<Record<string, never>>)[name]
  return {
    language,
    say: (key, ...values) => html(pieces[key].strings, ...pieces[key].names.map((name) => value(name, values))),
    plain: (key, ...values) =>
      pieces[key].strings.map((text, i) => text + (value(pieces[key].names[i], values) ?? '')).join(''),
  }
}

function cut(sentence: string): Pieces {
  const parts = sentence.split(/\{(\w+)\}/)
  const strings = parts.filter((_, i) => i % 2 === 0)
  return {
    strings: Object.assign(strings, { raw: strings }),
    names: parts.filter((_, i) => i % 2 === 1),
  }
}

/**
 * The language of a page: what the address asks for (`?lang=`), else English for a browser that prefers English and
 * nothing before it, else Swahili.
 */
export function payLanguage(asked: unknown, accept: string | undefined): Language {
  if (asked === 'sw' || asked === 'en') return asked
  return accept !== undefined && /^\s*en\b/i.test(accept) && !/\bsw\b/i.test(accept) ? 'en' : 'sw'
}

/** A path of ours in this language. The address carries the language, because payers get no cookies. */
export function inLanguage(path: string, language: Language): string {
  const [before = '', query = ''] = path.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('lang', language)
  return `${before}?${parameters}`
}
