// Sends the deliveries that an endpoint missed before it worked again.

import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { readAgain, useCall } from '../ui/data.ts'
import { useMissedText } from '../ui/delivery-state.tsx'
import { texts, useTexts } from '../ui/language.ts'
import { Problem } from '../ui/problem.tsx'
import { showCount } from '../ui/show.ts'
import { showProgressToast, showToast } from '../ui/toast.tsx'
import type { FailingWebhook } from './attention.ts'
import { type MissedRead, readMissed, watchMissed } from './missed-progress.ts'

const missedTexts = texts({
  sw: {
    missed: 'Ujumbe usiopokelewa:',
    send: 'Tuma sasa',
    sent: (count: number) =>
      count === 0 ? 'Hakuna ujumbe unaosubiri kutumwa.' : `Seva inatuma ujumbe ${showCount(count)} sasa.`,
    sent_before: (before: number, count: number) =>
      `${count === 0 ? 'Seva ilikuwa' : 'Ilikuwa'} imeshatuma tena ujumbe ${showCount(before)}, au inautuma sasa.`,
    arrived: (arrived: number, all: number) => `Ujumbe ${showCount(arrived)} kati ya ${showCount(all)} umepokelewa.`,
    all_arrived: (all: number) =>
      all === 1 ? 'Ujumbe 1 kati ya 1 umepokelewa.' : `Ujumbe wote ${showCount(all)} umepokelewa.`,
    refused: (count: number) => `Seva yako haikupokea ujumbe ${showCount(count)}.`,
    unknown: (count: number) => `Ujumbe ${showCount(count)} bado hauna matokeo.`,
  },
  en: {
    missed: 'Missed deliveries:',
    send: 'Send now',
    sent: (count: number) =>
      count === 0
        ? 'No delivery waits now.'
        : `The server sends ${showCount(count)} ${count === 1 ? 'delivery' : 'deliveries'} now.`,
    sent_before: (before: number, count: number) =>
      `${count === 0 ? 'The server' : 'It'} had already sent ${showCount(before)} again, or sends ${before === 1 ? 'it' : 'them'} now.`,
    arrived: (arrived: number, all: number) => `${showCount(arrived)} of ${showCount(all)} arrived.`,
    all_arrived: (all: number) => (all === 1 ? 'The delivery arrived.' : `All ${showCount(all)} deliveries arrived.`),
    refused: (count: number) => `Your server did not accept ${showCount(count)}.`,
    unknown: (count: number) => `${showCount(count)} ${count === 1 ? 'has' : 'have'} no result yet.`,
  },
})

/** Says how many missed deliveries the server retries, when the next attempt is, and how many have failed. */
export function MissedFacts({
  webhook: { failed, given_up, next_attempt_at },
}: {
  webhook: Pick<FailingWebhook, 'failed' | 'given_up' | 'next_attempt_at'>
}) {
  const t = useTexts(missedTexts)
  const missed = useMissedText()
  return (
    <Text size="sm">
      {t.missed} {missed({ failed, given_up, next_at: next_attempt_at })}
    </Text>
  )
}

/** Sends the missed deliveries of the endpoint now: those that wait for a retry, and those that the server does not retry. */
export function SendMissed({ webhook: { environment, endpoint_id, oldest_at, failed } }: { webhook: FailingWebhook }) {
  const t = useTexts(missedTexts)
  const call = useCall()
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  // The message about the results outlives this element, because the next read of the warning removes the button.
  const follow = async (missed: MissedRead) => {
    const all = missed.waiting.size
    const toast = showProgressToast(t.arrived(0, all))
    const { arrived, refused } = await watchMissed(call, missed, (now) => toast.update(t.arrived(now.arrived, all)))
    const unknown = all - arrived - refused
    const rest = [...(refused > 0 ? [t.refused(refused)] : []), ...(unknown > 0 ? [t.unknown(unknown)] : [])]
    if (rest.length === 0) toast.end(t.all_arrived(all), 'done')
    else toast.end([t.arrived(arrived, all), ...rest].join(' '), 'warning')
    await readAgain(queries)
  }
  const send = async () => {
    setBusy(true)
    setError(null)
    try {
      const input = { query: { environment }, body: { since: oldest_at, endpoint_id } }
      const missed = await readMissed(call, { environment, endpoint_id, from: oldest_at })
      const { queued } = await call('POST /v1/merchant/webhook-deliveries/replay', input)
      // The request skips missed deliveries that the server sent since the last read of the warning, or sends at this moment.
      const before = failed - queued
      // The message comes before the next read, because this read removes the button.
      showToast(before > 0 ? `${t.sent(queued)} ${t.sent_before(before, queued)}` : t.sent(queued))
      if (queued > 0 && missed !== null) void follow(missed)
    } catch (thrown) {
      setError(thrown)
    }
    setBusy(false)
    await readAgain(queries)
  }
  return (
    <div className="attention-act">
      <Button size="xs" loading={busy} onClick={() => void send()}>
        {t.send}
      </Button>
      <Problem error={error} />
    </div>
  )
}
