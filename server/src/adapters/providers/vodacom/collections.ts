// Takes payments. One request prompts the payer, and the gateway answers after the payer decided. The gateway refuses a
// repeated reference, so a payer gets at most one prompt. The adapter reports `not_found` only for a configured code.

import { createOnce, createReferenceMemory } from '../memory.ts'
import type { Answer, PaymentRequest, PushAnswer, QrAnswer } from '../port.ts'
import { shillingsOf } from '../shillings.ts'
import type { VodacomAct, VodacomClient, WireFields } from './client.ts'
import { paymentSent, paymentStatus, type VodacomReading } from './mapping.ts'
import { packReference } from './reference.ts'
import type { UnseenStateLog } from './unseen.ts'

/** The account, the text and the meanings of codes for payments. */
export type VodacomCollectionsOptions = {
  country: string
  service_provider_code: string
  /** The text that the payer's prompt shows. */
  text: string
  reading: VodacomReading
  unseen: UnseenStateLog
}

/** The functions of the port that take money. */
export type VodacomCollections = {
  push(request: PaymentRequest): Promise<PushAnswer>
  qr(request: PaymentRequest): Promise<QrAnswer>
  status(requests: readonly PaymentRequest[]): Promise<Answer[]>
}

/**
 * The answer to a push whose payer got no prompt and will get no prompt. The payer can try a new payment immediately.
 */
const NOT_PROMPTED: Answer = { kind: 'declined', reason: 'provider_unavailable', provider_status: null }
/** The answer to a payment that the gateway cannot take. The adapter sends no request. */
const UNFIT: Answer = { kind: 'declined', reason: 'unknown_provider_error', provider_status: null }

/** Makes the functions of the port that take money through Vodacom. */
export function createVodacomCollections(
  client: VodacomClient,
  options: VodacomCollectionsOptions,
): VodacomCollections {
  const once = createOnce<PushAnswer | null>((answer) => answer !== null && answer.kind !== 'not_sent')
  const late_answers = createReferenceMemory<Answer>()

  const push = async (request: PaymentRequest): Promise<PushAnswer | null> => {
    if (request.method !== 'wallet_push') return NOT_PROMPTED
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
    // If the query has no final status, a late answer to the payment request counts instead.
    const knows_less = answer.kind === 'unknown' || answer.kind === 'accepted' || answer.kind === 'not_found'
    return knows_less && late !== undefined ? late : answer
  }
  return {
    push: async (request) => (await once(request.reference, () => push(request))) ?? NOT_PROMPTED,
    // M-Pesa has no interface for QR codes, so the capabilities have no qr and the adapter sends no request.
    qr: () => Promise.resolve(NOT_PROMPTED),
    status: (requests) => Promise.all(requests.map(ask)),
  }
}

/** Returns the fields of a payment. If the gateway cannot take the payment, returns null. */
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
