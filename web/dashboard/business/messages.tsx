// Shows the e-mails and SMS in the name of the business, and whether the server sent each message.

import { Text } from '@mantine/core'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { messageErrors } from '../../ui/delivery-errors.ts'
import { DeliveryState, messageState, useStateWords } from '../../ui/delivery-state.tsx'
import { texts, useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, useListQuery } from '../../ui/list.tsx'
import { EmptyState, Page, PageButton, PageLink, PersonName, Time } from '../../ui/parts.tsx'
import { showPhone } from '../../ui/show.ts'
import { useEnvironmentPath } from '../merchant.ts'

type MerchantMessageRow = Calls['GET /v1/merchant/messages']['data']['items'][number]

const messagesTexts = texts({
  sw: {
    title: 'Ujumbe',
    lead: 'Barua pepe na SMS za jina la biashara yako, pamoja na hali ya kila ujumbe.',
    time: 'Muda',
    channel: 'Njia',
    channels: { email: 'Barua pepe', sms: 'SMS' } as Record<string, string>,
    to: 'Kwa',
    message: 'Ujumbe',
    status: 'Hali',
    kept: 'Seva haiutumi; unasomeka hapa tu.',
    invoice: 'Fungua ankara',
    gone: 'Maneno hayasomeki tena.',
    empty: 'Bado hakuna ujumbe',
    invoices: 'Angalia ankara',
    teach: 'Ukituma ankara, ujumbe wake unaonekana hapa kama mteja anavyousoma.',
  },
  en: {
    title: 'Messages',
    lead: 'E-mails and SMS in the name of your business, with the status of each message.',
    time: 'Time',
    channel: 'Channel',
    channels: { email: 'E-mail', sms: 'SMS' },
    to: 'To',
    message: 'Message',
    status: 'Status',
    kept: 'The server does not send this message; you can read it here.',
    invoice: 'Open the invoice',
    gone: 'The server can no longer read the text of this message.',
    empty: 'No messages yet',
    invoices: 'See the invoices',
    teach: 'When you send an invoice, its message appears here as the customer reads it.',
  },
})

/**
 * Shows the messages with filters for channel and status. While the page is open, it reads the list again every few seconds.
 */
export function MerchantMessages() {
  const t = useTexts(messagesTexts)
  const at = useEnvironmentPath()
  const { kept, open, sent, failed } = useStateWords()
  const filters: ListFilter[] = [
    { name: 'channel', label: t.channel, kind: 'choice', choices: Object.entries(t.channels) },
    { name: 'status', label: t.status, kind: 'choice', choices: Object.entries({ kept, waiting: open, sent, failed }) },
  ]
  const list = useListQuery(filters)
  const read = useRead('GET /v1/merchant/messages', { query: list.query }, { live: true, keep: true })
  const columns: Column<MerchantMessageRow>[] = [
    { label: t.time, show: (row) => <Time time={row.created_at} /> },
    { label: t.channel, show: (row) => t.channels[row.channel] },
    { label: t.to, show: (row) => <PersonName name={showPhone(row.to)} /> },
    { label: t.status, show: (row) => <MessageStatus row={row} /> },
    { label: t.message, show: (row) => <Words row={row} />, wide: true },
  ]
  return (
    <Page title={t.title} lead={t.lead}>
      <List
        label={t.title}
        {...{ read, list, filters, columns }}
        rowKey={(row) => row.id}
        empty={
          <EmptyState title={t.empty} action={<PageButton to={at('invoices')}>{t.invoices}</PageButton>}>
            {t.teach}
          </EmptyState>
        }
      />
    </Page>
  )
}

function MessageStatus({ row }: { row: MerchantMessageRow }) {
  const t = useTexts(messagesTexts)
  const errors = useTexts(messageErrors)
  return (
    <>
      <DeliveryState of={messageState(row)} />
      <Text size="xs" c="dimmed" component="div">
        {row.error !== null ? (errors[row.error] ?? row.error) : row.status === 'kept' ? t.kept : null}
      </Text>
    </>
  )
}

/** The maximum number of characters of an SMS that a row of the list shows. */
const BEGINNING = 60

/** Returns the whole subject of an e-mail, or the beginning of an SMS. A cut is between words, because a cut amount misleads. */
function beginningOf(subject: string | null, text: string): string {
  if (subject !== null) return subject
  if (text.length <= BEGINNING) return text
  const space = text.lastIndexOf(' ', BEGINNING)
  return `${text.slice(0, space > 0 ? space : BEGINNING)}…`
}

function Words({ row }: { row: MerchantMessageRow }) {
  const t = useTexts(messagesTexts)
  const at = useEnvironmentPath()
  if (row.text === null) return <>{t.gone}</>
  return (
    <details className="disclosed">
      <summary>{beginningOf(row.subject, row.text)}</summary>
      <Text size="sm" className="quoted" mt="xs">
        {row.text}
      </Text>
      {row.invoice_id === null ? null : <PageLink to={at(`invoices/${row.invoice_id}`)}>{t.invoice}</PageLink>}
    </details>
  )
}
