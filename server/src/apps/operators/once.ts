// Decisions after which something goes out: it goes when the decision is committed, and at once.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import { onceInTransaction, readClaim, replay, sendStored } from '../../kernel/http/index.ts'

/**
 * As `answerOnce` with 200, for work that leaves something to send. `send` is called after the commit and before the
 * answer, which may travel slowly. A repetition of the Idempotency-Key sends nothing.
 */
export async function decideOnce<Left>(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (tx: Tx) => Promise<{ data: object; left: Left }>,
  send: (left: Left) => void,
): Promise<FastifyReply> {
  // Work that is undone by a deadlock runs again: what the last run left is what was committed.
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
