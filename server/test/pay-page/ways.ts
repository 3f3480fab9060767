// The ways in which payers use the pages: in each language, with scripts and without.

import { LANGUAGES, type Language } from '../../src/kernel/lib/index.ts'

/** A language, and whether the browser runs scripts. */
export type PageWay = { language: Language; script: boolean }

/** Each language with scripts and without. */
export const WAYS: readonly PageWay[] = LANGUAGES.flatMap((language) =>
  [true, false].map((script) => ({ language, script })),
)

/** True: every test uses every way (npm run journeys). False: a test uses two of the four ways. */
const IS_LONG = process.env.WAYS === 'all'

/** The way as a part of a test name. */
export const nameOf = ({ language, script }: PageWay): string => `${language}, ${script ? 'with' : 'without'} scripts`

/**
 * True if the test of the screen or journey at index `place` uses this way. The short form tests each in two of the four ways:
 * one per language, one with scripts and one without; the combinations alternate.
 */
export function isTried({ language, script }: PageWay, place: number): boolean {
  return IS_LONG || (LANGUAGES.indexOf(language) + place) % 2 === (script ? 0 : 1)
}
