// Names the state of a webhook delivery or of a message with the same words on every page of both consoles.

import { type Language, texts, useLanguage, useTexts } from './language.ts'
import { Chip, type Tone } from './parts.tsx'
import { dayOf, showCount, showTime } from './show.ts'

/** The number of attempts after which the server gives up a webhook delivery or a message. */
const ATTEMPTS_MAX = 5

const stateTexts = texts({
  sw: {
    delivered: 'Umepokelewa',
    sent: 'Umetumwa',
    queued: 'Uko kwenye foleni',
    retrying: 'Unajaribiwa tena',
    failed: 'Umeshindikana',
    cancelled: 'Umesitishwa',
    kept: 'Umehifadhiwa',
    kept_sandbox: 'Umehifadhiwa (Majaribio)',
    kept_no_gateway: 'Umehifadhiwa (hakuna mtoa huduma)',
    kept_limit: 'Umehifadhiwa (kikomo cha mpokeaji)',
    open: 'Haujafika bado',
    of: (done: number, max: number) => `${done} kati ya ${max}`,
    attempts: (done: number) => `mara ${done}`,
    next: (time: string) => `jaribio lijalo ${time}`,
    retried: (count: string) => `${count} unajaribiwa tena`,
    given_up: (count: string) => `${count} umeshindikana`,
    delivered_at: (time: string) => `Umepokelewa ${time}`,
    again: (time: string, state: string) => `Umetumwa tena ${time}: ${state}`,
    again_failed: 'umeshindikana',
    again_cancelled: 'umesitishwa',
  },
  en: {
    delivered: 'Delivered',
    sent: 'Sent',
    queued: 'Queued',
    retrying: 'Retrying',
    failed: 'Failed',
    cancelled: 'Cancelled',
    kept: 'Kept',
    kept_sandbox: 'Kept (sandbox)',
    kept_no_gateway: 'Kept (no gateway)',
    kept_limit: 'Kept (limit of the recipient)',
    open: 'Not arrived yet',
    of: (done: number, max: number) => `${done} of ${max}`,
    attempts: (done: number) => (done === 1 ? '1 attempt' : `${done} attempts`),
    next: (time: string) => `next ${time}`,
    retried: (count: string) => `${count} ${count === '1' ? 'is' : 'are'} retried`,
    given_up: (count: string) => `${count} ${count === '1' ? 'has' : 'have'} failed`,
    delivered_at: (time: string) => `Delivered at ${time}`,
    again: (time: string, state: string) => `Sent again at ${time}: ${state}`,
    again_failed: 'failed',
    again_cancelled: 'cancelled',
  },
})

/** Returns the texts of the states without numbers, for filters and the search. */
export function useStateWords() {
  const { delivered, sent, failed, cancelled, kept, open } = useTexts(stateTexts)
  return { delivered, sent, failed, cancelled, kept, open }
}

/** A webhook delivery or a message. `attempts` counts the attempts that have ended. */
export type SentThing = {
  status: 'pending' | 'waiting' | 'delivered' | 'sent' | 'failed' | 'cancelled' | 'kept'
  attempts: number
  next_at: string | null
  /** The time of the first attempt that the receiver accepted. A failed repetition does not change it. */
  delivered_at?: string | null
  /** The time of the last attempt. */
  last_at?: string | null
  /** The reason why the server keeps a message and does not send it. */
  kept?: 'sandbox' | 'no_gateway' | 'limit'
}

const TONES: Record<SentThing['status'], Tone> = {
  pending: 'wait',
  waiting: 'wait',
  delivered: 'good',
  sent: 'good',
  failed: 'bad',
  cancelled: 'plain',
  kept: 'plain',
}

/** Formats the time of an attempt: the time of day, and for another day also the date. */
function attemptTime(time: string, language: Language): string {
  const shown = showTime(time, language)
  return dayOf(new Date(time)) === dayOf(new Date()) ? (shown.split(', ')[1] ?? shown) : shown
}

/** Formats the time of the next attempt. An elapsed time gives null. */
function shortTime(time: string | null, language: Language): string | null {
  return time === null || Date.parse(time) <= Date.now() ? null : attemptTime(time, language)
}

/** Describes the state of a delivery or a message, such as "Retrying (4 of 5, next 11:24)". */
function describeState(t: (typeof stateTexts)['en'], language: Language, thing: SentThing): string {
  const { status, attempts, next_at, kept = 'no_gateway' } = thing
  if (status === 'kept') return t[`kept_${kept}`]
  if (status === 'pending' || status === 'waiting') {
    if (attempts === 0) return t.queued
    const next = shortTime(next_at, language)
    const count = attempts < ATTEMPTS_MAX ? t.of(attempts, ATTEMPTS_MAX) : t.attempts(attempts)
    return `${t.retrying} (${count}${next === null ? '' : `, ${t.next(next)}`})`
  }
  if (status !== 'failed' || attempts === 0) return t[status]
  // A final refusal and a replay end a delivery after another number of attempts.
  return `${t.failed} (${attempts === ATTEMPTS_MAX ? t.of(attempts, ATTEMPTS_MAX) : t.attempts(attempts)})`
}

/** Describes the repetition of a delivery that the receiver accepted before, such as "Sent again at 11:24: failed". */
function describeRepetition(t: (typeof stateTexts)['en'], language: Language, thing: SentThing): string {
  const { status, last_at = null } = thing
  if (last_at === null || (status !== 'failed' && status !== 'cancelled')) return t.queued
  return t.again(attemptTime(last_at, language), t[`again_${status}`])
}

/**
 * Shows the state of a delivery or a message as a coloured word. If the receiver accepted an earlier attempt, the delivery stays
 * delivered, and a second word says how its repetition ended.
 */
export function DeliveryState({ of: thing }: { of: SentThing }) {
  const t = useTexts(stateTexts)
  const language = useLanguage()
  const { status, delivered_at = null } = thing
  const tone = TONES[status]
  if (delivered_at === null || status === 'delivered')
    return <Chip tone={tone}>{describeState(t, language, thing)}</Chip>
  return (
    <>
      <Chip tone="good">{t.delivered_at(attemptTime(delivered_at, language))}</Chip>{' '}
      <Chip tone={tone}>{describeRepetition(t, language, thing)}</Chip>
    </>
  )
}

/**
 * Returns the function that says how many missed deliveries the server retries and how many have failed, such as
 * "3 are retried (next 11:24), 1 has failed".
 */
export function useMissedText(): (missed: { failed: number; given_up: number; next_at: string | null }) => string {
  const t = useTexts(stateTexts)
  const language = useLanguage()
  return ({ failed, given_up, next_at }) => {
    const retried = failed - given_up
    const next = shortTime(next_at, language)
    return [
      retried === 0 ? '' : `${t.retried(showCount(retried))}${next === null ? '' : ` (${t.next(next)})`}`,
      given_up === 0 ? '' : t.given_up(showCount(given_up)),
    ]
      .filter(Boolean)
      .join(', ')
  }
}

/** Returns a message of the API as a thing with a state. */
export function messageState(row: {
  status: 'kept' | 'waiting' | 'sent' | 'failed'
  environment: 'live' | 'sandbox'
  tries: number
  next_try_at: string | null
  error: string | null
}): SentThing {
  const limited = row.error?.startsWith('recipient_limit') ?? false
  const kept = limited ? 'limit' : row.environment === 'sandbox' ? 'sandbox' : 'no_gateway'
  return { status: row.status, attempts: row.tries, next_at: row.next_try_at, kept }
}
