// Calls providers and reads their answers. If an adapter throws, times out or returns no answer, the answer is unknown. If the
// provider is not configured, the attempt waits. The deadline of the payment applies in both cases.

import { readAnswer, readPushAnswer, readQrAnswer, UNREADABLE } from '../../adapters/providers/answer.ts'
import { answerOf, type Breaker, guarded, isFault, QUESTIONS } from '../../adapters/providers/breaker.ts'
import type { Answer, PaymentRequest, Provider, PushAnswer, QrAnswer } from '../../adapters/providers/port.ts'
import { gatherQuestions } from '../../adapters/providers/questions.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { type Attempt, traceFields } from './store.ts'

/**
 * The functions that call the provider of an attempt. If a call fails or its timeout ends, the function returns an unknown answer
 * and does not throw.
 */
export type Calls = {
  push(attempt: Attempt): Promise<PushAnswer>
  qr(attempt: Attempt): Promise<QrAnswer>
  /** Queries the provider about the outcome. Queries to a provider that takes many queries in a call share a batch. */
  status(attempt: Attempt): Promise<Answer>
}

/** Makes the functions that call the configured providers through the circuits of `breaker`. */
export function createCalls(deps: Deps, providers: ReadonlyMap<string, Provider>, breaker: Breaker): Calls {
  const guard = { breaker, clock: deps.clock }
  const find = (name: string): Provider | null => {
    const provider = providers.get(name)
    if (provider === undefined)
      deps.log.warn(
        { component: 'collections', provider: name },
        'a payment waits for a provider that is not configured: configure that provider',
      )
    return provider ?? null
  }
  /** Requests a payment. If the circuit is open, the server sends no request, and the payment fails immediately. */
  const requestPayment = async <Reply extends PushAnswer>(
    attempt: Attempt,
    unconfigured: Reply | Answer,
    work: (provider: Provider, request: PaymentRequest) => Promise<Reply>,
    read: (reply: Reply | Answer) => Reply | Answer,
  ): Promise<Reply | Answer> => {
    const provider = find(attempt.provider)
    if (provider === null) return unconfigured
    return guarded<Reply | Answer>(guard, provider, attempt.method, {
      work: async () =>
        read((await answerOf(deps, provider.name, () => work(provider, paymentRequest(attempt)))) ?? UNREADABLE),
      isFault: (reply) => isFault(reply, provider.capabilities.slow_pushes),
      stopped: () => STOPPED,
    })
  }

  // Each provider has its own batch of status queries, so that a slow provider does not delay the queries to other providers.
  const gatherers = new Map<string, (attempt: Attempt) => Promise<Answer>>()
  const gathererOf = (name: string) => {
    const known = gatherers.get(name)
    if (known !== undefined) return known
    const provider = find(name)
    if (provider === null) return async () => UNREADABLE
    const made = gatherQuestions<Attempt, Answer>(guard, provider, QUESTIONS.payments, async (attempts) => {
      const reply = await answerOf(deps, name, () => provider.status(attempts.map(paymentRequest)))
      return attempts.map((_, i) => readAnswer(reply?.[i] ?? UNREADABLE))
    })
    gatherers.set(name, made)
    return made
  }
  return {
    push: traced(deps, 'payment push', (attempt) =>
      requestPayment<PushAnswer>(attempt, UNCONFIGURED, (provider, request) => provider.push(request), readPushAnswer),
    ),
    qr: traced(deps, 'payment QR code', (attempt) =>
      requestPayment<QrAnswer>(attempt, UNREADABLE, (provider, request) => provider.qr(request), readQrAnswer),
    ),
    status: traced(deps, 'payment query', (attempt) => gathererOf(attempt.provider)(attempt)),
  }
}

/**
 * If the server traces the attempt, adds a span to the provider call. The request to the provider has no header of the trace.
 */
function traced<Reply extends Pick<PushAnswer, 'kind'>>(
  { tracer }: Deps,
  name: string,
  call: (attempt: Attempt) => Promise<Reply>,
): (attempt: Attempt) => Promise<Reply> {
  if (!tracer.is_on) return call
  return async (attempt) => {
    const span = tracer.child(attempt.trace, name, 'client', traceFields(attempt))
    try {
      const reply = await call(attempt)
      span?.set('malipo.answer', reply.kind)
      span?.end()
      return reply
    } finally {
      // If the call throws, no line above has ended the span. After a success, this line has no effect.
      span?.end(true)
    }
  }
}

/** The answer while the circuit is open. The server sent no request. */
const STOPPED: Answer = { kind: 'declined', reason: 'provider_unavailable', provider_status: null }
/**
 * The answer of a push whose provider is not configured. The attempt waits until the operator configures the provider, or until
 * its deadline.
 */
const UNCONFIGURED: PushAnswer = { kind: 'not_sent', provider_status: null, ask_again_ms: 60_000 }

function paymentRequest(attempt: Attempt): PaymentRequest {
  const { provider_reference: reference, method, phone, amount_minor, currency } = attempt
  const { simulate_status, sent_at, deadline_at, on_page } = attempt
  return { reference, method, phone, amount_minor, currency, simulate_status, sent_at, deadline_at, on_page }
}
