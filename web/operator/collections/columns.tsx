// Defines the columns for both the list of payments and the list of held collections.

import { Group } from '@mantine/core'
import { Customer } from '../../ui/customer.tsx'
import type { Column, RowLines } from '../../ui/list.tsx'
import { Amount, Chip, Reference, Time } from '../../ui/parts.tsx'
import { showPhone } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { useProviderName } from '../provider-names.ts'
import type { CollectionRow } from './record.ts'

/** Returns two columns: the merchant, and the payer with name, phone and network. */
export function partyColumns(t: { merchant: string; payer: string }): Column<CollectionRow>[] {
  return [
    { label: t.merchant, show: (row) => row.merchant_name, optional: { name: 'merchant' } },
    { label: t.payer, show: (row) => <Customer name={row.customer_name} phone={row.customer_phone} /> },
  ]
}

/**
 * Returns the optional columns of reference, method, provider and fee. All except the reference are hidden until the operator
 * chooses them.
 */
export function useFurtherColumns(t: {
  reference: string
  method: string
  provider: string
  fee: string
}): Column<CollectionRow>[] {
  const words = useWords()
  const providerName = useProviderName()
  return [
    { label: t.reference, show: (row) => <Reference text={row.reference} />, optional: { name: 'reference' } },
    { label: t.method, show: (row) => words.method(row.method), optional: { name: 'method', hidden: true } },
    {
      label: t.provider,
      show: (row) => (row.provider === null ? '–' : providerName(row.provider)),
      optional: { name: 'provider', hidden: true },
    },
    {
      label: t.fee,
      show: (row) => <Amount value={row.fee} currency={row.currency} />,
      right: true,
      optional: { name: 'fee', hidden: true },
    },
  ]
}

/** Returns the two lines that show a payment on a narrow screen. */
export function paymentLines(
  row: CollectionRow,
  amount = <Amount value={row.amount} currency={row.currency} />,
): RowLines {
  return {
    title: amount,
    status: <PaymentStatus of={row} />,
    facts: [
      row.merchant_name,
      row.customer_name,
      row.customer_phone === null ? null : showPhone(row.customer_phone),
      row.reference,
      <Time key="" time={row.held_at ?? row.created_at} />,
    ],
  }
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
