// Which of our secrets the gateway could repeat, and where in its answers.

import { createRedaction as createTexts, REDACTED } from '../redact.ts'
import type { Verdict } from './envelope.ts'
import { authorizationOf, type Credentials } from './sign.ts'

/** Takes our secrets out of what was answered. */
export type Redaction = {
  /** Out of a whole answer: what is too long to stand in one by chance. */
  raw(text: string): string
  /** Out of the texts that are kept or logged: the PIN too, where it stands alone. Within a longer number it is none. */
  words(verdict: Verdict): Verdict
}

/** Makes it for the secrets in use. */
export function createRedaction({ api_key, api_secret }: Credentials, pin: string | null): Redaction {
  const encoded = authorizationOf(api_key).split(' ')[1] ?? ''
  const { clean: raw } = createTexts([api_secret, api_key, encoded])
  const escaped = pin?.replace(/[^0-9A-Za-z]/g, '\\$&')
  const alone = escaped ? new RegExp(`(?<![0-9A-Za-z])${escaped}(?![0-9A-Za-z])`, 'g') : null
  // Once more, now that no secret is spelled with the escapes of JSON.
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
