// Reads the language that a client prefers.

import type { Language } from './show.ts'

/**
 * Returns the language that a header Accept-Language prefers. Null means that the header is missing or names neither Swahili
 * nor English.
 */
export function acceptedLanguage(accept: string | undefined): Language | null {
  const preferred = (accept ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';')
      const q = parameters.find((parameter) => parameter.trim().startsWith('q='))
      return { tag, q: q === undefined ? 1 : Number(q.trim().slice(2)) }
    })
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q)
  for (const { tag } of preferred) {
    const language = languageOfTag(tag)
    if (language !== null) return language
  }
  return null
}

/** Returns the language of a tag such as sw-TZ. Null means that the tag is neither Swahili nor English. */
export function languageOfTag(tag: string): Language | null {
  const language = tag.trim().split(/[\s-]/)[0]?.toLowerCase()
  return language === 'sw' || language === 'en' ? language : null
}

/**
 * The messages of a failure in a record. `failure_reason_message` is in English until `inCallersLanguage` replaces the text.
 * Null means that the record has no failure.
 */
export type FailureSentences = { failure_reason_message: string | null; failure_reason_message_sw: string | null }

/**
 * Returns a record with the message of its failure in the language that Accept-Language prefers. The default is English.
 */
export function inCallersLanguage<Shown extends FailureSentences>(accept: string | undefined, record: Shown): Shown {
  if (record.failure_reason_message_sw === null || acceptedLanguage(accept) !== 'sw') return record
  return { ...record, failure_reason_message: record.failure_reason_message_sw }
}
