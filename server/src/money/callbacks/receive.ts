// Receives callbacks. The server verifies a callback, then stores the callback and queries the provider, because a callback is
// no proof. If the process dies before the query, the provider may retry the callback, and a worker queries the provider later.

import { merchantByRoutingCode } from '../../access/merchants/index.ts'
import type { Provider } from '../../adapters/providers/port.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { gather, type TraceContext } from '../../kernel/lib/index.ts'
import { type Driver, findAttempts, parseReference } from '../collections/index.ts'
import { findPayouts, type PayoutDriver, parsePayoutReference } from '../withdrawals/index.ts'
import { createBudget, createKeeper } from './keep.ts'

/**
 * The result of a callback. `forged`: its secret, signature or form is wrong. `unknown_provider`: no configured provider has
 * this name. `taken`: the adapter accepted the callback. If a payment or payout of this provider has the reference, the server
 * has also queried the provider and recorded the answer.
 */
export type CallbackReceiver = (
  provider: string,
  headers: Record<string, string | undefined>,
  body: Buffer,
) => Promise<'taken' | 'forged' | 'unknown_provider'>

/**
 * The numbers of forged callbacks, and of callbacks about unknown payments and payouts, that one process stores and logs in a
 * minute. For further callbacks, the process logs only their number, so that a flood fills neither the disk nor the log.
 */
const KEPT_PER_MINUTE = { forged: 10, unknown_reference: 100 }

/** The payment or payout of a callback, with the name of its provider and the function that queries this provider. */
type CallbackSubject = {
  kind: 'payment' | 'payout'
  provider: string
  ask(): Promise<void>
  trace: TraceContext | null
}

/** Makes the function that receives the callbacks of the configured providers. */
export function createCallbackReceiver(
  deps: Deps,
  providers: ReadonlyMap<string, Provider>,
  driver: Driver,
  payouts: PayoutDriver,
): CallbackReceiver {
  const find = createFinder(deps, driver, payouts)
  const keep = createKeeper(deps)
  const ask = createAsker()
  const mayKeepForged = createBudget(deps, KEPT_PER_MINUTE.forged, (count) =>
    deps.log.warn(
      { component: 'callbacks', count },
      'the server refused and did not store forged callbacks above the limit per minute',
    ),
  )
  const mayKeepUnknown = createBudget(deps, KEPT_PER_MINUTE.unknown_reference, (count) =>
    deps.log.warn(
      { component: 'callbacks', count },
      'above the limit per minute, the server did not store callbacks about payments and payouts that the platform did not send to the provider',
    ),
  )

  return async (name, headers, body) => {
    const provider = providers.get(name)
    if (!provider) return 'unknown_provider'
    const verdict = provider.verifyCallback(headers, body)
    if (!verdict.verified) {
      if (!mayKeepForged()) return 'forged'
      deps.log.warn(
        { component: 'callbacks', provider: name },
        'the server refused a forged callback: if the provider sent it, check the secrets in the settings of the provider',
      )
      await keep({ provider: name, verdict: 'forged', reference: null, body })
      return 'forged'
    }
    const { reference } = verdict
    const subject = await find(reference)
    // If the payment or payout went to another provider, the server stores the callback but sends no query.
    const ours = subject !== null && subject.provider === name
    if (!ours) {
      if (!mayKeepUnknown()) return 'taken'
      deps.log.warn(
        { component: 'callbacks', provider: name },
        'the server got a callback about a payment or payout that the platform did not send to this provider',
      )
    }
    const fields = { 'malipo.provider': name }
    const span = ours ? deps.tracer.child(subject.trace, `${subject.kind} callback`, 'consumer', fields) : null
    const kept = keep({ provider: name, verdict: ours ? 'hint' : 'unknown_reference', reference, body })
    await Promise.all(ours ? [kept, ask(reference, subject.ask)] : [kept]).finally(() => span?.end())
    return 'taken'
  }
}

/**
 * Makes a function that sends at most one status query at a time for each reference. Callbacks that arrive during a query share
 * the next query, so that duplicates of a callback do not each cause a query.
 */
function createAsker(): (reference: string, ask: () => Promise<void>) => Promise<void> {
  type Question = { out: Promise<void>; next: Promise<void> | null }
  const questions = new Map<string, Question>()
  const begin = (reference: string, ask: () => Promise<void>): Promise<void> => {
    const question: Question = { out: ask(), next: null }
    questions.set(reference, question)
    const ended = () => {
      if (question.next === null) questions.delete(reference)
    }
    question.out.then(ended, ended)
    return question.out
  }
  return (reference, ask) => {
    const question = questions.get(reference)
    if (question === undefined) return begin(reference, ask)
    const again = () => begin(reference, ask)
    question.next ??= question.out.then(again, again)
    return question.next
  }
}

/**
 * Makes the function that finds the payment or payout of a reference, in batches. Null means that no payment or payout has the
 * reference.
 */
function createFinder(
  deps: Deps,
  driver: Driver,
  payouts: PayoutDriver,
): (reference: string) => Promise<CallbackSubject | null> {
  const merchantOf = merchantByRoutingCode(deps)
  const finder = <Key extends { routing_code: number }, Row extends { provider_reference: string }>(
    parse: (reference: string) => Key | null,
    findAll: (keys: readonly (Key & { merchant_id: string })[]) => Promise<Row[]>,
  ) =>
    gather<string, Row | null>(
      async (references) => {
        const keys = await Promise.all(
          references.map(async (reference) => {
            const key = parse(reference)
            const merchant_id = key && (await merchantOf(key.routing_code))
            return key && merchant_id ? { ...key, merchant_id } : null
          }),
        )
        const known = keys.filter((key) => key !== null)
        const rows = known.length === 0 ? [] : await findAll(known)
        const found = new Map(rows.map((row) => [row.provider_reference, row]))
        return references.map((reference) => found.get(reference) ?? null)
      },
      { max_items: 500, max_running: 2 },
    )
  const findAttempt = finder(parseReference, (keys) => findAttempts(deps.db, keys))
  const findPayout = finder(parsePayoutReference, (keys) => findPayouts(deps.db, keys))

  return async (reference) => {
    if (parsePayoutReference(reference) !== null) {
      const payout = await findPayout(reference)
      return (
        payout && { kind: 'payout', provider: payout.provider, ask: () => payouts.ask(payout), trace: payout.trace }
      )
    }
    const attempt = await findAttempt(reference)
    return (
      attempt && { kind: 'payment', provider: attempt.provider, ask: () => driver.ask(attempt), trace: attempt.trace }
    )
  }
}
