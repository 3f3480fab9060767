// Applies each decision of an operator once. After the commit, the process sends the payouts and webhooks that the decision
// caused.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import { onceInTransaction, readClaim, replay, sendStored } from '../../kernel/http/index.ts'

/**
 * Runs `work` once per Idempotency-Key and answers `status_code`, by default 200. After the commit and before the response,
 * calls `send` with the payouts and webhooks of the decision. For a repeated key, answers with the stored response and
 * does not call `send`.
 */
export async function decideOnce<Left>(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (tx: Tx) => Promise<{ data: object; left: Left; status_code?: number }>,
  send: (left: Left) => void,
): Promise<FastifyReply> {
  // After a deadlock, the transaction runs `work` again. Only the last run commits.
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
