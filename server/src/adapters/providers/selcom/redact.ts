// Removes the platform's secrets from the gateway's answers.

import { createRedaction as createTexts, REDACTED } from '../redact.ts'
import type { SelcomVerdict } from './envelope.ts'
import { authorizationOf, type SelcomCredentials } from './sign.ts'

/** Removes secrets from answers. */
export type SelcomRedaction = {
  /** Removes the long secrets from a whole answer. */
  raw(text: string): string
  /** Removes all secrets from texts that the server stores or logs. Inside a longer number, the PIN stays. */
  words(verdict: SelcomVerdict): SelcomVerdict
}

/** Makes the redaction for the configured secrets. */
export function createSelcomRedaction({ api_key, api_secret }: SelcomCredentials, pin: string | null): SelcomRedaction {
  const encoded = authorizationOf(api_key).split(' ')[1] ?? ''
  const { clean: raw } = createTexts([api_secret, api_key, encoded])
  const escaped = pin?.replace(/[^0-9A-Za-z]/g, '\\$&')
  const alone = escaped ? new RegExp(`(?<![0-9A-Za-z])${escaped}(?![0-9A-Za-z])`, 'g') : null
  // A second pass after JSON parsing finds secrets that the gateway had escaped.
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
