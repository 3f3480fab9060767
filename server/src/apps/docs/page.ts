// Defines the facts of a page of the documentation.

import type { Html, Language } from '../../kernel/lib/index.ts'
import type { DocCall } from './openapi.ts'

/** The group of capabilities whose calls need a session of a console, not an API key. */
export const CONSOLE_REFERENCE = 'Calls of the consoles'

/** A page of the documentation. `path` is its address. `markdownPath` returns the address of its Markdown. */
export type DocPage = {
  path: string
  title: string
  /** The title in the navigation, which can differ from `title`. */
  label: string
  group: string
  /** The address of the page above this page in the navigation. Null means that the page is at the top of its group. */
  parent: string | null
  language: Language
  /** The file of the repository that contains the page. Null means that the program writes the page. */
  source: string | null
  call: DocCall | null
  /** The address of the English page that this page translates. Null means that the page is no translation. */
  translates: string | null
  markdown(): string
  /** Returns the content in the language of the reader. Null means that the content is the rendered Markdown. */
  body: ((language: Language) => Html) | null
}
