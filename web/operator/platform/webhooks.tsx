// Merchants whose server does not take their events: somebody should tell them.

import { Text } from '@mantine/core'
import { useRead } from '../../ui/data.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { Waiting } from '../../ui/list.tsx'
import { Empty, FactList, Go, Mono, Page, When } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showCount } from '../../ui/show.ts'

const webhooksTexts = texts({
  sw: {
    title: 'Webhook zinazoshindwa',
    lead: 'Biashara ambazo seva yao haijapokea taarifa katika saa 24 zilizopita. Taarifa zinabaki; biashara inaweza kuzituma tena.',
    failed: 'Zilizoshindwa',
    last: 'Ya mwisho',
    address: 'Anwani',
    empty: 'Hakuna zinazoshindwa',
    teach: 'Kila biashara imepokea taarifa zake katika saa 24 zilizopita.',
  },
  en: {
    title: 'Failing webhooks',
    lead: 'Merchants whose server has not taken events in the last 24 hours. The events are kept; the merchant can send them again.',
    failed: 'Failed',
    last: 'Last one',
    address: 'Address',
    empty: 'None fails',
    teach: 'Every merchant has taken its events in the last 24 hours.',
  },
})

/** Merchants with failing webhooks. */
export function FailingWebhooks() {
  const t = useTexts(webhooksTexts)
  const read = useRead('GET /v1/operator/webhooks/failing', {}, { live: true })
  const items = read.data?.items
  return (
    <Page title={t.title} lead={t.lead}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {read.isPending && !read.error ? <Waiting /> : null}
      {items?.length === 0 ? <Empty title={t.empty}>{t.teach}</Empty> : null}
      {items?.map((one) => (
        <section key={one.merchant_id} className="panel">
          <Text fw={600} mb="xs" component="h2">
            <Go to={`merchants/${one.merchant_id}`}>{one.name}</Go>
          </Text>
          <FactList
            facts={[
              [t.failed, showCount(one.failed)],
              [t.last, <When key="last" time={one.last_failed_at} />],
              [t.address, one.webhook_url === null ? '–' : <Mono key="url">{one.webhook_url}</Mono>],
            ]}
          />
        </section>
      ))}
    </Page>
  )
}
