// Calling providers about payouts: the one place where they are asked and where their answers come in. An adapter that
// throws, that does not end in time, or that leaves an answer out has said nothing: the payout may have been executed.

import { readPayoutAnswer, UNREADABLE } from '../../adapters/providers/answer.ts'
import {
  answerOf,
  type Breaker,
  CIRCUIT_OPEN,
  guarded,
  isFault,
  QUESTIONS,
  UNASKED,
} from '../../adapters/providers/breaker.ts'
import type { PayoutAnswer, PayoutRequest, Provider } from '../../adapters/providers/port.ts'
import { gatherQuestions } from '../../adapters/providers/questions.ts'
import type { Deps } from '../../kernel/db/index.ts'
import type { Payout } from './store.ts'

/** Calls to the provider of a payout. None throws, and each ends. */
export type PayoutCalls = {
  /** Sends it. Call it only under a token that was taken. */
  payout(payout: Payout): Promise<PayoutAnswer>
  /** Asks what became of it, together with what else waits to be asked of the same provider. */
  status(payout: Payout): Promise<PayoutAnswer>
}

/** Makes the calls over the configured providers. */
export function createPayoutCalls(deps: Deps, providers: ReadonlyMap<string, Provider>, breaker: Breaker): PayoutCalls {
  const guard = { breaker, clock: deps.clock }
  const find = (name: string): Provider | undefined => {
    const provider = providers.get(name)
    if (provider === undefined)
      deps.log.warn({ provider: name }, 'a payout waits for a provider that is not configured')
    return provider
  }
  // Each provider has its own gatherer: whoever is slow holds up nobody else's questions.
  const gatherers = new Map<string, (payout: Payout) => Promise<PayoutAnswer>>()
  const gathererOf = (name: string) => {
    const known = gatherers.get(name)
    if (known !== undefined) return known
    const provider = find(name)
    if (provider === undefined) return async () => ({ ...UNASKED, ask_again_ms: UNCONFIGURED_MS })
    const made = gatherQuestions<Payout, PayoutAnswer>(guard, provider, QUESTIONS.payouts, async (payouts) => {
      const said = await answerOf(deps, name, () => provider.payoutStatus(payouts.map(requestOf)))
      return payouts.map((_, i) => asQuestion(readPayoutAnswer(said?.[i] ?? UNREADABLE)))
    })
    gatherers.set(name, made)
    return made
  }
  return {
    async payout(payout) {
      const provider = find(payout.provider)
      // Without its adapter nothing was sent; it waits, with its token, for the day on which it is configured again.
      if (provider === undefined) return { kind: 'not_sent', provider_status: null }
      return guarded<PayoutAnswer>(guard, provider, payout.method, {
        work: async () =>
          readPayoutAnswer(
            (await answerOf(deps, payout.provider, () => provider.payout(requestOf(payout)))) ?? UNREADABLE,
          ),
        isFault,
        // Nothing was sent: it keeps its money set aside, and is sent once the provider is tried again.
        stopped: (ask_again_ms) => ({ kind: 'not_sent', provider_status: CIRCUIT_OPEN, ask_again_ms }),
      })
    },
    status: async (payout) => heldBack(await gathererOf(payout.provider)(payout)),
  }
}

/** A provider that is not configured is looked for again so often. */
const UNCONFIGURED_MS = 60_000

/** A question for which none of our own connections was free was not asked. */
function heldBack(answer: PayoutAnswer): PayoutAnswer {
  if (answer.kind !== 'unknown' || answer.why !== 'busy') return answer
  return answer.ask_again_ms === undefined ? UNASKED : { ...UNASKED, ask_again_ms: answer.ask_again_ms }
}

/** That a question was refused or did not arrive says nothing about the payout. */
function asQuestion(answer: PayoutAnswer): PayoutAnswer {
  if (answer.kind === 'blocked') {
    const { because: _, ...rest } = answer
    return { ...rest, kind: 'unknown', why: 'refused_us' }
  }
  if (answer.kind !== 'not_sent') return answer
  const { busy, ...rest } = answer
  return { ...rest, kind: 'unknown', why: busy ? 'busy' : 'unreachable' }
}

/** A payout as the port wants it. */
function requestOf(payout: Payout): PayoutRequest {
  const { environment, method, destination_code, destination_identifier, destination_name, bank_name } = payout
  const { provider_reference: reference, amount_minor, currency, sent_at } = payout
  const destination = { destination_code, destination_identifier, destination_name, bank_name }
  return { reference, environment, method, ...destination, amount_minor, currency, sent_at }
}
