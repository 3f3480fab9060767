// Delivering: sends what is due, in parallel, and records how it went. At least once: a process that dies between
// sending and recording leaves the lease to end, and the same id and bytes are sent again.

import type { Deps } from '../../kernel/db/index.ts'
import type { Outgoing } from '../../kernel/http/index.ts'
import { createClaimer, type Task } from '../../kernel/work/index.ts'
import { createEndpoints, type Endpoint } from './endpoints.ts'
import { type Delivery, LEASE_MS } from './enqueue.ts'
import { createLanes, type Pace } from './lanes.ts'
import { type Attempt, createRecorder, LONGEST_PAUSE_MS } from './record.ts'
import { createSigner } from './sign.ts'

/** Sends deliveries whose lease this process holds. */
export type Deliverer = {
  /** Whether another delivery of this merchant could start soon; else leave it to be claimed later. */
  room(merchant_id: string): boolean
  /** Takes deliveries to send; those without a lease are left alone. Returns at once. */
  dispatch(deliveries: readonly Delivery[]): void
  /** The worker's task: claims what is due. */
  task: Task
}

const SENDING_MAX = 512
const QUEUED_MAX = 4_096
const CLAIM_MAX = 512
const EVERY_MS = 250
/** Left of the lease after the longest attempt, to write down how it went. */
const RECORD_MS = 1_000

/** Makes the deliverer of this process. */
export function createDeliverer(deps: Deps, outgoing: Outgoing): Deliverer {
  const attempt = createAttempt(deps, outgoing)
  const record = createRecorder(deps)
  const claim = createClaimer<Omit<Delivery, 'leased'>>(deps, {
    name: 'webhook_deliveries',
    key: ['id'],
    returning: ['merchant_id', 'id', 'environment', 'event', 'body', 'attempts', 'created_at', 'due_at'],
    longest_pause_ms: LONGEST_PAUSE_MS,
    written: 'updated_at',
  })
  const in_flight = new Set<string>()
  let waiting: (() => void)[] = []

  const finish = (id: string) => {
    in_flight.delete(id)
    if (in_flight.size > 0) return
    for (const resolve of waiting) resolve()
    waiting = []
  }
  const keep = async (result: Attempt) => {
    try {
      await record(result)
    } catch (error) {
      const { merchant_id, id } = result.delivery
      deps.log.warn({ err: error, merchant_id, delivery_id: id }, 'webhook attempt not recorded; it will be sent again')
    } finally {
      finish(result.delivery.id)
    }
  }
  const send = async (delivery: Delivery): Promise<Pace> => {
    // Waited too long for its turn: the attempt could outlast the lease. The row falls due again by itself.
    const lease_left = delivery.due_at.getTime() - deps.clock.now().getTime()
    const result = lease_left < deps.config.webhook_timeout_ms + RECORD_MS ? null : await tryOnce(delivery)
    if (result === null) {
      finish(delivery.id)
      return 'unsent'
    }
    // The slot is free as soon as the answer is here; results are written together.
    void keep(result)
    return paceOf(result, deps.config.webhook_timeout_ms)
  }
  const tryOnce = async (delivery: Delivery): Promise<Attempt | null> => {
    try {
      return await attempt(delivery)
    } catch (error) {
      const { merchant_id, id } = delivery
      deps.log.warn({ err: error, merchant_id, delivery_id: id }, 'webhook attempt not made; it will be tried again')
      return null
    }
  }
  const lanes = createLanes(send, { sending_max: SENDING_MAX, queued_max: QUEUED_MAX })

  const dispatch = (deliveries: readonly Delivery[]) => {
    for (const delivery of deliveries) {
      if (!delivery.leased || in_flight.has(delivery.id)) continue
      in_flight.add(delivery.id)
      lanes.add(delivery.merchant_id, delivery)
    }
  }
  return {
    room: (merchant_id) => lanes.room(merchant_id) > 0,
    dispatch,
    task: {
      name: 'webhooks',
      every_ms: EVERY_MS,
      async runOnce() {
        const most = Math.min(CLAIM_MAX, lanes.free())
        if (most === 0) return 0
        const rows = await claim(most, LEASE_MS, lanes.room)
        dispatch(rows.map((row) => ({ ...row, leased: true })))
        return rows.length
      },
      idle: () => (in_flight.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    },
  }
}

/** An answer is quick when it came within this part of the time it has. */
const QUICK_PART = 0.25

function paceOf(result: Attempt, timeout_ms: number): Pace {
  if (result.error === 'timeout') return 'timeout'
  return result.ended_at.getTime() - result.started_at.getTime() <= timeout_ms * QUICK_PART ? 'quick' : 'slow'
}

/** Makes the function that tries a delivery once. Throws when the endpoint cannot be read: then nothing was sent. */
function createAttempt(deps: Deps, outgoing: Outgoing): (delivery: Delivery) => Promise<Attempt> {
  const { clock, config } = deps
  const endpoints = createEndpoints(deps)
  const sign = createSigner(config.brand)

  const post = async (delivery: Delivery, endpoint: Endpoint, sent_at: Date) => {
    const { id, event, body } = delivery
    const headers = sign({ id, event, body, sent_at, key: endpoint.key, previous: endpoint.previous })
    deps.point('webhook.before_send')
    const answer = await outgoing.post(endpoint.webhook_url, headers, body, config.webhook_timeout_ms)
    deps.point('webhook.after_send')
    return answer
  }
  return async (delivery) => {
    const endpoint = await endpoints(delivery.merchant_id)
    const started_at = clock.now()
    if (typeof endpoint === 'string') {
      return { delivery, started_at, ended_at: started_at, status_code: null, error: endpoint, response_body: null }
    }
    const { status_code, response_body, error } = await post(delivery, endpoint, started_at)
    return {
      delivery,
      started_at,
      ended_at: clock.now(),
      status_code,
      error: error ?? statusError(status_code),
      response_body,
    }
  }
}

/** Only 2xx counts as delivered; a redirect is not followed, because it could lead anywhere. */
function statusError(status_code: number | null): string | null {
  if (status_code !== null && status_code >= 200 && status_code < 300) return null
  return status_code !== null && status_code >= 300 && status_code < 400 ? 'redirect_not_followed' : 'unexpected_status'
}
