// Driving payments: sending attempts to their provider, asking for outcomes, and settling what comes back.
//
// Whoever holds the lease of an attempt works on it, and only that one sends it and says when it is due again. A hint (a
// callback, a refresh) asks too: what it learns is written down, but it takes no lease away and puts nothing off.

import type { Breaker } from '../../adapters/providers/breaker.ts'
import {
  type Answer,
  CALL_MS_MAX,
  type Provider,
  type PushAnswer,
  type QrAnswer,
} from '../../adapters/providers/port.ts'
import type { Delivery } from '../../adapters/webhooks/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { gather } from '../../kernel/lib/index.ts'
import { type Claimed, createClaimer, createPlaces, type Task } from '../../kernel/work/index.ts'
import { createCalls } from './call.ts'
import { isOpen } from './decide.ts'
import { type Note, noteOpenAnswers, renewLease } from './note.ts'
import { LONGEST_PAUSE_MS } from './pauses.ts'
import { type Outcome, settleOutcomes } from './settle.ts'
import { ATTEMPT_COLUMNS, ATTEMPT_LEASE_MS, type Attempt } from './store.ts'

/** What drives payments on, for requests, callbacks and the worker. */
export type Driver = {
  /**
   * Keeps a place for another attempt at a provider. Null: none is free, so that the attempt waits for a worker. Call what it
   * answers once, when the attempt was sent or came to nothing.
   */
  reserve(provider: string): (() => void) | null
  /** Sends a fresh attempt that this process holds the lease of. Never throws: what fails is left to the worker. */
  send(attempt: Attempt): void
  /**
   * As `send`, and then asks at once what became of it. For providers that only rehearse: the payer who waits on a page
   * has the outcome with the next page. Resolves when what was heard is committed; never throws.
   */
  sendAndAsk(attempt: Attempt): Promise<void>
  /** Follows a hint: asks the provider what became of an attempt and settles it. Resolves when that is committed. */
  ask(attempt: Attempt): Promise<void>
  /** Fetches the code of a QR attempt. Never throws because of the provider. */
  qr(attempt: Attempt): Promise<QrAnswer>
  /** Settles an outcome that is already known. */
  settle(outcome: Outcome): Promise<void>
  /** The background work: attempts that are due. */
  task: Task
}

const POLL_EVERY_MS = 250
/** How long sent attempts are gathered before that is written down. Far below their lease. */
const WRITE_SENT_MS = 500
const CLAIM_MAX = 250
/** What must be left of a lease before anything is sent under it: the longest call, and writing down what came of it. */
const PUSH_LEASE_MS = CALL_MS_MAX + 2_000
/** How long an acceptance that could not be written down is remembered. Whoever takes the attempt up asks first. */
const REMEMBER_MS = 10 * ATTEMPT_LEASE_MS

/** Makes the driver. `webhooks` takes the deliveries that settling leaves in this process's hands. */
export function createDriver(
  deps: Deps,
  providers: ReadonlyMap<string, Provider>,
  webhooks: { canDispatch(merchant_id: string): boolean; dispatch(deliveries: Delivery[]): void },
  breaker: Breaker,
): Driver {
  const calls = createCalls(deps, providers, breaker)
  const hands = createHands(providers)
  const under_way = new Set<Promise<unknown>>()
  const track = (attempt: Attempt, work: Promise<void>) => {
    const done = work.catch((error) => {
      const { collection_id } = attempt
      deps.log.warn({ err: error, collection_id }, 'attempt not finished; it falls due again')
    })
    under_way.add(done)
    void done.finally(() => under_way.delete(done))
  }

  const settle = gather<Outcome, void>(
    async (outcomes) => {
      webhooks.dispatch(await settleOutcomes(deps, outcomes, webhooks.canDispatch))
      return outcomes.map(() => undefined)
    },
    { max_items: 250, max_running: 2 },
  )
  const note = gather<Note, void>(
    async (notes) => {
      await noteOpenAnswers(deps, notes)
      return notes.map(() => undefined)
    },
    { max_items: 500, max_running: 1 },
  )

  // That a request was accepted need not be written at once: until then the row is leased, and whoever takes it up after
  // a crash asks the provider before sending. What is written together costs less, and what is settled meanwhile nothing.
  // It is forgotten only once something of the attempt is written: a status that lags behind must not undo it.
  const accepted = new Map<string, Answer>()
  let unwritten: Attempt[] = []
  const learn = async (attempt: Attempt, answer: Answer, holds_lease: boolean): Promise<void> => {
    const { merchant_id, collection_id, number, provider_reference: reference } = attempt
    const known = accepted.get(reference)
    if (isOpen(answer) && deps.clock.now() < attempt.deadline_at) {
      // Known here and not yet written: the lease is this process's, whoever asked.
      await note({ attempt, answer: known ? merged(known, answer) : answer, holds_lease: holds_lease || !!known })
    } else {
      await settle({ merchant_id, collection_id, number, answer })
    }
    if (known && accepted.get(reference) === known) accepted.delete(reference)
  }
  const writeAccepted = () => {
    const attempts = unwritten
    unwritten = []
    for (const attempt of attempts) {
      const { provider_reference: reference } = attempt
      const answer = accepted.get(reference)
      if (answer === undefined) continue
      const written = learn(attempt, answer, true).catch((error) => {
        deps.clock.after(REMEMBER_MS, () => accepted.delete(reference))
        throw error
      })
      track(attempt, written)
    }
  }
  const noteAccepted = (attempt: Attempt, answer: Answer) => {
    accepted.set(attempt.provider_reference, answer)
    unwritten.push(attempt)
    if (unwritten.length === 1) deps.clock.after(WRITE_SENT_MS, writeAccepted)
  }

  // The lease of an attempt tells whoever takes it up later that it may have been sent: one that was not is given back. While that
  // is not written yet, this process alone knows, if it is the one that takes it up.
  const known_unsent = new Set<string>()
  const giveBack = async (attempt: Attempt, answer: PushAnswer): Promise<void> => {
    const { provider_reference: reference } = attempt
    known_unsent.add(reference)
    deps.clock.after(REMEMBER_MS, () => known_unsent.delete(reference))
    await note({ attempt, answer, holds_lease: true })
    known_unsent.delete(reference)
  }

  const push = async (attempt: Attempt): Promise<void> => {
    const left_ms = (attempt.due_at?.getTime() ?? 0) - deps.clock.now().getTime()
    // Asking may have taken long: nothing is sent under a lease that another process may have taken over.
    if (left_ms < PUSH_LEASE_MS && !(await renewLease(deps, attempt))) return
    deps.point('send.before_push')
    const answer = await calls.push(attempt)
    deps.point('send.after_push')
    if (answer.kind === 'accepted') noteAccepted(attempt, answer)
    else if (answer.kind === 'not_sent') await giveBack(attempt, answer)
    else await learn(attempt, answer, true)
  }
  /**
   * A due attempt. One that nobody had in hand since it was last known to be unsent is sent now: not every provider can say
   * that it has no such payment. Of any other, nobody knows whether it reached the provider, so that is asked before anything
   * is sent.
   */
  const resume = async (attempt: Claimed<Attempt>): Promise<void> => {
    const { previous_owner, provider_reference } = attempt
    const given_back =
      previous_owner === null || (previous_owner === deps.process_id && known_unsent.has(provider_reference))
    const untouched = given_back && attempt.asks === 0 && attempt.state === 'to_send'
    if (untouched && attempt.method !== 'qr' && deps.clock.now() < attempt.deadline_at) return push(attempt)
    const answer = await calls.status(attempt)
    const unsent = attempt.state === 'to_send' && !accepted.has(attempt.provider_reference) && attempt.method !== 'qr'
    if (unsent && answer.kind === 'not_found' && deps.clock.now() < attempt.deadline_at) return push(attempt)
    return learn(attempt, answer, true)
  }
  const run = <One extends Attempt>(attempt: One, work: (attempt: One) => Promise<void>): boolean => {
    // A step that outlasts its lease: claiming the row again made the lease longer, and the step goes on.
    if (!hands.take(attempt)) return false
    track(
      attempt,
      work(attempt).finally(() => hands.give(attempt)),
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
    reserve: hands.places.reserve,
    send: (attempt) => void run(attempt, push),
    async sendAndAsk(attempt) {
      const asked = async (one: Attempt) => {
        await push(one)
        await learn(one, await calls.status(one), false)
      }
      await new Promise<void>((resolve) => {
        if (!run(attempt, (one) => asked(one).finally(resolve))) resolve()
      })
    },
    ask: async (attempt) => learn(attempt, await calls.status(attempt), false),
    qr: calls.qr,
    settle,
    task: {
      name: 'collection_attempts',
      every_ms: POLL_EVERY_MS,
      async runOnce() {
        const { max, closed } = hands.places.claimable()
        const attempts = await claim(max, ATTEMPT_LEASE_MS, () => max, closed)
        return attempts.filter((attempt) => run(attempt, resume)).length
      },
      async idle() {
        writeAccepted()
        while (under_way.size > 0) {
          await Promise.allSettled([...under_way])
          writeAccepted()
        }
      },
    },
  }
}

/** An acceptance that is known here with what was heard since: a later answer that is open too never takes it back. */
function merged(known: Answer, answer: Answer): Answer {
  if (answer.kind === 'accepted' || answer.ask_again_ms === undefined)
    return answer.kind === 'accepted' ? answer : known
  return { ...known, ask_again_ms: answer.ask_again_ms }
}

/** The attempts that this process works on, each once, with places for each provider. */
function createHands(providers: ReadonlyMap<string, Provider>) {
  const references = new Set<string>()
  const few = [...providers.values()].map(({ name, capabilities }) => [name, capabilities.places?.payments] as const)
  const places = createPlaces(few, CLAIM_MAX)
  return {
    /** False: it is in hand already. */
    take({ provider, provider_reference: reference }: Attempt): boolean {
      if (references.has(reference)) return false
      references.add(reference)
      places.take(provider)
      return true
    },
    give({ provider, provider_reference: reference }: Attempt): void {
      references.delete(reference)
      places.give(provider)
    },
    places,
  }
}
