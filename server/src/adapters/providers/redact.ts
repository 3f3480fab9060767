// A gateway that repeats what it was sent must not make us write down our own secrets.

/** What stands where a secret stood. */
export const REDACTED = '[redacted]'
/** Anything shorter may be part of an answer by chance. */
const LENGTH_MIN = 8

/** Takes secrets out of texts that are kept or logged. */
export type Redaction = {
  /** Adds a secret that came about since. Of these only the newest are remembered. */
  add(secret: string): void
  /** The text without any of them. */
  clean(text: string): string
}

/** Makes it for secrets that stay, and for at most `added_max` that come and go. What is too short for one is left alone. */
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
