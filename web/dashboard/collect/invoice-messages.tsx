// Shows the messages to the customer about an invoice, and whether the server sent them.

import { Text, Title } from '@mantine/core'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { DeliveryState, messageState } from '../../ui/delivery-state.tsx'
import { useTexts } from '../../ui/language.ts'
import { type Column, List, useListQuery } from '../../ui/list.tsx'
import { Time } from '../../ui/parts.tsx'
import { showPhone } from '../../ui/show.ts'
import { invoicesTexts } from './invoices-texts.ts'

type InvoiceMessageRow = Calls['GET /v1/merchant/messages']['data']['items'][number]

const NO_FILTERS = [] as const

/** Reads the newest 50 messages about an invoice, newest first. */
function useMessages(invoice_id: string) {
  return useRead('GET /v1/merchant/messages', { query: { invoice_id, page_size: 50 } }, { live: true, keep: true })
}

/** Returns the newest message of each channel. */
const newestOf = (items: readonly InvoiceMessageRow[]) =>
  items.filter((item, i) => items.findIndex(({ channel }) => channel === item.channel) === i)

/**
 * Shows the status of the newest message of each channel. A kept message has a separate text, because the platform does not
 * send it.
 */
export function Reach({ invoice_id }: { invoice_id: string }) {
  const t = useTexts(invoicesTexts)
  const items = useMessages(invoice_id).data?.items ?? []
  return newestOf(items).map((row) => (
    <Text key={row.id} size="sm">
      {row.channel === 'sms' ? t.by_sms(showPhone(row.to)) : t.by_email(row.to)}:{' '}
      {t.reach[row.status === 'kept' ? `kept_${messageState(row).kept}` : row.status] ?? row.status}.
    </Text>
  ))
}

/** Shows the messages about the invoice in the section below its payments. */
export function InvoiceMessages({ invoice_id }: { invoice_id: string }) {
  const t = useTexts(invoicesTexts)
  const list = useListQuery(NO_FILTERS)
  const read = useMessages(invoice_id)
  const columns: Column<InvoiceMessageRow>[] = [
    { label: t.time, show: (row) => <Time time={row.created_at} /> },
    { label: t.how, show: (row) => t.channel[row.channel] ?? row.channel },
    { label: t.to, show: (row) => (row.channel === 'sms' ? showPhone(row.to) : row.to) },
    { label: t.status, show: (row) => <DeliveryState of={messageState(row)} /> },
  ]
  return (
    <section className="panel" aria-labelledby="messages-title">
      <Title order={2} id="messages-title">
        {t.messages}
      </Title>
      <List
        label={t.messages}
        {...{ read, list, filters: NO_FILTERS, columns }}
        rowKey={(row) => row.id}
        empty={<Text>{t.messages_none}</Text>}
      />
    </section>
  )
}
