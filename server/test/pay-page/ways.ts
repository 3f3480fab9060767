// Lists the ways in which payers use the pages: in each language, with and without scripts.

import { LANGUAGES, type Language } from '../../src/kernel/lib/index.ts'

/** A language, and whether the browser runs scripts. */
export type PageWay = { language: Language; script: boolean }

/** Each language, with and without scripts. */
export const WAYS: readonly PageWay[] = LANGUAGES.flatMap((language) =>
  [true, false].map((script) => ({ language, script })),
)

/** True means that every test uses every way (npm run journeys). False means that a test uses two of the four ways. */
const IS_LONG = process.env.WAYS === 'all'

/** Describes the way as a part of a test name. */
export const nameOf = ({ language, script }: PageWay): string => `${language}, ${script ? 'with' : 'without'} scripts`

/**
 * Returns true if the test at index `place` uses this way. The short form uses two of the four ways for each test: one per
 * language, one with scripts and one without. The combinations alternate.
 */
export function isTried({ language, script }: PageWay, place: number): boolean {
  return IS_LONG || (LANGUAGES.indexOf(language) + place) % 2 === (script ? 0 : 1)
}
