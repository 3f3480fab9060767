// Captures requests while the server answers. A batch is one flat list, so that the process passes the batch to the recorder
// thread with little work. The thread does the slow work, such as redaction.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KeyPrincipal } from '../../kernel/http/index.ts'
import { timeOfId } from '../../kernel/lib/index.ts'

/** A captured request. The fields still contain secrets, so no other process may receive them. */
export type CapturedRequest = {
  merchant_id: string
  routing_code: number
  environment: string
  key_id: string
  /** The X-Request-Id of the response. */
  id: string
  /**
   * The time of arrival in milliseconds, if the merchant's server chose the request id. Null means that `id` contains the time.
   */
  arrived_at: number | null
  /** The id of the row of the request. Null means that the recorder has not yet tried to write the request. */
  row_id: string | null
  duration_ms: number
  method: string
  url: string
  status: number
  address: string
  agent: string | undefined
  idempotency_key: string | undefined
  reference: string | null
  sent: string | null
  answer: string | null
  /** True means that the log stores the request without its bodies, because the memory for bodies was full. */
  bodies_dropped: boolean
  /** The names of unknown fields in the request body. Null means that the body has no unknown fields. */
  ignored: string | null
}

/** Several requests in one flat list, field after field. */
export type CaptureBatch = (string | number | boolean | null | undefined)[]

/** The number of list elements per request in a batch. */
export const BATCH_FIELDS = 18

/** Appends a request to a batch. Null in `answer` means that the response has no body to store. */
export function addToBatch(
  batch: CaptureBatch,
  principal: KeyPrincipal,
  request: FastifyRequest,
  reply: FastifyReply,
  bodies: { sent: string | null; answer: string | null; bodies_dropped: boolean },
  time: () => number,
): void {
  const { headers, id } = request
  const duration_ms = reply.elapsedTime
  batch.push(
    principal.merchant.id,
    principal.merchant.routing_code,
    principal.environment,
    principal.key_id,
    id,
    headers['x-request-id'] === id ? time() - duration_ms : null,
    duration_ms,
    request.method,
    request.url,
    reply.statusCode,
    request.ip,
    headers['user-agent'],
    headers['idempotency-key'] as string | undefined,
    referenceIn(request.body),
    bodies.sent,
    bodies.answer,
    bodies.bodies_dropped,
    request.ignored,
  )
}

/** Reads the requests of a batch in their order. */
export function readBatch(batch: CaptureBatch): CapturedRequest[] {
  const requests: CapturedRequest[] = []
  for (let at = 0; at < batch.length; at += BATCH_FIELDS) {
    requests.push({
      merchant_id: batch[at] as string,
      routing_code: batch[at + 1] as number,
      environment: batch[at + 2] as string,
      key_id: batch[at + 3] as string,
      id: batch[at + 4] as string,
      arrived_at: batch[at + 5] as number | null,
      row_id: null,
      duration_ms: batch[at + 6] as number,
      method: batch[at + 7] as string,
      url: batch[at + 8] as string,
      status: batch[at + 9] as number,
      address: batch[at + 10] as string,
      agent: batch[at + 11] as string | undefined,
      idempotency_key: batch[at + 12] as string | undefined,
      reference: batch[at + 13] as string | null,
      sent: batch[at + 14] as string | null,
      answer: batch[at + 15] as string | null,
      bodies_dropped: batch[at + 16] as boolean,
      ignored: batch[at + 17] as string | null,
    })
  }
  return requests
}

/** Returns the time of arrival of a request in milliseconds since 1970. */
export function arrivedAt({ arrived_at, id }: CapturedRequest): number {
  return arrived_at ?? timeOfId(id).getTime()
}

function referenceIn(body: unknown): string | null {
  if (typeof body !== 'object' || body === null) return null
  const { reference, merchant_reference } = body as { reference?: unknown; merchant_reference?: unknown }
  const given = reference ?? merchant_reference
  return typeof given === 'string' ? given : null
}

/** The number of a merchant's requests that the log did not store, and their period in milliseconds. */
export type LostRequests = {
  merchant_id: string
  routing_code: number
  environment: string
  count: number
  from: number
  until: number
}

/** Counts the requests that the log did not store, by merchant and environment. */
export type LostCounts = {
  add(lost: LostRequests): void
  takeAll(): LostRequests[]
  size(): number
}

/** Makes counts for a log that has lost no request yet. */
export function createLostCounts(): LostCounts {
  const counts = new Map<string, LostRequests>()
  return {
    add(lost) {
      const key = `${lost.merchant_id} ${lost.environment}`
      const sum = counts.get(key)
      if (!sum) return void counts.set(key, { ...lost })
      sum.count += lost.count
      sum.from = Math.min(sum.from, lost.from)
      sum.until = Math.max(sum.until, lost.until)
    },
    takeAll() {
      const all = [...counts.values()]
      counts.clear()
      return all
    },
    size: () => counts.size,
  }
}
