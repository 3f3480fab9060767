// Defines a page of the documentation.

import type { Html, Language } from '../../kernel/lib/index.ts'
import type { DocCall } from './openapi.ts'

/** A page of the documentation. `path` is its address, and the address with `.md` has its Markdown. */
export type DocPage = {
  path: string
  title: string
  /** The title in the navigation, if it differs. */
  label: string
  group: string
  /** The page above this page in the navigation. Null for the pages of a group. */
  parent: string | null
  language: Language
  /** The file of the repository from which the page comes. Null means that the program makes the page. */
  source: string | null
  call: DocCall | null
  /** The address of the English page that this page translates. */
  translates: string | null
  markdown(): string
  /** The content as HTML, if it is not the rendered Markdown. */
  body: (() => Html) | null
}
