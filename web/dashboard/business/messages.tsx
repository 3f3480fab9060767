// Shows the e-mails and SMS in the name of the business, and whether the server sent each message.

import { Text } from '@mantine/core'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, useListQuery } from '../../ui/list.tsx'
import { Chip, EmptyState, Page, PageButton, PageLink, PersonName, Time, type Tone } from '../../ui/parts.tsx'
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
    state: { kept: 'Hautumwi', waiting: 'Unasubiri', sent: 'Umetumwa', failed: 'Umeshindikana' } as Record<
      string,
      string
    >,
    kept: 'Unasomeka hapa tu: hakuna mtoa huduma wa kutuma, au ni wa Majaribio.',
    next: 'Utajaribiwa tena',
    invoice: 'Fungua ankara',
    gone: 'Maneno hayasomeki tena.',
    error: {
      invalid_recipient: 'Anwani au namba si sahihi',
      recipient_refused: 'Mpokeaji amekataliwa',
      message_refused: 'Ujumbe umekataliwa',
      gateway_refused: 'Mtoa huduma wa ujumbe amekataa',
      gateway_unreachable: 'Mtoa huduma wa ujumbe hafikiki',
      attachment_failed: 'Kiambatisho kimeshindikana',
      unknown_outcome: 'Haijulikani kama umefika; hautumwi tena',
      recipient_limit: 'Mpokeaji amepata ujumbe mwingi ndani ya saa 24; huu hautumwi',
    } as Record<string, string>,
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
    state: { kept: 'Not sent out', waiting: 'Waiting', sent: 'Sent', failed: 'Failed' },
    kept: 'The server does not send this message: no gateway is set up, or the message is about the sandbox.',
    next: 'Next attempt',
    invoice: 'Open the invoice',
    gone: 'The server can no longer read the text of this message.',
    error: {
      invalid_recipient: 'The address or number is not valid',
      recipient_refused: 'The gateway refused the recipient',
      message_refused: 'The gateway refused the message',
      gateway_refused: 'The gateway refused the message',
      gateway_unreachable: 'The server cannot reach the gateway',
      attachment_failed: 'The attachment failed',
      unknown_outcome: 'The message may have arrived; the server does not send it again',
      recipient_limit: 'The recipient got too many messages in 24 hours; the server does not send this message',
    },
    empty: 'No messages yet',
    invoices: 'See the invoices',
    teach: 'When you send an invoice, its message appears here as the customer reads it.',
  },
})

const TONES: Record<MerchantMessageRow['status'], Tone> = {
  kept: 'plain',
  waiting: 'wait',
  sent: 'good',
  failed: 'bad',
}

/**
 * Shows the messages with filters for channel and status. While the page is open, it reads the list again every few seconds.
 */
export function MerchantMessages() {
  const t = useTexts(messagesTexts)
  const at = useEnvironmentPath()
  const filters: ListFilter[] = [
    { name: 'channel', label: t.channel, kind: 'choice', choices: Object.entries(t.channels) },
    { name: 'status', label: t.status, kind: 'choice', choices: Object.entries(t.state) },
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
  return (
    <>
      <Chip tone={TONES[row.status]}>{t.state[row.status]}</Chip>
      <Text size="xs" c="dimmed" component="div">
        {row.status === 'kept' && row.error === null ? t.kept : null}
        {row.error === null ? null : (t.error[row.error] ?? row.error)}{' '}
        {row.status === 'waiting' && row.next_try_at !== null ? (
          <>
            {t.next} <Time time={row.next_try_at} />
          </>
        ) : null}
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
