// Records providers' answers about attempts in batches: settles final answers and notes open answers.

import type { Answer, PushAnswer } from '../../adapters/providers/port.ts'
import type { CanDeliver, Delivery } from '../../adapters/webhooks/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { batchSizes, gather } from '../../kernel/lib/index.ts'
import { isOpenAnswer } from './decide.ts'
import type { LinkSettlement } from './link-settlement.ts'
import { noteOpenAnswers, type OpenAnswer } from './note.ts'
import { settleOutcomes } from './settle.ts'
import type { AttemptOutcome } from './snapshot.ts'
import { ATTEMPT_LEASE_MS, type Attempt, traceFields } from './store.ts'

/** The functions of the webhook sender that a settlement calls. */
export type DeliveryQueue = { canDispatch: CanDeliver; dispatch(deliveries: Delivery[]): void }

/** Runs work of an attempt in the background. If the work fails, the server logs the error and the attempt becomes due again. */
export type RunTracked = (attempt: Attempt, work: Promise<void>) => void

/**
 * Records providers' answers. If the answer ends the lease of this process, `holds_lease` is true. If the query needed no
 * lease, for example after a callback or a refresh, it is false.
 */
export type OutcomeRecorder = {
  settle(outcome: AttemptOutcome): Promise<void>
  record(attempt: Attempt, answer: Answer, holds_lease: boolean): Promise<void>
  /**
   * Remembers that the provider accepted an attempt. After WRITE_SENT_MS, writes all remembered acceptances together.
   */
  recordAccepted(attempt: Attempt, answer: Answer): void
  /** Releases the lease of an attempt that was certainly not sent. */
  recordUnsent(attempt: Attempt, answer: PushAnswer): Promise<void>
  /** Writes the remembered acceptances immediately. */
  writeAccepted(): void
  /** Returns true while this process remembers that the provider accepted the attempt. */
  isAccepted(reference: string): boolean
  /** Returns true if the attempt was certainly not sent and the database does not show this yet. */
  isUnsent(reference: string): boolean
}

/** The time for which the process gathers acceptances before one query writes them. This time is far shorter than the lease. */
const WRITE_SENT_MS = 500
/**
 * The time for which the process remembers an acceptance or an unsent attempt that the database did not store. After this time,
 * a worker queries the provider before it sends.
 */
const REMEMBER_MS = 10 * ATTEMPT_LEASE_MS

/** Makes the recorder of answers. `webhooks` sends the deliveries that a settlement leases to this process. */
export function createOutcomeRecorder(
  deps: Deps,
  links: LinkSettlement,
  webhooks: DeliveryQueue,
  runTracked: RunTracked,
): OutcomeRecorder {
  const { settle, note } = createWriters(deps, links, webhooks)

  // The process writes acceptances later in one batch, and holds their leases until then. After a crash, the next process
  // queries the provider before it sends. This process keeps an acceptance until it has written the attempt, because an
  // outdated status must not undo the acceptance.
  const accepted = new Map<string, Answer>()
  let unwritten: Attempt[] = []
  const record = async (attempt: Attempt, answer: Answer, holds_lease: boolean): Promise<void> => {
    const { merchant_id, collection_id, number, provider_reference: reference } = attempt
    const acceptance = accepted.get(reference)
    if (isOpenAnswer(answer) && deps.clock.now() < attempt.deadline_at) {
      // Until this process has written the acceptance, it holds the lease, even if the answer came after a callback or a refresh.
      const merged = acceptance ? mergeAcceptance(acceptance, answer) : answer
      await note({ attempt, answer: merged, holds_lease: holds_lease || !!acceptance })
    } else {
      const span = deps.tracer.child(attempt.trace, 'payment settle', 'internal', traceFields(attempt))
      await settle({ merchant_id, collection_id, number, answer }).finally(() => span?.end())
    }
    if (acceptance && accepted.get(reference) === acceptance) accepted.delete(reference)
  }
  const writeAccepted = () => {
    const attempts = unwritten
    unwritten = []
    for (const attempt of attempts) {
      const { provider_reference: reference } = attempt
      const answer = accepted.get(reference)
      if (answer === undefined) continue
      const written = record(attempt, answer, true).catch((error) => {
        deps.clock.after(REMEMBER_MS, () => accepted.delete(reference))
        throw error
      })
      runTracked(attempt, written)
    }
  }

  // A lease means that the provider may have the attempt, so the process releases the lease of an unsent attempt. Until the
  // database has that update, only this set shows that the attempt is unsent.
  const unsent = new Set<string>()
  return {
    settle,
    record,
    recordAccepted(attempt, answer) {
      accepted.set(attempt.provider_reference, answer)
      unwritten.push(attempt)
      if (unwritten.length === 1) deps.clock.after(WRITE_SENT_MS, writeAccepted)
    },
    async recordUnsent(attempt, answer) {
      const { provider_reference: reference } = attempt
      unsent.add(reference)
      deps.clock.after(REMEMBER_MS, () => unsent.delete(reference))
      await note({ attempt, answer, holds_lease: true })
      unsent.delete(reference)
    },
    writeAccepted,
    isAccepted: (reference) => accepted.has(reference),
    isUnsent: (reference) => unsent.has(reference),
  }
}

/**
 * Makes the two functions that work in batches: one writes open answers in one query, the other settles outcomes in one
 * transaction.
 */
function createWriters(deps: Deps, links: LinkSettlement, webhooks: DeliveryQueue) {
  const settle = gather<AttemptOutcome, void>(
    async (outcomes) => {
      webhooks.dispatch(await settleOutcomes(deps, links, outcomes, webhooks.canDispatch))
      return outcomes.map(() => undefined)
    },
    { max_items: 250, max_running: 2, measure: batchSizes(deps.metrics, 'settle') },
  )
  const note = gather<OpenAnswer, void>(
    async (notes) => {
      await noteOpenAnswers(deps, notes)
      return notes.map(() => undefined)
    },
    { max_items: 500, max_running: 1, measure: batchSizes(deps.metrics, 'note') },
  )
  return { settle, note }
}

/** Combines a remembered acceptance with a later open answer. The combined answer is always an acceptance. */
function mergeAcceptance(acceptance: Answer, answer: Answer): Answer {
  if (answer.kind === 'accepted') return answer
  return answer.ask_again_ms === undefined ? acceptance : { ...acceptance, ask_again_ms: answer.ask_again_ms }
}
