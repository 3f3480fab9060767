// The circuit breaker: a provider that does not answer is left alone for a while, so that payers hear at once that it is
// down and nobody's work waits for timeouts. One circuit for each provider and method. It is a matter of speed alone: it
// never decides what became of a payment, and each process has its own.

import type { Deps } from '../../kernel/db/index.ts'
import type { Clock } from '../../kernel/lib/index.ts'
import { type Answer, CALL_MS_MAX, type PayoutAnswer, type Provider, type PushAnswer } from './port.ts'

/** closed: calls go through. open: none does. half_open: one call at a time tries whether it works again. */
export type CircuitState = 'closed' | 'open' | 'half_open'

/** One circuit as operators see it. Times in milliseconds. */
export type CircuitHealth = {
  provider: string
  method: string
  state: CircuitState
  /** Calls and faults among the newest calls, at most WINDOW of them. */
  calls: number
  faults: number
  median_ms: number | null
  since: Date
  /** When the next call will be tried; null unless open. */
  retry_at: Date | null
}

/**
 * Leave to make one call. `probing`: it tries whether the provider works again; it should be a small one. `turn` is how often
 * the circuit had changed when it was given.
 */
export type Pass = Readonly<{ provider: string; method: string; probing: boolean; turn: number }>

/** The circuits of one process. */
export type Breaker = {
  /** Leave to make a call now, or null. Of an open circuit, one caller gets it once its pause is over. */
  may(provider: string, method: string): Pass | null
  /** Milliseconds until an open circuit is tried again; 0 when calls go through. */
  pause(provider: string, method: string): number
  /** Notes how a call ended. One that began before the circuit last changed tells nothing of how things are now. */
  note(pass: Pass, call: { fault: boolean; duration_ms: number }): void
  health(): CircuitHealth[]
}

/** Newest calls that are judged. */
const WINDOW = 20
/** It opens after so many faults in a row, or when this share of a full enough window are faults. */
const FAULTS_IN_ROW = 5
const CALLS_MIN = 10
const FAULT_SHARE = 0.5
/** How long it stays open: doubled with every try that fails. */
const PAUSE_MS_MIN = 2_000
const PAUSE_MS_MAX = 60_000
/** A try that never ended: its process paused, or the caller forgot it. Another is let through. */
const TRY_MS_MAX = 15_000

type Circuit = {
  provider: string
  method: string
  state: CircuitState
  /** How often it has changed, a new try included. */
  turn: number
  window: { fault: boolean; duration_ms: number }[]
  in_row: number
  pause_ms: number
  since: Date
  retry_at: Date
}

/** Makes the circuits of a process, all closed. */
export function createBreaker(clock: Clock, changed: (health: CircuitHealth) => void = () => {}): Breaker {
  const circuits = new Map<string, Circuit>()
  const circuitOf = (provider: string, method: string): Circuit => {
    const name = `${provider} ${method}`
    const known = circuits.get(name)
    if (known !== undefined) return known
    const now = clock.now()
    const made: Circuit = {
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
    circuits.set(name, made)
    return made
  }
  /** What is left of a pause. Nothing is left of one that is longer than any pause: the clock has stepped back. */
  const leftOf = ({ retry_at }: Circuit): number => {
    const left_ms = retry_at.getTime() - clock.now().getTime()
    return left_ms > Math.max(PAUSE_MS_MAX, TRY_MS_MAX) ? 0 : Math.max(0, left_ms)
  }
  const turn = (circuit: Circuit, state: CircuitState) => {
    circuit.turn++
    if (circuit.state === state) return
    circuit.state = state
    circuit.since = clock.now()
    changed(healthOf(circuit))
  }
  const open = (circuit: Circuit) => {
    circuit.pause_ms = Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, circuit.pause_ms * 2))
    circuit.retry_at = new Date(clock.now().getTime() + circuit.pause_ms)
    turn(circuit, 'open')
  }
  const close = (circuit: Circuit) => {
    circuit.window = []
    circuit.pause_ms = 0
    turn(circuit, 'closed')
  }
  return {
    may(provider, method) {
      const circuit = circuitOf(provider, method)
      if (circuit.state === 'closed') return { provider, method, probing: false, turn: circuit.turn }
      const now = clock.now()
      if (leftOf(circuit) > 0) return null
      turn(circuit, 'half_open')
      circuit.retry_at = new Date(now.getTime() + TRY_MS_MAX)
      return { provider, method, probing: true, turn: circuit.turn }
    },
    pause(provider, method) {
      const circuit = circuitOf(provider, method)
      return circuit.state === 'closed' ? 0 : leftOf(circuit)
    },
    note(pass, call) {
      const circuit = circuitOf(pass.provider, pass.method)
      // An old success would close it while the provider is down, an old fault open it again while it is tried.
      if (pass.turn !== circuit.turn) return
      circuit.window.push(call)
      if (circuit.window.length > WINDOW) circuit.window.shift()
      circuit.in_row = call.fault ? circuit.in_row + 1 : 0
      if (circuit.state === 'closed') {
        if (isBroken(circuit)) open(circuit)
      } else if (call.fault) open(circuit)
      else close(circuit)
    },
    health: () => [...circuits.values()].map(healthOf),
  }
}

function isBroken({ in_row, window }: Circuit): boolean {
  if (in_row >= FAULTS_IN_ROW) return true
  return window.length >= CALLS_MIN && window.filter(({ fault }) => fault).length / window.length > FAULT_SHARE
}

function healthOf({ provider, method, state, window, since, retry_at }: Circuit): CircuitHealth {
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

/** The method under which questions have circuits of their own: a provider that takes no prompts may still answer them. */
export const QUESTIONS = { payments: 'status', payouts: 'payout_status', names: 'name' } as const

/** In place of the provider's word on a payout that was stopped before it was asked: for operators. */
export const CIRCUIT_OPEN = 'CIRCUIT_OPEN'

/** A question that was not asked. The provider's last word stands. */
export const UNASKED = {
  kind: 'unknown',
  why: 'not_asked',
  provider_status: null,
} as const satisfies Answer & PayoutAnswer

/** True for a question that was held back: the provider has said nothing at all. */
export function isUnasked(said: PushAnswer | PayoutAnswer): boolean {
  return said.kind === 'unknown' && said.why === 'not_asked'
}

/** Questions that waited for the one which tried whether the provider works again are asked soon, or stopped. */
export const AFTER_TRY_MS = 1_000

/**
 * True for an answer that comes of the provider being down, or not letting us in, whoever pays or is paid. What it answered
 * about one payment is none: only the network of that payer may be down. Nor is it its fault that we had no connection free.
 */
export function isFault(said: PushAnswer | PayoutAnswer, slow = false): boolean {
  switch (said.kind) {
    case 'unknown':
      return said.why === 'unreachable' || said.why === 'refused_us' || (said.why === 'timeout' && !slow)
    case 'declined':
      return said.reason === 'provider_unavailable' && said.answered !== true
    case 'not_sent':
      return said.busy !== true
    case 'blocked':
      return true
    default:
      return false
  }
}

/** A call to a provider: what it does, what its answer tells of the provider, and what is answered when it is not made. */
export type Guarded<Said> = {
  /** `probing`: this call tries whether the provider works again; it should be a small one. */
  work(probing: boolean): Promise<Said>
  isFault(said: Said): boolean
  /** Instead, while the circuit is open. It is tried again after `pause_ms`. */
  stopped(pause_ms: number): Said
}

/** Makes a call unless its circuit is open, and notes how it went. */
export async function guarded<Said>(
  { breaker, clock }: { breaker: Breaker; clock: Clock },
  { name, capabilities }: Provider,
  method: string,
  call: Guarded<Said>,
): Promise<Said> {
  if (capabilities.circuit_breaker === false) return call.work(false)
  const pass = breaker.may(name, method)
  if (pass === null) return call.stopped(breaker.pause(name, method))
  const begin = clock.now().getTime()
  const said = await call.work(pass.probing)
  breaker.note(pass, { fault: call.isFault(said), duration_ms: clock.now().getTime() - begin })
  return said
}

/** Adapters end by themselves before this. One that does not would hold what it was asked about, and all questions, for ever. */
const CUT_OFF_MS = CALL_MS_MAX + 1_000

/** What an adapter answers; null when it throws, or does not end in time: it has said nothing then. Never throws. */
export async function answerOf<Said>(
  { clock, log }: Pick<Deps, 'clock' | 'log'>,
  name: string,
  work: () => Promise<Said | null>,
): Promise<Said | null> {
  const late = Promise.withResolvers<never>()
  const cancel = clock.after(CUT_OFF_MS, () => late.reject(new Error('it did not end in time')))
  try {
    return await Promise.race([work(), late.promise])
  } catch (error) {
    log.error({ err: error, provider: name }, 'the adapter failed')
    return null
  } finally {
    cancel()
  }
}
