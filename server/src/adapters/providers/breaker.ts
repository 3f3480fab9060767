// Stops calls to a provider that does not answer, so that payers get an answer immediately and no worker waits for timeouts.
// Each process has a circuit for each provider and method. A circuit never decides the outcome of a payment.

import type { Deps } from '../../kernel/db/index.ts'
import type { Clock } from '../../kernel/lib/index.ts'
import { type Answer, CALL_MS_MAX, type PayoutAnswer, type Provider, type PushAnswer } from './port.ts'

/** The state of a circuit. `closed`: all calls pass. `open`: no call passes. `half_open`: one probe at a time passes. */
export type CircuitState = 'closed' | 'open' | 'half_open'

/**
 * The state of a circuit in the form that operators read. `median_ms` is the median duration of the newest calls in
 * milliseconds. Null means that there are no newest calls.
 */
export type CircuitHealth = {
  provider: string
  method: string
  state: CircuitState
  /** The number of newest calls, at most 20. */
  calls: number
  /** The number of faults among the newest calls. */
  faults: number
  median_ms: number | null
  since: Date
  /** The time from which the breaker permits the next probe. Null means that the circuit is not open. */
  retry_at: Date | null
}

/**
 * The calls to a provider by one method since this process started. A provider without circuits has these counts too.
 */
export type CallTally = {
  provider: string
  method: string
  calls: number
  faults: number
  last_call_at: Date
  /** Null means that no call failed. */
  last_fault_at: Date | null
}

/**
 * The permit for one call. If `probing` is true, the call tests whether the provider works again and should send only one
 * query. `turn` identifies the state of the circuit when the breaker gave the permit.
 */
export type CallPermit = Readonly<{ provider: string; method: string; probing: boolean; turn: number }>

/** The circuits of a process: the breaker permits calls, records their results and reports the state. */
export type Breaker = {
  /**
   * If the circuit stops calls, returns null. Otherwise returns the permit for one call. After the pause of an open circuit,
   * the breaker gives one permit, for a probe.
   */
  permit(provider: string, method: string): CallPermit | null
  /** Returns the milliseconds until the next probe of an open or half-open circuit. If calls pass, returns 0. */
  pause(provider: string, method: string): number
  /**
   * Records the result of a call. If the state of the circuit changed or a probe began after `permit`, the breaker ignores the
   * result.
   */
  record(permit: CallPermit, call: { fault: boolean; duration_ms: number }): void
  health(): CircuitHealth[]
  /** Counts a call that ended. These counts never open or close a circuit. */
  count(provider: string, method: string, fault: boolean): void
  tallies(): CallTally[]
}

/** The number of newest calls that decide the state of a circuit. */
const WINDOW = 20
/**
 * The conditions for opening a circuit: FAULTS_IN_ROW faults in a row, or a share of faults above FAULT_SHARE among at least
 * CALLS_MIN calls.
 */
const FAULTS_IN_ROW = 5
const CALLS_MIN = 10
const FAULT_SHARE = 0.5
/**
 * The time in milliseconds for which a circuit stays open at first. Each failed probe doubles the time, up to PAUSE_MS_MAX.
 */
const PAUSE_MS_MIN = 2_000
const PAUSE_MS_MAX = 60_000
/** The timeout of a probe in milliseconds. After this time, the breaker permits another probe. */
const PROBE_MS_MAX = 15_000

type Circuit = {
  provider: string
  method: string
  state: CircuitState
  /** The number of state changes and probes of this circuit. */
  turn: number
  window: { fault: boolean; duration_ms: number }[]
  in_row: number
  pause_ms: number
  since: Date
  retry_at: Date
}

/** Makes the circuits of a process. All circuits begin closed. */
export function createBreaker(clock: Clock, changed: (health: CircuitHealth) => void = () => {}): Breaker {
  const circuits = new Map<string, Circuit>()
  const circuitOf = (provider: string, method: string): Circuit => {
    const name = `${provider} ${method}`
    const existing = circuits.get(name)
    if (existing !== undefined) return existing
    const now = clock.now()
    const created: Circuit = {
      provider,
      method,
      state: 'closed',
      turn: 0,
      window: [],
      in_row: 0,
      pause_ms: 0,
      since: now,
      retry_at: now,
    }
    circuits.set(name, created)
    return created
  }
  /**
   * Returns the remaining time of a pause or a probe in milliseconds. If that time is longer than any pause, the clock stepped
   * back, so the pause is over.
   */
  const leftOf = ({ retry_at }: Circuit): number => {
    const left_ms = retry_at.getTime() - clock.now().getTime()
    return left_ms > Math.max(PAUSE_MS_MAX, PROBE_MS_MAX) ? 0 : Math.max(0, left_ms)
  }
  const setState = (circuit: Circuit, state: CircuitState) => {
    circuit.turn++
    if (circuit.state === state) return
    circuit.state = state
    circuit.since = clock.now()
    changed(circuitHealth(circuit))
  }
  const open = (circuit: Circuit) => {
    circuit.pause_ms = Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, circuit.pause_ms * 2))
    circuit.retry_at = new Date(clock.now().getTime() + circuit.pause_ms)
    setState(circuit, 'open')
  }
  const close = (circuit: Circuit) => {
    circuit.window = []
    circuit.pause_ms = 0
    setState(circuit, 'closed')
  }
  return {
    permit(provider, method) {
      const circuit = circuitOf(provider, method)
      if (circuit.state === 'closed') return { provider, method, probing: false, turn: circuit.turn }
      const now = clock.now()
      if (leftOf(circuit) > 0) return null
      setState(circuit, 'half_open')
      circuit.retry_at = new Date(now.getTime() + PROBE_MS_MAX)
      return { provider, method, probing: true, turn: circuit.turn }
    },
    pause(provider, method) {
      const circuit = circuitOf(provider, method)
      return circuit.state === 'closed' ? 0 : leftOf(circuit)
    },
    record(permit, call) {
      const circuit = circuitOf(permit.provider, permit.method)
      // An old success would close the circuit while the provider is down. An old fault would open the circuit again during
      // a probe.
      if (permit.turn !== circuit.turn) return
      circuit.window.push(call)
      if (circuit.window.length > WINDOW) circuit.window.shift()
      circuit.in_row = call.fault ? circuit.in_row + 1 : 0
      if (circuit.state === 'closed') {
        if (isBroken(circuit)) open(circuit)
      } else if (call.fault) open(circuit)
      else close(circuit)
    },
    health: () => [...circuits.values()].map(circuitHealth),
    ...createTallies(clock),
  }
}

function createTallies(clock: Clock): Pick<Breaker, 'count' | 'tallies'> {
  const tallies = new Map<string, CallTally>()
  return {
    count(provider, method, fault) {
      const name = `${provider} ${method}`
      const before = tallies.get(name)
      const now = clock.now()
      tallies.set(name, {
        provider,
        method,
        calls: (before?.calls ?? 0) + 1,
        faults: (before?.faults ?? 0) + (fault ? 1 : 0),
        last_call_at: now,
        last_fault_at: fault ? now : (before?.last_fault_at ?? null),
      })
    },
    tallies: () => [...tallies.values()],
  }
}

function isBroken({ in_row, window }: Circuit): boolean {
  if (in_row >= FAULTS_IN_ROW) return true
  return window.length >= CALLS_MIN && window.filter(({ fault }) => fault).length / window.length > FAULT_SHARE
}

function circuitHealth({ provider, method, state, window, since, retry_at }: Circuit): CircuitHealth {
  const times = window.map(({ duration_ms }) => duration_ms).sort((a, b) => a - b)
  return {
    provider,
    method,
    state,
    calls: window.length,
    faults: window.filter(({ fault }) => fault).length,
    median_ms: times[Math.floor(times.length / 2)] ?? null,
    since,
    retry_at: state === 'open' ? retry_at : null,
  }
}

/**
 * The methods of the circuits for queries. Queries have separate circuits, because a provider that takes no prompts may
 * still answer queries.
 */
export const QUESTIONS = { payments: 'status', payouts: 'payout_status', names: 'name' } as const

/** If an open circuit stops a payout, operators read this text as its provider status. */
export const CIRCUIT_OPEN = 'CIRCUIT_OPEN'

/** The answer to a query that the server did not send. The payment or payout keeps the last status of the provider. */
export const UNASKED = {
  kind: 'unknown',
  why: 'not_asked',
  provider_status: null,
} as const satisfies Answer & PayoutAnswer

/** Returns true if the server did not send the query. */
export function isUnasked(answer: PushAnswer | PayoutAnswer): boolean {
  return answer.kind === 'unknown' && answer.why === 'not_asked'
}

/** The pause before queries that wait for the result of a probe, in milliseconds. */
export const AFTER_PROBE_MS = 1_000

/**
 * Returns true if the answer shows that the provider is down or refuses the platform. A lack of free connections is no fault,
 * nor is the outage of one payer's network (`answered`). If `slow` is true, a timeout is no fault either.
 */
export function isFault(answer: PushAnswer | PayoutAnswer, slow = false): boolean {
  switch (answer.kind) {
    case 'unknown':
      return answer.why === 'unreachable' || answer.why === 'refused_us' || (answer.why === 'timeout' && !slow)
    case 'declined':
      return answer.reason === 'provider_unavailable' && answer.answered !== true
    case 'not_sent':
      return answer.busy !== true
    case 'blocked':
      return true
    default:
      return false
  }
}

/** A call to a provider that the circuit breaker permits or stops. */
export type GuardedCall<Reply> = {
  /**
   * Makes the call. If `probing` is true, the call tests whether the provider works again and should send only one query.
   */
  work(probing: boolean): Promise<Reply>
  isFault(reply: Reply): boolean
  /** Returns the reply of a call that the circuit stopped. The circuit permits no probe for `pause_ms`. */
  stopped(pause_ms: number): Reply
}

/**
 * If the circuit permits the call, makes the call and records its result. Counts every call that ends, also to a provider
 * without circuits.
 */
export async function guarded<Reply>(
  { breaker, clock }: { breaker: Breaker; clock: Clock },
  { name, capabilities }: Provider,
  method: string,
  call: GuardedCall<Reply>,
): Promise<Reply> {
  if (capabilities.circuit_breaker === false) {
    const reply = await call.work(false)
    breaker.count(name, method, call.isFault(reply))
    return reply
  }
  const permit = breaker.permit(name, method)
  if (permit === null) return call.stopped(breaker.pause(name, method))
  const begin = clock.now().getTime()
  const reply = await call.work(permit.probing)
  const fault = call.isFault(reply)
  breaker.record(permit, { fault, duration_ms: clock.now().getTime() - begin })
  breaker.count(name, method, fault)
  return reply
}

/** The time after which the platform abandons a call of an adapter. An adapter ends its calls before this time. */
const CUT_OFF_MS = CALL_MS_MAX + 1_000

/** Calls an adapter and never throws. If the adapter throws or exceeds the timeout, returns null. */
export async function answerOf<Reply>(
  { clock, log }: Pick<Deps, 'clock' | 'log'>,
  name: string,
  work: () => Promise<Reply | null>,
): Promise<Reply | null> {
  const late = Promise.withResolvers<never>()
  const cancel = clock.after(CUT_OFF_MS, () =>
    late.reject(new Error('the adapter did not end its call before the timeout')),
  )
  try {
    return await Promise.race([work(), late.promise])
  } catch (error) {
    log.error({ component: 'providers', err: error, provider: name }, 'the adapter failed')
    return null
  } finally {
    cancel()
  }
}
