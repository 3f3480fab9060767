// Taking money: an order, then the prompt for it; or an order whose code is shown. The order's status is the truth.
//
// What may have happened when a push is repeated, and why nobody is prompted twice:
//   nothing, or only the order     an order prompts nobody, so asking for it again is harmless. Whatever goes wrong up to
//                                  here, the payment has failed for certain: nobody was asked to pay.
//   the prompt, answered or not    it is out, or may be. From here on only the order's status is asked. `status` says
//                                  `not_found` for a configured code alone, and only of an order that nobody knows:
//                                  without an order there was no prompt, so the push that follows is a first one. Should
//                                  the code be wrong, the second order is refused and nobody is prompted. This process
//                                  also remembers what it prompted, and a prompt keeps its transaction id.

import type { Answer, PaymentRequest, PushAnswer, QrAnswer } from '../port.ts'
import { type Client, shillingsOf } from './client.ts'
import { codeOf, type OrderMade, orderMade, orderStatus, promptAnswer } from './mapping.ts'
import { createMemory } from './memory.ts'
import type { SignedFields } from './sign.ts'

/** Settings of taking money. */
export type CollectionsOptions = {
  /** The till that orders belong to. */
  vendor: string
  /** Where callbacks go; null: none are asked for. */
  callback_url: string | null
  /** Whom an order names; the phone only when the payer's is not known. */
  buyer: { name: string; email: string; phone: string }
  /** Minutes after which the orders of prompts end by themselves; null: the gateway's own time. */
  push_expiry_min: number | null
  /** Result codes of the status query that mean that there is no such order. */
  order_unknown_codes: readonly string[]
  /** Time for a whole push, its requests together. */
  timeout_ms: number
}

/** The port's functions that take money. */
export type Collections = {
  push(request: PaymentRequest): Promise<PushAnswer>
  qr(request: PaymentRequest): Promise<QrAnswer>
  status(requests: readonly PaymentRequest[]): Promise<Answer[]>
}

const PROMPT_PATHS = {
  wallet_push: '/checkout/wallet-payment',
  provider_pesa: '/checkout/selcompesa-payment',
} as const
/** Shares of the time that are kept back from an order for a question about it, and for the prompt. */
const QUESTION_SHARE = 0.15
const PROMPT_SHARE = 0.25

/** Makes the functions that take money. */
export function createCollections(client: Client, options: CollectionsOptions): Collections {
  const { timeout_ms } = options
  const prompted = createMemory<PushAnswer | null>()
  const codes = createMemory<QrAnswer>()

  const order = async (line: 'prompts' | 'codes', request: PaymentRequest, timeout: number): Promise<OrderMade> => {
    const fields = orderFields(request, options)
    if (fields === null) return { kind: 'kept_out', answer: UNFIT }
    const path = '/checkout/create-order-minimal'
    return orderMade(await client.act(line, { path, fields, reference: request.reference, timeout_ms: timeout }))
  }
  const ask = async (request: PaymentRequest, timeout: number): Promise<Answer> => {
    const { reference } = request
    const fields: SignedFields = [['order_id', reference]]
    const verdict = await client.ask({ path: '/checkout/order-status', fields, reference, timeout_ms: timeout })
    const { push_expiry_min: expiry_min, order_unknown_codes: unknown_codes } = options
    return orderStatus(verdict, request, { now: client.now(), expiry_min, unknown_codes })
  }

  /** Null: nobody was prompted, for certain. */
  const prompt = async (request: PaymentRequest, timeout: number): Promise<Answer | null> => {
    const { reference, method, phone } = request
    if (method === 'qr' || phone === null) return UNFIT
    const fields: SignedFields = [
      ['transid', reference],
      ['order_id', reference],
      ['msisdn', phone],
    ]
    return promptAnswer(
      await client.act('prompts', { path: PROMPT_PATHS[method], fields, reference, timeout_ms: timeout }),
    )
  }

  const push = async (request: PaymentRequest): Promise<PushAnswer | null> => {
    if (request.method === 'qr' || request.phone === null) return UNFIT
    const left = countdown(timeout_ms)
    const made = await order('prompts', request, left() - timeout_ms * (QUESTION_SHARE + PROMPT_SHARE))
    if (made.kind === 'kept_out') return made.answer
    if (made.kind === 'not_sent') return made.answer.kind === 'unknown' && made.answer.why === 'busy' ? BUSY : null
    if (made.kind !== 'made') {
      const seen = await ask(request, left() - timeout_ms * PROMPT_SHARE)
      const is_there = seen.kind !== 'unknown' && seen.kind !== 'not_found'
      // Refused, and there all the same: an earlier push made it, and may have prompted.
      if (made.kind === 'refused') return is_there ? seen : made.answer
      if (!is_there) return null
      // So may a word that says neither yes nor no. An answer that was lost on its way says nothing of the kind.
      const may_be_older = made.answer.kind === 'unknown' && made.answer.why === 'unseen_status'
      if (seen.kind !== 'accepted' || may_be_older) return seen
    }
    return prompt(request, left())
  }

  const qr = async (request: PaymentRequest): Promise<QrAnswer> => {
    const left = countdown(timeout_ms)
    const made = await order('codes', request, left() - timeout_ms * QUESTION_SHARE)
    if (made.kind === 'made') return codeOf(made)
    if (made.kind !== 'refused') return made.answer
    const seen = await ask(request, left())
    // It is there, and only its first answer held the code. That was shown to nobody, or this would not be asked again.
    if (seen.kind === 'accepted') return { ...CODE_LOST, provider_status: seen.provider_status }
    return seen.kind === 'unknown' || seen.kind === 'not_found' ? made.answer : seen
  }

  return {
    // Whoever repeats a reference waits for the first answer, and later hears it again, unless nobody was prompted.
    push: async (request) =>
      (await prompted.once(
        request.reference,
        () => push(request),
        (answer) => answer !== null && answer.kind !== 'not_sent',
      )) ?? NOBODY_ASKED,
    qr: (request) =>
      codes.once(
        request.reference,
        () => qr(request),
        (answer) => answer.kind === 'accepted',
      ),
    status: (requests) => Promise.all(requests.map((request) => ask(request, timeout_ms))),
  }
}

/** Nobody was asked to pay, and nobody will be: it can be tried again as another payment at once. */
const NOBODY_ASKED: Answer = { kind: 'declined', reason: 'provider_unavailable', provider_status: null }
/** Not even the order was asked for: the same can be done again. */
const BUSY: PushAnswer = { kind: 'not_sent', busy: true, provider_status: null }
const CODE_LOST = { kind: 'declined', reason: 'provider_unavailable' } as const
/** What the provider cannot take at all. Its capabilities say so; nothing is sent. */
const UNFIT: Answer = { kind: 'declined', reason: 'unknown_provider_error', provider_status: null }

/** The order of a payment, or null when it cannot be one. */
function orderFields(request: PaymentRequest, options: CollectionsOptions): SignedFields | null {
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
  // A code has no end of its own: whoever shows it promises none.
  if (push_expiry_min !== null && request.method !== 'qr') fields.push(['expiry', push_expiry_min])
  return fields
}

/** Milliseconds that are left of a span that begins now. Never below zero. */
function countdown(ms: number): () => number {
  const end = performance.now() + ms
  return () => Math.max(end - performance.now(), 0)
}
