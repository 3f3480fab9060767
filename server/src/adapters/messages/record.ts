// Records the outcomes of messages in batches: one SQL query for each batch.

import { type Deps, inLockOrder, inputRows, oneStatement, sql } from '../../kernel/db/index.ts'
import { gather } from '../../kernel/lib/index.ts'
import type { SendOutcome } from './gateway.ts'

/** The pauses before attempts two to five in milliseconds, each from the end of the previous attempt. */
const PAUSES_MS = [60_000, 300_000, 1_800_000, 7_200_000]

/** The longest pause before an attempt, in milliseconds. */
export const LONGEST_PAUSE_MS = Math.max(...PAUSES_MS)

/**
 * The outcome of an attempt. `kept` means that the message is from the sandbox, or that its channel has no gateway now.
 */
export type MessageResult = {
  merchant_id: string
  id: string
  /** The number of earlier attempts. */
  tries: number
  ended_at: Date
  outcome: SendOutcome | { kind: 'kept' }
}

const INPUT =
  'merchant_id uuid, id uuid, tries smallint, tried smallint, status text, due_at timestamptz, sent_at timestamptz, error text, gateway_id text'

// If another process has claimed the row after the lease ended, the late outcome changes nothing.
const RECORD = sql(
  'outbox_record',
  `update outbox_messages m
   set status = r.status, tries = r.tries + r.tried, due_at = r.due_at, lease_owner = null, sent_at = r.sent_at,
     error = r.error, gateway_id = r.gateway_id
   from ${inputRows('$1', 'id', INPUT)} r
   where m.merchant_id = r.merchant_id and m.id = r.id
     and m.status = 'waiting' and m.lease_owner = $2 and m.tries = r.tries`,
)

const SET_MAX = 200

/** Makes the function that records an outcome. If the database is unreachable, the function rejects. */
export function createMessageRecorder(deps: Deps): (result: MessageResult) => Promise<void> {
  return gather<MessageResult, void>(
    async (results) => {
      const rows = inLockOrder(results.map(resultRow), (row) => row.id)
      await oneStatement(deps.db).query(RECORD, [JSON.stringify(rows), deps.process_id])
      return results.map(() => undefined)
    },
    { max_items: SET_MAX, max_running: 2 },
  )
}

function resultRow({ merchant_id, id, tries, ended_at, outcome }: MessageResult) {
  const pause = outcome.kind === 'again' ? PAUSES_MS[tries] : undefined
  const status = STATUS[outcome.kind]
  return {
    merchant_id,
    id,
    tries,
    tried: outcome.kind === 'kept' ? 0 : 1,
    status: pause === undefined ? status : 'waiting',
    due_at: pause === undefined ? null : new Date(ended_at.getTime() + pause),
    sent_at: outcome.kind === 'taken' ? ended_at : null,
    error: 'why' in outcome ? outcome.why : null,
    gateway_id: outcome.kind === 'taken' ? outcome.gateway_id : null,
  }
}

const STATUS = { taken: 'sent', kept: 'kept', refused: 'failed', again: 'failed', unknown: 'failed' } as const
