// The ways in which payers use the pages: in each language, with scripts and without.

import { LANGUAGES, type Language } from '../../src/kernel/lib/index.ts'

/** One way. */
export type PageWay = { language: Language; script: boolean }

/** Every way. */
export const WAYS: readonly PageWay[] = LANGUAGES.flatMap((language) =>
  [true, false].map((script) => ({ language, script })),
)

/** True: every test uses every way (npm run journeys). */
const IS_LONG = process.env.WAYS === 'all'

/** A way in the name of a test. */
export const nameOf = ({ language, script }: PageWay): string => `${language}, ${script ? 'with' : 'without'} scripts`

/**
 * Whether the screen or journey at index `place` is tested in this way. The short form tests each in two of the four ways:
 * one per language, one with scripts and one without; the combinations alternate.
 */
export function isTried({ language, script }: PageWay, place: number): boolean {
  return IS_LONG || (LANGUAGES.indexOf(language) + place) % 2 === (script ? 0 : 1)
}
