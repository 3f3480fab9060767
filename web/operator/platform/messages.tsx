// Shows the e-mails and SMS of the platform and of all merchants, with their delivery status.

import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { messageErrors } from '../../ui/delivery-errors.ts'
import { DeliveryState, messageState, useStateWords } from '../../ui/delivery-state.tsx'
import { texts, useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, useListQuery } from '../../ui/list.tsx'
import { Chip, EmptyState, Page, PersonName, Time } from '../../ui/parts.tsx'
import { showPhone } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { MERCHANT_FILTER, MerchantFilter } from '../merchant-filter.tsx'

type PlatformMessageRow = Calls['GET /v1/operator/messages']['data']['items'][number]

const messagesTexts = texts({
  sw: {
    title: 'Ujumbe',
    lead: 'Barua pepe na SMS za mfumo na za biashara zote. Bila seva ya barua pepe au mtoa huduma wa SMS, ujumbe unabaki hapa tu.',
    time: 'Muda',
    channel: 'Njia',
    channels: { email: 'Barua pepe', sms: 'SMS' } as Record<string, string>,
    status: 'Hali',
    to: 'Kwa',
    what: 'Nini',
    kinds: { 'invoice.send': 'Ankara', 'invoice.remind': 'Kikumbusho cha ankara' } as Record<string, string>,
    text: 'Maandishi',
    empty: 'Bado hakuna ujumbe',
  },
  en: {
    title: 'Messages',
    lead: 'E-mails and SMS of the platform and of all merchants. Without a mail server or an SMS gateway, the server only keeps them here.',
    time: 'Time',
    channel: 'Channel',
    channels: { email: 'E-mail', sms: 'SMS' },
    status: 'Status',
    to: 'To',
    what: 'What',
    kinds: { 'invoice.send': 'Invoice', 'invoice.remind': 'Reminder of an invoice' },
    text: 'Text',
    empty: 'No messages yet',
  },
})

/** Shows the reason of a code in words, and the answer of the gateway, which follows the code. */
function MessageError({ error }: { error: string }) {
  const errors = useTexts(messageErrors)
  const [code = '', ...answer] = error.split(':')
  return <div>{[errors[code] ?? code, ...answer].join(':')}</div>
}

/** Shows the messages with filters for channel, status and merchant. */
export function PlatformMessages() {
  const t = useTexts(messagesTexts)
  const words = useWords()
  const { kept, open, sent, failed } = useStateWords()
  const filters: ListFilter[] = [
    { name: 'channel', label: t.channel, kind: 'choice', choices: Object.entries(t.channels) },
    { name: 'status', label: t.status, kind: 'choice', choices: Object.entries({ kept, waiting: open, sent, failed }) },
  ]
  const list = useListQuery([...filters, MERCHANT_FILTER])
  const read = useRead('GET /v1/operator/messages', { query: list.query }, { keep: true })
  const columns: Column<PlatformMessageRow>[] = [
    { label: t.time, show: (row) => <Time time={row.created_at} /> },
    { label: t.channel, show: (row) => t.channels[row.channel] ?? row.channel, optional: { name: 'channel' } },
    {
      label: t.status,
      show: (row) => (
        <span>
          <DeliveryState of={messageState(row)} />{' '}
          {row.environment === 'sandbox' && row.status !== 'kept' ? (
            <Chip tone="plain">{words.environment('sandbox')}</Chip>
          ) : null}
        </span>
      ),
    },
    { label: t.to, show: (row) => <PersonName name={showPhone(row.to)} /> },
    {
      label: t.what,
      show: (row) => (
        <div>
          <div>{row.subject ?? t.kinds[row.kind] ?? t.channels[row.channel]}</div>
          {row.error === null ? null : <MessageError error={row.error} />}
          {row.text === null ? null : (
            <details className="disclosed">
              <summary>{t.text}</summary>
              <pre className="body">{row.text}</pre>
            </details>
          )}
        </div>
      ),
    },
  ]
  return (
    <Page title={t.title} lead={t.lead}>
      <List
        label={t.title}
        {...{ read, list, filters, columns }}
        rowKey={(row) => row.id}
        first={<MerchantFilter list={list} />}
        empty={<EmptyState title={t.empty} />}
      />
    </Page>
  )
}
