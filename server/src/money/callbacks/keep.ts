// Stores received callbacks, so that operators can investigate them later. The server removes secrets. It stores a limited
// number of forged and unknown callbacks per minute, so that a flood does not fill the disk.

import { createHash } from 'node:crypto'
import { type Deps, oneStatement, sql } from '../../kernel/db/index.ts'
import { gather, redactFields } from '../../kernel/lib/index.ts'
import { sweepTask, type Task } from '../../kernel/work/index.ts'

/**
 * The class of a stored callback. `hint`: about a payment or payout of its provider. `unknown_reference`: its provider has no
 * such payment or payout. `forged`: its secret, signature or form is wrong.
 */
export type StoredVerdict = 'hint' | 'unknown_reference' | 'forged'

/** One callback to store. Null in `reference` means that the callback is forged. */
export type CallbackRecord = { provider: string; verdict: StoredVerdict; reference: string | null; body: Buffer }

const BODY_KEPT_BYTES = 4096

const KEEP = sql(
  'callbacks_keep',
  `insert into provider_callbacks as p (dedupe_key, provider, verdict, provider_reference, body, times, received_at, last_received_at)
   select decode(dedupe_key, 'hex'), provider, verdict, reference, body, times, $2, $2
   from json_to_recordset($1::json) as x(dedupe_key text, provider text, verdict text, reference text, body text, times int)
   order by dedupe_key
   on conflict (dedupe_key) do update set times = p.times + excluded.times, last_received_at = excluded.last_received_at`,
)

/**
 * Makes the function that stores callbacks in batches. If a stored callback arrives again, the function only updates its count
 * and the time of its last receipt.
 */
export function createKeeper(deps: Deps): (kept: CallbackRecord) => Promise<void> {
  return gather<CallbackRecord, void>(
    async (items) => {
      await keepAll(deps, items)
      return items.map(() => undefined)
    },
    { max_items: 500, max_running: 1 },
  )
}

async function keepAll(deps: Deps, items: readonly CallbackRecord[]): Promise<void> {
  const rows = new Map<
    string,
    {
      dedupe_key: string
      provider: string
      verdict: StoredVerdict
      reference: string | null
      body: string
      times: number
    }
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
        body: printable(redactFields(kept.toString('utf8'))),
        times: 1,
      })
  }
  await oneStatement(deps.db).query(KEEP, [JSON.stringify([...rows.values()]), deps.clock.now()])
}

/** Returns a text that the database accepts: replaces NUL characters and invalid Unicode. */
function printable<T extends string | null>(text: T): T {
  return (text === null ? null : text.replaceAll('\0', '\u{fffd}').toWellFormed()) as T
}

/**
 * Makes a rate limit. The returned function returns true for its first `max` calls in a minute. `missed` receives the number of
 * refused calls at the first call of a later minute.
 */
export function createBudget(
  deps: Pick<Deps, 'clock'>,
  max: number,
  missed: (count: number) => void = () => {},
): () => boolean {
  let minute = 0
  let count = 0
  return () => {
    const now = Math.floor(deps.clock.now().getTime() / 60_000)
    if (now !== minute) {
      if (count > max) missed(count - max)
      minute = now
      count = 0
    }
    count += 1
    return count <= max
  }
}

const DAY_MS = 86_400_000
/** The number of days between the last receipt of a forged callback and its deletion. */
const FORGED_DAYS = 7

const FORGET = sql(
  'callbacks_forget',
  `delete from provider_callbacks where dedupe_key in (
     select dedupe_key from provider_callbacks
     where verdict = $1 and received_at < $2 and last_received_at < $2 order by received_at limit 1000
     for update skip locked)
   returning 1 as gone`,
)

/** Returns the task that deletes old callbacks. The history of payments and payouts does not need these rows. */
export function callbacksTask(deps: Deps): Task {
  const forget = (verdict: string, days: number) => async (now: Date) => {
    if (days === 0) return 0
    const before = new Date(now.getTime() - days * DAY_MS)
    return (await oneStatement(deps.db).query(FORGET, [verdict, before])).length
  }
  const days = deps.config.retention_callbacks_days
  return sweepTask(deps, 'callbacks', [
    forget('hint', days),
    forget('unknown_reference', days),
    forget('forged', FORGED_DAYS),
  ])
}
