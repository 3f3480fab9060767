// Shows a new key. The console keeps the key only in the memory of this page.

import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { facts } from '../../ui/facts.ts'
import { useTexts } from '../../ui/language.ts'
import { CopyButton, Page } from '../../ui/parts.tsx'
import { keysTexts } from './keys-texts.ts'

/** The data that the page shows only once: the key, its environment and its scopes. */
export type Made = { plaintext_key: string | undefined; environment: 'live' | 'sandbox'; scopes: readonly string[] }

// For some scopes, a read that changes nothing. If a key has none of these scopes, the API answers 403 and names the missing
// scope.
const SAMPLE_READS: readonly (readonly [scope: string, path: string])[] = [
  ['collections:read', '/v1/collections'],
  ['collections:write', '/v1/collections'],
  ['payment_links:read', '/v1/payment-links'],
  ['invoices:read', '/v1/invoices'],
  ['transactions:read', '/v1/balance'],
  ['webhooks:manage', '/v1/merchant/webhook-config'],
  ['requests:read', '/v1/requests'],
]

/**
 * Shows a new key. If the server no longer returns the key, shows an explanation. `done` removes the key from memory.
 */
export function KeyShown({ made, done }: { made: Made; done: () => void }) {
  const t = useTexts(keysTexts)
  const { plaintext_key: key } = made
  if (key === undefined) {
    return (
      <Page title={t.once_gone_title} lead={t.once_gone}>
        <Group>
          <Button onClick={done}>{t.to_list}</Button>
        </Group>
      </Page>
    )
  }
  const address = facts.base_url === '' ? location.origin : facts.base_url
  const path = SAMPLE_READS.find(([scope]) => made.scopes.includes(scope))?.[1] ?? '/v1/balance'
  const command = `curl ${address}${path} \\\n  -H "Authorization: Bearer ${key}"`
  return (
    <Page title={t.shown_title} lead={t.shown_lead}>
      <section className="panel secret" aria-label={t.key}>
        <Stack gap="sm">
          <code className="mono key">{key}</code>
          <Group gap="xs">
            <CopyButton text={key} label={t.copy_key} />
            <Button size="xs" variant="default" onClick={() => keepEnv(address, made, key)}>
              {t.env_file}
            </Button>
          </Group>
          <Text size="sm">{t.env_help}</Text>
        </Stack>
      </section>
      <section className="panel">
        <Title order={2}>{t.rules_title}</Title>
        <ol className="numbered">
          {t.safety.map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ol>
      </section>
      <section className="panel">
        <Title order={2}>{t.try_it}</Title>
        <Stack gap="sm">
          <Text size="sm">{t.try_help}</Text>
          <pre className="body">{command}</pre>
          <Group>
            <CopyButton text={command} label={t.copy_try} />
          </Group>
        </Stack>
      </section>
      <Group>
        <Button onClick={done}>{t.kept}</Button>
      </Group>
    </Page>
  )
}

function keepEnv(address: string, { environment }: Made, key: string): void {
  const text = `MALIPO_BASE_URL=${address}\nMALIPO_ENVIRONMENT=${environment}\nMALIPO_API_KEY=${key}\n`
  const file = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = file
  link.download = `${environment}.env`
  link.click()
  // The browser reads the file within this time. The address of the file contains no part of the key.
  setTimeout(() => URL.revokeObjectURL(file), 10_000)
}
