// The ways on which payers come to the pages: in each language, with scripts and without.

import { LANGUAGES, type Language } from '../../src/kernel/lib/index.ts'

/** How somebody comes. */
export type PageWay = { language: Language; script: boolean }

/** Every way. */
export const WAYS: readonly PageWay[] = LANGUAGES.flatMap((language) =>
  [true, false].map((script) => ({ language, script })),
)

/** All ways for everything: npm run journeys. */
const IS_LONG = process.env.WAYS === 'all'

/** A way in the name of a test. */
export const nameOf = ({ language, script }: PageWay): string => `${language}, ${script ? 'with' : 'without'} scripts`

/**
 * Whether the one that is `place`th of many (screens, journeys) is tried on this way. In the short form two ways of the four are
 * enough for each: both languages between them, one with scripts, the other without; which is which takes turns.
 */
export function isTried({ language, script }: PageWay, place: number): boolean {
  return IS_LONG || (LANGUAGES.indexOf(language) + place) % 2 === (script ? 0 : 1)
}
