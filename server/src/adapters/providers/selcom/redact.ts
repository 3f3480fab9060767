// Removes the platform's secrets from the answers of Selcom's gateway, because the gateway may repeat a PIN or a key.

import { createRedaction as createTexts, REDACTED } from '../redact.ts'
import type { SelcomVerdict } from './envelope.ts'
import { authorizationOf, type SelcomCredentials } from './sign.ts'

/** The two functions that remove secrets: one before and one after the client reads an answer. */
export type SelcomRedaction = {
  /** Removes the API key and the API secret from a whole answer, as text. */
  raw(text: string): string
  /**
   * Removes all secrets from texts that the server stores or logs. If the PIN is part of a longer number or word, the text
   * stays unchanged.
   */
  words(verdict: SelcomVerdict): SelcomVerdict
}

/** Makes the redaction of the configured secrets. */
export function createSelcomRedaction({ api_key, api_secret }: SelcomCredentials, pin: string | null): SelcomRedaction {
  const encoded = authorizationOf(api_key).split(' ')[1] ?? ''
  const { clean: raw } = createTexts([api_secret, api_key, encoded])
  const escaped = pin?.replace(/[^0-9A-Za-z]/g, '\\$&')
  const alone = escaped ? new RegExp(`(?<![0-9A-Za-z])${escaped}(?![0-9A-Za-z])`, 'g') : null
  // A second redaction after JSON parsing finds secrets whose characters the JSON text had escaped.
  const cleanText = (text: string) => (alone === null ? raw(text) : raw(text).replace(alone, REDACTED))
  return {
    raw,
    words(verdict) {
      const { envelope } = verdict
      if (envelope === null) return verdict
      const { result, message, reference } = envelope
      const clean = {
        ...envelope,
        result: cleanText(result),
        message: cleanText(message),
        reference: reference === null ? null : cleanText(reference),
      }
      return { ...verdict, envelope: clean } as SelcomVerdict
    },
  }
}
