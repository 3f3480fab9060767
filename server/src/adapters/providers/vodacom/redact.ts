// Removes the platform's secrets from the gateway's answers.

import { createRedaction as createTexts } from '../redact.ts'
import type { VodacomVerdict } from './envelope.ts'

/** Removes secrets from stored or logged texts. */
export type VodacomRedaction = {
  /** Adds a temporary secret: a session or a bearer. */
  add(secret: string): void
  words(verdict: VodacomVerdict): VodacomVerdict
}

const TEXT_MAX = 300
/** The newest sessions that are remembered, each with its bearer. */
const SECRETS_MAX = 24

/** Makes the redaction. */
export function createVodacomRedaction(api_key: string): VodacomRedaction {
  const { add, clean } = createTexts([api_key], SECRETS_MAX)
  const cleaned = (text: string | null) => (text === null ? null : clean(text))
  return {
    add,
    words(verdict) {
      const { envelope } = verdict
      if (envelope === null) return verdict
      const safe = {
        ...envelope,
        // The text is cut after redaction, because half a secret would not be found.
        description: clean(envelope.description).slice(0, TEXT_MAX),
        transaction_id: cleaned(envelope.transaction_id),
        conversation_id: cleaned(envelope.conversation_id),
        original_id: cleaned(envelope.original_id),
        state: cleaned(envelope.state),
        names: envelope.names.map(clean),
      }
      return { ...verdict, envelope: safe } as VodacomVerdict
    },
  }
}
