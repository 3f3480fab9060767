// Queues documents. The queue has limits, serves merchants in turn, and serves live documents before sandbox documents.

import { refuse } from '../lib/index.ts'

/** The merchant and the environment of a document. Each merchant has its own limit in each environment. */
export type DocumentOwner = { merchant_id: string; environment: string }

/** The greatest number of waiting documents: of one merchant in an environment, of the sandbox, and of all. */
export const QUEUE_LIMITS = { of_owner: 16, of_sandbox: 32, of_all: 64 }
const RETRY_AFTER_S = 5

type WaitingTask = { run(): Promise<void> }

/** Makes a queue that runs one task at a time. If a limit is reached, the queue refuses with service_unavailable. */
export function createDocumentQueue(): <T>(owner: DocumentOwner, task: () => Promise<T>) => Promise<T> {
  const lanes = { live: new Map<string, WaitingTask[]>(), sandbox: new Map<string, WaitingTask[]>() }
  let running = false

  const waitingIn = (lane: Map<string, WaitingTask[]>) =>
    [...lane.values()].reduce((sum, { length }) => sum + length, 0)
  const next = (): WaitingTask | undefined => {
    for (const lane of [lanes.live, lanes.sandbox]) {
      for (const [owner, waiting] of lane) {
        const first = waiting.shift()
        lane.delete(owner)
        // If the merchant has more documents, the merchant moves to the end of the lane, so that merchants take turns.
        if (waiting.length > 0) lane.set(owner, waiting)
        if (first) return first
      }
    }
    return undefined
  }
  const start = async () => {
    if (running) return
    running = true
    for (let one = next(); one; one = next()) await one.run()
    running = false
  }
  return ({ merchant_id, environment }, task) => {
    const lane = environment === 'live' ? lanes.live : lanes.sandbox
    const waiting = lane.get(merchant_id) ?? []
    const in_sandbox = waitingIn(lanes.sandbox)
    const is_full =
      waiting.length >= QUEUE_LIMITS.of_owner ||
      in_sandbox + waitingIn(lanes.live) >= QUEUE_LIMITS.of_all ||
      (lane === lanes.sandbox && in_sandbox >= QUEUE_LIMITS.of_sandbox)
    if (is_full) {
      refuse('service_unavailable', {
        message: 'Too many documents wait in the queue. Repeat the request after the seconds in Retry-After.',
        retry_after_s: RETRY_AFTER_S,
      })
    }
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof task>>>()
    waiting.push({ run: () => task().then(resolve as (value: unknown) => void, reject) })
    lane.set(merchant_id, waiting)
    void start()
    return promise as ReturnType<typeof task>
  }
}
