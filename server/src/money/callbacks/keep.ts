// Keeping callbacks as they came, for people who have to find out later what was said: but without what is secret in them,
// and without letting a flood fill the disk.

import { createHash } from 'node:crypto'
import { type Deps, oneStatement, sql } from '../../kernel/db/index.ts'
import { gather, redactFields } from '../../kernel/lib/index.ts'

/** What was made of a callback. */
export type Verdict = 'hint' | 'unknown_reference' | 'forged'

/** One callback, as it is to be kept. */
export type Kept = { provider: string; verdict: Verdict; reference: string | null; body: Buffer }

const BODY_KEPT_BYTES = 4096

const KEEP = sql(
  'callbacks_keep',
  `insert into provider_callbacks as p (dedupe_key, provider, verdict, provider_reference, body, times, received_at, last_received_at)
   select decode(dedupe_key, 'hex'), provider, verdict, reference, body, times, $2, $2
   from json_to_recordset($1::json) as x(dedupe_key text, provider text, verdict text, reference text, body text, times int)
   order by dedupe_key
   on conflict (dedupe_key) do update set times = p.times + excluded.times, last_received_at = excluded.last_received_at`,
)

/** Makes what keeps a callback, together with those that come meanwhile. One that comes again only counts. */
export function createKeeper(deps: Deps): (kept: Kept) => Promise<void> {
  return gather<Kept, void>(
    async (items) => {
      await keepAll(deps, items)
      return items.map(() => undefined)
    },
    { max_items: 500, max_running: 1 },
  )
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
        body: printable(redactFields(kept.toString('utf8'))),
        times: 1,
      })
  }
  await oneStatement(deps.db).query(KEEP, [JSON.stringify([...rows.values()]), deps.clock.now()])
}

/** What came from outside may hold NUL, which the database refuses in a text. */
function printable<T extends string | null>(text: T): T {
  return (text === null ? null : text.replaceAll('\0', '\u{fffd}').toWellFormed()) as T
}

/** True for the first `max` times in a minute. `missed` hears, with the first of a later minute, of how many it was not. */
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
