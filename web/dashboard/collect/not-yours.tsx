// Shows a page in place of a form. One page is for a member whose role forbids the form, the other for a business that may not
// take real money yet.

import { Text } from '@mantine/core'
import { facts } from '../../ui/facts.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { EmptyState, Page, PageButton } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { useEnvironmentPath, useHasRole, useMerchantAccess } from '../merchant.ts'

const notYoursTexts = texts({
  sw: {
    text: 'Jukumu lako haliruhusu hili. Msimamizi au mtu wa fedha wa biashara anaweza kulifanya.',
    back: 'Rudi kwenye orodha',
    not_yet_title: 'Bado huwezi kupokea pesa halisi',
    not_yet:
      'Kiungo hiki kingepokea pesa halisi: biashara lazima kwanza iidhinishwe, ithibitishwe na ipangiwe makato. Mwendeshaji wa mfumo hufanya hivyo; utapata ujumbe.',
    rehearsal_title: 'Bado huwezi kupokea malipo kwenye Halisi',
    rehearsal:
      'Biashara lazima kwanza iidhinishwe, ithibitishwe na ipangiwe makato. Mwendeshaji wa mfumo hufanya hivyo; utapata ujumbe.',
    steps: 'Angalia hatua zilizobaki',
  },
  en: {
    text: 'Your role does not allow this action. Ask an administrator or a finance member of the business.',
    back: 'Back to the list',
    not_yet_title: 'You cannot take real money yet',
    not_yet:
      'This link would take real money. An operator of the platform must first approve and verify the business, and set its fees. You will then get a message.',
    rehearsal_title: 'You cannot take live payments yet',
    rehearsal:
      'An operator of the platform must first approve and verify the business, and set its fees. You will then get a message.',
    steps: 'See which steps are left',
  },
})

/** Returns true if the role of the member may request money from customers. */
export function useMayCollect(): boolean {
  return useHasRole('MERCHANT_ADMIN', 'FINANCE')
}

/**
 * Returns true if the page would take real money that the business may not take yet. If the platform moves real money, even a
 * sandbox page takes real money.
 */
export function useLiveNotReady(): boolean {
  const { environment, membership } = useMerchantAccess()
  const ready = membership.status === 'ACTIVE' && membership.verified && membership.priced
  return !ready && (environment === 'live' || !facts.rehearses)
}

/**
 * Tells the members of a business that the business may not take real money yet. The page appears before the member fills in a
 * form.
 */
export function NotYet({ title }: { title: string }) {
  const t = useTexts(notYoursTexts)
  const parts = useTexts(partsTexts)
  const at = useEnvironmentPath()
  return (
    <Page title={title}>
      <EmptyState
        title={facts.rehearses ? t.rehearsal_title : t.not_yet_title}
        action={
          facts.rehearses ? (
            <PageButton to="sandbox/links/new">{parts.try_sandbox}</PageButton>
          ) : (
            <PageButton to={at('')}>{t.steps}</PageButton>
          )
        }
      >
        {facts.rehearses ? t.rehearsal : t.not_yet}
      </EmptyState>
    </Page>
  )
}

/** Tells a member that their role forbids the form. `back` is the path of the list to which the page links. */
export function NotYours({ title, back }: { title: string; back: string }) {
  const t = useTexts(notYoursTexts)
  return (
    <Page title={title}>
      <Text>{t.text}</Text>
      <div>
        <PageButton to={back} variant="default">
          {t.back}
        </PageButton>
      </div>
    </Page>
  )
}
