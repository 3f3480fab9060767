// Defines the columns that both the list of payments and the list of held collections show.

import { Group, Text } from '@mantine/core'
import type { Column } from '../../ui/list.tsx'
import { Chip } from '../../ui/parts.tsx'
import { showPhone } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import type { CollectionRow } from './record.ts'

/** Returns the column of the merchant and the column of the payer with the phone number. */
export function partyColumns(t: { merchant: string; payer: string }): Column<CollectionRow>[] {
  return [
    { label: t.merchant, show: (row) => row.merchant_name },
    {
      label: t.payer,
      show: (row) => (
        <div>
          {row.customer_name ?? '–'}
          <Text size="sm" c="dimmed">
            <span className="amount">{row.customer_phone === null ? '–' : showPhone(row.customer_phone)}</span>
          </Text>
        </div>
      ),
    },
  ]
}

/** Shows the status of a payment. If the payment is a sandbox payment, adds a chip. */
export function PaymentStatus({ of }: { of: Pick<CollectionRow, 'status' | 'environment'> }) {
  const words = useWords()
  return (
    <Group gap={4} className="chips">
      <Chip tone={toneOf(of.status)}>{words.collection(of.status)}</Chip>
      {of.environment === 'sandbox' ? <Chip tone="plain">{words.environment('sandbox')}</Chip> : null}
    </Group>
  )
}
