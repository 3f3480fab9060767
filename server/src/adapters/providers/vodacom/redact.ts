// Which of our secrets the gateway could repeat, and where in its answers.

import { createRedaction as createTexts } from '../redact.ts'
import type { Verdict } from './envelope.ts'

/** Takes our secrets out of the texts that are kept or logged. */
export type Redaction = {
  /** Adds a secret that came about since: a session, or what a call carried. */
  add(secret: string): void
  words(verdict: Verdict): Verdict
}

const TEXT_MAX = 300
/** Sessions that are remembered: the newest, each with what calls carried. */
const SECRETS_MAX = 24

/** Makes it. */
export function createRedaction(api_key: string): Redaction {
  const { add, clean } = createTexts([api_key], SECRETS_MAX)
  const cleaned = (text: string | null) => (text === null ? null : clean(text))
  return {
    add,
    words(verdict) {
      const { envelope } = verdict
      if (envelope === null) return verdict
      const safe = {
        ...envelope,
        // Cut only now: half a secret would not be found any more.
        description: clean(envelope.description).slice(0, TEXT_MAX),
        transaction_id: cleaned(envelope.transaction_id),
        conversation_id: cleaned(envelope.conversation_id),
        original_id: cleaned(envelope.original_id),
        state: cleaned(envelope.state),
        names: envelope.names.map(clean),
      }
      return { ...verdict, envelope: safe } as Verdict
    },
  }
}
