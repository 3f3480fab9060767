// Shows the payments of one payment link.

import { Text, Title } from '@mantine/core'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { type Column, List, useListQuery } from '../../ui/list.tsx'
import { Amount, Chip, Time } from '../../ui/parts.tsx'
import { toneOf, useWords } from '../../ui/words.ts'
import { useEnvironmentPath } from '../merchant.ts'
import { linksTexts } from './links-texts.ts'
import { usePaymentsBulk } from './payments-bulk.tsx'

type LinkPaymentRow = Calls['GET /v1/payment-links/{link_id}/collections']['data']['items'][number]

const NO_FILTERS = [] as const

/** Shows the payments on the page of the link. While the page is open, it reads them again every few seconds. */
export function PaymentsOfLink({ link_id }: { link_id: string }) {
  const t = useTexts(linksTexts)
  const words = useWords()
  const at = useEnvironmentPath()
  const list = useListQuery(NO_FILTERS)
  const input = { params: { link_id }, query: list.query }
  const read = useRead('GET /v1/payment-links/{link_id}/collections', input, { live: true, keep: true })
  const columns: Column<LinkPaymentRow>[] = [
    { label: t.time, show: (row) => <Time time={row.created_at} /> },
    { label: t.status, show: (row) => <Chip tone={toneOf(row.status)}>{words.collection(row.status)}</Chip> },
    { label: t.method, show: (row) => words.method(row.method) },
    {
      label: t.amount,
      show: (row) =>
        row.amount_received === null && row.foreign_amount !== null && row.foreign_currency !== null ? (
          <Amount value={row.foreign_amount} currency={row.foreign_currency} />
        ) : (
          <Amount value={row.amount_received ?? row.amount} currency={row.currency} />
        ),
      right: true,
    },
  ]
  const bulk = usePaymentsBulk()
  return (
    <section className="panel" aria-labelledby="payments-title">
      <Title order={2} id="payments-title">
        {t.payments}
      </Title>
      <List
        label={t.payments}
        {...{ read, list, filters: NO_FILTERS, columns, bulk }}
        rowKey={(row) => row.collection_id}
        href={(row) => at(`collections/${row.collection_id}`)}
        empty={<Text>{t.payments_none}</Text>}
      />
    </section>
  )
}
