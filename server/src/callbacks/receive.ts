// A callback is a hint: it is checked and kept as it came, and the provider is asked what is true.
//
// The hint is answered only after it is kept and the provider's word is settled. If the process dies before that, the
// provider sees no answer and may send it again; and the attempt, or the payout, still waits in the database, so that it is
// asked anyway.

import { createHash } from 'node:crypto'
import { type Driver, findAttempts, parseReference } from '../collections/index.ts'
import { type Deps, oneStatement, sql } from '../db/index.ts'
import { gather } from '../lib/index.ts'
import { merchantByRoutingCode } from '../merchants/index.ts'
import type { Provider } from '../providers/port.ts'
import { findPayouts, type PayoutDriver, parsePayoutReference } from '../withdrawals/index.ts'

/** Takes callbacks: 'taken' once what the provider says of it is settled, 'forged' when its signature is wrong. */
export type CallbackReceiver = (
  provider: string,
  headers: Record<string, string | undefined>,
  body: Buffer,
) => Promise<'taken' | 'forged' | 'unknown_provider'>

type Verdict = 'hint' | 'unknown_reference' | 'forged'
type Kept = { provider: string; verdict: Verdict; reference: string | null; body: Buffer }

/** Callbacks that are nobody's, kept per minute; more are only logged, so that a flood does not fill the disk. */
const KEPT_PER_MINUTE = { forged: 10, unknown_reference: 100 }
const BODY_KEPT_BYTES = 4096

const KEEP = sql(
  'callbacks_keep',
  `insert into provider_callbacks as p (dedupe_key, provider, verdict, provider_reference, body, times, received_at, last_received_at)
   select decode(dedupe_key, 'hex'), provider, verdict, reference, body, times, $2, $2
   from json_to_recordset($1::json) as x(dedupe_key text, provider text, verdict text, reference text, body text, times int)
   order by dedupe_key
   on conflict (dedupe_key) do update set times = p.times + excluded.times, last_received_at = excluded.last_received_at`,
)

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
  const keep = gather<Kept, void>(
    async (items) => {
      await keepAll(deps, items)
      return items.map(() => undefined)
    },
    { max_items: 500, max_running: 1 },
  )
  const mayKeepForged = budget(deps, KEPT_PER_MINUTE.forged)
  const mayKeepUnknown = budget(deps, KEPT_PER_MINUTE.unknown_reference)

  return async (name, headers, body) => {
    const provider = providers.get(name)
    if (!provider) return 'unknown_provider'
    const verdict = provider.verifyCallback(headers, body)
    if (!verdict.verified) {
      deps.log.warn({ provider: name }, 'forged callback')
      if (mayKeepForged()) await keep({ provider: name, verdict: 'forged', reference: null, body })
      return 'forged'
    }
    const { reference } = verdict
    const subject = await find(reference)
    // What another provider was asked for is not this provider's to speak of.
    const ours = subject !== null && subject.provider === name
    if (!ours) {
      deps.log.warn({ provider: name }, 'callback about a payment or payout that is not ours')
      if (!mayKeepUnknown()) return 'taken'
    }
    const kept = keep({ provider: name, verdict: ours ? 'hint' : 'unknown_reference', reference, body })
    await Promise.all(ours ? [kept, subject.ask()] : [kept])
    return 'taken'
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

async function keepAll(deps: Deps, items: readonly Kept[]): Promise<void> {
  const rows = new Map<
    string,
    { dedupe_key: string; provider: string; verdict: Verdict; reference: string | null; body: string; times: number }
  >()
  for (const { provider, verdict, reference, body } of items) {
    const kept = body.subarray(0, BODY_KEPT_BYTES)
    const dedupe_key = createHash('sha256').update(`${provider} ${verdict} `).update(kept).digest('hex')
    const known = rows.get(dedupe_key)
    if (known) known.times += 1
    else
      rows.set(dedupe_key, {
        dedupe_key,
        provider,
        verdict,
        reference: printable(reference),
        body: printable(kept.toString('utf8')),
        times: 1,
      })
  }
  await oneStatement(deps.db).query(KEEP, [JSON.stringify([...rows.values()]), deps.clock.now()])
}

/** What came from outside may hold NUL, which the database refuses in a text. */
function printable<T extends string | null>(text: T): T {
  return (text === null ? null : text.replaceAll('\0', '\u{fffd}').toWellFormed()) as T
}

/** True for the first `max` times in a minute. */
function budget(deps: Deps, max: number): () => boolean {
  let minute = 0
  let kept = 0
  return () => {
    const now = Math.floor(deps.clock.now().getTime() / 60_000)
    if (now !== minute) {
      minute = now
      kept = 0
    }
    kept += 1
    return kept <= max
  }
}
