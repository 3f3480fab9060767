// Removes the platform's secrets from answers, because a gateway may repeat the fields of a request.

/** The text that replaces each removed secret. */
export const REDACTED = '[redacted]'
/**
 * The length in characters of the shortest secret that the redaction removes. A shorter secret could occur in an answer by
 * chance.
 */
const LENGTH_MIN = 8

/** Removes secrets from texts that the server stores or logs. */
export type Redaction = {
  /** Adds a temporary secret. The redaction keeps only the newest temporary secrets. */
  add(secret: string): void
  /** Returns the text without the secrets. */
  clean(text: string): string
}

/**
 * Makes the redaction of fixed secrets and of at most `added_max` temporary secrets. The redaction ignores secrets that are
 * too short.
 */
export function createRedaction(fixed: readonly string[], added_max = 0): Redaction {
  const added: string[] = []
  return {
    add(secret) {
      added.push(secret)
      if (added.length > added_max) added.shift()
    },
    clean: (text) =>
      [...fixed, ...added].reduce(
        (left, secret) => (secret.length < LENGTH_MIN ? left : left.replaceAll(secret, REDACTED)),
        text,
      ),
  }
}
