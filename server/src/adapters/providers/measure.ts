// Measures the calls to providers and the circuits for /metrics.

import type { Deps } from '../../kernel/db/index.ts'
import type { Breaker, CircuitState } from './breaker.ts'
import type { Answer, PayoutAnswer, Provider, PushAnswer } from './port.ts'

const OPERATIONS = ['push', 'qr', 'status', 'payout', 'payoutStatus'] as const
type MeasuredOperation = (typeof OPERATIONS)[number]
type AnyAnswer = Answer | PushAnswer | PayoutAnswer

const BUCKETS_S = [0.1, 0.5, 1, 2, 5, 10, 30, 60]

/** Returns the providers with measured calls. A call with several queries counts once, with the outcome of its first answer. */
export function measureProviders<Adapter extends Provider>(
  deps: Pick<Deps, 'metrics' | 'clock'>,
  providers: ReadonlyMap<string, Adapter>,
): Map<string, Adapter> {
  const { metrics, clock } = deps
  const calls = metrics.counter({
    name: 'malipo_provider_calls_total',
    help: 'Calls of this process to providers, by provider, operation and outcome of the answer.',
    labels: ['provider', 'operation', 'outcome'],
    series_max: 120,
  })
  const times = metrics.histogram({
    name: 'malipo_provider_call_duration_seconds',
    help: 'Duration of the calls to providers in seconds, by provider and operation.',
    labels: ['provider', 'operation'],
    series_max: 16,
    buckets: BUCKETS_S,
  })
  const measured = (provider: string, operation: MeasuredOperation, call: (...input: never[]) => Promise<unknown>) => {
    return async (...input: never[]) => {
      const begin = clock.now().getTime()
      const record = (outcome: string) => {
        calls(provider, operation, outcome).inc()
        times(provider, operation).observe(Math.max(0, clock.now().getTime() - begin) / 1_000)
      }
      try {
        const answer = await call(...input)
        record(outcomeOf(answer as AnyAnswer | readonly AnyAnswer[]))
        return answer
      } catch (error) {
        record('failed')
        throw error
      }
    }
  }
  const measure = (provider: Adapter): Adapter =>
    // A proxy reads the function of the adapter at each call, so that tests may replace functions of a provider.
    new Proxy(provider, {
      get(target, key, receiver) {
        const value: unknown = Reflect.get(target, key, receiver)
        if (!(OPERATIONS as readonly unknown[]).includes(key)) return value
        return measured(target.name, key as MeasuredOperation, (...input) =>
          Reflect.apply(value as (...all: never[]) => Promise<unknown>, target, input),
        )
      },
    })
  return new Map([...providers].map(([name, provider]) => [name, measure(provider)]))
}

const KINDS: readonly string[] = [
  'accepted',
  'succeeded',
  'declined',
  'held',
  'reversed',
  'not_found',
  'not_sent',
  'blocked',
]
const REASONS: readonly string[] = ['unreachable', 'timeout', 'refused_us', 'unreadable', 'not_asked']

/**
 * Returns the kind of an answer, or the reason of an unknown outcome. For an unlisted reason, returns `unknown`. The function
 * reads the answer before the platform cleans the answer.
 */
function outcomeOf(answers: AnyAnswer | readonly AnyAnswer[]): string {
  const answer = [answers].flat()[0] as { kind?: unknown; why?: unknown } | undefined
  const kind = String(answer?.kind)
  if (KINDS.includes(kind)) return kind
  return REASONS.includes(String(answer?.why)) ? String(answer?.why) : 'unknown'
}

const STATE_VALUES: Record<CircuitState, number> = { closed: 0, half_open: 1, open: 2 }

/** Updates the metrics of this process's circuits before each scrape. */
export function measureCircuits({ metrics }: Pick<Deps, 'metrics'>, breaker: Breaker): void {
  const states = metrics.gauge({
    name: 'malipo_circuit_state',
    help: 'State of the circuit of a provider and method in this process: 0 closed, 1 half open, 2 open.',
    labels: ['provider', 'method'],
    series_max: 40,
  })
  metrics.beforeScrape(() => {
    states.reset()
    for (const { provider, method, state } of breaker.health()) states(provider, method).set(STATE_VALUES[state])
  })
}
