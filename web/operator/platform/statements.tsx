// Shows provider statements to operators. An operator with the duty `money` can import a statement, and can withdraw an
// imported statement.

import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useAction, useRead } from '../../ui/data.ts'
import { DayField } from '../../ui/day-field.tsx'
import { useDraft } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { Table } from '../../ui/list.tsx'
import { Chip, Dialog, Time, type Tone } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { showCount } from '../../ui/show.ts'
import { DialogButtons, DialogForm } from '../dialog-form.tsx'
import { ForDuty } from '../duty.tsx'
import { Notice } from '../notice.tsx'
import { useProviderName } from '../provider-names.ts'
import { ReasonDialog, type ReasonQuestion } from './reason.tsx'
import { reconciliationTexts } from './reconciliation-texts.ts'

type ProviderStatementRow = Calls['GET /v1/operator/statements']['data']['items'][number]

const TONES: Record<string, Tone> = { importing: 'wait', done: 'good', failed: 'bad', withdrawn: 'plain' }

/** Shows the newest provider statements. Operators with the duty `money` can import and withdraw a statement. */
export function ProviderStatements() {
  const t = useTexts(reconciliationTexts)
  const providerName = useProviderName()
  const back = useAction('POST /v1/operator/statements/{id}/withdraw')
  const [bringing, setBringing] = useState(false)
  const [question, setQuestion] = useState<ReasonQuestion | null>(null)
  const [notice, setNotice] = useState<string | null>(null)
  const read = useRead('GET /v1/operator/statements', {}, { live: true })
  const items = read.data?.items ?? []
  const takeBack = (row: ProviderStatementRow) =>
    setQuestion({
      name: `statement.${row.id}`,
      title: t.take_back,
      text: t.take_back_text(providerName(row.provider)),
      button: t.take_back,
      danger: true,
      act: (reason, once) => back.mutateAsync({ params: { id: row.id }, body: { reason }, once }),
    })
  return (
    <section className="panel">
      <Title order={2}>{t.statements}</Title>
      <Stack gap="sm">
        <Notice text={notice} />
        <Problem error={read.error} retry={() => void read.refetch()} />
        {read.data && items.length === 0 ? <Text>{t.no_statements}</Text> : null}
        {items.length === 0 ? null : (
          <Table
            label={t.statements}
            rows={items}
            rowKey={(row) => row.id}
            columns={[
              { label: t.provider, show: (row) => `${providerName(row.provider)} ${row.file_name ?? ''}` },
              {
                label: t.period,
                show: (row) => (
                  <span>
                    <Time time={row.from} /> – <Time time={row.to} />
                  </span>
                ),
              },
              {
                label: t.state,
                show: (row) => (
                  <Chip tone={TONES[row.state] ?? 'plain'}>{t.statement_states[row.state] ?? row.state}</Chip>
                ),
              },
              { label: t.lines, show: (row) => t.lines_of(showCount(row.matched), showCount(row.lines)) },
              { label: t.cases, show: (row) => showCount(row.opened), right: true },
              {
                label: t.take_back,
                show: (row) =>
                  row.state === 'withdrawn' ? (
                    row.withdrawn?.reason
                  ) : (
                    <ForDuty duty="money">
                      <Button size="xs" variant="default" onClick={() => takeBack(row)}>
                        {t.take_back}
                      </Button>
                    </ForDuty>
                  ),
              },
            ]}
          />
        )}
        <ForDuty duty="money">
          <Group>
            <Button onClick={() => setBringing(true)}>{t.bring}</Button>
          </Group>
        </ForDuty>
      </Stack>
      <Dialog open={bringing} onClose={() => setBringing(false)} title={t.bring}>
        <ImportStatement
          onClose={() => setBringing(false)}
          onDone={() => {
            setBringing(false)
            setNotice(t.brought)
          }}
        />
      </Dialog>
      <ReasonDialog
        question={question}
        onClose={() => setQuestion(null)}
        onDone={() => {
          setQuestion(null)
          setNotice(t.taken_back)
        }}
      />
    </section>
  )
}

function ImportStatement({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const t = useTexts(reconciliationTexts)
  const parts = useTexts(partsTexts)
  const providerName = useProviderName()
  const act = useAction('POST /v1/operator/statements')
  const providers = useRead('GET /v1/operator/providers')
  // The sandbox moves no money, so it has no provider statements.
  const names = providers.data?.providers.map(({ name }) => name).filter((name) => name !== 'sandbox') ?? []
  // The draft of the form cannot contain a file. After a new sign-in, the operator must choose the file again.
  const [file, setFile] = useState<File | null>(null)
  const [missing, setMissing] = useState(false)
  const needed = (value: string) => (value === '' ? t.date_needed : null)
  const { form, submit, error, sending } = useDraft({
    name: 'statement',
    initial: { provider: '', from: '', to: '', columns: '' },
    check: { from: needed, to: needed },
  })
  const send = submit(async ({ provider, from, to, columns }, once) => {
    const query = {
      provider: provider || (names[0] ?? ''),
      from,
      to,
      file_name: (file as File).name,
      ...(columns.trim() === '' ? {} : { columns: columns.trim() }),
    }
    await act.mutateAsync({ query, file: file as File, once })
    onDone()
  })
  return (
    <DialogForm
      onSubmit={(event) => {
        setMissing(file === null)
        if (file !== null) return send(event)
        event.preventDefault()
        void form.validate()
      }}
    >
      <Text>{t.bring_text}</Text>
      <NativeSelect
        label={t.provider}
        data={names.map((name) => ({ value: name, label: providerName(name) }))}
        {...form.getInputProps('provider')}
      />
      <TextInput
        label={t.file}
        required
        type="file"
        accept=".csv,text/csv"
        error={missing && file === null ? t.file_needed : null}
        onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
      />
      <DayField label={t.from} required {...form.getInputProps('from')} value={form.values.from} />
      <DayField label={t.to} required {...form.getInputProps('to')} value={form.values.to} />
      <TextInput label={parts.optional(t.columns)} description={t.columns_hint} {...form.getInputProps('columns')} />
      <Problem error={error} />
      <DialogButtons text={t.bring} sending={sending} onClose={onClose} />
    </DialogForm>
  )
}
