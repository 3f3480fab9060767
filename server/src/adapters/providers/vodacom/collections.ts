// Collects money: one request prompts the payer. The gateway answers it after the payer decided, or at once without an outcome.
// Usually the call times out first, and a query finds the outcome.
//
// No payer is prompted twice: the reference is the conversation id, and the gateway refuses a repeated id. This process does not
// send it twice either. Because a query may overtake its prompt, `not_found` needs a code that an operator configured.

import { createOnce, createReferenceMemory } from '../memory.ts'
import type { Answer, PaymentRequest, PushAnswer, QrAnswer } from '../port.ts'
import { shillingsOf } from '../shillings.ts'
import type { VodacomAct, VodacomClient, WireFields } from './client.ts'
import { paymentSent, paymentStatus, type VodacomReading } from './mapping.ts'
import { packReference } from './reference.ts'
import type { UnseenStateLog } from './unseen.ts'

/** Options of collections. */
export type VodacomCollectionsOptions = {
  country: string
  service_provider_code: string
  /** The text that the payer sees. */
  text: string
  reading: VodacomReading
  unseen: UnseenStateLog
}

/** The port's functions that take money. */
export type VodacomCollections = {
  push(request: PaymentRequest): Promise<PushAnswer>
  qr(request: PaymentRequest): Promise<QrAnswer>
  status(requests: readonly PaymentRequest[]): Promise<Answer[]>
}

/** The payer was not prompted and will not be: a new payment can be tried at once. */
const NOBODY_ASKED: Answer = { kind: 'declined', reason: 'provider_unavailable', provider_status: null }
/** The gateway cannot take this payment. Nothing is sent. */
const UNFIT: Answer = { kind: 'declined', reason: 'unknown_provider_error', provider_status: null }

/** Makes the functions that take money. */
export function createVodacomCollections(
  client: VodacomClient,
  options: VodacomCollectionsOptions,
): VodacomCollections {
  const once = createOnce<PushAnswer | null>((answer) => answer !== null && answer.kind !== 'not_sent')
  const late_answers = createReferenceMemory<Answer>()

  const push = async (request: PaymentRequest): Promise<PushAnswer | null> => {
    if (request.method !== 'wallet_push') return NOBODY_ASKED
    const fields = fieldsOf(request, options)
    if (fields === null) return UNFIT
    const { reference } = request
    const act: VodacomAct = { method: 'POST', path: '/c2bPayment/singleStage/', fields, reference }
    const verdict = await client.act('prompts', {
      ...act,
      receive(late) {
        const answer = paymentSent(late, request)
        if (answer?.kind === 'succeeded' || answer?.kind === 'declined') late_answers.set(reference, answer)
      },
    })
    return paymentSent(verdict, request)
  }
  const ask = async (request: PaymentRequest): Promise<Answer> => {
    const { reference } = request
    const verdict = await client.ask(reference)
    options.unseen('payment', reference, verdict)
    const answer = paymentStatus(verdict, request, options.reading)
    const late = late_answers.get(reference)
    // A late answer to the request counts while the query has no final status.
    const knows_less = answer.kind === 'unknown' || answer.kind === 'accepted' || answer.kind === 'not_found'
    return knows_less && late !== undefined ? late : answer
  }
  return {
    push: async (request) => (await once(request.reference, () => push(request))) ?? NOBODY_ASKED,
    // M-Pesa has no interface for QR codes: the capabilities have no qr, and nothing is sent.
    qr: () => Promise.resolve(NOBODY_ASKED),
    status: (requests) => Promise.all(requests.map(ask)),
  }
}

/** The fields of a payment. Null if the gateway cannot take it. */
function fieldsOf(request: PaymentRequest, options: VodacomCollectionsOptions): WireFields | null {
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
