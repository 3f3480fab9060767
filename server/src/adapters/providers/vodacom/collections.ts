// Taking money: one request prompts the payer. It is answered once the payer has decided, or at once without saying what became
// of it; both take longer than a caller can wait, so a prompt without an answer is the usual case, and a query tells the rest.
//
// Nobody is prompted twice: a reference is its request's conversation id, and the gateway refuses a second one with the same.
// This process does not even send it. `not_found` is never answered, unless an operator named a code that is certain: a
// question may overtake its prompt.

import { createMemory, createOnce } from '../memory.ts'
import type { Answer, PaymentRequest, PushAnswer, QrAnswer } from '../port.ts'
import { shillingsOf } from '../shillings.ts'
import type { Act, Client, WireFields } from './client.ts'
import { paymentSent, paymentStatus, type Reading } from './mapping.ts'
import { packReference } from './reference.ts'
import type { Unseen } from './unseen.ts'

/** Settings of taking money. */
export type CollectionsOptions = {
  country: string
  service_provider_code: string
  /** What the payer reads about what is bought. */
  text: string
  reading: Reading
  unseen: Unseen
}

/** The port's functions that take money. */
export type Collections = {
  push(request: PaymentRequest): Promise<PushAnswer>
  qr(request: PaymentRequest): Promise<QrAnswer>
  status(requests: readonly PaymentRequest[]): Promise<Answer[]>
}

/** Nobody was asked to pay, and nobody will be: it can be tried again as another payment at once. */
const NOBODY_ASKED: Answer = { kind: 'declined', reason: 'provider_unavailable', provider_status: null }
/** What the gateway cannot take at all. Nothing is sent. */
const UNFIT: Answer = { kind: 'declined', reason: 'unknown_provider_error', provider_status: null }

/** Makes the functions that take money. */
export function createCollections(client: Client, options: CollectionsOptions): Collections {
  const once = createOnce<PushAnswer | null>((answer) => answer !== null && answer.kind !== 'not_sent')
  const heard = createMemory<Answer>()

  const push = async (request: PaymentRequest): Promise<PushAnswer | null> => {
    if (request.method !== 'wallet_push') return NOBODY_ASKED
    const fields = fieldsOf(request, options)
    if (fields === null) return UNFIT
    const { reference } = request
    const act: Act = { method: 'POST', path: '/c2bPayment/singleStage/', fields, reference }
    const verdict = await client.act('prompts', {
      ...act,
      hear(late) {
        const answer = paymentSent(late, request)
        if (answer?.kind === 'succeeded' || answer?.kind === 'declined') heard.set(reference, answer)
      },
    })
    return paymentSent(verdict, request)
  }
  const ask = async (request: PaymentRequest): Promise<Answer> => {
    const { reference } = request
    const verdict = await client.ask(reference)
    options.unseen('payment', reference, verdict)
    const answer = paymentStatus(verdict, request, options.reading)
    const late = heard.get(reference)
    // What was said late, to the request itself, counts as long as the query knows less.
    const knows_less = answer.kind === 'unknown' || answer.kind === 'accepted' || answer.kind === 'not_found'
    return knows_less && late !== undefined ? late : answer
  }
  return {
    push: async (request) => (await once(request.reference, () => push(request))) ?? NOBODY_ASKED,
    // M-Pesa has codes of its own, but no interface that makes one: capabilities name no qr, and nothing is sent.
    qr: () => Promise.resolve(NOBODY_ASKED),
    status: (requests) => Promise.all(requests.map(ask)),
  }
}

/** The body of a request for a payment, or null when the gateway cannot take it. */
function fieldsOf(request: PaymentRequest, options: CollectionsOptions): WireFields | null {
  const { reference, phone, amount_minor, currency } = request
  const amount = shillingsOf(amount_minor, currency)
  const packed = packReference(reference)
  if (amount === null || packed === null || phone === null || !/^\d{12,14}$/.test(phone)) return null
  return {
    input_Amount: String(amount),
    input_CustomerMSISDN: phone,
    input_Country: options.country,
    input_Currency: currency,
    input_ServiceProviderCode: options.service_provider_code,
    input_TransactionReference: packed,
    input_ThirdPartyConversationID: reference,
    input_PurchasedItemsDesc: options.text,
  }
}
