// Chooses the languages of the longest journeys through the consoles. Every other journey runs in each language that it names.

import { LANGUAGES, type Language } from '../../src/kernel/lib/index.ts'

/** True means that each of these journeys runs in every language (npm run journeys). False means that it runs in one language. */
const IS_LONG = process.env.WAYS === 'all'

/** Returns the languages of the journey at index `place`. The short form uses one language for each journey, and alternates. */
export function languagesOf(place: number): readonly Language[] {
  return IS_LONG ? LANGUAGES : [LANGUAGES[place % LANGUAGES.length] as Language]
}
