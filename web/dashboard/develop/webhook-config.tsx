// Shows the webhook address, the events, and the signing secret. The page shows a new secret only once.

import { Button, Checkbox, type CheckboxGroupProps, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useId, useRef, useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { checks } from '../../ui/checks.ts'
import { readAgain, useCall } from '../../ui/data.ts'
import { facts } from '../../ui/facts.ts'
import { newIdempotencyKey, useDraft } from '../../ui/form.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { CopyButton, Dialog, FactList, Mono } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useMerchantAccess } from '../merchant.ts'
import { EVENTS, webhooksTexts } from './webhooks-texts.ts'

/** The stored webhook configuration of the merchant. */
export type WebhookConfigRecord = Calls['GET /v1/merchant/webhook-config']['data']

/**
 * Shows the form and the secret. Null as `config` means that the merchant has no main address yet. `others` is the number of
 * other endpoints. If `change` grows, the form opens and its first field takes the focus. `missed` is the warning about missed
 * deliveries of this endpoint, which takes the focus after a save, because it has the button that sends them.
 */
export function WebhookConfig({
  config,
  others,
  change,
  missed,
}: {
  config: WebhookConfigRecord | null
  others: number
  change: number
  missed: RefObject<HTMLElement | null> | null
}) {
  const t = useTexts(webhooksTexts)
  const [secret, setSecret] = useState<string | null>(null)
  const [saved, setSaved] = useState(false)
  const [changing, setChanging] = useState(false)
  const status = useRef<HTMLDivElement>(null)
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    if (change === 0) return
    const form = panel.current?.querySelector('details')
    if (form) form.open = true
    panel.current?.querySelector('input')?.focus()
  }, [change])
  const showSaved = (done: boolean) => {
    setSaved(done && missed === null)
    if (!done) return
    setChanging(false)
    if (missed === null) return status.current?.focus()
    showToast(t.saved)
    missed.current?.focus({ preventScroll: true })
    missed.current?.scrollIntoView({ block: 'center' })
  }
  const [lost, setLost] = useState(false)
  const shown = (next: string | undefined) => {
    setSecret(next ?? null)
    setLost(next === undefined)
  }
  return (
    <>
      <Secret secret={secret} forget={() => setSecret(null)} />
      <section className="panel" ref={panel}>
        <Title order={2}>{t.config}</Title>
        <Stack gap="md">
          {config === null ? (
            <Text>{others === 0 ? t.none_yet : t.none_main(others)}</Text>
          ) : (
            <Configured config={config} />
          )}
          <div ref={status} tabIndex={-1}>
            {/* After a save, this element takes the focus, because the form closes. */}
            <div role="status" className="status-message">
              {saved ? t.saved : ''}
            </div>
          </div>
          {config === null ? (
            <WebhookConfigForm config={null} made={shown} saved={showSaved} />
          ) : (
            <details className="disclosed" open={changing} onToggle={(event) => setChanging(event.currentTarget.open)}>
              <summary>{t.change}</summary>
              <WebhookConfigForm config={config} made={shown} saved={showSaved} />
            </details>
          )}
        </Stack>
      </section>
      {config === null ? null : (
        <section className="panel">
          <Title order={2}>{t.secret}</Title>
          <Stack gap="sm">
            <Text size="sm">{t.secret_what}</Text>
            <Text size="sm">{t.secret_ends(config.secret_last4)}</Text>
            {lost ? <Text role="alert">{t.secret_lost}</Text> : null}
            <Rotate shown={shown} />
          </Stack>
        </section>
      )}
    </>
  )
}

function Configured({ config }: { config: WebhookConfigRecord }) {
  const t = useTexts(webhooksTexts)
  const { environment } = useMerchantAccess()
  return (
    <>
      <FactList
        facts={[
          [t.url, <Mono key="url">{config.webhook_url}</Mono>, 'wide'],
          [t.events, config.events.map((event) => t.event[event] ?? event).join(' · '), 'wide'],
        ]}
      />
      <Text size="sm">{t.only[environment]}</Text>
    </>
  )
}

function WebhookConfigForm({
  config,
  made,
  saved,
}: {
  config: WebhookConfigRecord | null
  made: (secret: string | undefined) => void
  saved: (done: boolean) => void
}) {
  const t = useTexts(webhooksTexts)
  const parts = useTexts(partsTexts)
  const call = useCall()
  const queries = useQueryClient()
  const check = checks(useLanguage())
  const { environment, membership } = useMerchantAccess()
  const draft = useDraft<{ webhook_url: string; events: string[] }>({
    name: `webhook.${membership.merchant_id}.${environment}`,
    initial: { webhook_url: config?.webhook_url ?? '', events: config?.events ?? EVENTS.slice(0, 6) },
    check: { webhook_url: check.url, events: (events) => (events.length === 0 ? t.events_needed : null) },
  })
  const send = draft.submit(async ({ webhook_url, events }, once) => {
    saved(false)
    const body = { webhook_url: webhook_url.trim(), events: EVENTS.filter((event) => events.includes(event)) }
    // This call does not use useAction, because its cache would keep the secret after the member leaves the page.
    const { secret } = await call('PATCH /v1/merchant/webhook-config', { body, once })
    // The server creates the secret at the first save. If the page knew no configuration, an earlier save may have lost its
    // response.
    if (secret !== undefined || config === null) made(secret)
    saved(true)
    await readAgain(queries)
  })
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        <TextInput
          label={t.url}
          required
          description={facts.rehearses && environment === 'sandbox' ? `${t.url_help} ${t.try_address}` : t.url_help}
          type="url"
          {...draft.form.getInputProps('webhook_url')}
        />
        <EventChoice input={draft.form.getInputProps('events')} />
        <Problem error={draft.error} />
        <Group>
          <Button type="submit" loading={draft.sending}>
            {t.save}
          </Button>
          {config === null ? null : (
            <Button variant="default" onClick={draft.forget}>
              {parts.cancel}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

/** Shows the events as a group of checkboxes. `input` has the properties of the field in its form. */
export function EventChoice({ input }: { input: Omit<CheckboxGroupProps, 'children'> }) {
  const t = useTexts(webhooksTexts)
  return (
    <Checkbox.Group {...input} label={t.events} required>
      <Stack gap="xs" mt="xs">
        {EVENTS.map((event) => (
          <Checkbox key={event} value={event} label={t.event[event]} description={event} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}

/** Shows a new signing secret once. Null means that the page has no new secret to show. */
export function Secret({ secret, forget }: { secret: string | null; forget: () => void }) {
  return <div role="status">{secret === null ? null : <NewSecret secret={secret} forget={forget} />}</div>
}

function NewSecret({ secret, forget }: { secret: string; forget: () => void }) {
  const t = useTexts(webhooksTexts)
  const panel = useRef<HTMLElement>(null)
  const title_id = useId()
  // The secret appears only once, above the button. The panel takes the focus so that the member sees the secret.
  useEffect(() => panel.current?.focus(), [])
  return (
    <section className="panel secret" ref={panel} tabIndex={-1} aria-labelledby={title_id}>
      <Title order={2} id={title_id}>
        {t.secret_once}
      </Title>
      <Stack gap="sm">
        <Text size="sm">{t.secret_once_help}</Text>
        <code className="mono key">{secret}</code>
        {facts.rehearses ? (
          <div>
            <Text size="sm">{t.receiver}</Text>
            <pre className="body">WEBHOOK_SECRET={secret} npm run -s receiver</pre>
          </div>
        ) : null}
        <Group gap="xs">
          <CopyButton text={secret} label={t.copy_secret} />
          <Button size="xs" variant="default" onClick={forget}>
            {t.secret_kept}
          </Button>
        </Group>
      </Stack>
    </section>
  )
}

function Rotate({ shown }: { shown: (secret: string | undefined) => void }) {
  const t = useTexts(webhooksTexts)
  const parts = useTexts(partsTexts)
  const call = useCall()
  const queries = useQueryClient()
  // The Idempotency-Key of the open dialog. If the network loses a response, all retries of the dialog together make one
  // rotation.
  const [once, setOnce] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const close = () => setOnce(null)
  const rotate = async () => {
    setBusy(true)
    setError(null)
    try {
      const body = { rotate_secret: true }
      const { secret } = await call('PATCH /v1/merchant/webhook-config', { body, once: once ?? newIdempotencyKey() })
      close()
      shown(secret)
      await readAgain(queries)
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Group>
        <Button
          variant="default"
          onClick={() => {
            setError(null)
            setOnce(newIdempotencyKey())
          }}
        >
          {t.rotate}
        </Button>
      </Group>
      <Dialog open={once !== null} onClose={close} title={t.rotate_title}>
        <Text>{t.rotate_text}</Text>
        <Problem error={error} />
        <Group>
          <Button color="red" loading={busy} onClick={() => void rotate()}>
            {t.rotate_yes}
          </Button>
          <Button variant="default" onClick={close}>
            {parts.cancel}
          </Button>
        </Group>
      </Dialog>
    </>
  )
}
