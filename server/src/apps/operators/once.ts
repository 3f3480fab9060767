// Applies operators' decisions. A call to a provider to which a decision leads starts right after the commit.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import { onceInTransaction, readClaim, replay, sendStored } from '../../kernel/http/index.ts'

/**
 * Does the work once per Idempotency-Key and answers `status_code`, by default 200. After the commit and before the answer, calls `send` with the payouts
 * and deliveries to send. A repeated key sends nothing.
 */
export async function decideOnce<Left>(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (tx: Tx) => Promise<{ data: object; left: Left; status_code?: number }>,
  send: (left: Left) => void,
): Promise<FastifyReply> {
  // After a deadlock, the transaction repeats the work. Only the last repetition commits.
  const runs: Left[] = []
  const answer = await onceInTransaction(deps, readClaim(request), async (tx) => {
    const { data, left, status_code = 200 } = await work(tx)
    runs.push(left)
    return { status_code, response_body: JSON.stringify({ success: true, data }) }
  })
  if (answer.replayed) return replay(reply, answer)
  for (const left of runs.slice(-1)) send(left)
  return sendStored(reply, answer)
}
