// Shows the withdrawals of all merchants, with filters, selection and batch approval.

import { Button, Checkbox, Group, Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, type RowLines, useListQuery } from '../../ui/list.tsx'
import { Amount, Chip, EmptyState, Page, Time } from '../../ui/parts.tsx'
import { focusRow } from '../../ui/row-link.ts'
import { addAmounts, showAmount, showCount, showPhone } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { type Shortcut, Shortcuts } from '../keys.tsx'
import { MERCHANT_FILTER, MerchantFilter } from '../merchant-filter.tsx'
import { useOpenQuestion } from '../open-question.ts'
import { useDestinationName, useMay } from '../operator.ts'
import { BATCH_MAX, Batch, type SelectedWithdrawal, useSelection } from './batch.tsx'
import { hasWarning, isMarked, Marks } from './facts.tsx'
import { listTexts } from './list-texts.ts'
import { isApprovable, type WithdrawalRow } from './record.ts'
import { countsAround, keepListPosition } from './walk.ts'

/** The statuses of a withdrawal that waits for an operator or a merchant. */
const WAITING: ReadonlySet<string> = new Set([
  'PENDING_ADMIN_APPROVAL',
  'INFO_REQUESTED',
  'NEEDS_RECONCILIATION',
  'BLOCKED_IP_WHITELIST',
  'NEEDS_ADMIN_ATTENTION',
])

/** Shows the withdrawals with filters. Operators with the duty `money` can select withdrawals for a batch approval. */
export function OperatorWithdrawals() {
  const t = useTexts(listTexts)
  const words = useWords()
  const filters: ListFilter[] = [
    { name: 'status', label: t.status, kind: 'choice', choices: words.choices('withdrawal') },
    { name: 'environment', label: t.environment, kind: 'choice', choices: words.choices('environment') },
  ]
  const list = useListQuery([...filters, MERCHANT_FILTER])
  // If the filter selects waiting withdrawals, the oldest withdrawal comes first.
  const waits = WAITING.has(list.search.status ?? '')
  const query: Record<string, string | number> = waits ? { ...list.query, order: 'oldest' } : list.query
  const read = useRead('GET /v1/operator/withdrawals', { query }, { live: true, keep: true })
  const draft = useSelection()
  const { open_question, ask } = useOpenQuestion(['batch'])
  const { data, isPlaceholderData } = read
  useEffect(() => {
    if (data === undefined || isPlaceholderData) return
    const { act: _act, ...search } = list.search
    keepListPosition({
      search: search as Record<string, string>,
      query: waits ? { ...list.query, order: 'oldest' } : list.query,
      ids: data.items.map(({ id }) => id),
      ...countsAround(data.pagination, data.items.length),
    })
  }, [data, isPlaceholderData, list, waits])
  const decides = useMay('money')
  const pick = usePick(draft)
  const choosing = decides && (data?.items.some(isApprovable) ?? false)
  const columns = useWithdrawalColumns(choosing ? pick : null)
  const nameOf = useDestinationName()
  const keys: Shortcut[] = [
    { key: 'j', does: t.key_next, run: () => focusRow(1) },
    { key: 'k', does: t.key_previous, run: () => focusRow(-1) },
    { key: 'w', does: t.key_warning, run: () => focusWarning(data?.items ?? []) },
  ]
  const lines = (row: WithdrawalRow): RowLines => ({
    title: <Amount value={row.amount} currency={row.currency} />,
    status: <WithdrawalStatus row={row} />,
    below: hasWarning(row) ? <Marks facts={row.facts} /> : null,
    facts: [
      row.merchant_name,
      row.destination_name,
      row.bank_name ?? nameOf(row.destination_code),
      showPhone(row.destination_identifier),
      <Time key="" time={row.created_at} />,
    ],
    select: choosing ? pick(row) : null,
  })
  return (
    <Page title={t.title} lead={t.lead} actions={<Shortcuts keys={keys} />}>
      <AboveRows
        rows={data?.items ?? []}
        has_more={(data?.pagination.total_pages ?? 1) > 1}
        draft={decides ? draft : null}
      />
      <List
        label={t.title}
        {...{ read, list, filters, columns, lines }}
        rowKey={(row) => row.id}
        href={(row) => `withdrawals/${row.id}`}
        first={<MerchantFilter list={list} />}
        isQueue={({ status = '', environment = 'live', ...others }) =>
          WAITING.has(status) && environment === 'live' && Object.keys(others).length === 0
        }
        empty={<EmptyState title={t.empty}>{t.teach}</EmptyState>}
      />
      {decides ? <Choice draft={draft} rows={data?.items ?? []} onCheck={() => ask('batch')} /> : null}
      <Batch
        draft={draft}
        latest={data?.items ?? []}
        open={decides && open_question === 'batch'}
        onClose={() => ask(null)}
      />
    </Page>
  )
}

/** Moves the focus to the next row with a warning. After the last one, begins again at the first. */
function focusWarning(rows: readonly WithdrawalRow[]): void {
  const ids = new Set(rows.filter(hasWarning).map(({ id }) => id))
  const links = [...document.querySelectorAll<HTMLAnchorElement>('main a[data-row-link]')]
  const place = links.indexOf(document.activeElement as HTMLAnchorElement)
  const marked = links.filter(({ pathname }) => ids.has(pathname.split('/').at(-1) ?? ''))
  const next = marked.find((link) => links.indexOf(link) > place) ?? marked[0]
  next?.focus()
}

/**
 * Says how many rows of the page have a warning, and moves the focus to the first one. The element exists also without a
 * warning, so that screen readers announce a new one. If `draft` is not null, a button chooses the rows without a warning. While
 * such rows exist, the button stays in its place, so that a choice moves no row.
 */
function AboveRows({
  rows,
  has_more,
  draft,
}: {
  rows: readonly WithdrawalRow[]
  has_more: boolean
  draft: ReturnType<typeof useSelection> | null
}) {
  const t = useTexts(listTexts)
  const count = rows.filter(hasWarning).length
  const unmarked = rows.filter((row) => isApprovable(row) && !isMarked(row) && (draft?.fits(row) ?? false))
  // Without a selection, the first row decides the environment, because a batch never mixes live and sandbox withdrawals.
  const open = unmarked.filter(({ environment }) => environment === unmarked[0]?.environment)
  const choosable = open.filter(({ id }) => draft?.has(id) === false)
  const chooseAll = () => {
    draft?.add(choosable)
    // The pressed button takes no further press, so the first button of the bar gets the focus.
    setTimeout(() => document.querySelector<HTMLElement>('.choice-bar button')?.focus())
  }
  return (
    <Group gap="sm" className="no-print above-rows">
      <div role="status">
        {count > 0 ? <Chip tone="warn">{t.warnings(count, showCount(rows.length), has_more)}</Chip> : null}
      </div>
      {count > 0 ? (
        <Button size="xs" variant="default" onClick={() => focusWarning(rows)}>
          {t.first_warning}
        </Button>
      ) : null}
      {draft !== null && open.length > 0 ? (
        <Button size="xs" variant="default" disabled={choosable.length === 0} onClick={chooseAll}>
          {t.pick_unmarked(showCount(open.length))}
        </Button>
      ) : null}
    </Group>
  )
}

/** Returns the function that shows the checkbox of a row. A row that no operator can approve has no checkbox. */
function usePick(draft: ReturnType<typeof useSelection>): (row: WithdrawalRow) => ReactNode {
  const t = useTexts(listTexts)
  return (row) =>
    isApprovable(row) ? (
      <Checkbox
        aria-label={t.pick_one(
          showAmount(row.amount, row.currency),
          row.destination_name ?? row.destination_identifier,
        )}
        checked={draft.has(row.id)}
        disabled={!draft.has(row.id) && (draft.rows.length >= BATCH_MAX || !draft.fits(row))}
        onChange={() => draft.toggle(row)}
      />
    ) : null
}

function useWithdrawalColumns(pick: ((row: WithdrawalRow) => ReactNode) | null): Column<WithdrawalRow>[] {
  const t = useTexts(listTexts)
  const nameOf = useDestinationName()
  return [
    ...(pick === null ? [] : [{ label: t.pick, show: pick }]),
    { label: t.time, show: (row) => <Time time={row.created_at} />, link: true },
    { label: t.amount, show: (row) => <Amount value={row.amount} currency={row.currency} />, right: true },
    { label: t.merchant, show: (row) => row.merchant_name, optional: { name: 'merchant' } },
    {
      label: t.destination,
      show: (row) => (
        <div>
          {row.destination_name ?? '–'}
          <Text size="sm" c="dimmed">
            {row.bank_name ?? nameOf(row.destination_code)} ·{' '}
            <span className="amount">{showPhone(row.destination_identifier)}</span>
          </Text>
        </div>
      ),
    },
    {
      label: t.fee,
      show: (row) => <Amount value={row.total_charges} currency={row.currency} />,
      right: true,
      optional: { name: 'fee', hidden: true },
    },
    {
      label: t.status,
      show: (row) => (
        <div>
          <WithdrawalStatus row={row} />
          {hasWarning(row) ? (
            <Group gap={4} className="chips" mt={4}>
              <Marks facts={row.facts} />
            </Group>
          ) : null}
        </div>
      ),
    },
  ]
}

/**
 * Shows the status of a withdrawal. A sandbox withdrawal has a further chip. While a withdrawal waits for two
 * approvals, a chip shows their count.
 */
function WithdrawalStatus({ row }: { row: WithdrawalRow }) {
  const t = useTexts(listTexts)
  const words = useWords()
  return (
    <Group gap={4} className="chips">
      <Chip tone={toneOf(row.status)}>{words.withdrawal(row.status)}</Chip>
      {row.environment === 'sandbox' ? <Chip tone="plain">{words.environment('sandbox')}</Chip> : null}
      {isApprovable(row) && row.approvals_required > 1 ? (
        <Chip tone="plain">{t.approval_count(row.approvals.length, row.approvals_required)}</Chip>
      ) : null}
    </Group>
  )
}

/**
 * Shows the count and the sum of the selection, with the actions for the selection. Without a selection, shows nothing, because
 * the bar floats at the lower edge of the window, where it covers rows.
 */
function Choice({
  draft,
  rows,
  onCheck,
}: {
  draft: ReturnType<typeof useSelection>
  rows: readonly WithdrawalRow[]
  onCheck: () => void
}) {
  const t = useTexts(listTexts)
  const count = draft.rows.length
  const marked = draft.rows.filter(({ marked: is_marked }) => is_marked)
  const total = addAmounts(draft.rows.map(({ amount }: SelectedWithdrawal) => amount))
  const clear = () => {
    draft.clear()
    // The pressed button disappears with the bar.
    document.querySelector<HTMLElement>('h1.page-title')?.focus()
  }
  const bar = useRef<HTMLDivElement>(null)
  const is_shown = count > 0
  // The bar appears over the lower rows, so the row with the focus moves out from below the bar.
  useEffect(() => {
    const row = document.activeElement
    if (is_shown && bar.current?.contains(row) === false) row?.scrollIntoView({ block: 'nearest' })
  }, [is_shown])
  return (
    <Group gap="xs" className={is_shown ? 'panel choice-bar' : undefined} ref={bar}>
      {/* The element exists also without a selection, so that screen readers announce the first one. */}
      <div role="status">
        {is_shown ? <Text fw={600}>{t.picked(showCount(count), showAmount(total))}</Text> : null}
        {marked.length > 0 ? <Chip tone="warn">{t.pick_marked(showCount(marked.length))}</Chip> : null}
      </div>
      {count >= BATCH_MAX ? <Text size="sm">{t.most}</Text> : null}
      {rows.some((row) => isApprovable(row) && !draft.fits(row)) ? <Text size="sm">{t.one_kind}</Text> : null}
      {is_shown ? (
        <>
          <Button size="xs" onClick={onCheck}>
            {t.check(showCount(count))}
          </Button>
          <Button size="xs" variant="default" onClick={clear}>
            {t.unpick}
          </Button>
        </>
      ) : null}
    </Group>
  )
}
