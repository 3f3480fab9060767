// Answers writes whose first answer contains a secret that repeated answers omit.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps, Tx } from '../db/index.ts'
import { onceInTransaction, readClaim, replay } from './idempotency.ts'

/**
 * Answers a write with a secret, as `answerOnce` does. The first request gets `fresh`, and a request with a repeated
 * Idempotency-Key gets `stored`. The database stores `stored`, which must not contain the secret.
 */
export async function answerShowingOnce(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  status_code: number,
  work: (tx: Tx) => Promise<{ stored: object; fresh: object }>,
): Promise<FastifyReply> {
  let data: object = {}
  const answer = await onceInTransaction(deps, readClaim(request), async (tx) => {
    const { stored, fresh } = await work(tx)
    data = fresh
    return { status_code, response_body: JSON.stringify({ success: true, data: stored }) }
  })
  return answer.replayed ? replay(reply, answer) : reply.code(status_code).send({ success: true, data })
}
