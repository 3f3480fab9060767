// Shows the form of a new API key: the environment, the scopes, and the IP addresses.

import '../../ui/choices.css'
import { Alert, Button, Checkbox, Group, Radio, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { checks } from '../../ui/checks.ts'
import { type Environment, useCall } from '../../ui/data.ts'
import { facts } from '../../ui/facts.ts'
import { useDraft } from '../../ui/form.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { hrefOf, Page } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useEnvironmentPath, useHasRole, useMerchantAccess } from '../merchant.ts'
import { KeyShown, type Made } from './key-shown.tsx'
import { keysTexts } from './keys-texts.ts'
import { useLiveKeyObstacles } from './live-key-obstacles.ts'
import { PRESETS, type Preset, SCOPES, SCOPES_OF, scopeTexts } from './scopes.ts'

type ApiKeyFields = {
  name: string
  environment: Environment
  preset: Preset
  scopes: string[]
  rule: 'any' | 'listed'
}

/**
 * Shows the form to administrators and developers. After the creation, shows the key, because the server returns the key only
 * once.
 */
export function NewKey() {
  const t = useTexts(keysTexts)
  const at = useEnvironmentPath()
  const navigate = useNavigate()
  const [made, setMade] = useState<Made | null>(null)
  if (!useHasRole('MERCHANT_ADMIN', 'DEVELOPER')) return <Page title={t.new_title}>{t.read_only}</Page>
  if (made !== null) return <KeyShown made={made} done={() => void navigate({ to: hrefOf(at('keys')) })} />
  return (
    <Page key="form" title={t.new_title}>
      <ApiKeyForm show={setMade} />
    </Page>
  )
}

function ApiKeyForm({ show }: { show: (made: Made) => void }) {
  const t = useTexts(keysTexts)
  const words = useTexts(scopeTexts)
  const call = useCall()
  const queries = useQueryClient()
  const check = checks(useLanguage())
  const { environment, membership } = useMerchantAccess()
  const closed = useLiveKeyObstacles()
  const draft = useDraft<ApiKeyFields>({
    name: `key.${membership.merchant_id}.${environment}`,
    initial: {
      name: '',
      environment: closed.length > 0 ? 'sandbox' : environment,
      preset: 'shop',
      scopes: [],
      rule: 'any',
    },
    check: {
      name: check.text(100),
      scopes: (scopes, { preset }) => (preset === 'by_hand' && scopes.length === 0 ? t.by_hand_needed : null),
    },
  })
  const { form } = draft
  const send = draft.submit(async (typed, once) => {
    const { name, preset, rule } = typed
    const scopes = preset === 'by_hand' ? SCOPES.filter((scope) => typed.scopes.includes(scope)) : SCOPES_OF[preset]
    const body = {
      name: name.trim(),
      environment: typed.environment,
      scopes: [...scopes],
      ip_whitelist_enabled: rule === 'listed',
      continue_without_ip_whitelist: rule === 'any',
    }
    // This call does not use useAction, because its cache would keep the key after the member leaves the page.
    const { plaintext_key } = await call('POST /v1/merchant/api-keys', { body, once })
    show({ plaintext_key, environment: typed.environment, scopes: body.scopes })
    void queries.invalidateQueries()
  })
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="lg" maw="36rem">
        <Radio.Group label={t.environment} {...form.getInputProps('environment')} name="environment">
          <Stack gap="xs" mt="xs">
            <Radio value="sandbox" label={t.environments.sandbox} />
            <Radio
              value="live"
              label={facts.rehearses ? t.environments.rehearsal : t.environments.live}
              disabled={closed.length > 0}
            />
          </Stack>
        </Radio.Group>
        {closed.length > 0 ? (
          <Alert color="yellow" variant="light" title={t.live_closed}>
            <ul className="numbered">
              {closed.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
            {t.live_wait}
          </Alert>
        ) : null}
        <TextInput label={t.name} required description={t.name_help} {...form.getInputProps('name')} />
        <Radio.Group label={t.preset} description={t.preset_help} {...form.getInputProps('preset')} name="preset">
          <Stack gap="xs" mt="xs">
            {PRESETS.map((preset) => (
              <Radio
                key={preset}
                value={preset}
                label={words.preset[preset]}
                description={preset === 'by_hand' ? undefined : SCOPES_OF[preset].join(', ')}
              />
            ))}
          </Stack>
        </Radio.Group>
        {form.values.preset === 'by_hand' ? (
          <Checkbox.Group label={t.by_hand} required {...form.getInputProps('scopes')}>
            <Stack gap="xs" mt="xs">
              {SCOPES.map((scope) => (
                <Checkbox key={scope} value={scope} label={words.scope[scope]} description={scope} />
              ))}
            </Stack>
          </Checkbox.Group>
        ) : null}
        <Radio.Group label={t.rule} {...form.getInputProps('rule')} name="rule">
          <Stack gap="xs" mt="xs">
            <Radio value="any" label={t.rules.any} />
            <Radio value="listed" label={t.rules.listed} description={t.listed_help} />
          </Stack>
        </Radio.Group>
        <Problem error={draft.error} />
        <Group>
          <Button type="submit" loading={draft.sending}>
            {t.create}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
