// Swahili and English. Each part of the consoles has its own texts in both; a missing one does not compile.

import { createContext, useContext } from 'react'

/** The languages of the consoles. Swahili comes first. */
export const LANGUAGES = ['sw', 'en'] as const
/** One of them. */
export type Language = (typeof LANGUAGES)[number]

/** The same texts in both languages. */
export type Texts<T> = Record<Language, T>

/** Makes texts: the English ones must have the form of the Swahili ones. */
export function texts<T>(both: { sw: T; en: NoInfer<T> }): Texts<T> {
  return both
}

const KEPT = 'malipo.language'

/** The language that was chosen here before, else that of the browser when it is English, else Swahili. */
export function firstLanguage(): Language {
  const kept = localStorage.getItem(KEPT)
  if (kept === 'sw' || kept === 'en') return kept
  return navigator.language.toLowerCase().startsWith('en') ? 'en' : 'sw'
}

/** Remembers a choice of language in this browser. */
export function keepLanguage(language: Language): void {
  localStorage.setItem(KEPT, language)
}

/** The language in force, and how to change it. */
export const LanguageContext = createContext<{ language: Language; choose(language: Language): void }>({
  language: 'sw',
  choose() {},
})

/** The language in force. */
export function useLanguage(): Language {
  return useContext(LanguageContext).language
}

/** Texts in the language in force. */
export function useTexts<T>(both: Texts<T>): T {
  return both[useLanguage()]
}
