// Drives payments: sends attempts to their provider, queries outcomes, and records the answers. Only the process that holds the
// lease of an attempt sends the attempt. After a callback or a refresh, any process may query the provider without a lease, and
// delays no attempt.

import type { Breaker } from '../../adapters/providers/breaker.ts'
import { CALL_MS_MAX, type Provider, type QrAnswer } from '../../adapters/providers/port.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { traceIdOf } from '../../kernel/lib/index.ts'
import { type Claimed, createClaimer, createConcurrencyLimits, type Task } from '../../kernel/work/index.ts'
import { type Calls, createCalls } from './call.ts'
import type { LinkSettlement } from './link-settlement.ts'
import { renewAttemptLease } from './note.ts'
import { createOutcomeRecorder, type DeliveryQueue, type OutcomeRecorder, type RunTracked } from './outcome-recorder.ts'
import { LONGEST_PAUSE_MS } from './pauses.ts'
import type { AttemptOutcome } from './snapshot.ts'
import { ATTEMPT_COLUMNS, ATTEMPT_LEASE_MS, type Attempt } from './store.ts'

/** The driver of payments, for requests, callbacks and the worker. */
export type Driver = {
  /**
   * Reserves capacity for another attempt at a provider. Null means that the provider has no free capacity and the attempt
   * waits for a worker. The caller releases the capacity once, after the send or if the server does not accept the attempt.
   */
  reserve(provider: string): (() => void) | null
  /** Sends a new attempt whose lease this process holds. Never throws: the worker retries a failed attempt. */
  send(attempt: Attempt): void
  /**
   * Sends an attempt as `send` does, then queries the outcome immediately. The payer of a simulated payment thus sees the
   * outcome on the next page. Resolves after both steps; never throws.
   */
  sendAndAsk(attempt: Attempt): Promise<void>
  /**
   * Queries the provider about an attempt without its lease, for example after a callback or a refresh, and records the answer.
   * Resolves after the commit.
   */
  ask(attempt: Attempt): Promise<void>
  /** Fetches the code of a QR attempt. If the provider fails, the function returns an unknown answer and does not throw. */
  qr(attempt: Attempt): Promise<QrAnswer>
  /** Settles an outcome that the provider has already reported. */
  settle(outcome: AttemptOutcome): Promise<void>
  /** The background task that claims due attempts. */
  task: Task
}

/** `webhooks` sends the deliveries that a settlement leases to this process. */
export type DriverOptions = {
  providers: ReadonlyMap<string, Provider>
  webhooks: DeliveryQueue
  breaker: Breaker
  links: LinkSettlement
}

const POLL_EVERY_MS = 250
const CLAIM_MAX = 250
/** The time that must be left of a lease before a push: for the longest call and for the write of its answer. */
const PUSH_LEASE_MS = CALL_MS_MAX + 2_000

/** Makes the driver from the provider calls, the recorder and the background work. */
export function createDriver(deps: Deps, { providers, webhooks, breaker, links }: DriverOptions): Driver {
  const calls = createCalls(deps, providers, breaker)
  const running = createRunning(providers)
  const background = createBackground(deps)
  const recorder = createOutcomeRecorder(deps, links, webhooks, background.run)
  const { push, resume } = createPushSender(deps, calls, recorder)
  const run = <One extends Attempt>(attempt: One, work: (attempt: One) => Promise<void>): boolean => {
    // If a step takes longer than its lease, this process may claim the attempt again. The new claim renews the lease, and no
    // second step starts.
    if (!running.add(attempt)) return false
    background.run(
      attempt,
      work(attempt).finally(() => running.remove(attempt)),
    )
    return true
  }
  const claim = createClaimer<Attempt>(deps, {
    name: 'collection_attempts',
    key: ['collection_id', 'number'],
    returning: ATTEMPT_COLUMNS,
    lane: 'provider',
    longest_pause_ms: LONGEST_PAUSE_MS,
    written: 'updated_at',
  })
  return {
    reserve: running.concurrency.reserve,
    send: (attempt) => void run(attempt, push),
    async sendAndAsk(attempt) {
      const pushAndAsk = async (one: Attempt) => {
        await push(one)
        await recorder.record(one, await calls.status(one), false)
      }
      await new Promise<void>((resolve) => {
        if (!run(attempt, (one) => pushAndAsk(one).finally(resolve))) resolve()
      })
    },
    ask: async (attempt) => recorder.record(attempt, await calls.status(attempt), false),
    qr: calls.qr,
    settle: recorder.settle,
    task: {
      name: 'collection_attempts',
      every_ms: POLL_EVERY_MS,
      async runOnce() {
        const { max, closed } = running.concurrency.claimable()
        const attempts = await claim(max, ATTEMPT_LEASE_MS, () => max, closed)
        return attempts.filter((attempt) => run(attempt, resume)).length
      },
      idle: () => background.finish(recorder.writeAccepted),
      giveBack: claim.giveBack,
    },
  }
}

/** Returns the two functions that send attempts: one pushes a new attempt, the other resumes a due attempt. */
function createPushSender(deps: Deps, calls: Calls, recorder: OutcomeRecorder) {
  const push = async (attempt: Attempt): Promise<void> => {
    const left_ms = (attempt.due_at?.getTime() ?? 0) - deps.clock.now().getTime()
    // If little time of the lease is left, another process may take the attempt, so this process renews the lease first. If the
    // renewal fails, the process sends no request.
    if (left_ms < PUSH_LEASE_MS && !(await renewAttemptLease(deps, attempt))) return
    deps.point('send.before_push')
    const answer = await calls.push(attempt)
    deps.point('send.after_push')
    if (answer.kind === 'accepted') recorder.recordAccepted(attempt, answer)
    else if (answer.kind === 'not_sent') await recorder.recordUnsent(attempt, answer)
    else await recorder.record(attempt, answer, true)
  }
  /**
   * Takes the next step of a due attempt. Before the deadline, the process pushes a certainly unsent attempt without a query,
   * because some providers cannot report an unknown payment. Otherwise the process queries the provider before any push. A QR
   * attempt gets no push.
   */
  const resume = async (attempt: Claimed<Attempt>): Promise<void> => {
    const { previous_owner, provider_reference } = attempt
    const given_back =
      previous_owner === null || (previous_owner === deps.process_id && recorder.isUnsent(provider_reference))
    const untouched = given_back && attempt.asks === 0 && attempt.state === 'to_send'
    if (untouched && attempt.method !== 'qr' && deps.clock.now() < attempt.deadline_at) return push(attempt)
    const answer = await calls.status(attempt)
    const unsent = attempt.state === 'to_send' && !recorder.isAccepted(provider_reference) && attempt.method !== 'qr'
    if (unsent && answer.kind === 'not_found' && deps.clock.now() < attempt.deadline_at) return push(attempt)
    return recorder.record(attempt, answer, true)
  }
  return { push, resume }
}

/** Returns the functions that run and await the sends and queries of attempts in this process. */
function createBackground(deps: Deps): { run: RunTracked; finish(writeRemaining: () => void): Promise<void> } {
  const promises = new Set<Promise<unknown>>()
  return {
    run(attempt, work) {
      const done = work.catch((error) => {
        const { collection_id, trace } = attempt
        deps.log.warn(
          { component: 'collections', err: error, collection_id, trace_id: traceIdOf(trace) },
          'the step of an attempt failed; the attempt becomes due again',
        )
      })
      promises.add(done)
      void done.finally(() => promises.delete(done))
    },
    async finish(writeRemaining) {
      writeRemaining()
      while (promises.size > 0) {
        await Promise.allSettled([...promises])
        writeRemaining()
      }
    },
  }
}

/** Returns the register of the attempts on which this process works, with the concurrency limit of each provider. */
function createRunning(providers: ReadonlyMap<string, Provider>) {
  const references = new Set<string>()
  const limits = [...providers.values()].map(
    ({ name, capabilities }) => [name, capabilities.concurrency_limits?.payments] as const,
  )
  const concurrency = createConcurrencyLimits(limits, CLAIM_MAX)
  return {
    /** If this process already works on the attempt, returns false. */
    add({ provider, provider_reference: reference }: Attempt): boolean {
      if (references.has(reference)) return false
      references.add(reference)
      concurrency.acquire(provider)
      return true
    },
    remove({ provider, provider_reference: reference }: Attempt): void {
      references.delete(reference)
      concurrency.release(provider)
    },
    concurrency,
  }
}
