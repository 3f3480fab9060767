// Shows the adjustments of a merchant's balance. Each adjustment is a permanent entry in the ledger with a reason.

import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { readAmount } from '../../ui/checks.ts'
import { useAction, useRead } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { Table } from '../../ui/list.tsx'
import { Amount, Dialog, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { DialogButtons, DialogForm } from '../dialog-form.tsx'
import { ForDuty } from '../duty.tsx'
import { Notice } from '../notice.tsx'
import { ReasonField } from '../saved-reasons.tsx'
import { merchantsTexts } from './merchants-texts.ts'

/** Shows the newest adjustments of a merchant. Operators with the duty `money` can make another adjustment. */
export function Adjustments({ merchant_id }: { merchant_id: string }) {
  const t = useTexts(merchantsTexts)
  const words = useWords()
  const [opened, setOpened] = useState(false)
  const [notice, setNotice] = useState<string | null>(null)
  const read = useRead('GET /v1/operator/merchants/{merchant_id}/adjustments', { params: { merchant_id } })
  const items = read.data?.items ?? []
  return (
    <section className="panel">
      <Title order={2}>{t.adjustments}</Title>
      <Stack gap="sm">
        <Problem error={read.error} retry={() => void read.refetch()} />
        {read.data && items.length === 0 ? <Text>{t.no_adjustments}</Text> : null}
        {items.length === 0 ? null : (
          <Table
            label={t.adjustments}
            rows={items}
            rowKey={(row) => row.id}
            columns={[
              { label: t.made_at, show: (row) => <Time time={row.created_at} /> },
              { label: t.amount, show: (row) => <Amount value={row.amount} currency={row.currency} />, right: true },
              {
                label: t.direction,
                show: (row) =>
                  `${t.directions[row.direction] ?? row.direction} · ${words.environment(row.environment)}`,
              },
              { label: t.reason, show: (row) => row.reason },
              { label: t.made_by, show: (row) => row.created_by.name },
            ]}
          />
        )}
        <Notice text={notice} />
        <ForDuty duty="money">
          <Group>
            <Button variant="default" onClick={() => setOpened(true)}>
              {t.adjust}
            </Button>
          </Group>
        </ForDuty>
      </Stack>
      <Dialog open={opened} onClose={() => setOpened(false)} title={t.adjust}>
        <Adjust
          merchant_id={merchant_id}
          onClose={() => setOpened(false)}
          onDone={(text) => {
            setOpened(false)
            setNotice(text)
          }}
        />
      </Dialog>
    </section>
  )
}

const INITIAL = { environment: 'live', direction: 'credit', against: 'provider_float', amount: '', reason: '' }

function Adjust(props: { merchant_id: string; onClose: () => void; onDone: (text: string) => void }) {
  const t = useTexts(merchantsTexts)
  const words = useWords()
  const act = useAction('POST /v1/operator/merchants/{merchant_id}/adjustments')
  const { form, submit, error, sending } = useDraft({
    name: `adjust.${props.merchant_id}`,
    initial: INITIAL,
    check: {
      amount: (value) => (readAmount(value) === null ? t.wrong_amount : null),
      reason: (value) => (value.trim() === '' ? t.needed : null),
    },
  })
  const { amount, direction } = form.values
  const shown = showAmount(readAmount(amount) ?? '0.00')
  const send = submit(async (values, once) => {
    const body = {
      environment: values.environment as 'live' | 'sandbox',
      direction: values.direction as 'credit' | 'debit',
      against: values.against as 'provider_float' | 'fee_income' | 'processor_cost',
      amount: readAmount(values.amount) ?? '',
      reason: values.reason.trim(),
    }
    const made = await act.mutateAsync({ params: { merchant_id: props.merchant_id }, body, once })
    props.onDone('id' in made ? t.adjusted(showAmount(body.amount)) : t.adjust_first)
  })
  const choices = (of: Record<string, string>) => Object.entries(of).map(([value, label]) => ({ value, label }))
  return (
    <DialogForm onSubmit={send}>
      <Text>{t.adjust_text}</Text>
      <NativeSelect
        label={t.environment}
        data={['live', 'sandbox'].map((value) => ({ value, label: words.environment(value) }))}
        {...form.getInputProps('environment')}
      />
      <NativeSelect label={t.direction} data={choices(t.directions)} {...form.getInputProps('direction')} />
      <NativeSelect label={t.against} data={choices(t.againsts)} {...form.getInputProps('against')} />
      <TextInput label={t.amount} inputMode="decimal" required {...form.getInputProps('amount')} />
      <ReasonField
        act="adjustment.create"
        set={(text) => form.setFieldValue('reason', text)}
        rows={2}
        label={t.reason}
        required
        maxLength={500}
        {...form.getInputProps('reason')}
      />
      <Problem error={error} />
      <DialogButtons
        text={t.adjust_button(t.directions[direction] ?? direction, shown)}
        danger={direction === 'debit'}
        sending={sending}
        onClose={props.onClose}
      />
    </DialogForm>
  )
}
