// Shows the balance above the pages about withdrawals.

import { Text } from '@mantine/core'
import { useRead } from '../../ui/data.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { Amount, FactList } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'

const balanceTexts = texts({
  sw: {
    label: 'Salio',
    available: 'Linalopatikana',
    available_help: 'Pesa ambazo biashara yako inaweza kutoa.',
    available_none: 'Sasa hakuna pesa za kutoa. Kila malipo yaliyofanikiwa huongeza salio hili.',
    reserved: 'Limetengwa',
    reserved_help: 'Kwa utoaji pesa ambao mwendeshaji ameidhinisha na bado haujakamilika.',
    held: 'Linakaguliwa',
    held_help: 'Limepokelewa, linasubiri ukaguzi.',
  },
  en: {
    label: 'Balance',
    available: 'Available',
    available_help: 'The money that your business can withdraw.',
    available_none: 'There is no money to withdraw now. Each successful payment adds to this balance.',
    reserved: 'Reserved',
    reserved_help: 'For withdrawals that an operator approved and that are not complete yet.',
    held: 'Under review',
    held_help: 'Received, and waiting for a check.',
  },
})

/**
 * Shows the available, reserved and held money of this environment. While the page is open, it reads the balance again every
 * few seconds. If the list of the page failed as well, only the list shows the error, below its filters.
 */
export function Balance({ list_failed }: { list_failed: boolean }) {
  const t = useTexts(balanceTexts)
  const { data, error, refetch } = useRead('GET /v1/merchant/balance', {}, { live: true })
  if (error && list_failed) return null
  if (error) return <Problem error={error} retry={() => void refetch()} />
  const is_empty = data !== undefined && Number(data.available) <= 0
  const part = (value: string | undefined, help: string) => (
    <>
      <strong>
        <Amount value={value ?? null} currency={data?.currency} />
      </strong>
      <Text size="xs" c="dimmed">
        {help}
      </Text>
    </>
  )
  return (
    <section className="panel" aria-label={t.label}>
      <FactList
        facts={[
          [t.available, part(data?.available, is_empty ? t.available_none : t.available_help)],
          [t.reserved, part(data?.reserved, t.reserved_help)],
          [t.held, part(data?.held, t.held_help)],
        ]}
      />
    </section>
  )
}
