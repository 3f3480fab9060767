// Connects to a mock provider in another process over HTTP. server-app.ts is the server of that process.

import { Pool } from 'undici'
import { CALL_MS_MAX, type PaymentRequest, type PayoutRequest, type Provider, type QrAnswer } from '../port.ts'
import { verifyCallback } from './callback.ts'
import { capabilities } from './capabilities.ts'
import { post } from './post.ts'
import {
  answerToPayout,
  answerToPayoutStatus,
  answerToRequest,
  answerToStatus,
  contentOf,
  listedBy,
  type MockFields,
  type MockUnknownAnswer,
  unknown,
} from './remote-read.ts'

/** The greatest number of references in one status request. */
const STATUS_MAX = 500
const CONNECTIONS_MAX = 64
const ANSWER_MAX_BYTES = 1024 * 1024
const HEADERS = { 'content-type': 'application/json' }

/** The adapter with `close`, which ends its connections. */
export type RemoteMockProvider = Provider & { close(): Promise<void> }

/**
 * The address, the callback secret and the timeout of a mock provider process. `timeout_ms` is CALL_MS_MAX by default.
 */
export type RemoteMockOptions = { name: string; url: string; secret: string; timeout_ms?: number }

/** Makes the adapter for a mock provider process at `url`. The adapter never throws because of that process. */
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

  const ask = (path: string, content: MockFields) =>
    post(pool, base + path, HEADERS, JSON.stringify(content), timeout_ms)

  const send = async (request: PaymentRequest): Promise<QrAnswer> => {
    const { reference, method, phone, amount_minor, currency, on_page = false } = request
    const fields = { reference, method, phone, amount_minor: String(amount_minor), currency, on_page }
    const { problem, content } = contentOf(await ask('/payments', fields))
    return problem ?? answerToRequest(content)
  }

  /** Queries a batch of references in as few requests as possible. */
  const askAbout = async <StepAnswer>(
    name: 'payments' | 'payouts',
    requests: readonly { reference: string }[],
    read: (item: MockFields | undefined) => StepAnswer,
  ): Promise<(StepAnswer | MockUnknownAnswer)[]> => {
    const askSome = async (references: readonly string[]): Promise<(StepAnswer | MockUnknownAnswer)[]> => {
      const { problem, content } = contentOf(await ask(`/${name}/status`, { references }))
      if (problem) return references.map(() => problem)
      const found = listedBy(content, name)
      return references.map((reference) => read(found.get(reference)))
    }
    const references = requests.map(({ reference }) => reference)
    const chunks: Promise<(StepAnswer | MockUnknownAnswer)[]>[] = []
    for (let from = 0; from < references.length; from += STATUS_MAX) {
      chunks.push(askSome(references.slice(from, from + STATUS_MAX)))
    }
    return (await Promise.all(chunks)).flat()
  }

  return {
    name,
    capabilities: capabilities(options),
    push: send,
    qr: async (request) => {
      const answer = await send(request)
      const has_code = answer.payment_token !== undefined && answer.qr_payload !== undefined
      return answer.kind === 'accepted' && !has_code ? unknown('unreadable', answer.provider_status) : answer
    },
    status: (requests) => askAbout('payments', requests, answerToStatus),
    payout: async (request) => answerToPayout(await ask('/payouts', payoutFieldsOf(request))),
    payoutStatus: (requests) => askAbout('payouts', requests, answerToPayoutStatus),
    verifyCallback: (headers, body) => verifyCallback(secret, headers, body),
    close: () => pool.destroy(),
  }
}

/** Returns the payout fields that the provider process takes, without `sent_at`. */
function payoutFieldsOf({ sent_at: _, amount_minor, ...request }: PayoutRequest): MockFields {
  return { ...request, amount_minor: String(amount_minor) }
}
