// Contains the texts of the frame, the start page and the search in both languages. The other pages are in English, except
// translations.

import type { Language } from '../../kernel/lib/index.ts'

/** The first sentence of the start page, in HTML and in Markdown. */
export const DOCS_LEAD =
  'Collect payments in Tanzanian shillings by mobile money and QR code, pay out to phones and bank accounts, and receive signed webhooks about both.'

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
  start_page: 'Start page',
  previous: 'Previous',
  next: 'Next',
  as_markdown: 'View as Markdown',
  copy_page: 'Copy as Markdown',
  copy: 'Copy',
  copied: 'Copied',
  source: 'Source of this page',
  dashboard: 'Dashboard',
  theme: 'Change between light and dark',
  /** The name of the other language, in that language. */
  other_language: 'Kiswahili',
  /** The remark on a page in English with a frame in Swahili. */
  in_english: '',
  start_title: (brand_name: string) => `${brand_name} documentation`,
  start_lead: DOCS_LEAD,
  all_calls: 'All calls',
  groups: {} as Readonly<Record<string, string>>,
  ask_for_words: 'Type words into the field at the top.',
  no_result: (query: string) =>
    `No page contains all words of “${query}”. Use fewer words, or the name of a field or an error code.`,
  results: (count: number, query: string) => `${count} ${count === 1 ? 'result' : 'results'} for “${query}”`,
  missing: 'This page does not exist',
  missing_address: 'The documentation has no page with this address:',
  missing_next: 'Search with the field at the top, or begin at the overview.',
  similar: 'Similar pages',
  /** The remark on similar pages in English with a frame in Swahili. */
  similar_in_english: '',
}

/** The texts of the frame, the start page and the search in one language. */
export type FrameWords = typeof ENGLISH

const SWAHILI: FrameWords = {
  skip: 'Ruka hadi kwenye maudhui',
  menu: 'Menyu',
  close: 'Funga',
  pages: 'Kurasa za mwongozo',
  search: 'Tafuta',
  search_label: 'Tafuta kwenye mwongozo',
  on_this_page: 'Kwenye ukurasa huu',
  you_are_here: 'Upo hapa',
  home: 'Mwongozo',
  start_page: 'Mwanzo',
  previous: 'Uliotangulia',
  next: 'Unaofuata',
  as_markdown: 'Tazama kama Markdown',
  copy_page: 'Nakili kama Markdown',
  copy: 'Nakili',
  copied: 'Imenakiliwa',
  source: 'Chanzo cha ukurasa huu',
  dashboard: 'Dashibodi',
  theme: 'Badilisha kati ya mwanga na giza',
  other_language: 'English',
  in_english: 'Ukurasa huu uko kwa Kiingereza.',
  start_title: (brand_name) => `Mwongozo wa ${brand_name}`,
  start_lead:
    'Pokea malipo ya shilingi za Tanzania kwa simu na QR, tuma pesa kwenye simu na akaunti za benki, na pokea webhook zilizosainiwa kuhusu yote mawili. Kurasa nyingi ziko kwa Kiingereza.',
  all_calls: 'Maombi yote ya API',
  groups: {
    Start: 'Kuanza',
    Guides: 'Miongozo',
    SDKs: 'SDK',
    'API reference': 'Marejeo ya API',
    'Calls of the consoles': 'Maombi ya dashibodi',
    'Webhook events': 'Matukio ya webhook',
    Versions: 'Matoleo',
  },
  ask_for_words: 'Andika maneno kwenye sehemu ya kutafuta iliyo juu.',
  no_result: (query) =>
    `Hakuna ukurasa wenye maneno yote ya “${query}”. Kurasa nyingi ziko kwa Kiingereza: tafuta kwa maneno machache ya Kiingereza, jina la sehemu ya data au msimbo wa kosa.`,
  results: (count, query) => `Matokeo ${count} ya “${query}”`,
  missing: 'Ukurasa huu haupo',
  missing_address: 'Mwongozo hauna ukurasa wenye anwani hii:',
  missing_next: 'Tafuta kwa sehemu iliyo juu, au anza na ukurasa wa mwanzo.',
  similar: 'Kurasa zinazofanana',
  similar_in_english: 'Kurasa hizi ziko kwa Kiingereza.',
}

/** The texts of the frame, the start page and the search, by language. */
export const FRAME_WORDS: Readonly<Record<Language, FrameWords>> = { en: ENGLISH, sw: SWAHILI }
