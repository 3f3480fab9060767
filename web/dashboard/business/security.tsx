// Shows the setting that requires a second factor of all members.

import { Group, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { useAction, useRead } from '../../ui/data.ts'
import { newIdempotencyKey } from '../../ui/form.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { Panel } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { StatusMessage } from '../status-message.tsx'

const securityTexts = texts({
  sw: {
    title: 'Usalama',
    required: 'Kila mtumiaji lazima aingie kwa hatua ya pili',
    help: 'Asiye na hatua ya pili ataiweka kabla ya kuona chochote cha biashara hii.',
    first: 'Kwanza weka hatua yako ya pili kwenye ukurasa "Mahali ulipoingia".',
    on: 'Kuanzia sasa kila mtumiaji anahitaji hatua ya pili.',
    off: 'Hatua ya pili si lazima tena.',
  },
  en: {
    title: 'Security',
    required: 'Every member must sign in with a second step',
    help: 'A member without a second step must set up a second step before the member can open this business.',
    first: 'First set up your own second step on the page "Your sessions".',
    on: 'From now on, every member needs a second step.',
    off: 'Members no longer need a second step.',
  },
})

/**
 * Shows the switch to administrators. `own` means that the member signed in with a second step. Without a second step, the
 * member cannot switch the setting on.
 */
export function Security({ own }: { own: boolean }) {
  const t = useTexts(securityTexts)
  const read = useRead('GET /v1/merchant/security')
  const { error, isPending, mutateAsync } = useAction('PATCH /v1/merchant/security')
  const [message, setMessage] = useState('')
  const required = read.data?.second_factor_required
  const change = (next: boolean) => {
    setMessage('')
    const input = { body: { second_factor_required: next }, once: newIdempotencyKey() }
    void mutateAsync(input).then(
      () => setMessage(next ? t.on : t.off),
      () => {
        // If the API refuses the change, `error` has the refusal, and the alert below shows it.
      },
    )
  }
  return (
    <Panel title={t.title} id="security">
      <Stack gap="sm">
        <Problem error={read.error} retry={() => void read.refetch()} />
        {required === undefined ? null : (
          <Group>
            <Switch
              label={t.required}
              description={t.help}
              checked={required}
              disabled={isPending || (!own && !required)}
              onChange={(event) => change(event.currentTarget.checked)}
            />
          </Group>
        )}
        {own || required ? null : <Text size="sm">{t.first}</Text>}
        <Problem error={error} />
        <StatusMessage>{message}</StatusMessage>
      </Stack>
    </Panel>
  )
}
