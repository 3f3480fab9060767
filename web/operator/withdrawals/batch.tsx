// Lets an operator approve several withdrawals together. First, a dry run shows the outcome for each withdrawal. Then the
// button shows the count and the sum.

import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useAction, useCall } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/list.tsx'
import { Amount, Chip, Dialog, type Tone } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { addAmounts, showAmount, showCount, showPhone } from '../../ui/show.ts'
import { useOperatorWords } from '../words.ts'
import { ApprovalReason, keepReason, useReasonCheck } from './approval-reason.tsx'
import { FactLine } from './facts.tsx'
import { listTexts } from './list-texts.ts'
import type { WithdrawalRow } from './record.ts'

const BATCH = 'POST /v1/operator/withdrawals/approve-batch'
type BatchResult = Calls[typeof BATCH]['data']
type BatchItem = BatchResult['items'][number]

/** The largest number of withdrawals in a batch. */
export const BATCH_MAX = 100

/** The fields of a selected withdrawal that the dialog shows again. */
export type SelectedWithdrawal = {
  id: string
  environment: WithdrawalRow['environment']
  amount: string
  name: string
  number: string
}

/**
 * Returns the selection and its functions. The draft keeps the selection when the operator opens another page of the list or
 * signs in again.
 */
export function useSelection() {
  const draft = useDraft<{ rows: SelectedWithdrawal[]; reason: string }>({
    name: 'withdrawals.batch',
    initial: { rows: [], reason: '' },
    check: { reason: useReasonCheck() },
  })
  const { rows } = draft.form.values
  const set = (next: SelectedWithdrawal[]) => draft.form.setValues({ rows: next.slice(0, BATCH_MAX) })
  // If a withdrawal is selected, only withdrawals of its environment can join, because a batch never mixes live and sandbox
  // withdrawals.
  const fits = (row: WithdrawalRow) => row.environment === (rows[0]?.environment ?? row.environment)
  const has = (id: string) => rows.some((row) => row.id === id)
  const pickedOf = (row: WithdrawalRow): SelectedWithdrawal => ({
    id: row.id,
    environment: row.environment,
    amount: row.amount,
    name: row.destination_name ?? '–',
    number: row.destination_identifier,
  })
  return {
    ...draft,
    rows,
    has,
    fits,
    toggle: (row: WithdrawalRow) =>
      set(has(row.id) ? rows.filter(({ id }) => id !== row.id) : [...rows, pickedOf(row)]),
    add: (more: readonly WithdrawalRow[]) => set([...rows, ...more.map(pickedOf)]),
    clear: () => draft.form.setValues({ rows: [], reason: '' }),
  }
}

/** Shows the dialog: first the dry run, then the confirmation, then the result. */
export function Batch({
  draft,
  open,
  onClose,
}: {
  draft: ReturnType<typeof useSelection>
  open: boolean
  onClose: () => void
}) {
  const t = useTexts(listTexts)
  const [done, setDone] = useState<{ result: BatchResult; rows: SelectedWithdrawal[] } | null>(null)
  const close = () => {
    setDone(null)
    onClose()
  }
  const shown = open && (done !== null || draft.rows.length > 0)
  return (
    <Dialog open={shown} onClose={close} title={done ? t.done_title : t.dry_title}>
      {done ? (
        <BatchOutcome {...done} onClose={close} />
      ) : (
        <BatchDryRun draft={draft} onDone={setDone} onClose={close} />
      )}
    </Dialog>
  )
}

function BatchDryRun({
  draft,
  onDone,
  onClose,
}: {
  draft: ReturnType<typeof useSelection>
  onDone: (done: { result: BatchResult; rows: SelectedWithdrawal[] }) => void
  onClose: () => void
}) {
  const t = useTexts(listTexts)
  const parts = useTexts(partsTexts)
  const call = useCall()
  const act = useAction(BATCH)
  const approving = useRef(false)
  const [checked, setChecked] = useState(false)
  const [asked, setAsked] = useState(false)
  const ids = draft.rows.map(({ id }) => id)
  const trial = useQuery({
    queryKey: ['trial', ids],
    queryFn: ({ signal }) =>
      call(BATCH, { body: { withdrawal_ids: ids, dry_run: true, confirm_new_destination: true }, signal }),
    // While the page sends the approval, the page makes no dry run.
    enabled: () => !approving.current,
    staleTime: 0,
    gcTime: 0,
  })
  const { data } = trial
  const good = data?.items.filter(({ ok }) => ok).map(({ withdrawal_id }) => withdrawal_id) ?? []
  const new_count = data?.items.filter(({ ok, new_destination }) => ok && new_destination).length ?? 0
  const rows = draft.rows
  const send = draft.submit(async (values, once) => {
    approving.current = true
    const reason = values.reason.trim()
    try {
      const body = { withdrawal_ids: good, dry_run: false, reason, confirm_new_destination: new_count > 0 }
      const result = await act.mutateAsync({ body, once })
      keepReason(reason)
      onDone({ result, rows })
      draft.clear()
    } finally {
      approving.current = false
    }
  })
  const sum = data ? addAmounts([data.approved.amount, data.awaiting_second.amount]) : '0.00'
  const sendChecked = (event: FormEvent<HTMLFormElement>) => {
    setAsked(true)
    if (new_count === 0 || checked) return send(event)
    event.preventDefault()
    draft.form.validate()
  }
  return (
    <form onSubmit={sendChecked} noValidate>
      <Stack gap="md">
        <Text>{t.dry_lead}</Text>
        <Problem error={trial.error} retry={() => void trial.refetch()} />
        {trial.isPending && !trial.error ? <LoadingRows /> : null}
        {data ? (
          <>
            <Stack gap={4}>
              {data.approved.count > 0 ? (
                <Text fw={600}>
                  {t.sum_pay(
                    showCount(data.approved.count),
                    showAmount(data.approved.amount),
                    showAmount(data.approved.total_reserved_amount),
                  )}
                </Text>
              ) : null}
              {data.awaiting_second.count > 0 ? (
                <Text>
                  {t.sum_wait(showCount(data.awaiting_second.count), showAmount(data.awaiting_second.amount))}
                </Text>
              ) : null}
              {good.length < data.items.length ? (
                <Text>{t.sum_refused(showCount(data.items.length - good.length))}</Text>
              ) : null}
            </Stack>
            <BatchLines items={data.items} rows={rows} words={[t.will_pay, t.will_wait, t.will_refuse]} />
            {new_count === 0 ? null : (
              <Checkbox
                label={t.new_places(showCount(new_count))}
                checked={checked}
                onChange={(event) => setChecked(event.currentTarget.checked)}
                error={asked && !checked ? t.new_places_needed : null}
              />
            )}
            {good.length === 0 ? (
              <Text fw={600}>{t.none}</Text>
            ) : (
              <ApprovalReason
                all
                field={draft.form.getInputProps('reason')}
                set={(text) => draft.form.setFieldValue('reason', text)}
              />
            )}
          </>
        ) : null}
        <Problem error={draft.error} />
        <Group>
          {good.length > 0 ? (
            <Button type="submit" loading={draft.sending}>
              {t.approve(showCount(good.length), showAmount(sum))}
            </Button>
          ) : null}
          <Button variant="default" onClick={onClose}>
            {parts.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function BatchOutcome({
  result,
  rows,
  onClose,
}: {
  result: BatchResult
  rows: SelectedWithdrawal[]
  onClose: () => void
}) {
  const t = useTexts(listTexts)
  const parts = useTexts(partsTexts)
  const { approved, awaiting_second, items } = result
  const refused_count = items.filter(({ ok }) => !ok).length
  return (
    <Stack gap="md">
      <div role="status">
        {approved.count > 0 ? (
          <Text fw={600}>
            {t.sum_paid(
              showCount(approved.count),
              showAmount(approved.amount),
              showAmount(approved.total_reserved_amount),
            )}
          </Text>
        ) : null}
        {awaiting_second.count > 0 ? (
          <Text>{t.sum_waits(showCount(awaiting_second.count), showAmount(awaiting_second.amount))}</Text>
        ) : null}
        {refused_count > 0 ? <Text>{t.sum_left(showCount(refused_count))}</Text> : null}
      </div>
      <BatchLines items={items} rows={rows} words={[t.paid, t.waits, t.refused]} />
      <Group>
        <Button onClick={onClose}>{parts.close}</Button>
      </Group>
    </Stack>
  )
}

function BatchLines({
  items,
  rows,
  words: [pays, waits, refuses],
}: {
  items: readonly BatchItem[]
  rows: readonly SelectedWithdrawal[]
  words: readonly [string, string, string]
}) {
  const t = useTexts(listTexts)
  const words = useOperatorWords()
  const toneOf = ({ ok, status }: BatchItem): [Tone, string] =>
    ok ? (status === 'PROCESSING' ? ['good', pays] : ['wait', waits]) : ['bad', refuses]
  return (
    <ul className="lines" aria-label={t.outcome}>
      {items.map((item) => {
        const row = rows.find(({ id }) => id === item.withdrawal_id)
        const [tone, word] = toneOf(item)
        return (
          <li key={item.withdrawal_id}>
            <div>
              <Amount value={row?.amount ?? null} /> · {row?.name}
              <Text size="sm" c="dimmed" component="span">
                {' '}
                <span className="amount">{showPhone(row?.number ?? '')}</span>
              </Text>
              <FactLine facts={item.facts} />
            </div>
            <div>
              <Chip tone={tone}>{word}</Chip>
              {item.code === null ? null : <Text size="sm">{words.refusal(item.code)}</Text>}
            </div>
          </li>
        )
      })}
    </ul>
  )
}
