// Calling providers: the one place where they are asked and where their answers come in. An adapter that throws, that is
// no longer configured, or that leaves an answer out has said nothing: the deadline of its payments holds all the same.

import type { Deps } from '../db/index.ts'
import { gather } from '../lib/index.ts'
import { readAnswer, readQrAnswer, UNREADABLE } from '../providers/answer.ts'
import type { Answer, PaymentRequest, Provider, QrAnswer } from '../providers/port.ts'
import type { Attempt } from './store.ts'

/** Calls to the provider of an attempt. None throws. */
export type Calls = {
  push(attempt: Attempt): Promise<Answer>
  qr(attempt: Attempt): Promise<QrAnswer>
  /** Asks for the outcome, together with what else waits to be asked of the same provider. */
  status(attempt: Attempt): Promise<Answer>
}

/** Makes the calls over the configured providers. */
export function createCalls(deps: Deps, providers: ReadonlyMap<string, Provider>): Calls {
  const call = async <Said>(name: string, work: (provider: Provider) => Promise<Said>): Promise<Said | null> => {
    const provider = providers.get(name)
    if (provider === undefined) {
      deps.log.warn({ provider: name }, 'a payment waits for a provider that is not configured')
      return null
    }
    try {
      return await work(provider)
    } catch (error) {
      deps.log.error({ err: error, provider: name }, 'the adapter failed')
      return null
    }
  }

  // Each provider has its own gatherer: whoever is slow holds up nobody else's questions.
  const gatherers = new Map<string, (attempt: Attempt) => Promise<Answer>>()
  const gathererOf = (name: string) => {
    const known = gatherers.get(name)
    if (known !== undefined) return known
    const made = gather<Attempt, Answer>(
      async (attempts) => {
        const said = await call(name, (provider) => provider.status(attempts.map(requestOf)))
        return attempts.map((_, i) => readAnswer(said?.[i] ?? UNREADABLE))
      },
      { max_items: 500, max_running: 4 },
    )
    gatherers.set(name, made)
    return made
  }
  return {
    push: async (attempt) =>
      readAnswer((await call(attempt.provider, (provider) => provider.push(requestOf(attempt)))) ?? UNREADABLE),
    qr: async (attempt) =>
      readQrAnswer((await call(attempt.provider, (provider) => provider.qr(requestOf(attempt)))) ?? UNREADABLE),
    status: (attempt) => gathererOf(attempt.provider)(attempt),
  }
}

/** An attempt as the port wants it. */
function requestOf(attempt: Attempt): PaymentRequest {
  const { method, phone, amount_minor, currency, simulate_status, sent_at } = attempt
  return { reference: attempt.provider_reference, method, phone, amount_minor, currency, simulate_status, sent_at }
}
