// Sends due deliveries in parallel and records the results. If a process dies before it records a result, another process sends
// the same id and bytes after the lease ends.

import type { Deps } from '../../kernel/db/index.ts'
import type { Outgoing } from '../../kernel/http/index.ts'
import { traceIdOf, traceparentOf } from '../../kernel/lib/index.ts'
import { createClaimer, type Task } from '../../kernel/work/index.ts'
import { createEndpoints, type Endpoint, targetKey } from './endpoints.ts'
import { type CanDeliver, type Delivery, LEASE_MS } from './enqueue.ts'
import { createLanes, type SendPace } from './lanes.ts'
import { attemptMetrics } from './metrics.ts'
import { createAttemptRecorder, LONGEST_PAUSE_MS, type WebhookAttempt } from './record.ts'
import { createSigner } from './sign.ts'

/** Sends the deliveries whose lease this process holds. */
export type Deliverer = {
  /** Returns true if this process has capacity for another delivery to this endpoint. */
  canDispatch: CanDeliver
  /**
   * Queues the deliveries whose lease this process holds, and ignores all other deliveries. Returns before the sends end.
   */
  dispatch(deliveries: readonly Delivery[]): void
  /** The worker task that claims and sends due deliveries. */
  task: Task
}

const NOT_RECORDED = 'the server could not record a webhook attempt and sends the delivery again'
const SENDING_MAX = 512
const QUEUED_MAX = 4_096
const CLAIM_MAX = 512
const EVERY_MS = 250
/**
 * The last part of a lease in milliseconds, in which the process records the result. If an attempt could last into this part,
 * the process does not start the attempt.
 */
const RECORD_MS = 1_000

/** Makes the deliverer of this process. `outgoing` sends the HTTP requests. */
export function createDeliverer(deps: Deps, outgoing: Outgoing): Deliverer {
  const attempt = createAttempt(deps, outgoing)
  const record = createAttemptRecorder(deps)
  const claim = createDeliveryClaimer(deps)
  const in_flight = new Set<string>()
  let idle_waiters: (() => void)[] = []

  const finish = (id: string) => {
    in_flight.delete(id)
    if (in_flight.size > 0) return
    for (const resolve of idle_waiters) resolve()
    idle_waiters = []
  }
  const recordResult = async (result: WebhookAttempt) => {
    try {
      await record(result)
    } catch (error) {
      logFailure(deps, result.delivery, error, NOT_RECORDED)
    } finally {
      finish(result.delivery.id)
    }
  }
  const send = async (delivery: Delivery): Promise<SendPace> => {
    // If the attempt could end after the lease, this process does not send. The row becomes due when the lease ends.
    const lease_left = delivery.due_at.getTime() - deps.clock.now().getTime()
    const result = lease_left < deps.config.webhook_timeout_ms + RECORD_MS ? null : await tryOnce(delivery)
    if (result === null) {
      finish(delivery.id)
      return 'unsent'
    }
    // The send does not wait for the recorder, because the recorder collects results into batches.
    void recordResult(result)
    return paceOf(result, deps.config.webhook_timeout_ms)
  }
  const tryOnce = async (delivery: Delivery): Promise<WebhookAttempt | null> => {
    try {
      return await attempt(delivery)
    } catch (error) {
      logFailure(deps, delivery, error, 'the server made no attempt and retries the delivery')
      return null
    }
  }
  const lanes = createLanes(send, { sending_max: SENDING_MAX, queued_max: QUEUED_MAX })

  const dispatch = (deliveries: readonly Delivery[]) => {
    for (const delivery of deliveries) {
      if (!delivery.leased || in_flight.has(delivery.id)) continue
      in_flight.add(delivery.id)
      lanes.add(targetKey(delivery), delivery)
    }
  }
  return {
    canDispatch: (target) => lanes.capacityFor(targetKey(target)) > 0,
    dispatch,
    task: {
      name: 'webhooks',
      every_ms: EVERY_MS,
      async runOnce() {
        const most = Math.min(CLAIM_MAX, lanes.totalCapacity())
        if (most === 0) return 0
        const rows = await claim(most, LEASE_MS, (...queue) => lanes.capacityFor(queueKey(...queue)))
        dispatch(rows.map((row) => ({ ...row, leased: true })))
        return rows.length
      },
      idle: () => (in_flight.size === 0 ? Promise.resolve() : new Promise((resolve) => idle_waiters.push(resolve))),
      giveBack: claim.giveBack,
      repeats_safely: true,
    },
  }
}

/** Makes the claimer of due deliveries. Each endpoint has its own queue. */
function createDeliveryClaimer(deps: Deps) {
  return createClaimer<Omit<Delivery, 'leased'>>(deps, {
    name: 'webhook_deliveries',
    key: ['id'],
    queue: { environment: 'text', endpoint_id: 'uuid' },
    returning: [
      'merchant_id',
      'id',
      'environment',
      'endpoint_id',
      'event',
      'body',
      'attempts',
      'created_at',
      'due_at',
      'trace',
    ],
    longest_pause_ms: LONGEST_PAUSE_MS,
    written: 'updated_at',
  })
}

function logFailure(deps: Deps, { merchant_id, id, trace }: Delivery, error: unknown, message: string): void {
  deps.log.warn(
    { component: 'webhooks', err: error, merchant_id, delivery_id: id, trace_id: traceIdOf(trace) },
    message,
  )
}

/** Returns the key of the endpoint of a claimed queue. `queue` of the claimer defines the order of the columns. */
function queueKey(merchant_id: string, [environment = '', endpoint_id = '']: readonly string[]): string {
  return targetKey({ merchant_id, environment, endpoint_id })
}

/** If a send ends within this share of the timeout, the send counts as quick, even if the attempt failed. */
const QUICK_PART = 0.25

function paceOf(result: WebhookAttempt, timeout_ms: number): SendPace {
  if (result.error === 'timeout') return 'timeout'
  return result.ended_at.getTime() - result.started_at.getTime() <= timeout_ms * QUICK_PART ? 'quick' : 'slow'
}

/**
 * Makes the function that attempts a delivery once. If the database is unreachable, the function throws and sends nothing.
 */
function createAttempt(deps: Deps, outgoing: Outgoing): (delivery: Delivery) => Promise<WebhookAttempt> {
  const { clock, config, tracer } = deps
  const endpoints = createEndpoints(deps)
  const sign = createSigner(config.brand)
  const measure = attemptMetrics(deps)

  const post = async (delivery: Delivery, endpoint: Endpoint, sent_at: Date) => {
    const { id, event, body, merchant_id, environment, attempts } = delivery
    const headers = sign({ id, event, body, sent_at, key: endpoint.key, previous: endpoint.previous })
    const span = tracer.child(delivery.trace, `webhook ${event}`, 'producer', {
      'malipo.merchant_id': merchant_id,
      'malipo.environment': environment,
      'malipo.delivery_id': id,
      'malipo.attempt': attempts + 1,
    })
    if (span !== null) headers.push('traceparent', traceparentOf(span.context))
    deps.point('webhook.before_send')
    const answer = await outgoing.post(endpoint.webhook_url, headers, body, config.webhook_timeout_ms)
    deps.point('webhook.after_send')
    if (answer.status_code !== null) span?.set('http.response.status_code', answer.status_code)
    span?.end((answer.error ?? statusError(answer.status_code)) !== null)
    return answer
  }
  return async (delivery) => {
    const endpoint = await endpoints(delivery)
    const started_at = clock.now()
    if (typeof endpoint === 'string') {
      return { delivery, started_at, ended_at: started_at, status_code: null, error: endpoint, response_body: null }
    }
    const { status_code, response_body, error } = await post(delivery, endpoint, started_at)
    const ended_at = clock.now()
    measure(status_code, ended_at.getTime() - started_at.getTime())
    return {
      delivery,
      started_at,
      ended_at,
      status_code,
      error: error ?? statusError(status_code),
      response_body,
    }
  }
}

/**
 * Returns the error of an answer. Null means a 2xx status. The server follows no redirect, because the server has not checked
 * its target.
 */
function statusError(status_code: number | null): string | null {
  if (status_code !== null && status_code >= 200 && status_code < 300) return null
  return status_code !== null && status_code >= 300 && status_code < 400 ? 'redirect_not_followed' : 'unexpected_status'
}
