// Removes the platform's secrets from the gateway's answers.

import { createRedaction as createTexts, REDACTED } from '../redact.ts'
import type { SelcomVerdict } from './envelope.ts'
import { authorizationOf, type SelcomCredentials } from './sign.ts'

/** Removes secrets from answers. */
export type SelcomRedaction = {
  /** Removes the long secrets from a whole answer. */
  raw(text: string): string
  /** Removes all secrets from stored or logged texts: the PIN too, except inside a longer number. */
  words(verdict: SelcomVerdict): SelcomVerdict
}

/** Makes the redaction for the configured secrets. */
export function createSelcomRedaction({ api_key, api_secret }: SelcomCredentials, pin: string | null): SelcomRedaction {
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
      return { ...verdict, envelope: clean } as SelcomVerdict
    },
  }
}
