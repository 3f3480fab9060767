// Shows the IP addresses from which merchants want to use live keys. A restricted live key works from an address only after an
// operator approves the address.

import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useAction, useRead } from '../../ui/data.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, useListQuery } from '../../ui/list.tsx'
import { Chip, EmptyState, Mono, Page, PageLink, Time, type Tone } from '../../ui/parts.tsx'
import { useWords } from '../../ui/words.ts'
import { ForDuty } from '../duty.tsx'
import { MERCHANT_FILTER, MerchantFilter } from '../merchant-filter.tsx'
import { Notice } from '../notice.tsx'
import { ReasonDialog, type ReasonQuestion } from './reason.tsx'

type AddressReviewRow = Calls['GET /v1/operator/ip-addresses']['data']['items'][number]

const addressesTexts = texts({
  sw: {
    title: 'Anwani za IP',
    lead: 'Anwani ambazo biashara zinataka kutumia funguo halisi kutoka kwake. Zinafanya kazi baada ya kuidhinishwa.',
    status: 'Hali',
    statuses: { PENDING: 'Inasubiri', APPROVED: 'Imeidhinishwa', REJECTED: 'Imekataliwa' } as Record<string, string>,
    address: 'Anwani',
    merchant: 'Biashara',
    time: 'Iliombwa',
    acts: 'Uamuzi',
    approve: 'Idhinisha',
    reject: 'Kataa',
    approve_title: 'Idhinisha anwani?',
    approve_text: (address: string, merchant: string) =>
      `Funguo za ${merchant} zinazodai anwani zitafanya kazi kutoka ${address}.`,
    reject_title: 'Kataa anwani?',
    reject_text: (address: string, merchant: string) =>
      `Ukikataa ${address}, funguo za ${merchant} zinazodai anwani hazitafanya kazi kutoka anwani hiyo.`,
    approved: (address: string) => `Umeidhinisha ${address}.`,
    rejected: (address: string) => `Umekataa ${address}.`,
    empty: 'Hakuna anwani',
    teach: 'Biashara huomba anwani kwenye dashibodi yake; maombi yanaonekana hapa.',
  },
  en: {
    title: 'IP addresses',
    lead: 'Addresses from which merchants want to use live keys. An address works after its approval.',
    status: 'Status',
    statuses: { PENDING: 'Pending', APPROVED: 'Approved', REJECTED: 'Rejected' },
    address: 'Address',
    merchant: 'Merchant',
    time: 'Requested',
    acts: 'Decision',
    approve: 'Approve',
    reject: 'Reject',
    approve_title: 'Approve this address?',
    approve_text: (address: string, merchant: string) =>
      `Keys of ${merchant} that are restricted to addresses will work from ${address}.`,
    reject_title: 'Reject this address?',
    reject_text: (address: string, merchant: string) =>
      `If you reject ${address}, the keys of ${merchant} that are restricted to addresses do not work from it.`,
    approved: (address: string) => `You approved ${address}.`,
    rejected: (address: string) => `You rejected ${address}.`,
    empty: 'No addresses',
    teach: 'A merchant requests an address in its dashboard; the request appears here.',
  },
})

const TONES: Record<string, Tone> = { PENDING: 'wait', APPROVED: 'good', REJECTED: 'bad' }

/** Shows the addresses of all merchants. Operators with the duty `merchants` approve or reject an address. */
export function AddressReviews() {
  const t = useTexts(addressesTexts)
  const words = useWords()
  const approve = useAction('POST /v1/operator/ip-addresses/{address_id}/approve')
  const reject = useAction('POST /v1/operator/ip-addresses/{address_id}/reject')
  const [question, setQuestion] = useState<(ReasonQuestion & { done: string }) | null>(null)
  const [notice, setNotice] = useState<string | null>(null)
  const filters: ListFilter[] = [
    { name: 'status', label: t.status, kind: 'choice', choices: Object.entries(t.statuses) },
  ]
  const list = useListQuery([...filters, MERCHANT_FILTER])
  const read = useRead('GET /v1/operator/ip-addresses', { query: list.query }, { live: true, keep: true })
  const ask = (row: AddressReviewRow, yes: boolean) => {
    const params = { address_id: row.id }
    setQuestion({
      name: `${yes ? 'approve' : 'reject'}-address.${row.id}`,
      title: yes ? t.approve_title : t.reject_title,
      text: (yes ? t.approve_text : t.reject_text)(row.address, row.merchant_name),
      button: `${yes ? t.approve : t.reject}: ${row.address}`,
      danger: !yes,
      optional: yes,
      ...(yes ? {} : { reasons: 'ip_address.reject' as const }),
      done: (yes ? t.approved : t.rejected)(row.address),
      act: (reason, once) =>
        yes ? approve.mutateAsync({ params, once }) : reject.mutateAsync({ params, body: { reason }, once }),
    })
  }
  const columns: Column<AddressReviewRow>[] = [
    { label: t.address, show: (row) => <Mono>{row.address}</Mono> },
    {
      label: t.merchant,
      show: (row) => (
        <div>
          <PageLink to={`merchants/${row.merchant_id}`}>{row.merchant_name}</PageLink>
          <div>{row.label}</div>
        </div>
      ),
    },
    {
      label: t.status,
      show: (row) => (
        <Group gap={4} justify="inherit">
          <Chip tone={TONES[row.status] ?? 'plain'}>{t.statuses[row.status] ?? row.status}</Chip>
          {row.environment === 'sandbox' ? <Chip tone="plain">{words.environment('sandbox')}</Chip> : null}
          {row.reason}
        </Group>
      ),
    },
    { label: t.time, show: (row) => <Time time={row.created_at} /> },
    {
      label: t.acts,
      show: (row) => (
        <ForDuty duty="merchants">
          <Group gap="xs" justify="inherit">
            {row.status === 'APPROVED' ? null : (
              <Button size="xs" aria-label={`${t.approve} ${row.address}`} onClick={() => ask(row, true)}>
                {t.approve}
              </Button>
            )}
            {row.status === 'REJECTED' ? null : (
              <Button
                size="xs"
                variant="default"
                aria-label={`${t.reject} ${row.address}`}
                onClick={() => ask(row, false)}
              >
                {t.reject}
              </Button>
            )}
          </Group>
        </ForDuty>
      ),
    },
  ]
  return (
    <Page title={t.title} lead={t.lead}>
      <Notice text={notice} />
      <List
        label={t.title}
        {...{ read, list, filters, columns }}
        rowKey={(row) => row.id}
        first={<MerchantFilter list={list} />}
        isQueue={({ status, ...others }) => status === 'PENDING' && Object.keys(others).length === 0}
        empty={<EmptyState title={t.empty}>{t.teach}</EmptyState>}
      />
      <ReasonDialog
        question={question}
        onClose={() => setQuestion(null)}
        onDone={() => {
          setNotice(question?.done ?? null)
          setQuestion(null)
        }}
      />
    </Page>
  )
}
