// Calling adapters for what is beyond the port: one that throws, or does not end in time, has said nothing.

import type { Deps } from '../db/index.ts'
import { CALL_MS_MAX } from '../providers/port.ts'

/** Adapters end by themselves before this. */
const CUT_OFF_MS = CALL_MS_MAX + 1_000

/** What an adapter answers; null when it does not. */
export async function answerOf<Said>(deps: Deps, name: string, work: () => Promise<Said | null>): Promise<Said | null> {
  const late = Promise.withResolvers<never>()
  const cancel = deps.clock.after(CUT_OFF_MS, () => late.reject(new Error('it did not end in time')))
  try {
    return await Promise.race([work(), late.promise])
  } catch (error) {
    deps.log.error({ err: error, provider: name }, 'the adapter failed')
    return null
  } finally {
    cancel()
  }
}
