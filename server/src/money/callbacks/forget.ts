// Deletes old callbacks. The server stores callbacks so that operators can investigate, but not for ever.

import { type Deps, oneStatement, sql } from '../../kernel/db/index.ts'
import { sweepTask, type Task } from '../../kernel/work/index.ts'

const DAY_MS = 86_400_000
/** Days until a callback is deleted, after it was last received, by verdict. */
const KEPT_DAYS = { hint: 90, unknown_reference: 90, forged: 7 }

const FORGET = sql(
  'callbacks_forget',
  `delete from provider_callbacks where dedupe_key in (
     select dedupe_key from provider_callbacks
     where verdict = $1 and received_at < $2 and last_received_at < $2 order by received_at limit 1000
     for update skip locked)
   returning 1 as gone`,
)

/** The background work: deletes old callbacks. Payments and payouts keep their own history. */
export function callbacksTask(deps: Deps): Task {
  const forget = (verdict: string, days: number) => async (now: Date) => {
    const before = new Date(now.getTime() - days * DAY_MS)
    return (await oneStatement(deps.db).query(FORGET, [verdict, before])).length
  }
  return sweepTask(
    deps,
    'callbacks',
    Object.entries(KEPT_DAYS).map(([verdict, days]) => forget(verdict, days)),
  )
}
