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
  /** True if the receiver accepted the last attempt, so that the next attempt repeats the delivery. */
  repeats?: boolean
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

/** Formats the time of the next attempt: the time of day, and for another day also the date. An elapsed time gives null. */
function shortTime(time: string | null, language: Language): string | null {
  const now = new Date()
  if (time === null || Date.parse(time) <= now.getTime()) return null
  const shown = showTime(time, language)
  return dayOf(new Date(time)) === dayOf(now) ? (shown.split(', ')[1] ?? shown) : shown
}

/** Describes the state of a delivery or a message, such as "Retrying (4 of 5, next 11:24)". */
function describeState(t: (typeof stateTexts)['en'], language: Language, thing: SentThing): string {
  const { status, attempts, next_at, repeats = false, kept = 'no_gateway' } = thing
  if (status === 'kept') return t[`kept_${kept}`]
  if (status === 'pending' || status === 'waiting') {
    if (attempts === 0 || repeats) return t.queued
    const next = shortTime(next_at, language)
    const count = attempts < ATTEMPTS_MAX ? t.of(attempts, ATTEMPTS_MAX) : t.attempts(attempts)
    return `${t.retrying} (${count}${next === null ? '' : `, ${t.next(next)}`})`
  }
  if (status !== 'failed' || attempts === 0) return t[status]
  // A final refusal and a replay end a delivery after another number of attempts.
  return `${t.failed} (${attempts === ATTEMPTS_MAX ? t.of(attempts, ATTEMPTS_MAX) : t.attempts(attempts)})`
}

/** Returns the function that describes the state of a delivery or a message in the current language. */
function useStateText(): (thing: SentThing) => string {
  const t = useTexts(stateTexts)
  const language = useLanguage()
  return (thing) => describeState(t, language, thing)
}

/** Shows the state of a delivery or a message as a coloured word. */
export function DeliveryState({ of: thing }: { of: SentThing }) {
  const describe = useStateText()
  return <Chip tone={TONES[thing.status]}>{describe(thing)}</Chip>
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
