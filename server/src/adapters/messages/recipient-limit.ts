// Limits the messages to one phone or e-mail address in 24 hours, over all merchants and processes. Sign-in and security
// e-mails do not count, so that an attacker cannot use up the limit to stop them.

import { type Deps, oneStatement, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import type { Task } from '../../kernel/work/index.ts'

const DAY_MS = 24 * 3_600_000

/** A message to count: its recipient and its environment. */
export type CountedMessage = { to: string; environment: Environment }

// One statement locks the counters of a batch in one order. `granted` is the number of messages that the limit allows.
const COUNT = sql(
  'recipient_messages_count',
  `insert into recipient_messages as r (subject, day_started_at, messages, granted)
   select decode(subject, 'hex'), $2::timestamptz, least(n, $3::int), least(n, $3::int)
   from json_to_recordset($1::json) as x(subject text, n int) order by 1
   on conflict (subject) do update set
     granted = greatest(0, least(excluded.granted, $3::int - case when r.day_started_at > $4 then r.messages else 0 end)),
     messages = least($3::int, excluded.messages + case when r.day_started_at > $4 then r.messages else 0 end),
     day_started_at = case when r.day_started_at > $4 then r.day_started_at else excluded.day_started_at end
   returning encode(subject, 'hex') as subject, granted, day_started_at`,
)

type RecipientCountRow = { subject: string; granted: number; day_started_at: Date }

/**
 * Counts messages in the transaction that queues them. Null means that the server may queue the message. A time means that the
 * recipient gets no more messages before this time. Sandbox messages do not count, because the server never sends them.
 */
export async function countMessages(deps: Deps, tx: Tx, messages: readonly CountedMessage[]): Promise<(Date | null)[]> {
  const limit = deps.config.messages_per_recipient_day ?? 0
  const hashOf = ({ to }: CountedMessage) => deps.vault.mark(`recipient_messages ${to}`).toString('hex')
  const subjects = messages.map((message) => (limit > 0 && message.environment === 'live' ? hashOf(message) : null))
  const wanted = new Map<string, number>()
  for (const subject of subjects) if (subject !== null) wanted.set(subject, (wanted.get(subject) ?? 0) + 1)
  if (wanted.size === 0) return messages.map(() => null)
  const now = deps.clock.now()
  const input = [...wanted].map(([subject, n]) => ({ subject, n }))
  const values = [JSON.stringify(input), now, limit, new Date(now.getTime() - DAY_MS)]
  const rows = await tx.query<RecipientCountRow>(COUNT, values)
  const counted = new Map(rows.map((row) => [row.subject, { ...row }]))
  return subjects.map((subject) => {
    const row = subject === null ? undefined : counted.get(subject)
    if (row === undefined) return null
    row.granted -= 1
    return row.granted >= 0 ? null : new Date(row.day_started_at.getTime() + DAY_MS)
  })
}

const PURGE = sql(
  'recipient_messages_purge',
  `delete from recipient_messages where subject in (
     select subject from recipient_messages where day_started_at <= $1 order by subject for update skip locked)`,
)

/** Makes the task that deletes counters older than 24 hours. */
export function recipientLimitTask(deps: Deps): Task {
  return {
    name: 'recipient_messages',
    every_ms: 10 * 60_000,
    async runOnce() {
      await oneStatement(deps.db).query(PURGE, [new Date(deps.clock.now().getTime() - DAY_MS)])
      return 0
    },
    async idle() {},
  }
}
