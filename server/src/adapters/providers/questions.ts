// Sends queries to a provider. If one call takes many queries, the platform batches the queries. Otherwise the platform sends
// each query in a separate call, several calls at the same time.

import { type Clock, gather } from '../../kernel/lib/index.ts'
import { AFTER_PROBE_MS, type Breaker, guarded, isFault, isUnasked, UNASKED } from './breaker.ts'
import type { Answer, PayoutAnswer, Provider } from './port.ts'

/** The batch limits for a provider that takes many queries in one call. */
const SETS = { max_items: 500, max_running: 4 }

/** The answer to a query that the platform did not send, because the circuit is open or a probe runs. */
type Unasked = typeof UNASKED & { ask_again_ms: number }

/**
 * Makes the function that queries one payment or payout through the circuit breaker of `method`. `ask` answers in the order of
 * its items, ends before its timeout and never throws. If the circuit stops a query, `ask_again_ms` has the pause.
 */
export function gatherQuestions<Item, Reply extends Answer | PayoutAnswer>(
  guard: { breaker: Breaker; clock: Clock },
  provider: Provider,
  method: string,
  ask: (items: readonly Item[]) => Promise<readonly Reply[]>,
): (item: Item) => Promise<Reply | Unasked> {
  const { asks_singly } = provider.capabilities
  const options = asks_singly === undefined ? SETS : { max_items: 1, max_running: asks_singly }
  const unasked = (count: number, ask_again_ms: number) => Array<Unasked>(count).fill({ ...UNASKED, ask_again_ms })
  let is_probing = false
  const probeWithOne = async (items: readonly Item[]) => {
    is_probing = true
    try {
      return [...(await ask(items.slice(0, 1))), ...unasked(items.length - 1, AFTER_PROBE_MS)]
    } finally {
      is_probing = false
    }
  }
  return gather<Item, Reply | Unasked>(
    (items) =>
      guarded<readonly (Reply | Unasked)[]>(guard, provider, method, {
        work: (probing) => (probing ? probeWithOne(items) : ask(items)),
        // The platform does not send the other queries of a probe's batch, so these queries are neither faults nor
        // successes.
        isFault: (answers) => answers.every((answer) => isUnasked(answer) || isFault(answer)),
        // If a query comes during a probe, the platform sends the query soon after the probe.
        stopped: (pause_ms) => unasked(items.length, is_probing ? Math.min(pause_ms, AFTER_PROBE_MS) : pause_ms),
      }),
    options,
  )
}
