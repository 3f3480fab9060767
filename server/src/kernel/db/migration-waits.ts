// Finds the transactions that a migration waits for.

import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { openClient } from './hosts.ts'

const WATCH_EVERY_MS = 20

/** On a separate connection, watches the transactions that another connection waits for. */
export async function watchWaits(
  url: string,
  client: pg.Client,
): Promise<{ holders(): string; stop(): Promise<void> }> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const watcher = await openClient(url)
  let running = true
  let last = ''
  const look = async () => {
    while (running) {
      const found = await watcher.query<{ text: string }>(
        `select format('process %s (%s, %s, in its transaction since %s): %s', pid, usename, application_name,
             to_char(xact_start, 'HH24:MI:SS'), left(query, 80)) as text
         from pg_stat_activity where pid = any(pg_blocking_pids($1))`,
        [rows[0]?.pid],
      )
      if (found.rows.length > 0) last = ` (it waited for ${found.rows.map(({ text }) => text).join('; ')})`
      await sleep(WATCH_EVERY_MS)
    }
  }
  const looking = look().catch(() => {})
  return {
    holders: () => last,
    async stop() {
      running = false
      await looking
      await watcher.end()
    },
  }
}
