// Sends payouts to M-Pesa wallets, refunds payments, and queries payouts. If the answer is `not_sent` or `blocked`, the
// platform may send the payout again. In every other unclear case, the platform only queries.

import type { PayoutRecipient } from '../extras.ts'
import { createOnce, createReferenceMemory } from '../memory.ts'
import type { PayoutAnswer, PayoutRequest } from '../port.ts'
import { shillingsOf } from '../shillings.ts'
import type { VodacomClient, WireFields } from './client.ts'
import type { VodacomVerdict } from './envelope.ts'
import { nameOf, payoutSent, payoutStatus, type VodacomReading } from './mapping.ts'
import { packReference } from './reference.ts'
import type { UnseenStateLog } from './unseen.ts'

/** The account, the text and the meanings of codes for payouts. */
export type VodacomPayoutsOptions = {
  country: string
  service_provider_code: string
  /** The text that the recipient of a payout gets. */
  text: string
  reading: VodacomReading
  unseen: UnseenStateLog
}

/** A payment that an operator refunds in full. */
export type RefundRequest = {
  /** The platform's reference of the payment. */
  reference: string
  /** The provider's receipt of the payment. */
  provider_id: string
  amount_minor: bigint
  currency: string
}

/** The functions of the port for payouts, with the name look-up and refunds. */
export type VodacomPayouts = {
  payout(request: PayoutRequest): Promise<PayoutAnswer>
  payoutStatus(requests: readonly PayoutRequest[]): Promise<PayoutAnswer[]>
  /**
   * Refunds a payment once, even after a repeated call. If the answer is unclear, the status of the payment decides. The
   * platform never calls this function, because the function moves real money; an operator may call the function by hand.
   */
  refund(request: RefundRequest): Promise<PayoutAnswer>
  lookupName(recipient: PayoutRecipient): Promise<{ name: string } | null>
}

const MSISDN = /^\d{12,14}$/
const RECEIPT = /^[0-9A-Za-z]{1,20}$/

/** Makes the functions of the port that pay out through Vodacom, with the refund. */
export function createVodacomPayouts(client: VodacomClient, options: VodacomPayoutsOptions): VodacomPayouts {
  // A repeated reference gets the first answer. If that answer allows the platform to send the payout again, the adapter
  // sends the request again.
  const once = createOnce<PayoutAnswer>(({ kind }) => kind !== 'not_sent' && kind !== 'blocked')
  const late_answers = createReferenceMemory<PayoutAnswer>()

  const send = async (request: PayoutRequest): Promise<PayoutAnswer> => {
    const { reference, destination_identifier: msisdn } = request
    const is_reached = request.method === 'MOBILE_MONEY' && request.destination_code === 'MPESA' && MSISDN.test(msisdn)
    if (!is_reached) return { kind: 'declined', reason: 'unknown_recipient', provider_status: null }
    const fields = payoutFieldsOf(request, options)
    // The adapter sent nothing, so the gateway did not decline the payout. An operator must check the payout.
    if (fields === null) return { kind: 'blocked', provider_status: null, provider_message: UNFIT }
    const receive = (late: Parameters<typeof payoutSent>[0]) => {
      const answer = payoutSent(late, request)
      if (answer.kind === 'succeeded' || answer.kind === 'declined') late_answers.set(reference, answer)
    }
    const verdict = await client.act('payouts', { method: 'POST', path: '/b2cPayment/', fields, reference, receive })
    return withProviderMessage(payoutSent(verdict, request), verdict)
  }
  const ask = async (request: PayoutRequest): Promise<PayoutAnswer> => {
    const verdict = await client.ask(request.reference)
    options.unseen('payout', request.reference, verdict)
    const answer = withProviderMessage(payoutStatus(verdict, request, options.reading), verdict)
    const late = late_answers.get(request.reference)
    // If the query has no final status, a late answer to the payout request counts instead.
    return (answer.kind === 'unknown' || answer.kind === 'accepted') && late !== undefined ? late : answer
  }
  const refundOnce = async ({
    reference,
    provider_id,
    amount_minor,
    currency,
  }: RefundRequest): Promise<PayoutAnswer> => {
    if (!RECEIPT.test(provider_id)) return { kind: 'declined', reason: 'unknown_recipient', provider_status: null }
    // The id derives from the reference of the payment, so that the gateway detects a second refund as a duplicate.
    const conversation = `R${reference}`
    const fields = {
      input_TransactionID: provider_id,
      input_Country: options.country,
      input_ServiceProviderCode: options.service_provider_code,
      input_ThirdPartyConversationID: conversation,
    }
    const verdict = await client.act('payouts', { method: 'PUT', path: '/reversal/', fields, reference: conversation })
    return payoutSent(verdict, { reference: conversation, amount_minor, currency })
  }
  return {
    payout: (request) => once(request.reference, () => send(request)),
    payoutStatus: (requests) => Promise.all(requests.map(ask)),
    refund: (request) => once(`R${request.reference}`, () => refundOnce(request)),
    async lookupName({ method, destination_code, destination_identifier: msisdn }) {
      if (method !== 'MOBILE_MONEY' || destination_code !== 'MPESA' || !MSISDN.test(msisdn)) return null
      const name = nameOf(await client.askName(msisdn))
      return name === null ? null : { name }
    },
  }
}

const UNFIT = 'not sent: the amount is not in whole shillings'

/**
 * If the answer is `blocked`, `declined` or `unknown`, adds the gateway's state of the transaction, or else its code and
 * description.
 */
function withProviderMessage(answer: PayoutAnswer, { envelope }: VodacomVerdict): PayoutAnswer {
  if (answer.kind !== 'blocked' && answer.kind !== 'declined' && answer.kind !== 'unknown') return answer
  // If the gateway answered a query, the state of the transaction is the message.
  const parts = [envelope?.state ?? envelope?.code, envelope?.state ? null : envelope?.description].filter(
    (part) => part != null && part !== '',
  )
  return parts.length === 0 ? answer : { ...answer, provider_message: parts.join(': ') }
}

/** Returns the fields of a payout. If the gateway cannot take the payout, returns null. */
function payoutFieldsOf(request: PayoutRequest, options: VodacomPayoutsOptions): WireFields | null {
  const { reference, destination_identifier, amount_minor, currency } = request
  const amount = shillingsOf(amount_minor, currency)
  const packed = packReference(reference)
  if (amount === null || packed === null) return null
  return {
    input_Amount: String(amount),
    input_CustomerMSISDN: destination_identifier,
    input_Country: options.country,
    input_Currency: currency,
    input_ServiceProviderCode: options.service_provider_code,
    input_TransactionReference: packed,
    input_ThirdPartyConversationID: reference,
    input_PaymentItemsDesc: options.text,
  }
}
