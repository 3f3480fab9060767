// Calls providers about payouts; every request and every answer passes through this file. If an adapter throws, exceeds the
// timeout or returns no answer, the answer is unknown, because the provider may have paid.

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
import { type Payout, payoutTraceFields } from './store.ts'

/**
 * The functions that call the provider of a payout. If a call fails or its timeout ends, the function returns an unknown answer and
 * does not throw.
 */
export type PayoutCalls = {
  /** Sends the payout. Before this call, a process must have taken the send token of the payout. */
  payout(payout: Payout): Promise<PayoutAnswer>
  /** Queries the status of the payout. Queries to a provider that takes many queries in a call share a request. */
  status(payout: Payout): Promise<PayoutAnswer>
}

/** Returns the functions that call the configured providers. */
export function createPayoutCalls(deps: Deps, providers: ReadonlyMap<string, Provider>, breaker: Breaker): PayoutCalls {
  const guard = { breaker, clock: deps.clock }
  const find = (name: string): Provider | undefined => {
    const provider = providers.get(name)
    if (provider === undefined)
      deps.log.warn(
        { component: 'withdrawals', provider: name },
        'a payout waits for a provider that is not configured: configure that provider',
      )
    return provider
  }
  // The queries of each provider have a separate batch, so that a slow provider does not delay the queries to other providers.
  const gatherers = new Map<string, (payout: Payout) => Promise<PayoutAnswer>>()
  const gathererOf = (name: string) => {
    const existing = gatherers.get(name)
    if (existing !== undefined) return existing
    const provider = find(name)
    if (provider === undefined) return async () => ({ ...UNASKED, ask_again_ms: UNCONFIGURED_MS })
    const made = gatherQuestions<Payout, PayoutAnswer>(guard, provider, QUESTIONS.payouts, async (payouts) => {
      const answers = await answerOf(deps, name, () => provider.payoutStatus(payouts.map(payoutRequest)))
      return payouts.map((_, i) => statusAnswer(readPayoutAnswer(answers?.[i] ?? UNREADABLE)))
    })
    gatherers.set(name, made)
    return made
  }
  return {
    payout: tracedPayoutCall(deps, 'payout send', async (payout) => {
      const provider = find(payout.provider)
      // If the provider is not configured, the server sends no payout. The payout waits until the operator configures the
      // provider, or until its deadline.
      if (provider === undefined) return { kind: 'not_sent', provider_status: null }
      return guarded<PayoutAnswer>(guard, provider, payout.method, {
        work: async () =>
          readPayoutAnswer(
            (await answerOf(deps, payout.provider, () => provider.payout(payoutRequest(payout)))) ?? UNREADABLE,
          ),
        isFault,
        // If the circuit is open, the server sends no payout, and the reservation stays. The payout waits until the circuit
        // breaker permits a call, or until its deadline.
        stopped: (ask_again_ms) => ({ kind: 'not_sent', provider_status: CIRCUIT_OPEN, ask_again_ms }),
      })
    }),
    status: tracedPayoutCall(deps, 'payout query', async (payout) =>
      busyAsUnasked(await gathererOf(payout.provider)(payout)),
    ),
  }
}

type PayoutCall = (payout: Payout) => Promise<PayoutAnswer>

/**
 * If the server traces the payout, adds a span to the provider call. The request to the provider has no header of the trace.
 */
function tracedPayoutCall({ tracer }: Deps, name: string, call: PayoutCall): PayoutCall {
  if (!tracer.is_on) return call
  return async (payout) => {
    const span = tracer.child(payout.trace, name, 'client', payoutTraceFields(payout))
    try {
      const answer = await call(payout)
      span?.set('malipo.answer', answer.kind)
      span?.end()
      return answer
    } finally {
      // If the call throws, the code above has not ended the span.
      span?.end(true)
    }
  }
}

/** The pause before the server checks again whether the operator has configured the provider. */
const UNCONFIGURED_MS = 60_000

/**
 * Returns the answer to a status query. If no connection was free, returns an answer that does not count as a query.
 */
function busyAsUnasked(answer: PayoutAnswer): PayoutAnswer {
  if (answer.kind !== 'unknown' || answer.why !== 'busy') return answer
  return answer.ask_again_ms === undefined ? UNASKED : { ...UNASKED, ask_again_ms: answer.ask_again_ms }
}

/**
 * Converts an answer to a status query. If the provider refused the query or did not receive the query, the answer is unknown.
 */
function statusAnswer(answer: PayoutAnswer): PayoutAnswer {
  if (answer.kind === 'blocked') {
    const { because: _, ...rest } = answer
    return { ...rest, kind: 'unknown', why: 'refused_us' }
  }
  if (answer.kind !== 'not_sent') return answer
  const { busy, ...rest } = answer
  return { ...rest, kind: 'unknown', why: busy ? 'busy' : 'unreachable' }
}

function payoutRequest(payout: Payout): PayoutRequest {
  const { environment, method, destination_code, destination_identifier, destination_name, bank_name } = payout
  const { provider_reference: reference, amount_minor, currency, sent_at } = payout
  const destination = { destination_code, destination_identifier, destination_name, bank_name }
  return { reference, environment, method, ...destination, amount_minor, currency, sent_at }
}
