// A request as it was seen: a few words, and the texts that are there anyway. Whatever costs time, such as taking secrets out,
// is left for later and for another thread, so that this is made for being handed over: one flat list for many requests.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KeyPrincipal } from '../../kernel/http/index.ts'
import { timeOfId } from '../../kernel/lib/index.ts'

/** A request as it was seen. Nothing is redacted yet: it must not leave the process so. */
export type Seen = {
  merchant_id: string
  routing_code: number
  environment: string
  key_id: string
  /** Its X-Request-Id. */
  id: string
  /** When it came, in milliseconds, where the caller chose `id`. Null: `id` tells. */
  came_at: number | null
  /** The id of its row, once it was tried to write it. */
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
  /** True when its bodies had to be given up for want of room. */
  stripped: boolean
  /** Fields of the body that the call does not know. */
  ignored: string | null
}

/** Many requests, field after field. */
export type Batch = (string | number | boolean | null | undefined)[]

/** How many elements of a batch one request takes. */
export const FIELDS = 18

/** Adds a request to a batch. `answer`: null where there is none that is kept. */
export function addTo(
  batch: Batch,
  who: KeyPrincipal,
  request: FastifyRequest,
  reply: FastifyReply,
  bodies: { sent: string | null; answer: string | null; stripped: boolean },
  time: () => number,
): void {
  const { headers, id } = request
  const duration_ms = reply.elapsedTime
  batch.push(
    who.merchant.id,
    who.merchant.routing_code,
    who.environment,
    who.key_id,
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
    bodies.stripped,
    request.ignored,
  )
}

/** The requests of a batch. */
export function readBatch(batch: Batch): Seen[] {
  const seen: Seen[] = []
  for (let at = 0; at < batch.length; at += FIELDS) {
    seen.push({
      merchant_id: batch[at] as string,
      routing_code: batch[at + 1] as number,
      environment: batch[at + 2] as string,
      key_id: batch[at + 3] as string,
      id: batch[at + 4] as string,
      came_at: batch[at + 5] as number | null,
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
      stripped: batch[at + 16] as boolean,
      ignored: batch[at + 17] as string | null,
    })
  }
  return seen
}

/** When a request came, in milliseconds. */
export function cameAt({ came_at, id }: Seen): number {
  return came_at ?? timeOfId(id).getTime()
}

function referenceIn(body: unknown): string | null {
  if (typeof body !== 'object' || body === null) return null
  const { reference, merchant_reference } = body as { reference?: unknown; merchant_reference?: unknown }
  const named = reference ?? merchant_reference
  return typeof named === 'string' ? named : null
}

/** How many requests of one merchant were not kept, and when. Times in milliseconds. */
export type Lost = {
  merchant_id: string
  routing_code: number
  environment: string
  count: number
  from: number
  until: number
}

/** Counts of requests that were not kept, by merchant and environment. */
export type LostCounts = {
  add(lost: Lost): void
  takeAll(): Lost[]
  size(): number
}

/** Makes empty counts. */
export function createLostCounts(): LostCounts {
  const counts = new Map<string, Lost>()
  return {
    add(lost) {
      const key = `${lost.merchant_id} ${lost.environment}`
      const known = counts.get(key)
      if (!known) return void counts.set(key, { ...lost })
      known.count += lost.count
      known.from = Math.min(known.from, lost.from)
      known.until = Math.max(known.until, lost.until)
    },
    takeAll() {
      const all = [...counts.values()]
      counts.clear()
      return all
    },
    size: () => counts.size,
  }
}
