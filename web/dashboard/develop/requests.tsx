// Shows the API requests of the business's servers, with the responses.

import { Text } from '@mantine/core'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, useListQuery } from '../../ui/list.tsx'
import { Chip, EmptyState, Mono, Page, PageButton, Reference, Time, type Tone } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { showCount, showDuration } from '../../ui/show.ts'
import { useEnvironmentPath } from '../merchant.ts'
import { requestsTexts } from './requests-texts.ts'

type ApiRequestRow = Calls['GET /v1/merchant/requests']['data']['items'][number]

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

/**
 * Shows the requests with filters for text, method, status, key and time. While the page is open, it reads the list again every
 * few seconds.
 */
export function Requests() {
  const t = useTexts(requestsTexts)
  const parts = useTexts(partsTexts)
  const at = useEnvironmentPath()
  const keys = useRead('GET /v1/merchant/api-keys', { query: { page_size: 100 } })
  const filters: ListFilter[] = [
    { name: 'q', label: t.q, kind: 'text' },
    { name: 'method', label: t.method, kind: 'choice', choices: METHODS.map((one) => [one, one]) },
    { name: 'status', label: t.status, kind: 'choice', choices: Object.entries(t.statuses) },
    {
      name: 'key_id',
      label: t.key,
      kind: 'choice',
      choices: (keys.data?.items ?? []).map((key) => [key.id, keyName(key)]),
      named: true,
    },
    { name: 'from', label: parts.from, kind: 'day', edge: 'from' },
    { name: 'to', label: parts.to, kind: 'day', edge: 'to' },
  ]
  const list = useListQuery(filters)
  const read = useRead('GET /v1/merchant/requests', { query: list.query }, { live: true, keep: true })
  const columns: Column<ApiRequestRow>[] = [
    { label: t.time, show: (row) => <Time time={row.at} /> },
    { label: t.request, show: (row) => <RequestLine row={row} />, wide: true },
    { label: t.status, show: (row) => <Status status={row.status} /> },
    { label: t.took, show: (row) => (row.duration_ms === null ? '–' : showDuration(row.duration_ms)), right: true },
    { label: t.key, show: (row) => row.key_name ?? '–' },
    { label: t.about, show: (row) => <Reference text={row.reference} /> },
  ]
  return (
    <Page title={t.title} lead={t.lead}>
      <List
        label={t.title}
        {...{ read, list, filters, columns }}
        rowKey={(row) => row.id}
        href={(row) => (row.kind === 'not_kept' ? null : at(`requests/${row.id}`))}
        empty={
          <EmptyState title={t.empty} action={<PageButton to={at('keys')}>{t.make_key}</PageButton>}>
            {t.teach}
          </EmptyState>
        }
      />
      {read.data?.looked_back_to ? (
        <Text size="sm">
          {t.looked} <Time time={read.data.looked_back_to} />. {t.look_on}
        </Text>
      ) : null}
    </Page>
  )
}

function keyName({ name, key_last4 }: { name: string; key_last4: string }): string {
  return `${name} (…${key_last4})`
}

function RequestLine({ row }: { row: ApiRequestRow }) {
  const t = useTexts(requestsTexts)
  if (row.kind === 'not_kept') {
    return (
      <em>
        {t.not_kept(showCount(row.count ?? 0))} ({t.until} <Time time={row.until ?? null} />)
      </em>
    )
  }
  return (
    <span className="long-mono">
      <Mono>
        {row.method} {row.path}
      </Mono>
      {row.error_code === null ? null : (
        <Text size="xs">
          {t.error}: <Mono>{row.error_code}</Mono>
        </Text>
      )}
    </span>
  )
}

const TONES: readonly Tone[] = ['plain', 'plain', 'good', 'plain', 'warn', 'bad']

/**
 * Shows a status code in the colour of its class, such as 4xx. Null means that the row counts requests that the log did not
 * store.
 */
export function Status({ status }: { status: number | null }) {
  if (status === null) return <>–</>
  return <Chip tone={TONES[Math.floor(status / 100)] ?? 'plain'}>{status}</Chip>
}
