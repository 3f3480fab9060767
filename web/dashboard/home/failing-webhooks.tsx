// Warns the merchant while a webhook endpoint fails, live or in the sandbox.

import { Stack, Text, Title } from '@mantine/core'
import { useRead } from '../../ui/data.ts'
import { FailingFacts } from '../../ui/failing.tsx'
import { texts, useTexts } from '../../ui/language.ts'
import { Chip, PageLink } from '../../ui/parts.tsx'
import { useHasRole } from '../merchant.ts'

const failingTexts = texts({
  sw: {
    title: {
      live: 'Seva yako haipokei taarifa za malipo halisi',
      sandbox: 'Seva yako haipokei taarifa za majaribio',
    },
    text: 'Ujumbe wa webhook umekosa mara mbili au zaidi, na hakuna uliopokelewa tangu hapo.',
    fails: 'Inashindwa',
    see: 'Angalia ujumbe uliotumwa',
    ask: 'Mwambie msanidi programu au msimamizi wa biashara yako aangalie ukurasa wa Webhook.',
  },
  en: {
    title: {
      live: 'Your server does not accept the events of real payments',
      sandbox: 'Your server does not accept the events of the sandbox',
    },
    text: 'A webhook delivery failed twice or more, and none was accepted since.',
    fails: 'Failing',
    see: 'See the deliveries',
    ask: 'Ask a developer or an administrator of your business to look at the page Webhooks.',
  },
})

/** Shows a warning until a delivery succeeds again. If no endpoint fails, or if the state is unknown, shows nothing. */
export function WebhookWarning() {
  const t = useTexts(failingTexts)
  const develops = useHasRole('MERCHANT_ADMIN', 'DEVELOPER')
  const read = useRead('GET /v1/merchant/webhook-status', {}, { live: true, keep: true })
  return (
    <div role="status">
      <Stack gap="md">
        {read.data?.failing.map((one) => (
          <section key={`${one.environment} ${one.endpoint_id}`} className="panel">
            <Stack gap="xs">
              <Title order={2}>{t.title[one.environment]}</Title>
              <Text size="sm">
                <Chip tone="bad">{t.fails}</Chip> {t.text}
              </Text>
              <FailingFacts failing={one} />
              <Text size="sm">
                {develops ? <PageLink to={`${one.environment}/webhooks`}>{t.see}</PageLink> : t.ask}
              </Text>
            </Stack>
          </section>
        ))}
      </Stack>
    </div>
  )
}
