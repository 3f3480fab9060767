// Limits the e-mails that requests cause, and hides in the duration of an answer which e-mail the server sends.

import type { Deps } from '../../kernel/db/index.ts'
import { refuse, systemClock } from '../../kernel/lib/index.ts'
import { beginAttempt, type SignInAttempt } from './attempts.ts'

/** The duration of an answer that may send an e-mail, in milliseconds. Tests shorten this duration. */
export const MAIL_ANSWER = { ms: 400 }

/** Runs the work and waits for a multiple of MAIL_ANSWER, so that the duration reveals little about the work. */
export async function atFixedTime(work: () => Promise<void>): Promise<void> {
  const begin = systemClock.now().getTime()
  await work()
  const passed = systemClock.now().getTime() - begin
  const { ms } = MAIL_ANSWER
  await new Promise<void>((resolve) => void systemClock.after(ms - (passed % ms), resolve))
}

/** Returns an allowed attempt. If the attempt is not allowed, refuses with 429. */
export function requireAllowed(attempt: SignInAttempt): Extract<SignInAttempt, { allowed: true }> {
  return attempt.allowed ? attempt : refuse('rate_limited', { retry_after_s: attempt.retry_after_s })
}

/**
 * Returns true if the server may send one more e-mail to this address. The answer must not show the result, because the result
 * reveals requests of other clients. If this client requests too many e-mails, refuses with 429.
 */
export async function maySendMail(deps: Deps, { ip }: { ip: string }, email: string): Promise<boolean> {
  const attempt = await beginAttempt(deps, 'mail', { account: email, address: ip, device: null })
  if (!attempt.allowed && attempt.blocked === 'address') requireAllowed(attempt)
  return attempt.allowed
}
