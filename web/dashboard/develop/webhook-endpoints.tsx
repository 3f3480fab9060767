// Shows the further endpoints of the merchant, each with a separate address, events and secret.

import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { checks } from '../../ui/checks.ts'
import { readAgain, useAction, useCall, useRead } from '../../ui/data.ts'
import { newIdempotencyKey, useDraft } from '../../ui/form.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { type Column, Table } from '../../ui/list.tsx'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Dialog, Mono } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { useMerchantAccess } from '../merchant.ts'
import { EventChoice, Secret } from './webhook-config.tsx'
import { type StartedTest, useTestResult } from './webhook-test.tsx'
import { EVENTS, webhooksTexts } from './webhooks-texts.ts'

/** The call that lists the endpoints of the environment. */
export const ENDPOINTS = 'GET /v1/merchant/webhook-endpoints'
/** An endpoint of the merchant. The main address has the id `default`. */
export type WebhookEndpoint = Calls[typeof ENDPOINTS]['data']['items'][number]
/** The open dialog: the form of a new or existing endpoint, or a question about an endpoint. */
type OpenDialog =
  | { kind: 'form'; row: WebhookEndpoint | null }
  | { kind: 'rotate' | 'remove'; row: WebhookEndpoint; once: string }

/**
 * Returns the name of an endpoint for lists: its description, or else its address. The main address has the name `main`.
 */
export function endpointLabel({ id, description, webhook_url }: WebhookEndpoint, main: string): string {
  return id === 'default' ? main : (description ?? webhook_url)
}

/**
 * Shows the endpoints beside the main address. After an action that makes a secret, shows the secret once. If `change` has a new
 * number of presses, the form of its endpoint opens.
 */
export function WebhookEndpoints({ change }: { change: { endpoint_id: string; presses: number } | null }) {
  const t = useTexts(webhooksTexts)
  const read = useRead(ENDPOINTS, {}, { keep: true })
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const [lost, setLost] = useState(false)
  const close = () => setDialog(null)
  const made = (next: string | undefined) => {
    setSecret(next ?? null)
    setLost(next === undefined)
  }
  const rows = read.data?.items.filter(({ id }) => id !== 'default') ?? []
  const [opened, setOpened] = useState(0)
  const changed = change === null || change.presses === opened ? undefined : change
  const row = rows.find(({ id }) => id === changed?.endpoint_id)
  if (changed !== undefined && row !== undefined) {
    setOpened(changed.presses)
    setDialog({ kind: 'form', row })
  }
  return (
    <>
      <Secret secret={secret} forget={() => setSecret(null)} />
      <section className="panel">
        <Title order={2}>{t.endpoints}</Title>
        <Stack gap="md">
          <Text size="sm">{t.endpoints_what(read.data?.limit ?? 10)}</Text>
          <Problem error={read.error} retry={() => void read.refetch()} />
          {read.isPending && !read.error ? <LoadingRows /> : null}
          {lost ? <Text role="alert">{t.secret_lost}</Text> : null}
          {read.data === undefined ? null : rows.length === 0 ? (
            <Text size="sm">{t.endpoints_none}</Text>
          ) : (
            <EndpointTable rows={rows} open={setDialog} />
          )}
          <Group>
            <Button variant="default" onClick={() => setDialog({ kind: 'form', row: null })}>
              {t.endpoint_add}
            </Button>
          </Group>
        </Stack>
      </section>
      <EndpointDialog dialog={dialog} close={close} made={made} />
    </>
  )
}

function EndpointTable({ rows, open }: { rows: readonly WebhookEndpoint[]; open: (dialog: OpenDialog) => void }) {
  const t = useTexts(webhooksTexts)
  const test = useAction('POST /v1/merchant/webhook-endpoints/{id}/test')
  const [started, setStarted] = useState<StartedTest | null>(null)
  const { error, view } = useTestResult(started)
  const sendTest = ({ id: endpoint_id, description, webhook_url }: WebhookEndpoint) => {
    setStarted(null)
    const name = description ?? webhook_url
    test.mutate({ params: { id: endpoint_id } }, { onSuccess: ({ id }) => setStarted({ id, endpoint_id, name }) })
  }
  const columns: Column<WebhookEndpoint>[] = [
    {
      label: t.endpoint,
      show: (row) => (
        <Stack gap={0}>
          {row.description === null ? null : <strong>{row.description}</strong>}
          <Mono>{row.webhook_url}</Mono>
        </Stack>
      ),
      wide: true,
    },
    { label: t.events, show: (row) => row.events.map((event) => t.event[event] ?? event).join(' · '), wide: true },
    { label: t.secret, show: (row) => <Mono>…{row.secret_last4}</Mono> },
    {
      label: t.endpoint_acts,
      show: (row) => {
        const act = (label: string, onClick: () => void) => (
          <Button
            size="xs"
            variant="default"
            aria-label={`${label}: ${row.description ?? row.webhook_url}`}
            onClick={onClick}
          >
            {label}
          </Button>
        )
        const ask = (kind: 'rotate' | 'remove') => open({ kind, row, once: newIdempotencyKey() })
        return (
          <Group gap="xs">
            {act(t.endpoint_edit, () => open({ kind: 'form', row }))}
            {act(t.send_test, () => sendTest(row))}
            {act(t.rotate, () => ask('rotate'))}
            {act(t.endpoint_remove, () => ask('remove'))}
          </Group>
        )
      },
    },
  ]
  return (
    <>
      <Table label={t.endpoints} rows={rows} columns={columns} rowKey={({ id }) => id} />
      <Problem error={test.error ?? error} />
      {view}
    </>
  )
}

type DialogProps = { close: () => void; made: (secret: string | undefined) => void }

function EndpointDialog({ dialog, close, made }: DialogProps & { dialog: OpenDialog | null }) {
  const t = useTexts(webhooksTexts)
  const titles = { rotate: t.rotate_title, remove: t.endpoint_remove_title }
  const title =
    dialog?.kind === 'form'
      ? dialog.row === null
        ? t.endpoint_add
        : t.endpoint_change
      : titles[dialog?.kind ?? 'rotate']
  return (
    <Dialog open={dialog !== null} onClose={close} title={title}>
      {dialog?.kind === 'form' ? <EndpointForm row={dialog.row} {...{ close, made }} /> : null}
      {dialog === null || dialog.kind === 'form' ? null : <EndpointQuestion {...{ dialog, close, made }} />}
    </Dialog>
  )
}

function EndpointForm({ row, close, made }: DialogProps & { row: WebhookEndpoint | null }) {
  const t = useTexts(webhooksTexts)
  const parts = useTexts(partsTexts)
  const call = useCall()
  const queries = useQueryClient()
  const check = checks(useLanguage())
  const { environment, membership } = useMerchantAccess()
  const draft = useDraft<{ webhook_url: string; description: string; events: string[] }>({
    name: `endpoint.${membership.merchant_id}.${environment}.${row?.id ?? 'new'}`,
    initial: {
      webhook_url: row?.webhook_url ?? '',
      description: row?.description ?? '',
      events: row?.events ?? EVENTS.slice(0, 6),
    },
    check: {
      webhook_url: check.url,
      description: check.short(200),
      events: (events) => (events.length === 0 ? t.events_needed : null),
    },
  })
  const send = draft.submit(async ({ webhook_url, description, events }, once) => {
    const about = description.trim()
    const fields = { webhook_url: webhook_url.trim(), events: EVENTS.filter((event) => events.includes(event)) }
    if (row === null) {
      const body = { ...fields, ...(about === '' ? {} : { description: about }) }
      made((await call('POST /v1/merchant/webhook-endpoints', { body, once })).secret)
    } else {
      const body = { ...fields, description: about === '' ? null : about }
      await call('PATCH /v1/merchant/webhook-endpoints/{id}', { params: { id: row.id }, body, once })
    }
    close()
    await readAgain(queries)
  })
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        <TextInput
          label={t.url}
          required
          description={t.url_help}
          type="url"
          {...draft.form.getInputProps('webhook_url')}
        />
        <TextInput
          label={parts.optional(t.endpoint_about)}
          description={t.endpoint_about_help}
          {...draft.form.getInputProps('description')}
        />
        <EventChoice input={draft.form.getInputProps('events')} />
        <Problem error={draft.error} />
        <Group>
          <Button type="submit" loading={draft.sending}>
            {t.save}
          </Button>
          <Button
            variant="default"
            onClick={() => {
              draft.forget()
              close()
            }}
          >
            {parts.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function EndpointQuestion({ dialog, close, made }: DialogProps & { dialog: Exclude<OpenDialog, { kind: 'form' }> }) {
  const t = useTexts(webhooksTexts)
  const parts = useTexts(partsTexts)
  const call = useCall()
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const { kind, row, once } = dialog
  const answer = async () => {
    setBusy(true)
    setError(null)
    try {
      const params = { id: row.id }
      if (kind === 'remove') await call('DELETE /v1/merchant/webhook-endpoints/{id}', { params, once })
      else {
        const body = { rotate_secret: true }
        made((await call('PATCH /v1/merchant/webhook-endpoints/{id}', { params, body, once })).secret)
      }
      close()
      await readAgain(queries)
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Mono>{row.webhook_url}</Mono>
      <Text>{kind === 'remove' ? t.endpoint_remove_text : t.rotate_text}</Text>
      <Problem error={error} />
      <Group>
        <Button color="red" loading={busy} onClick={() => void answer()}>
          {kind === 'remove' ? t.endpoint_remove_yes : t.rotate_yes}
        </Button>
        <Button variant="default" onClick={close}>
          {parts.cancel}
        </Button>
      </Group>
    </>
  )
}
