// Shows all merchants of the platform.

import { Button, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { checks } from '../../ui/checks.ts'
import { useAction, useRead } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, useListQuery } from '../../ui/list.tsx'
import { Chip, Dialog, EmptyState, Mono, Page, Time, type Tone } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { DialogButtons, DialogForm } from '../dialog-form.tsx'
import { ForDuty } from '../duty.tsx'
import { Notice } from '../notice.tsx'
import { merchantsTexts } from './merchants-texts.ts'

type MerchantRow = Calls['GET /v1/operator/merchants']['data']['items'][number]

const TONES: Record<string, Tone> = { PENDING: 'wait', ACTIVE: 'good', SUSPENDED: 'bad' }

/** Shows the status of a merchant as a coloured word in the language of the operator. An archived merchant is Archived. */
export function MerchantStatus({ of: { status, archived_at } }: { of: Pick<MerchantRow, 'status' | 'archived_at'> }) {
  const t = useTexts(merchantsTexts)
  if (archived_at !== null) return <Chip tone="plain">{t.archived}</Chip>
  return <Chip tone={TONES[status] ?? 'plain'}>{t.statuses[status] ?? status}</Chip>
}

/** Shows the merchants with filters. Operators with the duty `merchants` can add a merchant. */
export function Merchants() {
  const t = useTexts(merchantsTexts)
  const [adding, setAdding] = useState(false)
  const [notice, setNotice] = useState<string | null>(null)
  const filters: ListFilter[] = [
    { name: 'status', label: t.status, kind: 'choice', choices: Object.entries(t.statuses) },
    { name: 'search', label: t.search, kind: 'text' },
    { name: 'to_check', label: t.to_check, kind: 'choice', choices: [['true', t.to_check_only]] },
    { name: 'archived', label: t.archive, kind: 'choice', choices: [['true', t.archived_only]] },
  ]
  const list = useListQuery(filters)
  const read = useRead('GET /v1/operator/merchants', { query: list.query }, { live: true, keep: true })
  const columns: Column<MerchantRow>[] = [
    { label: t.name, show: (row) => row.name },
    { label: t.code, show: (row) => <Mono>{row.merchant_code}</Mono> },
    { label: t.status, show: (row) => <MerchantStatus of={row} /> },
    { label: t.checked, show: (row) => (row.verified ? t.yes : t.no), optional: { name: 'checked' } },
    { label: t.priced, show: (row) => (row.priced ? t.yes : t.no), optional: { name: 'priced' } },
    { label: t.created, show: (row) => <Time time={row.created_at} /> },
  ]
  const add = (
    <ForDuty duty="merchants">
      <Button onClick={() => setAdding(true)}>{t.add}</Button>
    </ForDuty>
  )
  return (
    <Page title={t.title} lead={t.lead} actions={add}>
      <Notice text={notice} />
      <List
        label={t.title}
        {...{ read, list, filters, columns }}
        rowKey={(row) => row.id}
        narrowed
        href={(row) => `merchants/${row.id}`}
        lines={(row) => ({
          title: row.name,
          status: <MerchantStatus of={row} />,
          facts: [
            row.merchant_code,
            row.verified ? null : t.not_checked,
            row.priced ? null : t.not_priced,
            <Time key="" time={row.created_at} />,
          ],
        })}
        isQueue={({ to_check, ...others }) => to_check === 'true' && Object.keys(others).length === 0}
        empty={<EmptyState title={t.empty}>{t.teach}</EmptyState>}
      />
      <Dialog open={adding} onClose={() => setAdding(false)} title={t.add}>
        <AddMerchant
          onClose={() => setAdding(false)}
          onDone={(name) => {
            setAdding(false)
            setNotice(t.added(name))
          }}
        />
      </Dialog>
    </Page>
  )
}

function AddMerchant({ onClose, onDone }: { onClose: () => void; onDone: (name: string) => void }) {
  const t = useTexts(merchantsTexts)
  const parts = useTexts(partsTexts)
  const check = checks(useLanguage())
  const act = useAction('POST /v1/operator/merchants')
  const { form, submit, error, sending } = useDraft({
    name: 'merchant',
    initial: { name: '', email: '' },
    check: { name: check.needed, email: check.optional(check.email) },
  })
  const send = submit(async ({ name, email }, once) => {
    const body = { name: name.trim(), ...(email.trim() === '' ? {} : { email: email.trim() }) }
    await act.mutateAsync({ body, once })
    onDone(name.trim())
  })
  return (
    <DialogForm onSubmit={send}>
      <Text>{t.add_text}</Text>
      <TextInput label={t.name} required maxLength={200} {...form.getInputProps('name')} />
      <TextInput
        label={parts.optional(t.email)}
        description={t.email_hint}
        type="email"
        {...form.getInputProps('email')}
      />
      <Problem error={error} />
      <DialogButtons text={t.add} sending={sending} onClose={onClose} />
    </DialogForm>
  )
}
