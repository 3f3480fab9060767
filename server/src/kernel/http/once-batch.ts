// Runs a batch of requests with Idempotency-Keys: keys, work and stored answers are one transaction.

import { type Deps, inTransaction, type Tx } from '../db/index.ts'
import { Refusal } from '../lib/index.ts'
import {
  type ClaimResult,
  claimOrFind,
  type IdempotencyClaim,
  isDecision,
  refusalAnswer,
  type StoredAnswer,
  storeAnswers,
} from './idempotency.ts'

/** A request of a batch. Null as `once` means that the request has no Idempotency-Key. */
export type KeyedRequest<Result> = { once: { claim: IdempotencyClaim; answerOf(result: Result): StoredAnswer } | null }

/**
 * The result of a request: the result of its work, an earlier answer of its key, or a refusal. If an earlier request of the
 * batch has the same key, the result is `repeat`, and the caller must run this request again.
 */
export type KeyedResult<Result> =
  | { result: Result; answer: StoredAnswer | null }
  | { replayed: StoredAnswer }
  | Refusal
  | 'repeat'

/**
 * The work on a batch. If the work refuses a request, the work writes nothing for that request. `left` is data that the caller
 * of `onceInBatch` uses after the commit.
 */
export type KeyedWork<Request, Result, Left> = (
  tx: Tx,
  requests: readonly Request[],
) => Promise<{ answers: readonly (Result | Refusal)[]; left: Left }>

/** The results of a committed batch. Null as `left` means that no request did work. */
type KeyedRun<Request, Result, Left> = { results: Map<Request, KeyedResult<Result>>; left: Left | null }

/**
 * The error that rolls back a batch with refusals that the database does not store. The rollback frees the keys of the refused
 * requests.
 */
class KeysToFree<Request> extends Error {
  readonly refused: ReadonlyMap<Request, Refusal>
  constructor(refused: ReadonlyMap<Request, Refusal>) {
    super('refused requests free their keys')
    this.refused = refused
  }
}

/**
 * Runs a batch, as `onceInTransaction` runs one request. If `work` throws, the transaction writes nothing. If a refusal of a
 * request with a key is not final, the other requests run again in a new transaction without the refused request.
 */
export async function onceInBatch<Request extends KeyedRequest<Result>, Result, Left>(
  deps: Deps,
  requests: readonly Request[],
  work: KeyedWork<Request, Result, Left>,
): Promise<{ results: KeyedResult<Result>[]; left: Left | null }> {
  try {
    const { results, left } = await inTransaction(deps.db, (tx) => runBatch(deps, tx, requests, work))
    return { results: requests.map((request) => results.get(request) as KeyedResult<Result>), left }
  } catch (error) {
    if (!(error instanceof KeysToFree)) throw error
    const refused: ReadonlyMap<Request, Refusal> = error.refused
    const others = requests.filter((request) => !refused.has(request))
    const run = others.length === 0 ? { results: [], left: null } : await onceInBatch(deps, others, work)
    const results = new Map(others.map((request, i) => [request, run.results[i] as KeyedResult<Result>]))
    return {
      results: requests.map((request) => refused.get(request) ?? (results.get(request) as KeyedResult<Result>)),
      left: run.left,
    }
  }
}

/** Claims the keys, does the work of the requests without a key or with a claimed key, and stores the answers. */
async function runBatch<Request extends KeyedRequest<Result>, Result, Left>(
  deps: Deps,
  tx: Tx,
  requests: readonly Request[],
  work: KeyedWork<Request, Result, Left>,
): Promise<KeyedRun<Request, Result, Left>> {
  const results = await claimBatch<Request, Result>(deps, tx, requests)
  const open = requests.filter((request) => !results.has(request))
  if (open.length === 0) return { results, left: null }
  const { answers, left } = await work(tx, open)
  const stored: { claim: IdempotencyClaim; answer: StoredAnswer }[] = []
  const refused = new Map<Request, Refusal>()
  for (const [i, request] of open.entries()) {
    const made = answers[i] as Result | Refusal
    const { once } = request
    if (made instanceof Refusal) {
      results.set(request, made)
      if (once !== null && isDecision(made)) stored.push({ claim: once.claim, answer: refusalAnswer(made) })
      else if (once !== null) refused.set(request, made)
      continue
    }
    const answer = once === null ? null : once.answerOf(made)
    results.set(request, { result: made, answer })
    if (once !== null && answer !== null) stored.push({ claim: once.claim, answer })
  }
  if (refused.size > 0) throw new KeysToFree(refused)
  await storeAnswers(tx, stored)
  return { results, left }
}

/**
 * Claims the keys of a batch. Returns the results of the requests whose key is not free. The batch does no work for these
 * requests.
 */
async function claimBatch<Request extends KeyedRequest<Result>, Result>(
  deps: Deps,
  tx: Tx,
  requests: readonly Request[],
): Promise<Map<Request, KeyedResult<Result>>> {
  const results = new Map<Request, KeyedResult<Result>>()
  const keyed = requests.flatMap((request) => (request.once === null ? [] : [{ request, claim: request.once.claim }]))
  const found = await claimOrFind(
    deps,
    tx,
    keyed.map(({ claim }) => claim),
  )
  for (const [i, { request }] of keyed.entries()) {
    const claimed = found[i] as ClaimResult
    if (claimed === 'repeat' || claimed instanceof Refusal) results.set(request, claimed)
    else if (claimed !== 'claimed') results.set(request, { replayed: claimed })
  }
  return results
}
