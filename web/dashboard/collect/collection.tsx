// Shows one payment: its status, its timeline, and a button that queries the provider.

import { Button, Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useAction, useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/list.tsx'
import { Amount, Chip, FactList, Mono, Page, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { useMetadataFact } from '../metadata.tsx'
import { Raw } from '../raw.tsx'
import { Timeline } from '../timeline.tsx'
import { collectionTexts } from './collection-texts.ts'

type CollectionDetail = Calls['GET /v1/collections/{collection_id}']['data']

/** Shows the page of one collection. */
export function Collection() {
  const t = useTexts(collectionTexts)
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const params = { collection_id: id }
  const read = useRead('GET /v1/collections/{collection_id}', { params }, { live: true, keep: true })
  const record = read.data
  const title = record === undefined ? t.title : t.title_of(showAmount(record.amount, record.currency))
  return (
    <Page title={title} actions={record ? <Actions record={record} /> : null}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {record === undefined && !read.error ? <LoadingRows /> : null}
      {record ? (
        <Stack gap="lg">
          <CollectionStatus record={record} />
          <Timeline name="GET /v1/collections/{collection_id}/timeline" params={params} />
          <details className="disclosed">
            <summary>{t.raw}</summary>
            <Raw text={JSON.stringify(record, null, 2)} label={t.raw} copy={t.copy_raw} />
          </details>
        </Stack>
      ) : null}
    </Page>
  )
}

function Actions({ record }: { record: CollectionDetail }) {
  const t = useTexts(collectionTexts)
  if (record.payment_url === null) return null
  return (
    <Button component="a" variant="default" href={record.payment_url} target="_blank" rel="noreferrer">
      {t.open_page}
    </Button>
  )
}

function CollectionStatus({ record }: { record: CollectionDetail }) {
  const t = useTexts(collectionTexts)
  const words = useWords()
  const metadata = useMetadataFact(record.metadata)
  const { status, amount, amount_received, currency, foreign_amount, foreign_currency } = record
  const differs = amount_received !== null && amount_received !== amount
  return (
    <section className="panel" aria-labelledby="status-title">
      <Title order={2} id="status-title">
        {t.status_title}
      </Title>
      <Stack gap="sm">
        <div role="status">
          <Chip tone={toneOf(status)}>{words.collection(status)}</Chip> <span>{t.means[status]}</span>
        </div>
        <FactList
          facts={[
            [t.amount, <Amount key="" value={amount} currency={currency} />],
            foreign_amount === null || foreign_currency === null
              ? null
              : [t.foreign_received, <Amount key="" value={foreign_amount} currency={foreign_currency} />],
            differs ? [t.received, <Amount key="" value={amount_received} currency={currency} />] : null,
            [t.method, words.method(record.method)],
            [t.reference, record.reference ?? '–'],
            record.failure_reason_code === null ? null : [t.reason, words.reason(record.failure_reason_code)],
            [
              t.provider_status,
              record.provider_payment_status === null ? '–' : <Mono key="">{record.provider_payment_status}</Mono>,
            ],
            [t.created, <Time key="" time={record.created_at} seconds />],
            [t.updated, <Time key="" time={record.updated_at} seconds />],
            metadata,
            [t.id, <Mono key="">{record.collection_id}</Mono>],
          ]}
        />
        <Refresh record={record} />
      </Stack>
    </section>
  )
}

/**
 * Shows a button that queries the provider. If the collection has no attempt, shows a text, because no provider has the
 * collection.
 */
function Refresh({ record }: { record: CollectionDetail }) {
  const t = useTexts(collectionTexts)
  const words = useWords()
  const act = useAction('POST /v1/collections/{collection_id}/refresh-status')
  const [before, setBefore] = useState(record.status)
  const refresh = () => {
    setBefore(record.status)
    act.mutate({ params: { collection_id: record.collection_id } })
  }
  if (record.method === null) return <Text size="sm">{t.no_attempt_yet}</Text>
  const now = act.data?.status
  return (
    <Stack gap="xs" align="flex-start">
      <Button variant="default" loading={act.isPending} onClick={refresh}>
        {t.refresh}
      </Button>
      <Text size="sm" role="status">
        {now === undefined
          ? ''
          : now === before
            ? t.unchanged(words.collection(now))
            : t.changed(words.collection(now))}
      </Text>
      <Problem error={act.error} retry={refresh} />
    </Stack>
  )
}
