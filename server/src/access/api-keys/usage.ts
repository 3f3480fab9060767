// Records the time of the last use of each key, accurate to about a minute. The process collects the uses in memory and writes
// them in batches.

import { type Deps, oneStatement, sql } from '../../kernel/db/index.ts'
import type { Task } from '../../kernel/work/index.ts'

/** The recorder of key uses. `note` records a use in memory, and `task` writes the uses to the database. */
export type KeyUsage = { note(merchant_id: string, key_id: string): void; task: Task }

const WRITE_EVERY_MS = 30_000

const WRITE = sql(
  'api_key_usage_write',
  `insert into api_key_usage (merchant_id, key_id, last_used_at)
   select merchant_id, key_id, $2 from json_to_recordset($1::json) as x(merchant_id uuid, key_id uuid)
   order by merchant_id, key_id
   on conflict (merchant_id, key_id) do update set last_used_at = excluded.last_used_at`,
)

/** Makes the recorder. If the process dies, the uses in memory do not reach the database. */
export function createUsage(deps: Deps): KeyUsage {
  const used = new Map<string, string>()
  const write = async (): Promise<number> => {
    if (used.size === 0) return 0
    const rows = [...used].map(([key_id, merchant_id]) => ({ merchant_id, key_id }))
    used.clear()
    const minute = new Date(Math.floor(deps.clock.now().getTime() / 60_000) * 60_000)
    await oneStatement(deps.db).query(WRITE, [JSON.stringify(rows), minute])
    return 0
  }
  return {
    note: (merchant_id, key_id) => {
      if (!used.has(key_id)) used.set(key_id, merchant_id)
    },
    task: { name: 'api_key_usage', every_ms: WRITE_EVERY_MS, runOnce: write, idle: async () => void (await write()) },
  }
}
