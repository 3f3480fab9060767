// Applies operators' decisions that lead to a call to a provider. The call starts right after the commit.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import { onceInTransaction, readClaim, replay, sendStored } from '../../kernel/http/index.ts'

/**
 * Does the work once per Idempotency-Key and answers 200. After the commit and before the answer, calls `send` with the payouts
 * and deliveries to send. A repeated key sends nothing.
 */
export async function decideOnce<Left>(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (tx: Tx) => Promise<{ data: object; left: Left }>,
  send: (left: Left) => void,
): Promise<FastifyReply> {
  // After a deadlock, the transaction repeats the work. Only the last repetition commits.
  const runs: Left[] = []
  const answer = await onceInTransaction(deps, readClaim(request), async (tx) => {
    const { data, left } = await work(tx)
    runs.push(left)
    return { status_code: 200, response_body: JSON.stringify({ success: true, data }) }
  })
  if (answer.replayed) return replay(reply, answer)
  for (const left of runs.slice(-1)) send(left)
  return sendStored(reply, answer)
}
