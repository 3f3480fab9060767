// Shows the merchants whose servers do not accept webhooks, so that an operator can inform these merchants.

import { NativeSelect, Text } from '@mantine/core'
import { useRead } from '../../ui/data.ts'
import { FailingFacts } from '../../ui/failing.tsx'
import { texts, useTexts } from '../../ui/language.ts'
import { useListQuery } from '../../ui/list.tsx'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { EmptyState, Mono, Page, PageLink } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'

const webhooksTexts = texts({
  sw: {
    title: 'Webhook zinazoshindwa',
    lead: 'Biashara ambayo seva yake imekosa ujumbe mmoja mara mbili au zaidi na haijapokea mwingine tangu hapo. Ujumbe unabaki; biashara inaweza kuutuma tena.',
    address: 'Anwani',
    environment: 'Mazingira',
    both: 'Yote',
    empty: 'Hakuna zinazoshindwa',
    teach:
      'Hakuna biashara yenye ujumbe uliokosa mara mbili katika siku 7 zilizopita bila kupokea mwingine tangu hapo.',
  },
  en: {
    title: 'Failing webhooks',
    lead: 'Merchants whose server failed one delivery twice or more and has accepted no delivery since. Our server keeps the events; the merchant can send the events again.',
    address: 'Address',
    environment: 'Environment',
    both: 'Both',
    empty: 'No failing webhooks',
    teach: 'In the last 7 days, each server that failed a delivery twice has accepted a later delivery.',
  },
})

/** Shows the failing endpoints of the merchants. The operator can choose one environment or both. */
export function FailingMerchants() {
  const t = useTexts(webhooksTexts)
  const parts = useTexts(partsTexts)
  const read = useRead('GET /v1/operator/webhooks/failing', {}, { live: true, keep: true })
  const list = useListQuery([])
  const { environment = '' } = list.search
  const items = read.data?.items.filter((one) => environment === '' || one.environment === environment)
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <NativeSelect
          label={t.environment}
          data={[
            { value: '', label: t.both },
            { value: 'live', label: parts.environment_live },
            { value: 'sandbox', label: parts.environment_sandbox },
          ]}
          value={environment}
          onChange={(event) => list.set({ environment: event.currentTarget.value })}
        />
      }
    >
      <Problem error={read.error} retry={() => void read.refetch()} />
      {read.isPending && !read.error ? <LoadingRows /> : null}
      {items?.length === 0 ? <EmptyState title={t.empty}>{t.teach}</EmptyState> : null}
      {items?.map((one) => (
        <section key={`${one.merchant_id} ${one.environment} ${one.endpoint_id}`} className="panel">
          <Text fw={600} mb="xs" component="h2">
            <PageLink to={`merchants/${one.merchant_id}`}>{one.name}</PageLink> ·{' '}
            {one.environment === 'live' ? parts.environment_live : parts.environment_sandbox}
          </Text>
          <FailingFacts
            failing={one}
            extraFact={[t.address, one.webhook_url === null ? '–' : <Mono key="url">{one.webhook_url}</Mono>, 'wide']}
          />
        </section>
      ))}
    </Page>
  )
}
