// Questions to a provider: gathered into sets where one call answers many, else one by one beside each other.

import { type Clock, gather } from '../../kernel/lib/index.ts'
import { AFTER_TRY_MS, type Breaker, guarded, isFault, isUnasked, UNASKED } from './breaker.ts'
import type { Answer, PayoutAnswer, Provider } from './port.ts'

/** How sets are gathered for a provider whose call takes many questions. */
const SETS = { max_items: 500, max_running: 4 }

/** A question that was not asked, because the circuit is open. */
type Unasked = typeof UNASKED & { ask_again_ms: number }

/**
 * Makes the function that asks a provider about one payment or payout, behind the circuit of `method`. `ask` makes the call,
 * answers in the order of its items, ends in time and never throws. Milliseconds in `ask_again_ms` of what was not asked.
 */
export function gatherQuestions<Item, Said extends Answer | PayoutAnswer>(
  guard: { breaker: Breaker; clock: Clock },
  provider: Provider,
  method: string,
  ask: (items: readonly Item[]) => Promise<readonly Said[]>,
): (item: Item) => Promise<Said | Unasked> {
  const { asks_singly } = provider.capabilities
  const options = asks_singly === undefined ? SETS : { max_items: 1, max_running: asks_singly }
  const unasked = (count: number, ask_again_ms: number) => Array<Unasked>(count).fill({ ...UNASKED, ask_again_ms })
  let trying = false
  const tryOne = async (items: readonly Item[]) => {
    trying = true
    try {
      return [...(await ask(items.slice(0, 1))), ...unasked(items.length - 1, AFTER_TRY_MS)]
    } finally {
      trying = false
    }
  }
  return gather<Item, Said | Unasked>(
    (items) =>
      guarded<readonly (Said | Unasked)[]>(guard, provider, method, {
        work: (probing) => (probing ? tryOne(items) : ask(items)),
        // Beside the one that tries whether the provider works, the others of its set are held back, and say nothing of it.
        isFault: (answers) => answers.every((answer) => isUnasked(answer) || isFault(answer)),
        // What comes while one question tries whether the provider works again is asked soon after it.
        stopped: (pause_ms) => unasked(items.length, trying ? Math.min(pause_ms, AFTER_TRY_MS) : pause_ms),
      }),
    options,
  )
}
