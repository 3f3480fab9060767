// Lets an operator approve several withdrawals together. First, a dry run shows the outcome for each withdrawal. Then the
// button shows the count and the sum.

import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useAction, useCall } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Amount, Chip, Dialog, PageLink, type Tone } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { addAmounts, showAmount, showCount, showPhone } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { DialogFooter, DialogForm } from '../dialog-form.tsx'
import { useDestinationName } from '../operator.ts'
import { isolateDirection, useOperatorWords } from '../words.ts'
import { ApprovalReason, keepReason, useReasonCheck } from './approval-reason.tsx'
import { AskNames } from './ask-names.tsx'
import { FactLine, isMarked } from './facts.tsx'
import { listTexts } from './list-texts.ts'
import { useNoRealMoneyText } from './no-real-money.ts'
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
  status: WithdrawalRow['status']
  /** True means that the withdrawal had a mark when the operator selected it. */
  marked: boolean
  amount: string
  /** The amount with the charges. */
  total: string
  /** Null means that the merchant named no recipient. */
  name: string | null
  number: string
  merchant: string
  destination_code: string
  /** Null means that the destination is no bank account. */
  bank_name: string | null
}

/** The result of an approval, with the selection and the withdrawals that the operator did not confirm. */
type BatchDone = { result: BatchResult; rows: readonly SelectedWithdrawal[]; left_out: readonly BatchItem[] }

/**
 * Returns the selection and its functions. The draft keeps the selection when the operator opens another page of the list or
 * signs in again. `confirmed` contains the ids of the marked withdrawals that the operator confirmed.
 */
export function useSelection() {
  const draft = useDraft<{ rows: SelectedWithdrawal[]; confirmed: string[]; reason: string }>({
    name: 'withdrawals.selection',
    initial: { rows: [], confirmed: [], reason: '' },
    check: { reason: useReasonCheck() },
  })
  const { rows, confirmed } = draft.form.values
  const set = (next: SelectedWithdrawal[]) => draft.form.setValues({ rows: next.slice(0, BATCH_MAX) })
  const setConfirmed = (next: string[]) => draft.form.setValues({ confirmed: next })
  // If a withdrawal is selected, only withdrawals of its environment can join, because a batch never mixes live and sandbox
  // withdrawals.
  const fits = (row: WithdrawalRow) => row.environment === (rows[0]?.environment ?? row.environment)
  const has = (id: string) => rows.some((row) => row.id === id)
  const pickedOf = (row: WithdrawalRow): SelectedWithdrawal => ({
    id: row.id,
    environment: row.environment,
    status: row.status,
    marked: isMarked(row),
    amount: row.amount,
    total: row.total_reserved_amount,
    name: row.destination_name,
    number: row.destination_identifier,
    merchant: row.merchant_name,
    destination_code: row.destination_code,
    bank_name: row.bank_name,
  })
  return {
    ...draft,
    rows,
    has,
    fits,
    toggle: (row: WithdrawalRow) =>
      set(has(row.id) ? rows.filter(({ id }) => id !== row.id) : [...rows, pickedOf(row)]),
    add: (more: readonly WithdrawalRow[]) => set([...rows, ...more.map(pickedOf)]),
    clear: () => draft.form.setValues({ rows: [], confirmed: [], reason: '' }),
    confirmed,
    confirm: (id: string) =>
      setConfirmed(confirmed.includes(id) ? confirmed.filter((one) => one !== id) : [...confirmed, id]),
    unconfirm: () => setConfirmed([]),
  }
}

/**
 * Shows the dialog: first the dry run, then the confirmation, then the result. `latest` contains the rows of the list, whose
 * status may be newer than that of the selection.
 */
export function Batch({
  draft,
  latest,
  open,
  onClose,
}: {
  draft: ReturnType<typeof useSelection>
  latest: readonly WithdrawalRow[]
  open: boolean
  onClose: () => void
}) {
  const t = useTexts(listTexts)
  const [done, setDone] = useState<BatchDone | null>(null)
  const close = () => {
    if (done !== null) focusTitle()
    setDone(null)
    draft.unconfirm()
    onClose()
  }
  // A link of the result opens another list, which closes the dialog.
  if (!open && done !== null) setDone(null)
  const shown = open && (done !== null || draft.rows.length > 0)
  // The server checks the withdrawals in this order. The marked withdrawals come last, so that one that the operator leaves out
  // takes no money from the others.
  const rows = draft.rows
    .map((row) => ({ ...row, status: latest.find(({ id }) => id === row.id)?.status ?? row.status }))
    .sort((one, other) => Number(one.marked) - Number(other.marked))
  return (
    <Dialog open={shown} onClose={close} title={done ? t.done_title : t.dry_title}>
      {done ? (
        <BatchOutcome {...done} onClose={close} />
      ) : (
        <BatchDryRun draft={draft} rows={rows} onDone={setDone} onClose={close} />
      )}
    </Dialog>
  )
}

/**
 * Moves the focus to the title of the page after the dialog has closed. The button that opened the dialog is gone after a
 * decision, so the browser cannot return the focus to it.
 */
function focusTitle(): void {
  const focus = () => document.querySelector<HTMLElement>('h1.page-title')?.focus()
  const dialog = document.querySelector('dialog[open]')
  if (dialog === null) focus()
  else dialog.addEventListener('close', focus, { once: true })
}

/** Returns true if the operator must confirm the withdrawal of this item by itself. */
const needsConfirmation = ({ facts, name_check, withdrawal_id }: BatchItem, rows: readonly SelectedWithdrawal[]) =>
  name_check?.matches === false ||
  isMarked({ facts, status: rows.find(({ id }) => id === withdrawal_id)?.status ?? '' })

/** Returns true if the withdrawal waits for an approval, and no operator has asked the provider for the name. */
const isUnasked = ({ facts, name_check }: BatchItem) => facts !== null && name_check === null

/** Returns the count and the sums of the selected withdrawals of these items. */
function sumOf(items: readonly BatchItem[], rows: readonly SelectedWithdrawal[]) {
  const found = rows.filter(({ id }) => items.some(({ withdrawal_id }) => withdrawal_id === id))
  return {
    count: found.length,
    amount: addAmounts(found.map(({ amount }) => amount)),
    total: addAmounts(found.map(({ total }) => total)),
  }
}

function BatchDryRun({
  draft,
  rows,
  onDone,
  onClose,
}: {
  draft: ReturnType<typeof useSelection>
  rows: readonly SelectedWithdrawal[]
  onDone: (done: BatchDone) => void
  onClose: () => void
}) {
  const t = useTexts(listTexts)
  const parts = useTexts(partsTexts)
  const call = useCall()
  const act = useAction(BATCH)
  const approving = useRef(false)
  // An operator decides after the names have arrived.
  const [asking, setAsking] = useState(false)
  const ids = rows.map(({ id }) => id)
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
  const good = data?.items.filter(({ ok }) => ok) ?? []
  const isLeftOut = (item: BatchItem) =>
    item.ok && needsConfirmation(item, rows) && !draft.confirmed.includes(item.withdrawal_id)
  const left_out = good.filter(isLeftOut)
  const chosen = good.filter((item) => !isLeftOut(item))
  const send = draft.submit(async (values, once) => {
    approving.current = true
    const reason = values.reason.trim()
    try {
      const body = {
        withdrawal_ids: chosen.map(({ withdrawal_id }) => withdrawal_id),
        dry_run: false,
        reason,
        // A first payout has a mark, so the operator confirmed each first payout among the chosen withdrawals.
        confirmed_new_destinations: chosen
          .filter(({ new_destination }) => new_destination)
          .map(({ withdrawal_id }) => withdrawal_id),
      }
      const result = await act.mutateAsync({ body, once })
      keepReason(reason)
      onDone({ result, rows, left_out })
      draft.clear()
    } finally {
      approving.current = false
    }
  })
  const sendChosen = (event: FormEvent<HTMLFormElement>) => {
    if (chosen.length > 0) return send(event)
    event.preventDefault()
  }
  return (
    <DialogForm onSubmit={sendChosen}>
      <Text>{t.dry_lead}</Text>
      <Problem error={trial.error} retry={() => void trial.refetch()} />
      {trial.isPending && !trial.error ? <LoadingRows /> : null}
      {data ? (
        <>
          <DrySums items={data.items} chosen={chosen} left_out={left_out} rows={rows} />
          <AskNames
            ids={data.items.filter(isUnasked).map(({ withdrawal_id }) => withdrawal_id)}
            onAsked={() => trial.refetch()}
            onBusy={setAsking}
          />
          <BatchLines
            items={data.items}
            rows={rows}
            words={[t.will_pay, t.will_wait, t.will_refuse]}
            isLeftOut={isLeftOut}
            confirm={(item, row) =>
              item.ok && needsConfirmation(item, rows) ? (
                <Checkbox
                  className="line-confirm"
                  label={t.confirm_one(showAmount(row.amount), row.name ?? showPhone(row.number))}
                  checked={draft.confirmed.includes(row.id)}
                  onChange={() => draft.confirm(row.id)}
                />
              ) : null
            }
          />
          {good.length === 0 ? (
            <Text fw={600}>{t.none}</Text>
          ) : (
            <ApprovalReason
              all
              checks={chosen.map(({ name_check }) => name_check)}
              field={draft.form.getInputProps('reason')}
              set={(text) => draft.form.setFieldValue('reason', text)}
            />
          )}
        </>
      ) : null}
      <Problem error={draft.error} />
      <DialogFooter>
        {good.length > 0 && chosen.length === 0 ? <Text fw={600}>{t.confirm_none}</Text> : null}
        <Group>
          {chosen.length > 0 ? (
            <Button type="submit" loading={draft.sending} disabled={asking}>
              {t.approve(showCount(chosen.length), showAmount(sumOf(chosen, rows).amount))}
            </Button>
          ) : null}
          <Button variant="default" onClick={onClose}>
            {parts.cancel}
          </Button>
        </Group>
      </DialogFooter>
    </DialogForm>
  )
}

/** Shows the sums of the chosen withdrawals, and the counts of the others. Screen readers announce each change. */
function DrySums({
  items,
  chosen,
  left_out,
  rows,
}: {
  items: readonly BatchItem[]
  chosen: readonly BatchItem[]
  left_out: readonly BatchItem[]
  rows: readonly SelectedWithdrawal[]
}) {
  const t = useTexts(listTexts)
  const pays = sumOf(
    chosen.filter(({ status }) => status === 'PROCESSING'),
    rows,
  )
  const waits = sumOf(
    chosen.filter(({ status }) => status !== 'PROCESSING'),
    rows,
  )
  const simulated = useNoRealMoneyText(rows[0]?.environment, pays.count)
  const refused_count = items.length - chosen.length - left_out.length
  const unconfirmed_count = items.filter(({ name_check }) => name_check?.matches !== true).length
  return (
    <Stack gap={4} role="status">
      {pays.count > 0 ? (
        <Text fw={600}>{t.sum_pay(showCount(pays.count), showAmount(pays.amount), showAmount(pays.total))}</Text>
      ) : null}
      {pays.count > 0 && simulated !== '' ? <Text fw={600}>{simulated}</Text> : null}
      {waits.count > 0 ? <Text>{t.sum_wait(showCount(waits.count), showAmount(waits.amount))}</Text> : null}
      {left_out.length > 0 ? <Text fw={600}>{t.sum_left_out(showCount(left_out.length))}</Text> : null}
      {refused_count > 0 ? <Text>{t.sum_refused(showCount(refused_count))}</Text> : null}
      {unconfirmed_count > 0 ? <Text>{t.names(showCount(unconfirmed_count), showCount(items.length))}</Text> : null}
      {items.some((item) => item.ok && needsConfirmation(item, rows)) ? <Text>{t.confirm_lead}</Text> : null}
    </Stack>
  )
}

function BatchOutcome({ result, rows, left_out, onClose }: BatchDone & { onClose: () => void }) {
  const t = useTexts(listTexts)
  const parts = useTexts(partsTexts)
  const words = useWords()
  const { approved, awaiting_second, items } = result
  const simulated = useNoRealMoneyText(rows[0]?.environment, approved.count)
  const refused_count = items.filter(({ ok }) => !ok).length
  const sums = useRef<HTMLDivElement>(null)
  // The operator may have scrolled through the dry run, and the button with the focus is gone. The result begins at its sums.
  useLayoutEffect(() => {
    sums.current?.focus({ preventScroll: true })
    sums.current?.closest('dialog')?.scrollTo(0, 0)
  }, [])
  return (
    <Stack gap="md">
      <div role="status" ref={sums} tabIndex={-1}>
        {approved.count > 0 ? (
          <Text fw={600}>
            {t.sum_paid(
              showCount(approved.count),
              showAmount(approved.amount),
              showAmount(approved.total_reserved_amount),
            )}
          </Text>
        ) : null}
        {approved.count > 0 && simulated !== '' ? <Text fw={600}>{simulated}</Text> : null}
        {awaiting_second.count > 0 ? (
          <Text>{t.sum_waits(showCount(awaiting_second.count), showAmount(awaiting_second.amount))}</Text>
        ) : null}
        {left_out.length > 0 ? <Text>{t.sum_left_out(showCount(left_out.length))}</Text> : null}
        {refused_count > 0 ? <Text>{t.sum_left(showCount(refused_count))}</Text> : null}
      </div>
      {approved.count > 0 ? (
        <Group gap="sm">
          <Text>{t.follow}</Text>
          {(['PROCESSING', 'SUCCESS'] as const).map((status) => (
            // The link closes the dialog, whose button with the focus is gone.
            <span key={status} onClickCapture={focusTitle}>
              <PageLink to="withdrawals" search={{ status, environment: rows[0]?.environment ?? 'live' }}>
                {words.withdrawal(status)}
              </PageLink>
            </span>
          ))}
        </Group>
      ) : null}
      <BatchLines
        items={[...items, ...left_out]}
        rows={rows}
        words={[t.paid, t.waits, t.refused]}
        isLeftOut={(item) => left_out.includes(item)}
      />
      <DialogFooter>
        <Group>
          <Button onClick={onClose}>{parts.close}</Button>
        </Group>
      </DialogFooter>
    </Stack>
  )
}

/** From this number on, a list hides the withdrawals that need no attention, so that the operator sees the others first. */
const FOLDED_FROM = 4

/**
 * Shows the count of the withdrawals and lists them, the marked ones first, then those whose name the provider has not confirmed.
 * Many unmarked withdrawals are folded, but never a refused one. `confirm` returns the checkbox of a withdrawal.
 */
function BatchLines({
  items,
  rows,
  words,
  isLeftOut,
  confirm = () => null,
}: {
  items: readonly BatchItem[]
  rows: readonly SelectedWithdrawal[]
  words: readonly [string, string, string]
  isLeftOut: (item: BatchItem) => boolean
  confirm?: (item: BatchItem, row: SelectedWithdrawal) => ReactNode
}) {
  const t = useTexts(listTexts)
  const marked = items.filter((item) => needsConfirmation(item, rows))
  const others = items.filter((item) => !marked.includes(item))
  const isUnconfirmed = ({ name_check }: BatchItem) => name_check?.matches !== true
  const ready = others.filter((item) => item.ok && !isLeftOut(item))
  const plain = [...ready.filter(isUnconfirmed), ...ready.filter((item) => !isUnconfirmed(item))]
  const folded = plain.length >= FOLDED_FROM ? plain : []
  const shown = [...marked, ...others.filter((item) => !folded.includes(item))]
  const [unfolded, setUnfolded] = useState(false)
  const line = (item: BatchItem) => {
    const row = rows.find(({ id }) => id === item.withdrawal_id)
    return (
      <BatchLine key={item.withdrawal_id} {...{ item, row, words }} left_out={isLeftOut(item)}>
        {row === undefined ? null : confirm(item, row)}
      </BatchLine>
    )
  }
  return (
    <Stack gap="xs">
      <Text fw={600}>{t.count(showCount(items.length))}</Text>
      {shown.length > 0 ? (
        <ul className="lines" aria-label={t.outcome}>
          {shown.map(line)}
        </ul>
      ) : null}
      {folded.length > 0 ? (
        <details className="disclosed" onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}>
          <summary>{(unfolded ? t.unmarked_hide : t.unmarked)(showCount(folded.length))}</summary>
          <ul className="lines" aria-label={t.outcome}>
            {folded.map(line)}
          </ul>
        </details>
      ) : null}
    </Stack>
  )
}

/** Says whether an operator has asked the provider for the name, and what the provider answered. */
function CheckedNameLine({ check }: { check: BatchItem['name_check'] }) {
  const t = useTexts(listTexts)
  // After an erasure of the recipient, the name is null.
  if (check?.matches === false)
    return (
      <div>
        <Chip tone="bad">
          {check.name === null ? t.name_differs_erased : t.name_differs(isolateDirection(check.name))}
        </Chip>
      </div>
    )
  if (check?.matches === true && check.name === null) return null
  const text =
    check === null
      ? t.name_unchecked
      : check.name === null
        ? t.name_unknown
        : (check.matches ? t.name_same : t.name_unstated)(isolateDirection(check.name))
  return <Text size="sm">{text}</Text>
}

/** Shows a withdrawal of a batch with its facts and its outcome. `words` are the outcomes: pays, waits, refused. */
function BatchLine({
  item,
  row,
  words: [pays, waits, refuses],
  left_out,
  children,
}: {
  item: BatchItem
  row: SelectedWithdrawal | undefined
  words: readonly [string, string, string]
  left_out: boolean
  children: ReactNode
}) {
  const t = useTexts(listTexts)
  const words = useWords()
  const operatorWords = useOperatorWords()
  const nameOf = useDestinationName()
  // A warning already names a first payout.
  const is_known = item.facts?.new_destination === false
  const toneOf = (): [Tone, string] => {
    if (left_out) return ['wait', t.left_out]
    if (!item.ok) return ['bad', refuses]
    return item.status === 'PROCESSING' ? ['good', pays] : ['wait', waits]
  }
  const [tone, word] = toneOf()
  return (
    <li>
      <div>
        <Amount value={row?.amount ?? null} />
        {row?.name ? ` · ${row.name}` : null}
        <Text size="sm" c="dimmed" component="span">
          {' '}
          <span className="amount">{showPhone(row?.number ?? '')}</span>
        </Text>
        {row === undefined ? null : (
          <Text size="sm" c="dimmed">
            {[row.merchant, row.bank_name ?? nameOf(row.destination_code), is_known ? t.paid_before : null]
              .filter(Boolean)
              .join(' · ')}
          </Text>
        )}
        {row?.status === 'INFO_REQUESTED' ? (
          <div>
            <Chip tone="warn">{words.withdrawal(row.status)}</Chip>
          </div>
        ) : null}
        <CheckedNameLine check={item.name_check} />
        <FactLine facts={item.facts} />
      </div>
      <div>
        <Chip tone={tone}>{word}</Chip>
        {item.code === null ? null : <Text size="sm">{operatorWords.refusal(item.code)}</Text>}
      </div>
      {children}
    </li>
  )
}
