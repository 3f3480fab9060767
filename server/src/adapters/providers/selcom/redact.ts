// Removes the platform's secrets from the gateway's answers.

import { createRedaction as createTexts, REDACTED } from '../redact.ts'
import type { Verdict } from './envelope.ts'
import { authorizationOf, type Credentials } from './sign.ts'

/** Removes secrets from answers. */
export type Redaction = {
  /** Removes the long secrets from a whole answer. */
  raw(text: string): string
  /** Removes all secrets from stored or logged texts: the PIN too, except inside a longer number. */
  words(verdict: Verdict): Verdict
}

/** Makes the redaction for the configured secrets. */
export function createRedaction({ api_key, api_secret }: Credentials, pin: string | null): Redaction {
  const encoded = authorizationOf(api_key).split(' ')[1] ?? ''
  const { clean: raw } = createTexts([api_secret, api_key, encoded])
  const escaped = pin?.replace(/[^0-9A-Za-z]/g, '\\$&')
  const alone = escaped ? new RegExp(`(?<![0-9A-Za-z])${escaped}(?![0-9A-Za-z])`, 'g') : null
  // A second pass after JSON parsing finds secrets that were escaped before.
  const word = (text: string) => (alone === null ? raw(text) : raw(text).replace(alone, REDACTED))
  return {
    raw,
    words(verdict) {
      const { envelope } = verdict
      if (envelope === null) return verdict
      const { result, message, reference } = envelope
      const clean = {
        ...envelope,
        result: word(result),
        message: word(message),
        reference: reference === null ? null : word(reference),
      }
      return { ...verdict, envelope: clean } as Verdict
    },
  }
}
