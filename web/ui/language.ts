// Provides the texts of the consoles in Swahili and English. If a text is missing in one language, the code does not compile.

import { createContext, useContext } from 'react'

/** The languages of the consoles. Swahili comes first. */
export const LANGUAGES = ['sw', 'en'] as const
/** The code of a language of the consoles. */
export type Language = (typeof LANGUAGES)[number]

/** The same texts in both languages. */
export type Texts<T> = Record<Language, T>

/** Declares texts. The English texts must have the same keys as the Swahili texts. */
export function texts<T>(both: { sw: T; en: NoInfer<T> }): Texts<T> {
  return both
}

const STORAGE_KEY = 'malipo.language'

/**
 * Returns the language that the user chose in this browser. Without such a choice, returns English for a browser in English,
 * and Swahili for any other.
 */
export function firstLanguage(): Language {
  const stored = localStorage.getItem(STORAGE_KEY)
  if (stored === 'sw' || stored === 'en') return stored
  return navigator.language.toLowerCase().startsWith('en') ? 'en' : 'sw'
}

/** Stores the language in this browser, for the next visit. */
export function keepLanguage(language: Language): void {
  localStorage.setItem(STORAGE_KEY, language)
}

/** The current language, and the function that changes it. */
export const LanguageContext = createContext<{ language: Language; choose(language: Language): void }>({
  language: 'sw',
  choose() {},
})

/** Returns the current language of the page. */
export function useLanguage(): Language {
  return useContext(LanguageContext).language
}

/** Returns the texts in the current language of the page. */
export function useTexts<T>(both: Texts<T>): T {
  return both[useLanguage()]
}

/**
 * Returns the text of a code, or undefined if the code has no text. Without the check, the code "constructor" would give a
 * function that every object inherits.
 */
export function textOfCode<T>(texts_of_codes: Readonly<Record<string, T>>, code: string): T | undefined {
  return Object.hasOwn(texts_of_codes, code) ? texts_of_codes[code] : undefined
}
