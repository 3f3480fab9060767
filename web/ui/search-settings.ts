// Lists the actions of the account, which the search of both consoles offers: language, colours and sign-out.

import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useContext } from 'react'
import { LanguageContext, texts, useTexts } from './language.ts'
import { partsTexts } from './parts-texts.ts'
import type { SearchPlace } from './search-match.ts'
import { signOut } from './session.ts'

const settingTexts = texts({
  sw: {
    language: (name: string) => `Badili lugha: ${name}`,
    dark: 'Tumia rangi za giza',
    light: 'Tumia rangi za mwanga',
  },
  en: {
    language: (name: string) => `Change the language: ${name}`,
    dark: 'Use dark colours',
    light: 'Use light colours',
  },
})

/** Returns the actions that change this browser or end the session. */
export function useSettingActs(): SearchPlace[] {
  const t = useTexts(settingTexts)
  const parts = useTexts(partsTexts)
  const { language, choose } = useContext(LanguageContext)
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const other = scheme === 'dark' ? 'light' : 'dark'
  return [
    {
      run: () => choose(language === 'sw' ? 'en' : 'sw'),
      label: t.language(parts.language),
      words: 'language lugha english kiingereza kiswahili swahili translate tafsiri',
      icon: 'globe',
      is_act: true,
    },
    {
      run: () => setColorScheme(other),
      label: t[other],
      words: 'dark light mode theme night colors giza mwanga mandhari usiku hali',
      icon: other === 'dark' ? 'moon' : 'sun',
      is_act: true,
    },
    {
      run: () => void signOut(),
      label: parts.sign_out,
      words: 'sign out log out signout logout sign off exit leave toka ondoka akaunti account',
      icon: 'leave',
      is_act: true,
    },
  ]
}
