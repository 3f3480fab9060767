// Shows the facts of a failing webhook endpoint. Both consoles show the same texts.

import type { ReactNode } from 'react'
import type { Calls } from './api-types.ts'
import { deliveryErrors } from './delivery-errors.ts'
import { texts, useTexts } from './language.ts'
import { FactList, Time } from './parts.tsx'
import { showCount } from './show.ts'

type Failing = Calls['GET /v1/merchant/webhook-status']['data']['failing'][number]

const failingTexts = texts({
  sw: {
    failed: 'Ujumbe usiopokelewa',
    failed_of: (failed: string, given_up: string) => `${failed}, kati yake ${given_up} hautatumwa tena wenyewe`,
    since: 'Wa zamani zaidi ulitokea',
    last: 'Jibu la mwisho',
    no_answer: 'Hakuna jibu',
    status: (code: number) => `HTTP ${code}`,
    next: 'Utajaribiwa tena',
    never: 'Hautatumwa tena wenyewe; kurudia kutuma (replay) huutuma tena.',
  },
  en: {
    failed: 'Failed deliveries',
    failed_of: (failed: string, given_up: string) => `${failed}, of which the server does not retry ${given_up}`,
    since: 'The oldest happened',
    last: 'Last answer',
    no_answer: 'No answer',
    status: (code: number) => `HTTP ${code}`,
    next: 'Next attempt',
    never: 'The server does not retry these deliveries; a replay sends them again.',
  },
})

/**
 * Shows the failed deliveries of an endpoint: their number, the time of the oldest one, the last response, and the time of the
 * next attempt. `extraFact` comes before these facts.
 */
export function FailingFacts({
  failing,
  extraFact = null,
}: {
  failing: Failing
  extraFact?: readonly [string, ReactNode, 'wide'?] | null
}) {
  const t = useTexts(failingTexts)
  const { failed, given_up, oldest_at, last_failed_at, last_status_code, last_error, next_attempt_at } = failing
  const errors = useTexts(deliveryErrors)
  const count = showCount(failed)
  const error = last_error === null ? null : (errors[last_error] ?? last_error)
  return (
    <FactList
      facts={[
        extraFact,
        [t.failed, given_up === 0 ? count : t.failed_of(count, showCount(given_up))],
        [t.since, <Time key="since" time={oldest_at} />],
        [
          t.last,
          <span key="last">
            {last_status_code === null
              ? `${t.no_answer}${error === null ? '' : `: ${error}`}`
              : t.status(last_status_code)}{' '}
            · <Time time={last_failed_at} />
          </span>,
        ],
        [t.next, next_attempt_at === null ? t.never : <Time key="next" time={next_attempt_at} />],
      ]}
    />
  )
}
