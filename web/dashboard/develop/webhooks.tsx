// Shows the page about webhooks: the configuration, a test, the further endpoints and the deliveries.

import { Button, Group, Stack, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Refused } from '../../ui/api.ts'
import { useCall, useRead } from '../../ui/data.ts'
import { deliveryErrors } from '../../ui/delivery-errors.ts'
import { useStateWords } from '../../ui/delivery-state.tsx'
import { useChosenKey } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, useListQuery } from '../../ui/list.tsx'
import type { BulkAct } from '../../ui/list-bulk.tsx'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { EmptyState, Page, Time } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toast.tsx'
import { hasSendNow, useWebhookItems } from '../attention.ts'
import { AttentionList } from '../home/attention.tsx'
import { useEnvironmentPath, useMerchantAccess } from '../merchant.ts'
import { refusalTexts } from '../refusal-texts.ts'
import { useDeliveryPace } from './delivery-pace.ts'
import { AttemptResult, canSendDelivery, DeliveryStatus, EventName, type WebhookDelivery } from './delivery-parts.tsx'
import { ReplaySince, type ReplayStart } from './replay-since.tsx'
import { WebhookConfig } from './webhook-config.tsx'
import { ENDPOINTS, endpointLabel, WebhookEndpoints } from './webhook-endpoints.tsx'
import { useEndpointTest, WebhookTest } from './webhook-test.tsx'
import { EVENTS, webhooksTexts } from './webhooks-texts.ts'

/** Shows the page after the first read of the configuration. A merchant without a configuration cannot send a test. */
export function Webhooks() {
  const t = useTexts(webhooksTexts)
  const config = useRead('GET /v1/merchant/webhook-config')
  const { environment } = useMerchantAccess()
  const items = useWebhookItems(environment) ?? []
  const endpoints = useRead(ENDPOINTS, {}, { keep: true }).data?.items.filter(({ id }) => id !== 'default') ?? []
  const tester = useEndpointTest()
  const warning = useRef<HTMLDivElement>(null)
  // Each press of the button in the warning opens the form of the endpoint again.
  const [{ endpoint_id, presses }, setChange] = useState({ endpoint_id: 'default', presses: 0 })
  // If the merchant has saved no configuration, the API answers 404. The page treats this answer as an empty configuration.
  const none = config.error instanceof Refused && config.error.status === 404
  // During the next read, the query has neither the 404 nor data. The page stays open, because it may show a new secret.
  const [opened, setOpened] = useState(false)
  if (!opened && (none || config.data !== undefined)) setOpened(true)
  if (!opened && config.data === undefined && !none) {
    return (
      <Page title={t.title} lead={t.lead}>
        {config.error ? <Problem error={config.error} retry={() => void config.refetch()} /> : <LoadingRows />}
      </Page>
    )
  }
  return (
    <Page title={t.title} lead={t.lead}>
      <div className="attention-with-result" ref={warning} tabIndex={-1}>
        <AttentionList
          items={items}
          linked={false}
          steps={(webhook) => (
            <Group gap="xs" className="attention-act">
              <Button size="xs" variant="default" loading={tester.busy} onClick={() => tester.send(webhook)}>
                {t.send_test}
              </Button>
              <Button
                size="xs"
                variant="default"
                onClick={() => setChange({ endpoint_id: webhook.endpoint_id, presses: presses + 1 })}
              >
                {t.change_address}
              </Button>
            </Group>
          )}
        />
        <Problem error={tester.error} />
        {tester.view}
      </div>
      <WebhookConfig
        config={config.data ?? null}
        others={endpoints.length}
        change={endpoint_id === 'default' ? presses : 0}
        missed={hasSendNow(items, 'default') ? warning : null}
      />
      {config.data === undefined ? null : <WebhookTest />}
      <WebhookEndpoints change={endpoint_id === 'default' ? null : { endpoint_id, presses }} />
      <Deliveries />
    </Page>
  )
}

/**
 * Returns the first values of the form that sends deliveries again: those of the endpoint that the filter selects. Without a
 * filter, returns those of the only endpoint with missed deliveries.
 */
function useReplayStart(chosen: string | number | undefined): ReplayStart {
  const { environment } = useMerchantAccess()
  const missed = useWebhookItems(environment)?.flatMap(({ webhook }) => (webhook === null ? [] : [webhook])) ?? []
  const [found, ...others] = missed.filter(({ endpoint_id }) => chosen === undefined || endpoint_id === chosen)
  if (others.length > 0) return { endpoint_id: '', since: null }
  return { endpoint_id: found?.endpoint_id ?? String(chosen ?? ''), since: found?.oldest_at ?? null }
}

/** Returns the action that sends the selected deliveries again in one call. Deliveries that the server does not send stay selected. */
function useDeliveriesBulk(): BulkAct<WebhookDelivery> {
  const t = useTexts(webhooksTexts)
  const errors = useTexts(deliveryErrors)
  const refusals = useTexts(refusalTexts)
  const call = useCall()
  const queries = useQueryClient()
  const { onceFor, settle } = useChosenKey()
  const send = async (delivery_ids: string[]) => {
    try {
      const once = onceFor(delivery_ids)
      const { items } = await call('POST /v1/merchant/webhook-resends', { body: { delivery_ids }, once })
      settle(null)
      return items.flatMap(({ deliveries }) => deliveries)
    } catch (error) {
      settle(error)
      throw error
    } finally {
      void queries.invalidateQueries()
    }
  }
  return {
    label: t.replay_selected,
    can: canSendDelivery,
    select: ({ id, event }) => t.select_delivery(t.event[event] ?? event, id.slice(0, 8)),
    run: async (rows) => {
      const answers = await send(rows.map(({ id }) => id).sort())
      // Older phones have no Map.groupBy.
      const refused = new Map<string, number>()
      for (const { refusal } of answers) {
        if (refusal === null) continue
        const reason = refusal === 'endpoint_deleted' ? (errors.endpoint_deleted ?? refusal) : refusals[refusal]
        refused.set(reason, (refused.get(reason) ?? 0) + 1)
      }
      const reasons = [...refused].map(([reason, count]) => t.not_replayed(count, reason))
      const sent = new Set(answers.filter(({ refusal }) => refusal === null).map(({ id }) => id))
      // The result is a toast, because the bar is empty if no row of the list allows the action any more.
      showToast([t.replayed_selected(sent.size), ...reasons].join(' '))
      return rows.map(({ id }) => id).filter((id) => !sent.has(id))
    },
  }
}

function Deliveries() {
  const t = useTexts(webhooksTexts)
  const parts = useTexts(partsTexts)
  const at = useEnvironmentPath()
  // The form keeps its first values, because the warning ends when the endpoint works again.
  const [replaying, setReplaying] = useState<ReplayStart | null>(null)
  const endpoints = useRead(ENDPOINTS, {}, { keep: true }).data?.items ?? []
  const names = new Map(endpoints.map((one) => [one.id, endpointLabel(one, t.endpoint_default)]))
  const { delivered, failed, cancelled, open } = useStateWords()
  const filters: ListFilter[] = [
    {
      name: 'status',
      label: t.status,
      kind: 'choice',
      choices: Object.entries({ pending: open, delivered, failed, cancelled }),
    },
    { name: 'event', label: t.event_name, kind: 'choice', choices: EVENTS.map((one) => [one, t.event[one] ?? one]) },
    { name: 'endpoint_id', label: t.endpoint, kind: 'choice', choices: [...names], named: true },
    { name: 'from', label: parts.from, kind: 'day', edge: 'from' },
    { name: 'to', label: parts.to, kind: 'day', edge: 'to' },
  ]
  const list = useListQuery(filters)
  const read = useRead(
    'GET /v1/merchant/webhook-deliveries',
    { query: list.query },
    { live: useDeliveryPace(), keep: true },
  )
  const columns: Column<WebhookDelivery>[] = [
    { label: t.time, show: (row) => <Time time={row.created_at} /> },
    { label: t.event_name, show: (row) => <EventName row={row} /> },
    ...(endpoints.length > 1
      ? [
          {
            label: t.endpoint,
            show: (row: WebhookDelivery) => names.get(row.endpoint_id) ?? t.endpoint_removed,
          },
        ]
      : []),
    { label: t.status, show: (row) => <DeliveryStatus row={row} /> },
    { label: t.last, show: (row) => <AttemptResult attempt={row.attempts.at(-1)} /> },
  ]
  const heading = useRef<HTMLHeadingElement>(null)
  // Other pages link to the failed deliveries of one endpoint, and this list is far below the top of the page.
  const [linked] = useState(list.query.endpoint_id !== undefined && list.query.status !== undefined)
  const ready = linked && read.data !== undefined && endpoints.length > 0
  useEffect(() => {
    if (!ready) return
    // The page scrolls to its top after the effects of its parts, so the list waits for the next frame.
    const frame = requestAnimationFrame(() => {
      heading.current?.focus({ preventScroll: true })
      heading.current?.scrollIntoView()
    })
    return () => cancelAnimationFrame(frame)
  }, [ready])
  const bulk = useDeliveriesBulk()
  const any = (read.data?.pagination.total_items ?? 0) > 0
  const start = useReplayStart(list.query.endpoint_id)
  return (
    <section aria-labelledby="deliveries">
      <Stack gap="md">
        <div className="row">
          <Title order={2} id="deliveries" ref={heading} tabIndex={-1}>
            {t.deliveries}
          </Title>
          {any ? (
            <Button variant="default" onClick={() => setReplaying(start)}>
              {t.replay_since}
            </Button>
          ) : null}
        </div>
        <List
          label={t.deliveries}
          {...{ read, list, filters, columns, bulk }}
          rowKey={(row) => row.id}
          href={(row) => at(`webhooks/deliveries/${row.id}`)}
          empty={<EmptyState title={t.empty}>{t.teach}</EmptyState>}
        />
      </Stack>
      <ReplaySince
        open={replaying !== null}
        close={() => setReplaying(null)}
        endpoints={[...names]}
        start={replaying ?? start}
      />
    </section>
  )
}
