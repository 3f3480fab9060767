// Shows the problems and waiting records that the member should look at now, each with a link to the records.

import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { FailingFacts } from '../../ui/failing.tsx'
import { Icon } from '../../ui/icons.tsx'
import { useTexts } from '../../ui/language.ts'
import { Amount, Mono, PageLink, Time } from '../../ui/parts.tsx'
import { dayOf, showAmount, showCount } from '../../ui/show.ts'
import { type AttentionItem, useAttention } from '../attention.ts'
import { useHasRole } from '../merchant.ts'
import { attentionTexts } from './attention-texts.ts'

/**
 * The sentence, the link and the facts of an item. `to` is a path below the environment. Null means that the member's role has
 * no page for the item.
 */
type AttentionLine = { text: string; to: string | null; open: string; facts: ReactNode }

/**
 * Shows the items that the frame has read. The element exists also without items, so that screen readers announce new items.
 */
export function Attention() {
  const t = useTexts(attentionTexts)
  const items = useAttention()
  return (
    <div role="status">
      {items.length === 0 ? null : (
        <section className="attention" aria-labelledby="attention-title">
          <Title order={2} id="attention-title">
            {t.title}
          </Title>
          <ul>
            {items.map((item) => (
              <AttentionRow
                key={`${item.kind} ${item.environment} ${item.status} ${item.webhook?.endpoint_id}`}
                item={item}
              />
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function AttentionRow({ item }: { item: AttentionItem }) {
  const t = useTexts(attentionTexts)
  const { text, to, open, facts } = useLine(item)
  return (
    <li>
      <Icon name="alert" size={20} />
      <div className="attention-text">
        <p>
          <strong>{text}</strong>
        </p>
        {facts}
        {to === null ? <p className="beside">{t.webhooks_ask}</p> : null}
      </div>
      {to === null ? null : (
        <PageLink to={`${item.environment}/${to}`} className="attention-open">
          {open}
        </PageLink>
      )}
    </li>
  )
}

/** Returns the path of the endpoint's failed deliveries, or of the pending ones while the server retries all of them. */
function failedDeliveries({ endpoint_id, given_up }: NonNullable<AttentionItem['webhook']>): string {
  return `webhooks?endpoint_id=${endpoint_id}&status=${given_up > 0 ? 'failed' : 'pending'}`
}

function useLine(item: AttentionItem): AttentionLine {
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
      const facts =
        item.webhook === null ? null : (
          <FailingFacts
            failing={item.webhook}
            extraFact={[
              t.address,
              item.webhook.webhook_url === null ? '–' : <Mono key="url">{item.webhook.webhook_url}</Mono>,
              'wide',
            ]}
          />
        )
      const to = item.webhook === null ? 'webhooks' : failedDeliveries(item.webhook)
      return of(t.webhooks_failing[item.environment], develops ? to : null, t.webhooks_open, facts)
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
