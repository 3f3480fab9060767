// Lists the failing webhook endpoints of the environment, each with a link to its failed deliveries.

import { Stack } from '@mantine/core'
import { useRead } from '../../ui/data.ts'
import { deliveryErrors } from '../../ui/delivery-errors.ts'
import { useMissedText } from '../../ui/delivery-state.tsx'
import { texts, useTexts } from '../../ui/language.ts'
import { type Column, Table } from '../../ui/list.tsx'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { EmptyState, Mono, Page, PageButton, Time } from '../../ui/parts.tsx'
import { type FailingWebhook, failedDeliveries, useFailingEndpoints } from '../attention.ts'
import { useEnvironmentPath, useMerchantAccess } from '../merchant.ts'
import { ENDPOINTS } from './webhook-endpoints.tsx'
import { webhooksTexts } from './webhooks-texts.ts'

const failingEndpointsTexts = texts({
  sw: {
    title: 'Anwani zisizopokea ujumbe',
    lead: 'Fungua anwani ili uone ujumbe wake na uutume tena seva yake ikirudi.',
    failed: 'Ujumbe usiopokelewa',
    since: 'Tangu',
    none: 'Hakuna anwani yenye tatizo',
    webhooks: 'Fungua ukurasa wa Webhook',
  },
  en: {
    title: 'Failing endpoints',
    lead: 'Open an endpoint to see its deliveries. When its server works again, send them again.',
    failed: 'Missed deliveries',
    since: 'Since',
    none: 'No endpoint fails',
    webhooks: 'Open the page Webhooks',
  },
})

/** Shows the endpoints that the frame has read. The list follows each read of the frame. */
export function FailingEndpointsPage() {
  const t = useTexts(failingEndpointsTexts)
  const words = useTexts(webhooksTexts)
  const errors = useTexts(deliveryErrors)
  const missed = useMissedText()
  const at = useEnvironmentPath()
  const { environment } = useMerchantAccess()
  const rows = useFailingEndpoints(environment)
  const endpoints = useRead(ENDPOINTS, {}, { keep: true }).data?.items ?? []
  const nameOf = (id: string) =>
    id === 'default' ? words.endpoint_default : endpoints.find((endpoint) => endpoint.id === id)?.description
  const columns: Column<FailingWebhook>[] = [
    {
      label: words.endpoint,
      show: ({ endpoint_id, webhook_url }) => (
        <Stack gap={0} className="long-mono">
          <strong>{nameOf(endpoint_id)}</strong>
          {webhook_url === null ? null : <Mono>{webhook_url}</Mono>}
        </Stack>
      ),
      wide: true,
    },
    {
      label: t.failed,
      show: ({ failed, given_up, next_attempt_at }) => missed({ failed, given_up, next_at: next_attempt_at }),
    },
    { label: t.since, show: ({ oldest_at }) => <Time time={oldest_at} /> },
    {
      label: words.last,
      show: ({ last_status_code, last_error }) =>
        last_status_code === null ? (errors[last_error ?? ''] ?? words.none_code) : `HTTP ${last_status_code}`,
    },
  ]
  return (
    <Page title={t.title} lead={t.lead}>
      {rows === undefined ? (
        <LoadingRows />
      ) : rows.length === 0 ? (
        <EmptyState title={t.none} done action={<PageButton to={at('webhooks')}>{t.webhooks}</PageButton>} />
      ) : (
        <Table
          label={t.title}
          rows={rows}
          columns={columns}
          rowKey={({ endpoint_id }) => endpoint_id}
          href={(row) => at(failedDeliveries(row))}
        />
      )}
    </Page>
  )
}
