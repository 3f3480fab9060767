// Shows, on the first page of a business, which other businesses of the member need attention, and why.

import { Button, Group, Paper, Text } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import { Icon } from '../ui/icons.tsx'
import { texts, useTexts } from '../ui/language.ts'
import type { AttentionItem, TroubledBusiness } from './attention.ts'

type KindWords = Record<AttentionItem['kind'], string>

const otherTexts = texts({
  sw: {
    needs: (name: string, what: string) => `Biashara yako ${name} inahitaji uangalizi: ${what}.`,
    open: (name: string) => `Fungua ${name}`,
    kinds: {
      webhooks_failing: 'seva yake haipokei matukio',
      webhooks_retrying: 'seva yake haikupokea tukio la mwisho',
      webhooks_waiting: 'kuna matukio ambayo hayajatumwa tena',
      withdrawals_info_requested: 'mwendeshaji anasubiri jibu kuhusu kutoa pesa',
      withdrawals_in_doubt: 'mwendeshaji anachunguza matokeo ya kutoa pesa',
      payments_held: 'mwendeshaji anakagua malipo',
      success_rate_low: 'malipo yanayofanikiwa yamepungua',
      balance_low: 'salio liko chini ya kiasi mlichochagua',
      keys_expiring: 'ufunguo wa API utaisha muda ndani ya siku 14',
    } satisfies KindWords,
  },
  en: {
    needs: (name: string, what: string) => `Your business ${name} needs attention: ${what}.`,
    open: (name: string) => `Open ${name}`,
    kinds: {
      webhooks_failing: 'its server does not accept events',
      webhooks_retrying: 'its server did not accept the last event',
      webhooks_waiting: 'missed events wait to be sent again',
      withdrawals_info_requested: 'an operator waits for an answer about a withdrawal',
      withdrawals_in_doubt: 'an operator examines the outcome of a withdrawal',
      payments_held: 'an operator reviews a payment',
      success_rate_low: 'fewer payments succeed',
      balance_low: 'the balance is below its mark',
      keys_expiring: 'an API key expires within 14 days',
    } satisfies KindWords,
  },
})

/**
 * Shows a line with the problems and a button for each of the other businesses that have problems. On other pages than the first,
 * shows nothing.
 */
export function OtherBusinesses({
  troubled,
  choose,
}: {
  troubled: readonly TroubledBusiness[]
  choose: (merchant_id: string) => void
}) {
  const t = useTexts(otherTexts)
  const is_first_page = useRouterState({ select: (state) => state.location.pathname.split('/').length <= 2 })
  if (!is_first_page || troubled.length === 0) return null
  return (
    <Paper withBorder p="sm" mb="md" component="section" className="no-print">
      {troubled.map(({ business: { merchant_id, name }, kinds }) => (
        <Group key={merchant_id} justify="space-between" gap="xs">
          <Group gap="xs" wrap="nowrap">
            <Icon name="alert" size={16} />
            <Text size="sm">{t.needs(name, kinds.map((kind) => t.kinds[kind]).join('; '))}</Text>
          </Group>
          <Button size="xs" variant="default" onClick={() => choose(merchant_id)}>
            {t.open(name)}
          </Button>
        </Group>
      ))}
    </Paper>
  )
}
