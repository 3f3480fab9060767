// Removes the platform's secrets from the answers of Vodacom's gateway, because the gateway may repeat a session or a key.

import { createRedaction as createTexts } from '../redact.ts'
import type { VodacomVerdict } from './envelope.ts'

/** The functions that remove secrets from texts that the server stores or logs. */
export type VodacomRedaction = {
  /** Adds a temporary secret: a session id or a bearer. */
  add(secret: string): void
  words(verdict: VodacomVerdict): VodacomVerdict
}

const TEXT_MAX = 300
/**
 * The number of temporary secrets that the redaction keeps. A session takes three of them: its id, its bearer and the bearer of
 * the API key.
 */
const SECRETS_MAX = 24

/** Makes the redaction for the API key and the newest sessions. */
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
        // The function cuts the text after the redaction, because the redaction would not find half a secret.
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
