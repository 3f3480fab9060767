// Chooses how often the list of deliveries reads again.

import { useState } from 'react'
import { LIVE_MS } from '../../ui/data.ts'
import type { WebhookDelivery } from './delivery-parts.tsx'

/** The pause between two reads while the list waits for an attempt, in milliseconds. */
const WAIT_MS = 2_000
/** After this time in milliseconds, an attempt that still has no result no longer shortens the pause. */
const PATIENCE_MS = 30_000
/** An attempt this many milliseconds ahead counts as due, because a lease of 12 seconds moves the time of an attempt in progress. */
const AHEAD_MS = 30_000

/**
 * Returns a function that gives the pause until the next read of the list. If the list shows a pending delivery that is due,
 * the pause is short. After 30 seconds, this delivery no longer shortens the pause.
 */
export function useDeliveryPace(): (page: { items: readonly WebhookDelivery[] } | undefined) => number {
  // The key has the time of the attempt, so that a replay of a delivery shortens the pause again.
  const [seen] = useState(() => new Map<string, number>())
  return (page) => {
    const now = Date.now()
    const due = (page?.items ?? []).filter(
      ({ status, next_attempt_at }) =>
        status === 'pending' && next_attempt_at !== null && Date.parse(next_attempt_at) <= now + AHEAD_MS,
    )
    const waits = due.map(({ id, next_attempt_at }) => {
      const key = `${id} ${next_attempt_at}`
      const since = seen.get(key) ?? now
      seen.set(key, since)
      return now - since < PATIENCE_MS
    })
    return waits.includes(true) ? WAIT_MS : LIVE_MS
  }
}
