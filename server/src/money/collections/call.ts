// Calling providers: the one place where they are asked and where their answers come in. An adapter that throws, that does
// not end in time, that is no longer configured, or that leaves an answer out has said nothing: the deadline of its payments
// holds all the same.

import { readAnswer, readPushAnswer, readQrAnswer, UNREADABLE } from '../../adapters/providers/answer.ts'
import { answerOf, type Breaker, guarded, isFault, QUESTIONS } from '../../adapters/providers/breaker.ts'
import type { Answer, PaymentRequest, Provider, PushAnswer, QrAnswer } from '../../adapters/providers/port.ts'
import { gatherQuestions } from '../../adapters/providers/questions.ts'
import type { Deps } from '../../kernel/db/index.ts'
import type { Attempt } from './store.ts'

/** Calls to the provider of an attempt. None throws, and each ends. */
export type Calls = {
  push(attempt: Attempt): Promise<PushAnswer>
  qr(attempt: Attempt): Promise<QrAnswer>
  /** Asks for the outcome, together with what else waits to be asked of the same provider. */
  status(attempt: Attempt): Promise<Answer>
}

/** Makes the calls over the configured providers. */
export function createCalls(deps: Deps, providers: ReadonlyMap<string, Provider>, breaker: Breaker): Calls {
  const guard = { breaker, clock: deps.clock }
  const find = (name: string): Provider | null => {
    const provider = providers.get(name)
    if (provider === undefined)
      deps.log.warn({ provider: name }, 'a payment waits for a provider that is not configured')
    return provider ?? null
  }
  /** Asks for a payment. Stopped by an open circuit nobody was asked, so it has failed, and the payer hears so at once. */
  const ask = async <Said extends PushAnswer>(
    attempt: Attempt,
    unconfigured: Said | Answer,
    work: (provider: Provider, request: PaymentRequest) => Promise<Said>,
    read: (said: Said | Answer) => Said | Answer,
  ): Promise<Said | Answer> => {
    const provider = find(attempt.provider)
    if (provider === null) return unconfigured
    return guarded<Said | Answer>(guard, provider, attempt.method, {
      work: async () =>
        read((await answerOf(deps, provider.name, () => work(provider, requestOf(attempt)))) ?? UNREADABLE),
      isFault: (said) => isFault(said, provider.capabilities.slow_pushes),
      stopped: () => STOPPED,
    })
  }

  // Each provider has its own gatherer: whoever is slow holds up nobody else's questions.
  const gatherers = new Map<string, (attempt: Attempt) => Promise<Answer>>()
  const gathererOf = (name: string) => {
    const known = gatherers.get(name)
    if (known !== undefined) return known
    const provider = find(name)
    if (provider === null) return async () => UNREADABLE
    const made = gatherQuestions<Attempt, Answer>(guard, provider, QUESTIONS.payments, async (attempts) => {
      const said = await answerOf(deps, name, () => provider.status(attempts.map(requestOf)))
      return attempts.map((_, i) => readAnswer(said?.[i] ?? UNREADABLE))
    })
    gatherers.set(name, made)
    return made
  }
  return {
    push: (attempt) =>
      ask<PushAnswer>(attempt, UNCONFIGURED, (provider, request) => provider.push(request), readPushAnswer),
    qr: (attempt) => ask<QrAnswer>(attempt, UNREADABLE, (provider, request) => provider.qr(request), readQrAnswer),
    status: (attempt) => gathererOf(attempt.provider)(attempt),
  }
}

/** The provider was not asked, so that it has no word on it. */
const STOPPED: Answer = { kind: 'declined', reason: 'provider_unavailable', provider_status: null }
/** Without its adapter nothing was sent: it waits for the day on which it is configured again, or for its deadline. */
const UNCONFIGURED: PushAnswer = { kind: 'not_sent', provider_status: null, ask_again_ms: 60_000 }

/** An attempt as the port wants it. */
function requestOf(attempt: Attempt): PaymentRequest {
  const { provider_reference: reference, method, phone, amount_minor, currency } = attempt
  const { simulate_status, sent_at, deadline_at, on_page } = attempt
  return { reference, method, phone, amount_minor, currency, simulate_status, sent_at, deadline_at, on_page }
}
