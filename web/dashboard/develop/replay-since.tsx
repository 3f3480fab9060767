// Sending again what was missed: the deliveries since a time.

import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useCall } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { Dialog, Time } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { dayOf, showCount, startOfDay } from '../../ui/show.ts'
import { useMerchantAccess } from '../merchant.ts'
import { StatusMessage } from '../status-message.tsx'
import { webhooksTexts } from './webhooks-texts.ts'

const CALL = 'POST /v1/merchant/webhook-deliveries/replay'
type Which = NonNullable<Calls[typeof CALL]['body']['status']>

/** A Tanzanian date and time as a field has it (2026-11-22T08:00, also with seconds), as the API takes it. Null: it is none. */
function readMoment(text: string): string | null {
  const [, day = '', time = ''] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)$/.exec(text) ?? []
  if (Number.isNaN(Date.parse(day))) return null
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  const since_midnight = Math.round(((hours * 60 + minutes) * 60 + seconds) * 1_000)
  return new Date(Date.parse(startOfDay(day)) + since_midnight).toISOString()
}

/** A moment as the field has it: to the millisecond, so that nothing is sent twice. */
function fieldOf(moment: string): string {
  const day = dayOf(new Date(moment))
  const since_midnight = Date.parse(moment) - Date.parse(startOfDay(day))
  return `${day}T${new Date(since_midnight).toISOString().slice(11, 23)}`
}

/** The dialog: since when, which ones; then how many were queued. */
export function ReplaySince({ open, close }: { open: boolean; close: () => void }) {
  const t = useTexts(webhooksTexts)
  return (
    <Dialog open={open} onClose={close} title={t.replay_title}>
      <Form close={close} />
    </Dialog>
  )
}

function Form({ close }: { close: () => void }) {
  const t = useTexts(webhooksTexts)
  const parts = useTexts(partsTexts)
  const call = useCall()
  const queries = useQueryClient()
  const { environment, membership } = useMerchantAccess()
  const [done, setDone] = useState<Calls[typeof CALL]['data'] | null>(null)
  const draft = useDraft<{ since: string; status: Which }>({
    name: `replay.${membership.merchant_id}.${environment}`,
    initial: { since: '', status: 'failed' },
    check: {
      since: (value) => {
        const moment = readMoment(value)
        return moment === null || Date.parse(moment) >= Date.now() ? t.since_wrong : null
      },
    },
  })
  const send = draft.submit(async ({ since, status }, once) => {
    const reply = await call(CALL, { body: { since: readMoment(since) ?? since, status }, once })
    setDone(reply)
    if (reply.next_since !== null) draft.form.setFieldValue('since', fieldOf(reply.next_since))
    await queries.invalidateQueries()
  })
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        <Text size="sm">{t.replay_text}</Text>
        <TextInput label={t.since} required type="datetime-local" {...draft.form.getInputProps('since')} />
        <NativeSelect
          label={t.which}
          data={Object.entries(t.which_of).map(([value, label]) => ({ value, label }))}
          {...draft.form.getInputProps('status')}
        />
        <Problem error={draft.error} />
        <StatusMessage>{done === null ? '' : t.replayed(showCount(done.queued))}</StatusMessage>
        {done?.next_since ? (
          <Text size="sm">
            {t.replay_more} (<Time time={done.next_since} seconds />)
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
