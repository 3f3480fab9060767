// Shows the dialog that sends the webhook deliveries since a given time again.

import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { readAgain, useCall } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { Dialog, Time } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { dayOf, startOfDay } from '../../ui/show.ts'
import { useMerchantAccess } from '../merchant.ts'
import { StatusMessage } from '../status-message.tsx'
import { webhooksTexts } from './webhooks-texts.ts'

const CALL = 'POST /v1/merchant/webhook-deliveries/replay'
type ReplaySelection = NonNullable<Calls[typeof CALL]['body']['status']>

/**
 * Parses the value of a date and time field in Tanzanian time, such as 2026-11-22T08:00. Null means that the value is invalid.
 */
function readLocalTime(text: string): string | null {
  const [, day = '', time = ''] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)$/.exec(text) ?? []
  if (Number.isNaN(Date.parse(day))) return null
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  const since_midnight = Math.round(((hours * 60 + minutes) * 60 + seconds) * 1_000)
  return new Date(Date.parse(startOfDay(day)) + since_midnight).toISOString()
}

/**
 * Formats a time for the field, exact to the millisecond, so that the next replay starts at the first delivery that is not
 * queued yet.
 */
function toFieldValue(moment: string): string {
  const day = dayOf(new Date(moment))
  const since_midnight = Date.parse(moment) - Date.parse(startOfDay(day))
  return `${day}T${new Date(since_midnight).toISOString().slice(11, 23)}`
}

/** Formats the minute of a time for the field. A later second could leave out the first delivery of the failure. */
function minuteOf(moment: string): string {
  return toFieldValue(moment).slice(0, 'yyyy-mm-ddThh:mm'.length)
}

/**
 * The first values of the form: the endpoint, and the time of its oldest failure. An empty endpoint means all endpoints. Null as
 * the time means that the console knows no failure.
 */
export type ReplayStart = { endpoint_id: string; since: string | null }

type ReplayDialog = {
  /** The id and the name of each endpoint. */
  endpoints: readonly (readonly [id: string, name: string])[]
  start: ReplayStart
  close: () => void
}

/** Shows the dialog: the start time, the endpoint, the selection, and finally the number of queued deliveries. */
export function ReplaySince({ open, ...form }: ReplayDialog & { open: boolean }) {
  const t = useTexts(webhooksTexts)
  return (
    <Dialog open={open} onClose={form.close} title={t.replay_title}>
      <ReplayForm {...form} />
    </Dialog>
  )
}

function ReplayForm({ endpoints, start, close }: ReplayDialog) {
  const t = useTexts(webhooksTexts)
  const parts = useTexts(partsTexts)
  const call = useCall()
  const queries = useQueryClient()
  const { environment, membership } = useMerchantAccess()
  const [done, setDone] = useState<Calls[typeof CALL]['data'] | null>(null)
  const draft = useDraft<{ since: string; endpoint_id: string; status: ReplaySelection }>({
    name: `replay.${membership.merchant_id}.${environment}.${start.endpoint_id}`,
    initial: {
      since: start.since === null ? '' : minuteOf(start.since),
      endpoint_id: start.endpoint_id,
      status: 'failed',
    },
    check: {
      since: (value) => {
        const moment = readLocalTime(value)
        return moment === null || Date.parse(moment) >= Date.now() ? t.since_wrong : null
      },
    },
  })
  const send = draft.submit(async ({ since, endpoint_id, status }, once) => {
    const body = { since: readLocalTime(since) ?? since, status, ...(endpoint_id === '' ? {} : { endpoint_id }) }
    const reply = await call(CALL, { body, once })
    setDone(reply)
    if (reply.next_since !== null) draft.form.setFieldValue('since', toFieldValue(reply.next_since))
    await readAgain(queries)
  })
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        <Text size="sm">{t.replay_text}</Text>
        <TextInput label={t.since} required type="datetime-local" {...draft.form.getInputProps('since')} />
        {endpoints.length > 1 || start.endpoint_id !== '' ? (
          <NativeSelect
            label={t.endpoint}
            data={[
              { value: '', label: t.endpoint_every },
              ...endpoints.map(([value, label]) => ({ value, label })),
              ...(endpoints.some(([id]) => id === start.endpoint_id) || start.endpoint_id === ''
                ? []
                : [{ value: start.endpoint_id, label: t.endpoint_removed }]),
            ]}
            {...draft.form.getInputProps('endpoint_id')}
          />
        ) : null}
        <NativeSelect
          label={t.which}
          data={Object.entries(t.which_of).map(([value, label]) => ({ value, label }))}
          {...draft.form.getInputProps('status')}
        />
        <Problem error={draft.error} />
        <StatusMessage>{done === null ? '' : t.replayed(done.queued)}</StatusMessage>
        {done?.next_since ? (
          <Text size="sm">
            {t.replay_more} (<Time time={done.next_since} />)
          </Text>
        ) : null}
        <Group>
          <Button type="submit" loading={draft.sending}>
            {t.replay_yes}
          </Button>
          <Button variant="default" onClick={close}>
            {parts.close}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
