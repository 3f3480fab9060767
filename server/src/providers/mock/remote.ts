// The mock provider in another process, spoken to over HTTP (see server-app.ts for the other side).

import { Pool } from 'undici'
import {
  type Answer,
  CALL_MS_MAX,
  FAILURE_REASONS,
  type FailureReason,
  METHODS,
  type PaymentRequest,
  type Provider,
  type QrAnswer,
} from '../port.ts'
import { verifyCallback } from './callback.ts'
import { WORDS } from './engine.ts'
import { type Posted, post } from './post.ts'

/** Most references in one status request. */
const STATUS_MAX = 500
const CONNECTIONS_MAX = 64
const ANSWER_MAX_BYTES = 1024 * 1024
const HEADERS = { 'content-type': 'application/json' }
const AMOUNT = /^\d{1,17}$/

type Unknown = Extract<Answer, { kind: 'unknown' }>
type Fields = Record<string, unknown>
type Content = { problem: null; content: Fields } | { problem: Unknown; content: null }

/** The adapter, with the way to close its connections. */
export type RemoteMockProvider = Provider & { close(): Promise<void> }

/** Options of `createRemoteMockProvider`. */
export type RemoteMockOptions = { name: string; url: string; secret: string; timeout_ms?: number }

/** Makes the adapter for a mock provider process at `url`. Nothing that goes wrong there is thrown. */
export function createRemoteMockProvider(options: RemoteMockOptions): RemoteMockProvider {
  const { name, secret, timeout_ms = CALL_MS_MAX } = options
  const { origin, pathname } = new URL(options.url)
  const base = pathname.replace(/\/$/, '')
  const pool = new Pool(origin, {
    connections: CONNECTIONS_MAX,
    pipelining: 1,
    connect: { timeout: timeout_ms },
    maxResponseSize: ANSWER_MAX_BYTES,
  })

  const ask = async (path: string, content: Fields): Promise<Content> =>
    contentOf(await post(pool, base + path, HEADERS, JSON.stringify(content), timeout_ms))

  const send = async (request: PaymentRequest): Promise<QrAnswer> => {
    const { reference, method, phone, amount_minor, currency } = request
    const asked = await ask('/payments', { reference, method, phone, amount_minor: String(amount_minor), currency })
    return asked.problem ?? answerToRequest(asked.content)
  }

  const askStatus = async (requests: readonly PaymentRequest[]): Promise<Answer[]> => {
    const { problem, content } = await ask('/payments/status', { references: requests.map(referenceOf) })
    if (problem) return requests.map(() => problem)
    const payments: unknown[] = Array.isArray(content.payments) ? content.payments : []
    const found = new Map<unknown, Fields>()
    for (const payment of payments) if (isFields(payment)) found.set(payment.reference, payment)
    return requests.map((request) => answerToStatus(found.get(request.reference)))
  }

  return {
    name,
    capabilities: { methods: METHODS, whole_shillings: false },
    push: send,
    qr: async (request) => {
      const answer = await send(request)
      const has_code = answer.payment_token !== undefined && answer.qr_payload !== undefined
      return answer.kind === 'accepted' && !has_code ? unknown('unreadable', answer.provider_status) : answer
    },
    status: async (requests) => {
      const chunks: Promise<Answer[]>[] = []
      for (let from = 0; from < requests.length; from += STATUS_MAX) {
        chunks.push(askStatus(requests.slice(from, from + STATUS_MAX)))
      }
      return (await Promise.all(chunks)).flat()
    },
    verifyCallback: (headers, body) => verifyCallback(secret, headers, body),
    close: () => pool.destroy(),
  }
}

function contentOf(posted: Posted): Content {
  if ('failed' in posted) return problem(posted.failed)
  if (posted.status >= 500) return problem('unreachable')
  if (posted.status === 401 || posted.status === 403) return problem('refused_us')
  if (posted.status !== 200) return problem('unreadable')
  try {
    const content: unknown = JSON.parse(posted.text)
    return isFields(content) ? { problem: null, content } : problem('unreadable')
  } catch {
    return problem('unreadable')
  }
}

function problem(why: Unknown['why']): Content {
  return { problem: unknown(why), content: null }
}

/** The answer to a request says only whether it was taken: what was paid is asked for. */
function answerToRequest(content: Fields): QrAnswer {
  const { status, payment_token, qr_payload } = content
  const said = { provider_status: textOf(status), provider_id: textOf(content.provider_id) }
  switch (status) {
    case WORDS.declined:
      return { kind: 'declined', reason: reasonOf(content.reason), ...said }
    case WORDS.accepted:
    case WORDS.succeeded:
    case WORDS.held:
    case WORDS.reversed:
      return {
        kind: 'accepted',
        ...said,
        ...(typeof payment_token === 'string' ? { payment_token } : {}),
        ...(typeof qr_payload === 'string' ? { qr_payload } : {}),
      }
  }
  return unseen(status)
}

function answerToStatus(payment: Fields | undefined): Answer {
  if (payment === undefined) return unknown('unreadable')
  const { status, amount_minor, currency, ask_again_ms } = payment
  const said = {
    provider_status: textOf(status),
    provider_id: textOf(payment.provider_id),
    ...(typeof ask_again_ms === 'number' && ask_again_ms > 0 ? { ask_again_ms } : {}),
  }
  switch (status) {
    case WORDS.not_found:
      return { kind: 'not_found', provider_status: status }
    case WORDS.accepted:
      return { kind: 'accepted', ...said }
    case WORDS.declined:
      return { kind: 'declined', reason: reasonOf(payment.reason), ...said }
    case WORDS.succeeded:
    case WORDS.held:
    case WORDS.reversed: {
      if (typeof amount_minor !== 'string' || !AMOUNT.test(amount_minor) || typeof currency !== 'string') {
        return unknown('unreadable', status)
      }
      const kind = status === WORDS.succeeded ? 'succeeded' : status === WORDS.held ? 'held' : 'reversed'
      return { kind, amount_minor: BigInt(amount_minor), currency, ...said }
    }
  }
  return unseen(status)
}

function reasonOf(reason: unknown): FailureReason {
  const is_known = typeof reason === 'string' && Object.hasOwn(FAILURE_REASONS, reason)
  return is_known ? (reason as FailureReason) : 'unknown_provider_error'
}

function unseen(status: unknown): Unknown {
  return typeof status === 'string' ? unknown('unseen_status', status) : unknown('unreadable')
}

function unknown(why: Unknown['why'], provider_status: string | null = null): Unknown {
  return { kind: 'unknown', why, provider_status }
}

function referenceOf(request: PaymentRequest): string {
  return request.reference
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
