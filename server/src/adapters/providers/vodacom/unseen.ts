// Logs transaction states that no setting names, because an operator must configure the meaning of each state.

import type { Log } from '../../../kernel/lib/index.ts'
import type { VodacomVerdict } from './envelope.ts'
import type { StateWords } from './mapping.ts'

/** Checks the state in the answer to a query. If no setting names the state, logs the state once. */
export type UnseenStateLog = (kind: 'payment' | 'payout', reference: string, verdict: VodacomVerdict) => void

/** The greatest number of remembered states, so that unexpected states do not fill the memory. */
const WORDS_MAX = 100
const WORD_CHARS_MAX = 64
const SETTINGS = {
  payment: 'VODACOM_PENDING_STATES, VODACOM_FAILED_STATES',
  payout: 'VODACOM_PENDING_STATES, VODACOM_FAILED_PAYOUT_STATES',
} as const

/** Makes the check for the configured states. `name` is the provider's name in log lines. */
export function createUnseenStateLog(name: string, states: StateWords, log: Log): UnseenStateLog {
  const lower = (words: readonly string[]) => words.map((word) => word.toLowerCase())
  const shared = [...states.paid, ...states.pending]
  const known = {
    payment: new Set(lower([...shared, ...Object.keys(states.failed)])),
    payout: new Set(lower([...shared, ...states.payout_failed])),
  }
  const logged = new Set<string>()
  return (kind, reference, verdict) => {
    if (verdict.is !== 'done') return
    const word = verdict.envelope.state?.trim().slice(0, WORD_CHARS_MAX) ?? ''
    const once = `${kind} ${word.toLowerCase()}`
    if (word === '' || known[kind].has(word.toLowerCase()) || logged.has(once) || logged.size >= WORDS_MAX) return
    logged.add(once)
    log.warn(
      {
        component: 'providers',
        provider: name,
        kind,
        provider_reference: reference,
        provider_state: word,
        settings: SETTINGS[kind],
      },
      'the provider returned a state that no setting names, so the platform cannot interpret the state',
    )
  }
}
