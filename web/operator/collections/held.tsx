// Shows held collections: received money about which an operator must decide.

import { Group, NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { Refused } from '../../ui/api.ts'
import { useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, useListQuery } from '../../ui/list.tsx'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Amount, Dialog, EmptyState, Page, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { MERCHANT_FILTER, MerchantFilter } from '../merchant-filter.tsx'
import { Notice } from '../notice.tsx'
import { useOpenQuestion } from '../open-question.ts'
import { Clear } from './clear.tsx'
import { PaymentStatus, partyColumns, paymentLines, useFurtherColumns } from './columns.tsx'
import { heldTexts } from './held-texts.ts'
import { type CollectionRow, holdReason, receivedAmounts, unvaluedAmount } from './record.ts'

/**
 * The statuses of a collection that was held. The API lists one status at a time; without a filter, the page shows
 * `pending_clearance`.
 */
const PENDING = 'pending_clearance'
const STATUSES = [PENDING, 'successful', 'failed', 'reversed']
const STATUS_FILTER: ListFilter = { name: 'status', label: '', kind: 'text' }

/** Shows the list of held collections. If the address names a case, also shows its dialog. */
export function HeldCollections() {
  const t = useTexts(heldTexts)
  const words = useWords()
  const filters: ListFilter[] = [
    { name: 'environment', label: t.environment, kind: 'choice', choices: words.choices('environment') },
  ]
  const list = useListQuery([...filters, STATUS_FILTER, MERCHANT_FILTER])
  const query: Record<string, string | number> = { status: PENDING, ...list.query, held: 'true' }
  const read = useRead('GET /v1/operator/collections', { query }, { live: true, keep: true })
  const [notice, setNotice] = useState<string | null>(null)
  const { open_question, about, ask } = useOpenQuestion(['case'])
  const listed = read.data?.items.find(({ collection_id }) => collection_id === about)
  // If this page of the list does not contain the case, the page reads the case separately.
  const alone = useRead(
    'GET /v1/operator/collections/{collection_id}',
    { params: { collection_id: about ?? '' } },
    { live: true, enabled: about !== null && read.data !== undefined && listed === undefined },
  )
  const found = about === null || alone.data?.held_at == null ? undefined : alone.data
  const open: CollectionRow | undefined = listed ?? found
  const done = (text: string) => {
    ask(null)
    setNotice(text)
  }
  const columns = useHeldColumns()
  const caseOf = ({ collection_id }: CollectionRow) => {
    const search = { ...list.search, act: 'case', about: collection_id } as Record<string, string>
    return `collections?${new URLSearchParams(search)}`
  }
  return (
    <Page
      title={t.title}
      lead={
        <>
          {t.leads[list.search.status ?? PENDING] ?? t.leads[PENDING]}
          <Notice text={notice} />
        </>
      }
    >
      <List
        label={t.title}
        {...{ read, list, filters, columns }}
        narrowed
        first={<HeldFilters list={list} />}
        rowKey={(row) => row.collection_id}
        href={caseOf}
        lines={(row) => paymentLines(row, <ReceivedAmount row={row} />)}
        isQueue={({ status = PENDING, ...others }) => status === PENDING && Object.keys(others).length === 0}
        empty={<EmptyState title={t.empty}>{t.teach}</EmptyState>}
      />
      <Dialog
        open={open_question !== null && read.data !== undefined}
        onClose={() => ask(null)}
        title={open ? t.case(showReceived(open)) : t.title}
      >
        {open ? (
          <Clear of={open} onDone={done} onClose={() => ask(null)} />
        ) : alone.isLoading ? (
          <LoadingRows />
        ) : (
          <CaseNotFound error={alone.error} retry={() => void alone.refetch()} />
        )}
      </Dialog>
    </Page>
  )
}

function HeldFilters({ list }: { list: ReturnType<typeof useListQuery> }) {
  const t = useTexts(heldTexts)
  const words = useWords()
  return (
    <Group gap={10} align="flex-start" className="filters-pair">
      <NativeSelect
        label={t.status}
        data={STATUSES.map((value) => ({ value, label: words.collection(value) }))}
        value={list.search.status ?? PENDING}
        onChange={(event) => list.set({ status: event.currentTarget.value })}
      />
      <MerchantFilter list={list} />
    </Group>
  )
}

/**
 * If the API found no held case or refused the read, shows a sentence. If the read failed otherwise, shows the error.
 */
function CaseNotFound({ error, retry }: { error: unknown; retry: () => void }) {
  const t = useTexts(heldTexts)
  const is_gone = error === null || (error instanceof Refused && error.status < 500)
  return is_gone ? <Text>{t.gone}</Text> : <Problem error={error} retry={retry} />
}

function showReceived(row: CollectionRow): string {
  const foreign = unvaluedAmount(row)
  return foreign
    ? showAmount(foreign.amount, foreign.currency)
    : showAmount(receivedAmounts(row).received, row.currency)
}

function ReceivedAmount({ row }: { row: CollectionRow }) {
  const foreign = unvaluedAmount(row)
  return foreign ? (
    <Amount value={foreign.amount} currency={foreign.currency} />
  ) : (
    <Amount value={receivedAmounts(row).received} currency={row.currency} />
  )
}

function useHeldColumns(): Column<CollectionRow>[] {
  const t = useTexts(heldTexts)
  return [
    { label: t.received, show: (row) => <ReceivedAmount row={row} />, right: true },
    {
      label: t.requested,
      show: (row) => <Amount value={row.amount} currency={row.currency} />,
      right: true,
      optional: { name: 'requested' },
    },
    { label: t.held_at, show: (row) => <Time time={row.held_at} /> },
    ...partyColumns(t),
    ...useFurtherColumns(t).map((column) => ({
      ...column,
      ...(column.optional ? { optional: { ...column.optional, hidden: true } } : {}),
    })),
    {
      label: t.why,
      show: (row) => {
        const why = holdReason(row)
        return why === null ? '–' : 'kind' in why ? t.whys[why.kind] : why.text
      },
    },
    { label: t.status, show: (row) => <PaymentStatus of={row} /> },
  ]
}
