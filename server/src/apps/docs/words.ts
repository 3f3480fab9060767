// Contains the texts of the frame of a page in both languages. The pages are in English, except translations.

import type { Language } from '../../kernel/lib/index.ts'

const ENGLISH = {
  skip: 'Skip to the content',
  menu: 'Menu',
  close: 'Close',
  pages: 'Documentation pages',
  search: 'Search',
  search_label: 'Search the documentation',
  on_this_page: 'On this page',
  you_are_here: 'You are here',
  home: 'Documentation',
  previous: 'Previous',
  next: 'Next',
  as_markdown: 'View as Markdown',
  copy_page: 'Copy as Markdown',
  copy: 'Copy',
  copied: 'Copied',
  source: 'Source of this page',
  dashboard: 'Dashboard',
  theme: 'Change between light and dark',
}

/** The texts of the frame in one language. */
export type FrameWords = typeof ENGLISH

const SWAHILI: FrameWords = {
  skip: 'Nenda kwenye maudhui',
  menu: 'Menyu',
  close: 'Funga',
  pages: 'Kurasa za mwongozo',
  search: 'Tafuta',
  search_label: 'Tafuta kwenye mwongozo',
  on_this_page: 'Kwenye ukurasa huu',
  you_are_here: 'Upo hapa',
  home: 'Mwongozo',
  previous: 'Uliotangulia',
  next: 'Unaofuata',
  as_markdown: 'Tazama kama Markdown',
  copy_page: 'Nakili kama Markdown',
  copy: 'Nakili',
  copied: 'Imenakiliwa',
  source: 'Chanzo cha ukurasa huu',
  dashboard: 'Dashibodi',
  theme: 'Badilisha kati ya mwanga na giza',
}

/** The texts of the frame, by language. */
export const FRAME_WORDS: Readonly<Record<Language, FrameWords>> = { en: ENGLISH, sw: SWAHILI }
