// A callback is a hint: it is checked and kept as it came, and the provider is asked what is true.
//
// The hint is answered only after it is kept and the provider's word is settled. If the process dies before that, the
// provider sees no answer and may send it again; and the attempt, or the payout, still waits in the database, so that it is
// asked anyway.

import { merchantByRoutingCode } from '../../access/merchants/index.ts'
import type { Provider } from '../../adapters/providers/port.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { gather } from '../../kernel/lib/index.ts'
import { type Driver, findAttempts, parseReference } from '../collections/index.ts'
import { findPayouts, type PayoutDriver, parsePayoutReference } from '../withdrawals/index.ts'
import { createBudget, createKeeper } from './keep.ts'

/** Takes callbacks: 'taken' once what the provider says of it is settled, 'forged' when its signature is wrong. */
export type CallbackReceiver = (
  provider: string,
  headers: Record<string, string | undefined>,
  body: Buffer,
) => Promise<'taken' | 'forged' | 'unknown_provider'>

/**
 * Callbacks that are nobody's, kept and told in the log per minute. Of more only their number is told: a flood must fill
 * neither disk nor log, and writing a line for each would hold up everything else.
 */
const KEPT_PER_MINUTE = { forged: 10, unknown_reference: 100 }

/** What a callback can be about: whose it is, and how its provider is asked. */
type Subject = { provider: string; ask(): Promise<void> }

/** Makes the receiver of callbacks over the configured providers. */
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
    deps.log.warn({ count }, 'more forged callbacks in an earlier minute'),
  )
  const mayKeepUnknown = createBudget(deps, KEPT_PER_MINUTE.unknown_reference, (count) =>
    deps.log.warn({ count }, 'more callbacks in an earlier minute about payments or payouts that are not ours'),
  )

  return async (name, headers, body) => {
    const provider = providers.get(name)
    if (!provider) return 'unknown_provider'
    const verdict = provider.verifyCallback(headers, body)
    if (!verdict.verified) {
      if (!mayKeepForged()) return 'forged'
      deps.log.warn({ provider: name }, 'forged callback')
      await keep({ provider: name, verdict: 'forged', reference: null, body })
      return 'forged'
    }
    const { reference } = verdict
    const subject = await find(reference)
    // What another provider was asked for is not this provider's to speak of.
    const ours = subject !== null && subject.provider === name
    if (!ours) {
      if (!mayKeepUnknown()) return 'taken'
      deps.log.warn({ provider: name }, 'callback about a payment or payout that is not ours')
    }
    const kept = keep({ provider: name, verdict: ours ? 'hint' : 'unknown_reference', reference, body })
    await Promise.all(ours ? [kept, ask(reference, subject.ask)] : [kept])
    return 'taken'
  }
}

/**
 * Asks about one reference at a time. Callbacks that come while a question is out share the next one: that one begins after
 * them, so it hears whatever they were about, and a callback that is repeated without end asks no more than that.
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

/** Finds the payment or payout behind a reference, together with those that are looked for meanwhile. */
function createFinder(
  deps: Deps,
  driver: Driver,
  payouts: PayoutDriver,
): (reference: string) => Promise<Subject | null> {
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
      return payout && { provider: payout.provider, ask: () => payouts.ask(payout) }
    }
    const attempt = await findAttempt(reference)
    return attempt && { provider: attempt.provider, ask: () => driver.ask(attempt) }
  }
}
