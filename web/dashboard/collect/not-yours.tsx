// What is shown to whoever opens a form that their role may not send.

import { Text } from '@mantine/core'
import { texts, useTexts } from '../../ui/language.ts'
import { GoButton, Page } from '../../ui/parts.tsx'
import { useMay } from '../merchant.ts'

const notYoursTexts = texts({
  sw: {
    text: 'Jukumu lako haliruhusu hili. Msimamizi au mtu wa fedha wa biashara anaweza kulifanya.',
    back: 'Rudi kwenye orodha',
  },
  en: {
    text: 'Your role does not allow this. An administrator of the business or somebody of its finance can do it.',
    back: 'Back to the list',
  },
})

/** True for who may ask customers for money. */
export function useCollects(): boolean {
  return useMay('MERCHANT_ADMIN', 'FINANCE')
}

/** The page. `back`: the list that it leads to. */
export function NotYours({ title, back }: { title: string; back: string }) {
  const t = useTexts(notYoursTexts)
  return (
    <Page title={title}>
      <Text>{t.text}</Text>
      <div>
        <GoButton to={back} variant="default">
          {t.back}
        </GoButton>
      </div>
    </Page>
  )
}
