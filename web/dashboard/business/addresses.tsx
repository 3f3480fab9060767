// Shows the IP addresses that the business has registered for its restricted live keys. An operator approves or rejects each
// address.

import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { checks } from '../../ui/checks.ts'
import { readAgain, useAction, useCall, useRead } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, useListQuery } from '../../ui/list.tsx'
import { Chip, Dialog, EmptyState, Mono, Page, PageButton, Time, type Tone } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../ui/words.ts'
import { useHasRole, useMerchantAccess } from '../merchant.ts'
import { StatusMessage } from '../status-message.tsx'
import { addressesTexts } from './addresses-texts.ts'

type MerchantAddressRow = Calls['GET /v1/merchant/ip-addresses']['data']['items'][number]

const TONES: Record<MerchantAddressRow['status'], Tone> = { PENDING: 'wait', APPROVED: 'good', REJECTED: 'bad' }

/** Shows the addresses with their approval status. Administrators and developers can add and remove addresses. */
export function MerchantAddresses() {
  const t = useTexts(addressesTexts)
  const may = useHasRole('MERCHANT_ADMIN', 'DEVELOPER')
  const in_sandbox = useMerchantAccess().environment === 'sandbox'
  const [removing, setRemoving] = useState<MerchantAddressRow | null>(null)
  const [message, setMessage] = useState('')
  const filters: ListFilter[] = [{ name: 'status', label: t.status, kind: 'choice', choices: Object.entries(t.state) }]
  const list = useListQuery(filters)
  const read = useRead('GET /v1/merchant/ip-addresses', { query: list.query }, { live: true, keep: true })
  const columns: Column<MerchantAddressRow>[] = [
    { label: t.label, show: (row) => <strong>{row.label}</strong> },
    { label: t.address, show: (row) => <Mono>{row.address}</Mono> },
    { label: t.status, show: (row) => <AddressStatus row={row} /> },
    { label: t.requested, show: (row) => <Time time={row.created_at} /> },
    { label: t.decided, show: (row) => <Time time={row.decided_at} /> },
    ...(may
      ? [
          {
            label: t.acts,
            show: (row: MerchantAddressRow) => (
              <Button
                size="xs"
                variant="default"
                aria-label={`${t.remove}: ${row.label}`}
                onClick={() => setRemoving(row)}
              >
                {t.remove}
              </Button>
            ),
          },
        ]
      : []),
  ]
  return (
    <Page title={t.title} lead={t.lead}>
      {in_sandbox && read.data?.items.length !== 0 ? <Text size="sm">{t.sandbox}</Text> : null}
      <StatusMessage>{message}</StatusMessage>
      <List
        label={t.title}
        {...{ read, list, filters, columns }}
        rowKey={(row) => row.id}
        empty={
          in_sandbox ? (
            <EmptyState title={t.sandbox_none} action={<PageButton to="live/addresses">{t.to_live}</PageButton>}>
              {t.sandbox}
            </EmptyState>
          ) : (
            <EmptyState title={t.empty}>{t.teach}</EmptyState>
          )
        }
      />
      {/* The server compares no request with an address of the sandbox, so an approval there has no effect. */}
      {may && !in_sandbox ? <AddAddress message={setMessage} /> : null}
      {removing === null ? null : (
        <Remove row={removing} close={() => setRemoving(null)} done={() => setMessage(t.removed(removing.label))} />
      )}
    </Page>
  )
}

function AddressStatus({ row }: { row: MerchantAddressRow }) {
  const t = useTexts(addressesTexts)
  return (
    <>
      <Chip tone={TONES[row.status]}>{t.state[row.status]}</Chip>
      {row.reason === null ? null : <Text size="xs">{row.reason}</Text>}
    </>
  )
}

function AddAddress({ message }: { message: (text: string) => void }) {
  const t = useTexts(addressesTexts)
  const words = useWords()
  const call = useCall()
  const queries = useQueryClient()
  const check = checks(useLanguage())
  const { environment, membership } = useMerchantAccess()
  const draft = useDraft({
    name: `address.${membership.merchant_id}.${environment}`,
    initial: { label: '', address: '' },
    check: { label: check.text(100), address: check.text(64) },
  })
  const send = draft.submit(async (typed, once) => {
    const body = { label: typed.label.trim(), address: typed.address.trim(), environment }
    await call('POST /v1/merchant/ip-addresses', { body, once })
    message(t.added(body.address))
    draft.forget()
    scrollTo(0, 0)
    await readAgain(queries)
  })
  return (
    <section className="panel">
      <Title order={2}>{t.add}</Title>
      <form onSubmit={send} noValidate>
        <Stack gap="md" maw="34rem">
          <Text size="sm">{t.add_help(words.environment(environment))}</Text>
          <TextInput label={t.label} required description={t.label_help} {...draft.form.getInputProps('label')} />
          <TextInput
            label={t.address}
            required
            description={t.address_help}
            autoComplete="off"
            {...draft.form.getInputProps('address')}
          />
          <Problem error={draft.error} />
          <Group>
            <Button type="submit" loading={draft.sending}>
              {t.send}
            </Button>
          </Group>
        </Stack>
      </form>
    </section>
  )
}

function Remove({ row, close, done }: { row: MerchantAddressRow; close: () => void; done: () => void }) {
  const t = useTexts(addressesTexts)
  const parts = useTexts(partsTexts)
  const remove = useAction('DELETE /v1/merchant/ip-addresses/{id}')
  const yes = () =>
    remove.mutate(
      { params: { id: row.id } },
      {
        onSuccess: () => {
          done()
          close()
        },
      },
    )
  return (
    <Dialog open onClose={close} title={t.remove_title(row.label)}>
      <Text>{t.remove_text(row.address)}</Text>
      <Problem error={remove.error} />
      <Group>
        <Button color="red" loading={remove.isPending} onClick={yes}>
          {t.remove_yes}
        </Button>
        <Button variant="default" onClick={close}>
          {parts.cancel}
        </Button>
      </Group>
    </Dialog>
  )
}
