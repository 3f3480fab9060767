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
//
// An order ends shortly before the platform gives up on its payment, and one that is still open then is cancelled, so that
// nobody pays for what has failed. Whoever paid in the last moment is found by the question that follows.

import { countdown } from '../countdown.ts'
import { createOnce } from '../memory.ts'
import type { Answer, PaymentRequest, PushAnswer, QrAnswer } from '../port.ts'
import { shillingsOf } from '../shillings.ts'
import type { Client } from './client.ts'
import { codeOf, endOf, type OrderMade, orderMade, orderStatus, promptAnswer } from './mapping.ts'
import type { SignedFields } from './sign.ts'

/** Settings of taking money. */
export type CollectionsOptions = {
  /** The till that orders belong to. */
  vendor: string
  /** Where callbacks go; null: none are asked for. */
  callback_url: string | null
  /** Whom an order names; the phone only when the payer's is not known. */
  buyer: { name: string; email: string; phone: string }
  /** Minutes after which the orders of prompts end by themselves; null, or later: shortly before the payment's deadline. */
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
/** And of a last question, for the end of the order and what is asked after it. */
const END_SHARE = 0.5

/** Makes the functions that take money. */
export function createCollections(client: Client, options: CollectionsOptions): Collections {
  const { timeout_ms } = options
  // Whoever repeats a reference waits for the first answer, and later hears it again, unless nobody was prompted.
  const prompted = createOnce<PushAnswer | null>((answer) => answer !== null && answer.kind !== 'not_sent')
  const codes = createOnce<QrAnswer>((answer) => answer.kind === 'accepted')

  const order = async (line: 'prompts' | 'codes', request: PaymentRequest, timeout: number): Promise<OrderMade> => {
    const fields = orderFields(request, options, client.now())
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

  /** Asks; an order that is open when its payment's deadline is over is cancelled, and then nobody can pay it any more. */
  const askAndEnd = async (request: PaymentRequest): Promise<Answer> => {
    const { reference, deadline_at } = request
    if (deadline_at === undefined || client.now() < deadline_at) return ask(request, timeout_ms)
    const left = countdown(timeout_ms)
    const seen = await ask(request, timeout_ms * (1 - END_SHARE))
    if (seen.kind !== 'accepted' && seen.kind !== 'unknown') return seen
    const fields: SignedFields = [['order_id', reference]]
    const timeout = left() / 2
    const ended = await client.end({ path: '/checkout/cancel-order', fields, reference, timeout_ms: timeout })
    if (ended.is === 'done') return { kind: 'declined', reason: 'expired', provider_status: seen.provider_status }
    // It was paid in between, or cancelled before; or nothing is known, as it was.
    const again = await ask(request, left())
    return again.kind === 'unknown' ? seen : again
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
    push: async (request) => (await prompted(request.reference, () => push(request))) ?? NOBODY_ASKED,
    qr: (request) => codes(request.reference, () => qr(request)),
    status: (requests) => Promise.all(requests.map(askAndEnd)),
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
function orderFields(request: PaymentRequest, options: CollectionsOptions, now: Date): SignedFields | null {
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
