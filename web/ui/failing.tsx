// Shows the facts of a failing webhook endpoint. Both consoles show the same texts.

import type { ReactNode } from 'react'
import type { Calls } from './api-types.ts'
import { deliveryErrors } from './delivery-errors.ts'
import { useMissedText } from './delivery-state.tsx'
import { facts } from './facts.ts'
import { texts, useTexts } from './language.ts'
import { FactList, Time } from './parts.tsx'

type Failing = Calls['GET /v1/merchant/webhook-status']['data']['failing'][number]

const failingTexts = texts({
  sw: {
    failed: 'Ujumbe usiopokelewa',
    since: 'Wa zamani zaidi ulitokea',
    last: 'Jibu la mwisho',
    last_before: 'Jibu la mwisho kabla ya badiliko',
    no_answer: 'Hakuna jibu',
    status: (code: number) => `HTTP ${code}`,
    again: 'Uliokwisha kushindikana',
    never: 'Hautumwi tena wenyewe. Utume tena anwani ikianza kufanya kazi.',
    never_merchant: 'Hautumwi tena wenyewe. Biashara inaweza kuutuma tena.',
  },
  en: {
    failed: 'Missed deliveries',
    since: 'The oldest happened',
    last: 'Last answer',
    last_before: 'Last answer before the change',
    no_answer: 'No answer',
    status: (code: number) => `HTTP ${code}`,
    again: 'Deliveries that have failed',
    never: 'They are not retried. Send them again when the address works.',
    never_merchant: 'They are not retried. The merchant can send them again.',
  },
})

/**
 * Shows the missed deliveries of an endpoint: how many the server retries and how many have failed, the time of the oldest one
 * and the last response. `extraFact` comes before these facts. `changed` says that somebody changed the endpoint after that response.
 */
export function FailingFacts({
  failing,
  changed = false,
  extraFact = null,
}: {
  failing: Failing
  changed?: boolean
  extraFact?: readonly [string, ReactNode, 'wide'?] | null
}) {
  const t = useTexts(failingTexts)
  const { failed, given_up, oldest_at, last_failed_at, last_status_code, last_error, next_attempt_at } = failing
  const errors = useTexts(deliveryErrors)
  const missed = useMissedText()
  const error = last_error === null ? null : (errors[last_error] ?? last_error)
  return (
    <FactList
      facts={[
        extraFact,
        [t.failed, missed({ failed, given_up, next_at: next_attempt_at })],
        [t.since, <Time key="since" time={oldest_at} />],
        [
          changed ? t.last_before : t.last,
          <span key="last">
            {last_status_code === null
              ? `${t.no_answer}${error === null ? '' : `: ${error}`}`
              : t.status(last_status_code)}{' '}
            · <Time time={last_failed_at} />
          </span>,
        ],
        // Only the merchant can send them again.
        given_up === 0 ? null : [t.again, facts.console === 'operator' ? t.never_merchant : t.never],
      ]}
    />
  )
}
