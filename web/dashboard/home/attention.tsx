// Shows the problems and waiting records that the member should look at now, each with a link to the records.

import { Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useId } from 'react'
import '../../ui/attention.css'
import { deliveryErrors } from '../../ui/delivery-errors.ts'
import { FailingFacts } from '../../ui/failing.tsx'
import { Icon } from '../../ui/icons.tsx'
import { useTexts } from '../../ui/language.ts'
import { Amount, Mono, PageLink, Time } from '../../ui/parts.tsx'
import { dayOf, showAmount, showCount } from '../../ui/show.ts'
import { type AttentionItem, type FailingWebhook, failedDeliveries, useAttention } from '../attention.ts'
import { useHasRole } from '../merchant.ts'
import { MissedFacts, SendMissed } from '../send-missed.tsx'
import { attentionTexts } from './attention-texts.ts'

/**
 * The sentence, the link, the facts and the button of an item. `to` is a path below the environment. Null means that the
 * member's role has no page for the item.
 */
type AttentionLine = { text: string; to: string | null; open: string; facts: ReactNode; act?: ReactNode }

/**
 * Shows the items that the frame has read. The element exists also without items, so that screen readers announce new items.
 */
export function Attention() {
  const is_phone = useMediaQuery('(max-width: 40em)', false, { getInitialValueInEffect: false })
  return <AttentionList items={useAttention()} folds={is_phone} />
}

/**
 * Shows items. The failing endpoints of an environment share a line. `linked: false` leaves out the link of a line with one
 * item. `steps` returns the buttons that repair a failing endpoint, for members who may repair it. If `folds` is true, each item
 * shows its sentence and one action, and folds the rest.
 */
export function AttentionList({
  items,
  linked = true,
  steps,
  folds = false,
}: {
  items: readonly AttentionItem[]
  linked?: boolean
  steps?: EndpointSteps
  folds?: boolean
}) {
  const t = useTexts(attentionTexts)
  const title_id = useId()
  return (
    <div role="status">
      {items.length === 0 ? null : (
        <section className="attention" aria-labelledby={title_id}>
          <Title order={2} id={title_id}>
            {t.title}
          </Title>
          <ul>
            {attentionGroups(items).map(([item, ...others]) => (
              <AttentionRow key={groupOf(item)} {...{ item, others, linked, steps, folds }} />
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

/** Items that share a line. The failing endpoints of an environment share a line. */
type AttentionGroup = [AttentionItem, ...AttentionItem[]]

const groupOf = ({ kind, environment, status, webhook }: AttentionItem) =>
  `${kind} ${environment} ${status} ${kind === 'webhooks_failing' ? '' : webhook?.endpoint_id}`

function attentionGroups(items: readonly AttentionItem[]): AttentionGroup[] {
  const groups = new Map<string, AttentionGroup>()
  for (const item of items) {
    const group = groups.get(groupOf(item))
    if (group === undefined) groups.set(groupOf(item), [item])
    else group.push(item)
  }
  return [...groups.values()]
}

type EndpointSteps = (webhook: FailingWebhook) => ReactNode
type AttentionRowProps = {
  item: AttentionItem
  others: readonly AttentionItem[]
  linked: boolean
  steps: EndpointSteps | undefined
  folds: boolean
}

function AttentionRow({ item, others, linked, steps, folds }: AttentionRowProps) {
  const t = useTexts(attentionTexts)
  const { text, to, open, facts, act } = useLine(item, others)
  const link =
    to === null || (!linked && others.length === 0) ? null : (
      <PageLink to={`${item.environment}/${to}`} className="attention-open">
        {open}
      </PageLink>
    )
  const action = to === null ? <p className="beside">{t.webhooks_ask}</p> : act
  return (
    <li>
      <Icon name="alert" size={20} />
      <div className="attention-text">
        <p>
          <strong>{text}</strong>
        </p>
        {folds ? (action ?? link) : null}
        <AttentionFacts folds={folds && facts !== null} of={text}>
          {facts}
          {folds ? action && link : action}
        </AttentionFacts>
        {linked || act !== undefined || item.kind !== 'webhooks_failing' ? null : (
          <p className="beside attention-act">{t.webhooks_repair}</p>
        )}
        {to === null || others.length > 0 || item.kind !== 'webhooks_failing' || item.webhook === null
          ? null
          : steps?.(item.webhook)}
      </div>
      {folds ? null : link}
    </li>
  )
}

/** Shows the facts of an item. If `folds` is true, a button opens them, which names the item for screen readers. */
function AttentionFacts({ folds, of, children }: { folds: boolean; of: string; children: ReactNode }) {
  const t = useTexts(attentionTexts)
  if (!folds) return children
  return (
    <details className="disclosed attention-more">
      <summary>
        {t.details}
        <span className="unseen">: {of}</span>
      </summary>
      {children}
    </details>
  )
}

function useLine(item: AttentionItem, others: readonly AttentionItem[]): AttentionLine {
  const t = useTexts(attentionTexts)
  const develops = useHasRole('MERCHANT_ADMIN', 'DEVELOPER')
  const count = showCount(item.count)
  const since = (
    <p className="beside">
      {item.amount === null ? null : (
        <>
          <Amount value={item.amount} />
          {' · '}
        </>
      )}
      {t.since} <Time time={item.since} />
    </p>
  )
  const of = (text: string, to: string | null, open: string, facts: ReactNode): AttentionLine => ({
    text,
    to,
    open,
    facts,
  })
  switch (item.kind) {
    case 'webhooks_failing': {
      if (others.length > 0) {
        const text = t.webhooks_several[item.environment](showCount(1 + others.length))
        return of(
          text,
          develops ? 'webhooks/failing' : null,
          t.webhooks_list,
          <SeveralFacts items={[item, ...others]} />,
        )
      }
      const facts =
        item.webhook === null ? null : (
          <FailingFacts
            failing={item.webhook}
            changed={item.webhook.changed}
            extraFact={[
              t.address,
              item.webhook.webhook_url === null ? '–' : <Mono key="url">{item.webhook.webhook_url}</Mono>,
              'wide',
            ]}
          />
        )
      // Without a status in its address, the page opens at its top, where the buttons are that repair the endpoint.
      const to = item.webhook === null ? 'webhooks' : `webhooks?endpoint_id=${item.webhook.endpoint_id}`
      const changed = item.webhook?.changed ?? false
      const text = (changed ? t.webhooks_changed_title : t.webhooks_failing)[item.environment]
      const line = of(text, develops ? to : null, t.webhooks_mend, facts)
      return changed && item.webhook !== null ? { ...line, act: <ChangedEndpoint webhook={item.webhook} /> } : line
    }
    case 'webhooks_retrying':
    case 'webhooks_waiting': {
      const { kind, environment, webhook } = item
      const to = !develops ? null : webhook === null ? 'webhooks' : failedDeliveries(webhook)
      const line = of(
        t[kind][environment],
        to,
        t.webhooks_open,
        webhook === null ? null : <RetryFacts {...{ kind, webhook }} />,
      )
      return kind === 'webhooks_waiting' && webhook !== null ? { ...line, act: <SendMissed webhook={webhook} /> } : line
    }
    case 'withdrawals_info_requested':
      return of(t.info_requested(count), `withdrawals?status=${item.status}`, t.info_open, since)
    case 'withdrawals_in_doubt':
      return of(t.in_doubt(count), `withdrawals?status=${item.status}`, t.in_doubt_open, since)
    case 'payments_held':
      return of(t.held(count), `collections?status=${item.status}`, t.held_open, since)
    case 'success_rate_low': {
      const text = t.rate(item.rate ?? '', item.rate_before ?? '')
      return of(text, `collections?status=failed&from=${dayOf(new Date())}`, t.rate_open, null)
    }
    case 'balance_low': {
      const facts = (
        <p className="beside">
          <Amount value={item.amount} />
        </p>
      )
      return of(t.balance(showAmount(item.limit ?? '0')), 'transactions', t.balance_open, facts)
    }
    case 'keys_expiring': {
      const facts = (
        <p className="beside">
          {t.first_ends} <Time time={item.since} />
        </p>
      )
      return of(t.keys(count), develops ? 'keys' : null, t.keys_open, facts)
    }
  }
}

/** Says that a member or an API key changed the failing endpoint, and offers to send the missed deliveries. */
function ChangedEndpoint({ webhook }: { webhook: FailingWebhook }) {
  const t = useTexts(attentionTexts)
  return (
    <>
      <p className="beside attention-act">{t.webhooks_changed}</p>
      <SendMissed webhook={webhook} />
    </>
  )
}

/** Shows the address of an endpoint, the deliveries that it missed, and the last answer. */
function RetryFacts({ kind, webhook }: { kind: AttentionItem['kind']; webhook: FailingWebhook }) {
  const errors = useTexts(deliveryErrors)
  const { webhook_url, last_status_code, last_error } = webhook
  const answer = last_status_code === null ? (errors[last_error ?? ''] ?? last_error) : `HTTP ${last_status_code}`
  return (
    <>
      {webhook_url === null ? null : (
        <p className="beside">
          <Mono>{webhook_url}</Mono>
        </p>
      )}
      <MissedFacts webhook={webhook} />
      {kind === 'webhooks_waiting' ? null : <p className="beside">{answer}</p>}
    </>
  )
}

/** Shows the missed deliveries of several endpoints, and the time of the oldest one. */
function SeveralFacts({ items }: { items: readonly AttentionItem[] }) {
  const t = useTexts(attentionTexts)
  const webhooks = items.flatMap(({ webhook }) => (webhook === null ? [] : [webhook]))
  const [next_attempt_at = null] = webhooks.flatMap((one) => one.next_attempt_at ?? []).sort()
  const [oldest = null] = items.flatMap(({ since }) => (since === null ? [] : [since])).sort()
  const sum = (field: 'failed' | 'given_up') => webhooks.reduce((total, one) => total + one[field], 0)
  return (
    <>
      <MissedFacts webhook={{ failed: sum('failed'), given_up: sum('given_up'), next_attempt_at }} />
      <p className="beside">
        {t.since} <Time time={oldest} />
      </p>
    </>
  )
}
