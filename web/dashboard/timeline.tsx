// Shows the timeline of one payment or withdrawal.

import './timeline.css'
import { Button, Text, Title } from '@mantine/core'
import { type ReactNode, useId, useState } from 'react'
import type { Calls } from '../ui/api-types.ts'
import { useRead } from '../ui/data.ts'
import { deliveryErrors } from '../ui/delivery-errors.ts'
import { DeliveryState, type SentThing } from '../ui/delivery-state.tsx'
import { useTexts } from '../ui/language.ts'
import { LoadingRows } from '../ui/loading-rows.tsx'
import { FactList, Mono, PageLink, Time, type Tone } from '../ui/parts.tsx'
import { postingWords } from '../ui/posting-words.ts'
import { Problem } from '../ui/problem.tsx'
import { showAmount, showDuration } from '../ui/show.ts'
import { toneOf, useWords } from '../ui/words.ts'
import { useEnvironmentPath, useHasRole } from './merchant.ts'
import { timelineTexts } from './timeline-texts.ts'

const CALLS = [
  'GET /v1/collections/{collection_id}/timeline',
  'GET /v1/merchant/withdrawals/{withdrawal_id}/timeline',
] as const
type TimelineCall = (typeof CALLS)[number]
type TimelineItem = Calls[TimelineCall]['data']['items'][number]
type AttemptedWebhook = Extract<TimelineItem, { kind: 'webhook' }>
type TimelineEntry = {
  tone: Tone
  text: string
  /** The state of the delivery, on its newest attempt. */
  state?: SentThing | null
  /** The words of a person about this step, which stay visible. */
  quote?: string | null
  details: readonly (readonly [string, ReactNode] | null)[]
}

/** The steps that only developers and support staff need: requests of the API and attempts at the provider. */
const TECHNICAL: ReadonlySet<TimelineItem['kind']> = new Set(['request', 'attempt'])

/** Reads the timeline of a record, and reads it again every few seconds while the page is open. */
export function Timeline<Name extends TimelineCall>({ name, params }: { name: Name; params: Calls[Name]['params'] }) {
  const read = useRead<TimelineCall>(name, { params }, { live: true, keep: true })
  const kind = name.includes('/withdrawals/') ? 'withdrawal' : 'collection'
  return <TimelineView kind={kind} data={read.data} error={read.error} retry={() => void read.refetch()} />
}

/** Shows a timeline without its technical steps, which a button adds. Undefined as `data` means that no read has succeeded. */
export function TimelineView({
  kind,
  data,
  error,
  retry,
}: {
  kind: 'collection' | 'withdrawal'
  data: Calls[TimelineCall]['data'] | undefined
  error: unknown
  retry: () => void
}) {
  const t = useTexts(timelineTexts)
  const title_id = useId()
  const items = data?.items
  const describe = useTell(kind, newestAttempts(items ?? []), deliveryTimes(items ?? []))
  const [opened, setOpened] = useState(false)
  const keyed = withKeys(items ?? [])
  const plain = keyed.filter(({ item }) => !TECHNICAL.has(item.kind))
  // If the record has no other step, the timeline shows the technical steps immediately.
  const technical = plain.length === 0 ? 0 : keyed.length - plain.length
  const shown = opened || technical === 0 ? keyed : plain
  return (
    <section aria-labelledby={title_id} className="panel">
      <Title order={2} id={title_id}>
        {t.title}
      </Title>
      <Problem error={error} retry={retry} />
      {items === undefined && !error ? <LoadingRows /> : null}
      {data?.complete === false ? (
        <Text size="sm" mb="sm">
          {t.incomplete}
        </Text>
      ) : null}
      {items?.length === 0 ? <Text>{t.nothing}</Text> : null}
      {technical > 0 ? (
        <Button
          size="xs"
          variant="default"
          aria-pressed={opened}
          onClick={() => setOpened(!opened)}
          className="no-print"
        >
          {opened ? t.hide_technical : t.show_technical(technical)}
        </Button>
      ) : null}
      {shown.length > 0 ? (
        <ol className="timeline">
          {shown.map(({ item, key }) => (
            <TimelineRow key={key} item={item} entry={describe(item)} />
          ))}
        </ol>
      ) : null}
    </section>
  )
}

/**
 * Adds a key to each item: its kind, its time, and its number among the items with both. With this key, opened details stay open
 * when other items appear or disappear.
 */
function withKeys(items: readonly TimelineItem[]): { item: TimelineItem; key: string }[] {
  const counts = new Map<string, number>()
  return items.map((item) => {
    const name = `${item.kind} ${item.at}`
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return { item, key: `${name} ${count}` }
  })
}

function TimelineRow({ item, entry }: { item: TimelineItem; entry: TimelineEntry }) {
  const t = useTexts(timelineTexts)
  const details = entry.details.filter((one) => one !== null && one[1] !== null && one[1] !== undefined)
  return (
    <li className={`moment-${entry.tone}`}>
      <p className="moment-when">
        <Time time={item.at} /> · {t.kinds[item.kind]}
      </p>
      <p>
        {entry.text} {entry.state ? <DeliveryState of={entry.state} /> : null}
      </p>
      {entry.quote ? <p className="quoted">{entry.quote}</p> : null}
      {details.length > 0 ? (
        <details className="disclosed">
          <summary>{t.details}</summary>
          <FactList facts={details} />
        </details>
      ) : null}
    </li>
  )
}

/** The newest attempt of each webhook delivery. The items are in the order of their times. */
function newestAttempts(items: readonly TimelineItem[]): ReadonlySet<TimelineItem> {
  const webhooks = items.filter((item) => item.kind === 'webhook')
  return new Set(new Map(webhooks.map((item) => [item.delivery_id, item])).values())
}

/** The time of the first accepted attempt of each webhook delivery. */
function deliveryTimes(items: readonly TimelineItem[]): ReadonlyMap<string, string> {
  const accepted = items.filter((item) => item.kind === 'webhook' && item.delivered) as AttemptedWebhook[]
  return new Map(accepted.toReversed().map(({ delivery_id, at }) => [delivery_id, at]))
}

/** Returns the state of a delivery after its newest attempt. `delivered_at` is the time of its first accepted attempt. */
function webhookState(newest: AttemptedWebhook, delivered_at: string | null): SentThing {
  const { at: last_at, delivered, number, error, next_attempt_at: next_at } = newest
  const ended = delivered ? 'delivered' : error === 'endpoint_deleted' ? 'cancelled' : 'failed'
  const open = next_at !== null || number === 0
  return { status: open ? 'pending' : ended, attempts: number, next_at, delivered_at, last_at }
}

/**
 * Returns the function that describes an item in a sentence with details. `kind` selects the names of the statuses. `newest`
 * has the items that show the state of their webhook delivery, and `delivered` the times of accepted deliveries.
 */
function useTell(
  kind: 'collection' | 'withdrawal',
  newest: ReadonlySet<TimelineItem>,
  delivered: ReadonlyMap<string, string>,
): (item: TimelineItem) => TimelineEntry {
  const t = useTexts(timelineTexts)
  const postings = useTexts(postingWords)
  const words = useWords()
  const errors = useTexts(deliveryErrors)
  const at = useEnvironmentPath()
  const develops = useHasRole('MERCHANT_ADMIN', 'DEVELOPER')
  const leadTo = (path: string, label: string) =>
    develops ? <PageLink to={at(path)}>{label}</PageLink> : <Mono>{label}</Mono>
  const { labels } = t

  const providerOf = (name: string) => t.providers[name] ?? name
  const tellAttempt = (item: Extract<TimelineItem, { kind: 'attempt' }>): TimelineEntry => ({
    tone: item.what === 'answered' ? 'wait' : 'plain',
    text:
      item.what === 'created'
        ? t.attempt_created(item.number)
        : item.what === 'sent'
          ? t.attempt_sent(item.number, providerOf(item.provider))
          : t.attempt_answered(item.number, providerOf(item.provider)),
    details: [
      [labels.provider, providerOf(item.provider)],
      [labels.method, words.method(item.method)],
      [labels.provider_reference, <Mono key="">{item.provider_reference}</Mono>],
      item.provider_status === null ? null : [labels.provider_status, words.provider_status(item.provider_status)],
    ],
  })
  const tellStatus = (item: Extract<TimelineItem, { kind: 'status' }>): TimelineEntry => {
    const word = kind === 'collection' ? words.collection : words.withdrawal
    const actor = t.actors[item.actor] ?? item.actor
    return {
      tone: toneOf(item.to),
      text: item.from === null ? t.began(word(item.to), actor) : t.moved(word(item.from), word(item.to), actor),
      // A person may have written a text that is also a code of the provider.
      quote:
        kind === 'withdrawal' && item.reason
          ? item.actor === 'provider'
            ? words.report(item.reason)
            : item.reason
          : null,
      details: [kind === 'collection' && item.reason ? [labels.reason, words.report(item.reason)] : null],
    }
  }
  const tellTransfer = (item: Extract<TimelineItem, { kind: 'transfer' }>): TimelineEntry => ({
    tone: item.credit === 'available' ? 'good' : 'plain',
    text: tellMove(t, item),
    details: [
      item.reference === null
        ? null
        : [
            labels.transaction,
            <PageLink key="" to={at(`transactions/${item.reference}`)}>
              {item.reference}
            </PageLink>,
          ],
      [labels.posting, postings[item.posting] ?? item.posting],
    ],
  })
  const tellWebhook = (item: AttemptedWebhook): TimelineEntry => {
    const sent = item.number > 0
    return {
      tone: item.delivered ? 'good' : sent ? 'bad' : 'wait',
      text: item.delivered
        ? t.webhook_delivered(item.event)
        : sent
          ? t.webhook_failed(item.event)
          : t.webhook_waits(item.event),
      state: newest.has(item) ? webhookState(item, delivered.get(item.delivery_id) ?? null) : null,
      details: [
        [labels.delivery, leadTo(`webhooks/deliveries/${item.delivery_id}`, item.delivery_id)],
        sent ? [labels.number, item.number] : null,
        sent ? [labels.answer, item.status_code ?? t.no_answer] : null,
        item.error ? [labels.error, errors[item.error] ?? item.error] : null,
        item.duration_ms === null ? null : [labels.duration, showDuration(item.duration_ms)],
      ],
    }
  }
  return (item) => {
    if (item.kind === 'attempt') return tellAttempt(item)
    if (item.kind === 'status') return tellStatus(item)
    if (item.kind === 'transfer') return tellTransfer(item)
    if (item.kind === 'webhook') return tellWebhook(item)
    return {
      tone: item.status < 400 ? 'plain' : 'bad',
      text: t.request(`${item.method} ${item.path}`, item.status),
      details: [
        [labels.request, leadTo(`requests/${item.id}`, item.request_id)],
        [labels.duration, showDuration(item.duration_ms)],
      ],
    }
  }
}

function tellMove(
  t: (typeof timelineTexts)['en'],
  { debit, credit, amount }: { debit: string; credit: string; amount: string },
): string {
  const shown = showAmount(amount)
  if (credit === 'fee_income') return t.fee(shown)
  if (debit === 'provider_float' && credit === 'available') return t.received(shown)
  if (debit === 'provider_float' && credit === 'held') return t.held(shown)
  if (debit === 'available' && credit === 'reserved') return t.reserved(shown)
  if (debit === 'reserved' && credit === 'available') return t.returned(shown)
  if (credit === 'provider_float') return t.left(shown)
  return t.transfer(shown, t.accounts[debit] ?? debit, t.accounts[credit] ?? credit)
}
