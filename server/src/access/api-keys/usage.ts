// Records the time of the last use of each key, accurate to about a minute. The process collects the uses in memory and writes
// them in batches.

import { type Deps, oneStatement, sql } from '../../kernel/db/index.ts'
import type { Task } from '../../kernel/work/index.ts'

/** The recorder of key uses. `note` records a use in memory, and `task` writes the uses to the database. */
export type KeyUsage = { note(merchant_id: string, key_id: string): void; task: Task }

const WRITE_EVERY_MS = 30_000

// The statement keeps the later time: after a failed write, a process writes an old use, and another process may have written
// a later use already.
const WRITE = sql(
  'api_key_usage_write',
  `insert into api_key_usage as u (merchant_id, key_id, last_used_at)
   select merchant_id, key_id, coalesce(used_at, $2)
   from json_to_recordset($1::json) as x(merchant_id uuid, key_id uuid, used_at timestamptz)
   order by merchant_id, key_id
   on conflict (merchant_id, key_id) do update set last_used_at = greatest(u.last_used_at, excluded.last_used_at)`,
)

/** A use that is not in the database. Null in `used_at` means that the next write sets the time. */
type UnwrittenUse = { merchant_id: string; used_at: Date | null }

/**
 * Makes the recorder. If a write fails, the next write repeats its uses with their time. If the process dies, the uses in
 * memory do not reach the database.
 */
export function createUsage(deps: Deps): KeyUsage {
  let used = new Map<string, UnwrittenUse>()
  const write = async (): Promise<number> => {
    if (used.size === 0) return 0
    const written = used
    used = new Map()
    const rows = [...written].map(([key_id, use]) => ({ ...use, key_id }))
    const minute = new Date(Math.floor(deps.clock.now().getTime() / 60_000) * 60_000)
    try {
      await oneStatement(deps.db).query(WRITE, [JSON.stringify(rows), minute])
    } catch (error) {
      for (const [key_id, { merchant_id, used_at }] of written)
        if (!used.has(key_id)) used.set(key_id, { merchant_id, used_at: used_at ?? minute })
      throw error
    }
    return 0
  }
  return {
    note: (merchant_id, key_id) => {
      if (used.get(key_id)?.used_at !== null) used.set(key_id, { merchant_id, used_at: null })
    },
    task: { name: 'api_key_usage', every_ms: WRITE_EVERY_MS, runOnce: write, idle: async () => void (await write()) },
  }
}
