// If a business requires a second factor, shows this page to a member who signed in without a second factor.

import { Button, Group, Stack, Text } from '@mantine/core'
import { texts, useTexts } from '../ui/language.ts'
import { Page } from '../ui/parts.tsx'
import { signIn } from '../ui/session.ts'

const secondFactorTexts = texts({
  sw: {
    title: 'Weka hatua ya pili ya kuingia',
    lead: (business: string) =>
      `Biashara "${business}" inataka kila mtumiaji aingie kwa hatua ya pili: namba kutoka kwenye programu ya uthibitishaji ya simu.`,
    help: 'Utaombwa nywila yako, kisha utaongeza akaunti hii kwenye programu. Baada ya hapo utarudi hapa.',
    button: 'Weka hatua ya pili',
  },
  en: {
    title: 'Set up the second step of your sign-in',
    lead: (business: string) =>
      `The business "${business}" requires a second step of all members: a code of the authenticator app on your phone.`,
    help: 'You enter your password, and then add this account to the app. After that you return here.',
    button: 'Set up the second step',
  },
})

/** Shows the reason, and the button that sets up the second step. */
export function NeedsSecondFactor({ business }: { business: string }) {
  const t = useTexts(secondFactorTexts)
  return (
    <Page title={t.title} lead={t.lead(business)}>
      <Stack gap="md">
        <Text>{t.help}</Text>
        <Group>
          <Button onClick={() => void signIn({ enrol: 'totp' })}>{t.button}</Button>
        </Group>
      </Stack>
    </Page>
  )
}
