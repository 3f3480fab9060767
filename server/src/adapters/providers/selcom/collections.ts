// Takes payments. The adapter makes an order, then sends its prompt or returns its code. Only the status of the order proves a
// payment.

import { countdown } from '../countdown.ts'
import { createOnce } from '../memory.ts'
import type { Answer, PaymentRequest, PushAnswer, QrAnswer } from '../port.ts'
import { shillingsOf } from '../shillings.ts'
import type { SelcomClient } from './client.ts'
import { endOf, type OrderMade, orderMade, orderStatus, promptAnswer, qrAnswerOf } from './mapping.ts'
import type { SignedFields } from './sign.ts'

/** The till, the buyer, the codes and the timeouts for payments. */
export type SelcomCollectionsOptions = {
  /** The vendor id of the till that takes the money of the orders. */
  vendor: string
  /** The URL for callbacks. Null means that the gateway sends no callbacks. */
  callback_url: string | null
  /** The buyer of an order. If the payer's phone is not known, the adapter uses this phone. */
  buyer: { name: string; email: string; phone: string }
  /**
   * The minutes until the order of a prompt ends, at most until shortly before the payment's deadline. Null means that the
   * order ends shortly before that deadline.
   */
  push_expiry_min: number | null
  /** The result codes by which the status query reports an unknown order. */
  order_unknown_codes: readonly string[]
  /** The timeout of one call of the port with all its requests. */
  timeout_ms: number
}

/** The functions of the port that take money. */
export type SelcomCollections = {
  push(request: PaymentRequest): Promise<PushAnswer>
  qr(request: PaymentRequest): Promise<QrAnswer>
  status(requests: readonly PaymentRequest[]): Promise<Answer[]>
}

const PROMPT_PATHS = {
  wallet_push: '/checkout/wallet-payment',
  provider_pesa: '/checkout/selcompesa-payment',
} as const
/** The shares of the timeout that the adapter reserves for the query of an order and for the prompt. */
const QUESTION_SHARE = 0.15
const PROMPT_SHARE = 0.25
/**
 * The share of the timeout that the adapter reserves for cancelling an order and for the query after the cancellation.
 */
const END_SHARE = 0.5

/** Makes the functions of the port that take money through Selcom. */
export function createSelcomCollections(client: SelcomClient, options: SelcomCollectionsOptions): SelcomCollections {
  const gateway = { client, options }
  // A repeated reference gets the first answer. If the payer certainly got no prompt, the adapter tries again.
  const prompted = createOnce<PushAnswer | null>((answer) => answer !== null && answer.kind !== 'not_sent')
  const codes = createOnce<QrAnswer>((answer) => answer.kind === 'accepted')
  return {
    push: async (request) => (await prompted(request.reference, () => push(gateway, request))) ?? NOT_PROMPTED,
    qr: (request) => codes(request.reference, () => requestCode(gateway, request)),
    status: (requests) => Promise.all(requests.map((request) => queryAndCancel(gateway, request))),
  }
}

type SelcomCollectionsParts = { client: SelcomClient; options: SelcomCollectionsOptions }

async function createOrder(
  { client, options }: SelcomCollectionsParts,
  kind: 'prompts' | 'codes',
  request: PaymentRequest,
  timeout_ms: number,
): Promise<OrderMade> {
  const fields = orderFields(request, options, client.now())
  if (fields === null) return { kind: 'kept_out', answer: UNFIT }
  const path = '/checkout/create-order-minimal'
  return orderMade(await client.act(kind, { path, fields, reference: request.reference, timeout_ms }))
}

async function queryOrder(
  { client, options }: SelcomCollectionsParts,
  request: PaymentRequest,
  timeout_ms: number,
): Promise<Answer> {
  const { reference } = request
  const fields: SignedFields = [['order_id', reference]]
  const verdict = await client.ask({ path: '/checkout/order-status', fields, reference, timeout_ms })
  const { push_expiry_min: expiry_min, order_unknown_codes: unknown_codes } = options
  return orderStatus(verdict, request, { now: client.now(), expiry_min, unknown_codes })
}

/**
 * Queries an order. If the order is open or unknown after the deadline of its payment, cancels the order, so that no payer pays
 * a failed payment. If the cancellation fails, a second query finds a payment that came at the last moment.
 */
async function queryAndCancel(gateway: SelcomCollectionsParts, request: PaymentRequest): Promise<Answer> {
  const { client, options } = gateway
  const { timeout_ms } = options
  const { reference, deadline_at } = request
  if (deadline_at === undefined || client.now() < deadline_at) return queryOrder(gateway, request, timeout_ms)
  const left = countdown(timeout_ms)
  const first = await queryOrder(gateway, request, timeout_ms * (1 - END_SHARE))
  if (first.kind !== 'accepted' && first.kind !== 'unknown') return first
  const fields: SignedFields = [['order_id', reference]]
  const timeout = left() / 2
  const ended = await client.end({ path: '/checkout/cancel-order', fields, reference, timeout_ms: timeout })
  if (ended.is === 'done') return { kind: 'declined', reason: 'expired', provider_status: first.provider_status }
  // The payer may have paid or cancelled the order since the first query, or the status of the order is still unknown.
  const second = await queryOrder(gateway, request, left())
  return second.kind === 'unknown' ? first : second
}

/** Sends the prompt. If the client wrote no byte or the gateway certainly refused access, returns null. */
async function prompt(
  { client }: SelcomCollectionsParts,
  request: PaymentRequest,
  timeout_ms: number,
): Promise<Answer | null> {
  const { reference, method, phone } = request
  if (method === 'qr' || phone === null) return UNFIT
  const fields: SignedFields = [
    ['transid', reference],
    ['order_id', reference],
    ['msisdn', phone],
  ]
  return promptAnswer(await client.act('prompts', { path: PROMPT_PATHS[method], fields, reference, timeout_ms }))
}

// An order prompts no payer, so the platform may repeat a push that failed before its prompt. After the prompt, the adapter
// only queries. For a code in `order_unknown_codes`, the adapter reports `not_found`, because an order that does not exist had
// no prompt.
async function push(gateway: SelcomCollectionsParts, request: PaymentRequest): Promise<PushAnswer | null> {
  if (request.method === 'qr' || request.phone === null) return UNFIT
  const { timeout_ms } = gateway.options
  const left = countdown(timeout_ms)
  const made = await createOrder(gateway, 'prompts', request, left() - timeout_ms * (QUESTION_SHARE + PROMPT_SHARE))
  if (made.kind === 'kept_out') return made.answer
  if (made.kind === 'not_sent') return made.answer.kind === 'unknown' && made.answer.why === 'busy' ? BUSY : null
  if (made.kind !== 'made') {
    const seen = await queryOrder(gateway, request, left() - timeout_ms * PROMPT_SHARE)
    const is_there = seen.kind !== 'unknown' && seen.kind !== 'not_found'
    // If the gateway refused the order and a query finds the order, an earlier push made the order and may have sent the
    // prompt.
    if (made.kind === 'refused') return is_there ? seen : made.answer
    if (!is_there) return null
    // After an undocumented status, the order may come from an earlier push. After a lost answer, the order comes from this
    // push.
    const may_be_older = made.answer.kind === 'unknown' && made.answer.why === 'unseen_status'
    if (seen.kind !== 'accepted' || may_be_older) return seen
  }
  return prompt(gateway, request, left())
}

async function requestCode(gateway: SelcomCollectionsParts, request: PaymentRequest): Promise<QrAnswer> {
  const { timeout_ms } = gateway.options
  const left = countdown(timeout_ms)
  const made = await createOrder(gateway, 'codes', request, left() - timeout_ms * QUESTION_SHARE)
  if (made.kind === 'made') return qrAnswerOf(made)
  if (made.kind !== 'refused') return made.answer
  const seen = await queryOrder(gateway, request, left())
  // The order exists, but only the first answer had the code. The platform repeats this request only while the platform has no
  // code, so no payer can have the code.
  if (seen.kind === 'accepted') return { ...CODE_LOST, provider_status: seen.provider_status }
  return seen.kind === 'unknown' || seen.kind === 'not_found' ? made.answer : seen
}

/**
 * The answer to a push whose payer got no prompt and will get no prompt. The payer can try a new payment immediately.
 */
const NOT_PROMPTED: Answer = { kind: 'declined', reason: 'provider_unavailable', provider_status: null }
/**
 * The answer to a push without a free connection. The adapter requested no order, so the platform can repeat the same push.
 */
const BUSY: PushAnswer = { kind: 'not_sent', busy: true, provider_status: null }
const CODE_LOST = { kind: 'declined', reason: 'provider_unavailable' } as const
/** The answer to a payment that the gateway cannot take, such as an amount with cents. The adapter sends no request. */
const UNFIT: Answer = { kind: 'declined', reason: 'unknown_provider_error', provider_status: null }

/** Returns the fields of a payment's order. If the gateway cannot take the payment, returns null. */
function orderFields(request: PaymentRequest, options: SelcomCollectionsOptions, now: Date): SignedFields | null {
  const amount = shillingsOf(request.amount_minor, request.currency)
  if (amount === null) return null
  const { vendor, buyer, callback_url, push_expiry_min } = options
  const fields: [string, string | number][] = [
    ['vendor', vendor],
    ['order_id', request.reference],
    ['buyer_email', buyer.email],
    ['buyer_name', buyer.name],
    ['buyer_phone', request.phone ?? buyer.phone],
    ['amount', amount],
    ['currency', request.currency],
  ]
  if (callback_url !== null) fields.push(['webhook', Buffer.from(callback_url, 'utf8').toString('base64')])
  fields.push(['no_of_items', 1])
  const end = endOf(request, { begin: now, expiry_min: push_expiry_min })
  if (end !== null) {
    fields.push(['expiry', Math.max(Math.floor((end.getTime() - now.getTime()) / MINUTE_MS), 1)])
  }
  return fields
}

const MINUTE_MS = 60_000
