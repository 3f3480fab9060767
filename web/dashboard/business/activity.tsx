// Shows the audit log of the business to its administrators.

import { Stack, Text } from '@mantine/core'
import type { Calls } from '../../ui/api-types.ts'
import { auditName } from '../../ui/audit-words.ts'
import { type Environment, useRead } from '../../ui/data.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { type Column, List, useListQuery } from '../../ui/list.tsx'
import { EmptyState, FactList, Mono, Page, PageLink, PersonName, Time } from '../../ui/parts.tsx'
import { useHasRole, useMerchantAccess } from '../merchant.ts'
import { activityTexts } from './activity-texts.ts'

type ActivityRow = Calls['GET /v1/merchant/audit-log']['data']['items'][number]

/** Shows the entries of both environments to administrators. Other members see an explanation. */
export function Activity() {
  const t = useTexts(activityTexts)
  if (!useHasRole('MERCHANT_ADMIN')) return <Page title={t.title}>{t.only}</Page>
  return (
    <Page title={t.title} lead={t.lead}>
      <Log />
    </Page>
  )
}

function Log() {
  const t = useTexts(activityTexts)
  const list = useListQuery([])
  const read = useRead('GET /v1/merchant/audit-log', { query: list.query }, { live: true, keep: true })
  const columns: Column<ActivityRow>[] = [
    { label: t.time, show: (row) => <Time time={row.at} /> },
    { label: t.who, show: (row) => <Who row={row} /> },
    { label: t.what, show: (row) => <What row={row} />, wide: true },
    { label: t.from, show: (row) => (row.address === null ? '–' : <Mono>{row.address}</Mono>) },
  ]
  return (
    <List
      label={t.title}
      {...{ read, list, columns }}
      filters={[]}
      rowKey={(row) => `${row.at} ${row.action} ${row.target_id}`}
      empty={<EmptyState title={t.empty}>{t.teach}</EmptyState>}
    />
  )
}

function Who({ row: { actor } }: { row: ActivityRow }) {
  const t = useTexts(activityTexts)
  if (actor.kind === 'operator' || actor.kind === 'command') return <>{t.operator}</>
  if (actor.kind === 'system') return <>{t.system}</>
  return (
    <>
      {actor.kind === 'api_key' ? `${t.key}: ` : ''}
      <PersonName name={actor.name} />
    </>
  )
}

// The path of the page of a record, by the type that an audit entry names.
const PAGES: Record<string, string> = {
  collection: 'collections',
  withdrawal: 'withdrawals',
  payment_link: 'links',
  invoice: 'invoices',
  webhook_delivery: 'webhooks/deliveries',
}

function What({ row }: { row: ActivityRow }) {
  const t = useTexts(activityTexts)
  const language = useLanguage()
  const { environment } = useMerchantAccess()
  const page = PAGES[row.target_type]
  const id = <Mono key="id">{row.target_id}</Mono>
  // The log contains entries of both environments. If an entry names an environment, the link opens the record in that
  // environment.
  const of = ((row.after ?? row.before) as { environment?: Environment } | null)?.environment ?? environment
  const link = (
    <PageLink key="id" to={`${of}/${page}/${row.target_id}`}>
      {id}
    </PageLink>
  )
  return (
    <details className="disclosed">
      <summary>{auditName(row.action, row.actor.kind, language) ?? row.action}</summary>
      <Stack gap="xs" mt="xs">
        {row.reason === null ? null : (
          <Text size="sm" className="quoted">
            {row.reason}
          </Text>
        )}
        <FactList
          facts={[
            [t.about, page === undefined ? id : link],
            row.request_id === null ? null : [t.request, <Mono key="request">{row.request_id}</Mono>],
          ]}
        />
        <Json label={t.before} value={row.before} />
        <Json label={t.after} value={row.after} />
      </Stack>
    </details>
  )
}

function Json({ label, value }: { label: string; value: unknown }) {
  if (value === null || value === undefined) return null
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <pre className="body">{JSON.stringify(value, null, 2)}</pre>
    </div>
  )
}
