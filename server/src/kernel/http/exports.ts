// Limits the exports that a process sends at the same time. A client that reads slowly occupies one export of its merchant, and
// no database connection.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { limitConcurrency, refuse } from '../lib/index.ts'
import { caller } from './access.ts'

/**
 * The largest numbers of exports at the same time: of one merchant in one environment, of all sandboxes, and in total.
 */
export const EXPORT_LIMITS = { of_owner: 4, of_sandbox: 16, of_all: 32 }
const RETRY_AFTER_S = 5

/**
 * Reads a batch of an export. All exports together read at most two batches at the same time, so that payments find a free
 * database connection.
 */
export const readBatch: <Batch>(read: () => Promise<Batch>) => Promise<Batch> = limitConcurrency(2)

const running = new Map<string, number>()
const total = { live: 0, sandbox: 0 }

/**
 * Begins an export, which ends with its response. If too many exports run at the same time, refuses with service_unavailable.
 * Each route that sends an export calls this function before its first query.
 */
export function beginExport(request: FastifyRequest, reply: FastifyReply): void {
  const { merchant, environment } = caller(request)
  const owner = `${merchant.id} ${environment}`
  const of_owner = running.get(owner) ?? 0
  const is_full =
    of_owner >= EXPORT_LIMITS.of_owner ||
    total.live + total.sandbox >= EXPORT_LIMITS.of_all ||
    (environment === 'sandbox' && total.sandbox >= EXPORT_LIMITS.of_sandbox)
  if (is_full) {
    refuse('service_unavailable', {
      message: 'Too many exports run at the same time. Repeat the request after the seconds in Retry-After.',
      retry_after_s: RETRY_AFTER_S,
    })
  }
  const { raw } = reply
  // If the client has already disconnected, the response emits neither of the two events below.
  if (raw.destroyed) return
  running.set(owner, of_owner + 1)
  total[environment] += 1
  let ended = false
  const end = () => {
    if (ended) return
    ended = true
    total[environment] -= 1
    const left = (running.get(owner) ?? 1) - 1
    if (left === 0) running.delete(owner)
    else running.set(owner, left)
  }
  raw.once('finish', end).once('close', end)
}
