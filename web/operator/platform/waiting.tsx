// Shows the payments and payouts without a final answer of the provider, the oldest first.

import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { texts, useLanguage, useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, useListQuery } from '../../ui/list.tsx'
import { Chip, EmptyState, Page, Reference, Time } from '../../ui/parts.tsx'
import { showAge } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { MERCHANT_FILTER, MerchantFilter } from '../merchant-filter.tsx'
import { useProviderName } from '../provider-names.ts'

type UnansweredRow = Calls['GET /v1/operator/waiting']['data']['items'][number]

const waitingTexts = texts({
  sw: {
    title: 'Yanayomsubiri mtoa huduma',
    lead: 'Malipo na utoaji pesa ambao mtoa huduma hajatoa jibu la mwisho. Seva inamuuliza mtoa huduma tena kabla ya kutuma malipo au utoaji pesa tena.',
    kind: 'Aina',
    kinds: { collection: 'Malipo', payout: 'Utoaji pesa' } as Record<string, string>,
    since: 'Umesubiri',
    merchant: 'Biashara',
    provider: 'Mtoa huduma',
    reference: 'Namba ya kumbukumbu kwa mtoa huduma',
    provider_status: 'Hali kwa mtoa huduma',
    asks: (count: number) => `Ameulizwa mara ${count}`,
    next: 'Ataulizwa tena',
    empty: 'Hakuna kinachosubiri',
    teach: 'Kwa sasa hakuna malipo wala utoaji pesa unaosubiri jibu la mwisho.',
  },
  en: {
    title: 'Waiting for a provider',
    lead: 'Payments and payouts without a final answer. The server queries the provider before it sends a payment or payout again.',
    kind: 'Kind',
    kinds: { collection: 'Payment', payout: 'Payout' },
    since: 'Waiting for',
    merchant: 'Merchant',
    provider: 'Provider',
    reference: 'Reference at the provider',
    provider_status: 'Provider status',
    asks: (count: number) => (count === 1 ? 'Queried once' : `Queried ${count} times`),
    next: 'Next query',
    empty: 'Nothing is waiting',
    teach: 'No payment or payout waits for a final answer now.',
  },
})

/**
 * Shows the list with filters for kind, provider and merchant. While the page is open, it reads the list again every few
 * seconds.
 */
export function WaitingForProvider() {
  const t = useTexts(waitingTexts)
  const language = useLanguage()
  const words = useWords()
  const providerName = useProviderName()
  const providers = useRead('GET /v1/operator/providers').data?.providers ?? []
  const filters: ListFilter[] = [
    { name: 'kind', label: t.kind, kind: 'choice', choices: Object.entries(t.kinds) },
    {
      name: 'provider',
      label: t.provider,
      kind: 'choice',
      choices: providers.map(({ name }) => [name, providerName(name)] as const),
    },
  ]
  const list = useListQuery([...filters, MERCHANT_FILTER])
  const read = useRead('GET /v1/operator/waiting', { query: list.query }, { live: true, keep: true })
  const columns: Column<UnansweredRow>[] = [
    {
      label: t.kind,
      show: (row) => t.kinds[row.kind] ?? row.kind,
    },
    {
      label: t.since,
      show: (row) => (
        <span>
          {showAge(row.created_at, language)}{' '}
          {row.environment === 'sandbox' ? <Chip tone="plain">{words.environment('sandbox')}</Chip> : null}
        </span>
      ),
    },
    { label: t.merchant, show: (row) => row.merchant_name },
    { label: t.provider, show: (row) => `${providerName(row.provider)}, ${words.method(row.method)}` },
    { label: t.reference, show: (row) => <Reference text={row.provider_reference} /> },
    {
      label: t.provider_status,
      show: (row) => `${words.provider_status(row.provider_status)} · ${t.asks(row.asks)}`,
      optional: { name: 'provider_status' },
    },
    { label: t.next, show: (row) => <Time time={row.due_at} /> },
  ]
  return (
    <Page title={t.title} lead={t.lead}>
      <List
        label={t.title}
        {...{ read, list, filters, columns }}
        rowKey={(row) => row.id}
        href={(row) => `${row.kind === 'payout' ? 'withdrawals' : 'payments'}/${row.id}`}
        lines={(row) => ({
          title: t.kinds[row.kind] ?? row.kind,
          status: (
            <span>
              {showAge(row.created_at, language)}{' '}
              {row.environment === 'sandbox' ? <Chip tone="plain">{words.environment('sandbox')}</Chip> : null}
            </span>
          ),
          facts: [
            row.merchant_name,
            `${providerName(row.provider)}, ${words.method(row.method)}`,
            row.provider_reference,
            row.provider_status === null ? null : words.provider_status(row.provider_status),
            t.asks(row.asks),
          ],
        })}
        first={<MerchantFilter list={list} />}
        empty={<EmptyState title={t.empty}>{t.teach}</EmptyState>}
      />
    </Page>
  )
}
