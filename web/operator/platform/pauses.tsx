// Shows the pauses of payouts: the operator, the payouts, the reason and the start. An operator can start and end a pause.

import { Button, NativeSelect, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAction, useRead } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, useListQuery } from '../../ui/list.tsx'
import { Chip, Dialog, EmptyState, Page, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { DialogButtons, DialogForm } from '../dialog-form.tsx'
import { ForDuty } from '../duty.tsx'
import { Notice } from '../notice.tsx'
import { useProviderName } from '../provider-names.ts'
import { ReasonField } from '../saved-reasons.tsx'
import { type PauseRow, usePausedPayouts } from './paused-payouts.ts'
import { pausesTexts } from './pauses-texts.ts'
import { ReasonDialog, type ReasonQuestion } from './reason.tsx'

/** Shows the pauses. Starting a pause needs the duty `pause`, and ending a pause needs the duty `merchants`. */
export function PayoutPauses() {
  const t = useTexts(pausesTexts)
  const describe = usePausedPayouts()
  const end = useAction('POST /v1/operator/payout-pauses/{pause_id}/end')
  const [starting, setStarting] = useState(false)
  const [question, setQuestion] = useState<ReasonQuestion | null>(null)
  const [notice, setNotice] = useState<string | null>(null)
  const filters: ListFilter[] = [{ name: 'state', label: t.state, kind: 'choice', choices: Object.entries(t.states) }]
  const list = useListQuery(filters)
  const read = useRead('GET /v1/operator/payout-pauses', { query: list.query }, { live: true, keep: true })
  const ask = (row: PauseRow) =>
    setQuestion({
      name: `end-pause.${row.id}`,
      reasons: 'payouts.resume',
      title: t.end_title,
      text: t.end_text(describe(row)),
      button: t.end_button(describe(row)),
      act: (reason, once) => end.mutateAsync({ params: { pause_id: row.id }, body: { reason }, once }),
    })
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <ForDuty duty="pause">
          <Button color="red" onClick={() => setStarting(true)}>
            {t.start}
          </Button>
        </ForDuty>
      }
    >
      <Notice text={notice} />
      <List
        label={t.title}
        {...{ read, list, filters }}
        columns={columnsOf(t, describe, ask)}
        rowKey={(row) => row.id}
        empty={<EmptyState title={t.empty}>{t.teach}</EmptyState>}
      />
      <Dialog open={starting} onClose={() => setStarting(false)} title={t.start_title}>
        {starting ? (
          <StartPause
            onClose={() => setStarting(false)}
            onDone={(sending) => {
              setNotice(t.started(sending))
              setStarting(false)
            }}
          />
        ) : null}
      </Dialog>
      <ReasonDialog
        question={question}
        onClose={() => setQuestion(null)}
        onDone={() => {
          setNotice(t.end_done)
          setQuestion(null)
        }}
      />
    </Page>
  )
}

type PausesTexts = ReturnType<typeof useTexts<typeof pausesTexts.en>>

function columnsOf(
  t: PausesTexts,
  describe: ReturnType<typeof usePausedPayouts>,
  ask: (row: PauseRow) => void,
): Column<PauseRow>[] {
  return [
    { label: t.scope, show: (row) => describe(row) },
    {
      label: t.state,
      show: (row) =>
        row.ended_at === null ? <Chip tone="warn">{t.states.active}</Chip> : <Chip tone="plain">{t.states.ended}</Chip>,
    },
    {
      label: t.since,
      show: (row) => (
        <div className="who">
          <Time time={row.started_at} /> {t.by(row.started_by)}
          <div className="written">{row.reason}</div>
        </div>
      ),
    },
    {
      label: t.ended,
      show: (row) =>
        row.ended_at === null ? (
          '–'
        ) : (
          <div className="who">
            <Time time={row.ended_at} /> {t.by(row.ended_by ?? '–')}
            <div className="written">{row.ended_reason}</div>
          </div>
        ),
    },
    {
      label: t.acts,
      show: (row) =>
        row.ended_at === null ? (
          <ForDuty duty="merchants">
            <Button size="xs" variant="default" aria-label={t.end_button(describe(row))} onClick={() => ask(row)}>
              {t.end}
            </Button>
          </ForDuty>
        ) : null,
    },
  ]
}

type PauseScope = PauseRow['scope']

function StartPause({ onClose, onDone }: { onClose: () => void; onDone: (sending: number) => void }) {
  const t = useTexts(pausesTexts)
  const start = useAction('POST /v1/operator/payout-pauses')
  const providers = useRead('GET /v1/operator/providers')
  const destinations = useRead('GET /v1/destinations')
  const providerName = useProviderName()
  const { form, submit, error, sending } = useDraft({
    name: 'start-pause',
    initial: { scope: 'platform', target: '', reason: '' },
    check: {
      target: (value, { scope }) => (scope !== 'platform' && value.trim() === '' ? t.target_needed : null),
      reason: (value) => (value.trim() === '' ? t.needed : null),
    },
  })
  const scope = form.values.scope as PauseScope
  const send = submit(async (values, once) => {
    const target = scope === 'platform' ? {} : { target: values.target.trim() }
    const made = await start.mutateAsync({ body: { scope, ...target, reason: values.reason.trim() }, once })
    onDone(made.sending)
  })
  const none = { value: '', label: t.choose }
  const choices =
    scope === 'provider'
      ? (providers.data?.providers
          .filter(({ live }) => live)
          .map(({ name }) => ({ value: name, label: providerName(name) })) ?? [])
      : (destinations.data?.items.map(({ code, name }) => ({ value: code, label: name })) ?? [])
  return (
    <DialogForm onSubmit={send}>
      <Text>{t.start_text}</Text>
      <NativeSelect
        label={t.scope}
        data={Object.entries(t.scopes).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps('scope')}
        onChange={(event) => form.setValues({ scope: event.currentTarget.value, target: '' })}
      />
      {scope === 'merchant' ? (
        <TextInput label={t.merchant} description={t.merchant_hint} required {...form.getInputProps('target')} />
      ) : null}
      {scope === 'provider' || scope === 'destination' ? (
        <NativeSelect label={t[scope]} data={[none, ...choices]} required {...form.getInputProps('target')} />
      ) : null}
      <ReasonField
        act="payouts.pause"
        set={(text) => form.setFieldValue('reason', text)}
        label={t.reason}
        description={t.reason_hint}
        maxLength={500}
        rows={3}
        required
        {...form.getInputProps('reason')}
      />
      <Problem error={error} />
      <DialogButtons text={t.start} danger sending={sending} onClose={onClose} />
    </DialogForm>
  )
}
