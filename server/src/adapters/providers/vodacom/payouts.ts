// Paying out to M-Pesa wallets, giving a payment back, and asking about both.
//
// A payout is sent once. It may be sent again only when none of it was sent, or when the gateway kept it out; whatever else
// leaves a doubt is only asked about.

import type { Recipient } from '../extras.ts'
import { createMemory, createOnce } from '../memory.ts'
import type { PayoutAnswer, PayoutRequest } from '../port.ts'
import { shillingsOf } from '../shillings.ts'
import type { Client, WireFields } from './client.ts'
import type { Verdict } from './envelope.ts'
import { nameOf, payoutSent, payoutStatus, type Reading } from './mapping.ts'
import { packReference } from './reference.ts'
import type { Unseen } from './unseen.ts'

/** The one network that is paid out to. */
export const VODACOM_DESTINATIONS = ['MPESA'] as const

/** Settings of paying out. */
export type PayoutsOptions = {
  country: string
  service_provider_code: string
  /** What the receiver reads about what is paid. */
  text: string
  reading: Reading
  unseen: Unseen
}

/** A payment that is to go back to its payer, whole. */
export type RefundRequest = {
  /** The payment's own reference. */
  reference: string
  /** The receipt of the payment: what the provider called it. */
  provider_id: string
  amount_minor: bigint
  currency: string
}

/** The port's functions that pay out, and what else can be asked of this provider. */
export type Payouts = {
  payout(request: PayoutRequest): Promise<PayoutAnswer>
  payoutStatus(requests: readonly PayoutRequest[]): Promise<PayoutAnswer[]>
  /**
   * Gives a payment back. One payment is given back once, however often it is asked. In doubt the payment's own status tells:
   * it is `reversed` then. The platform never calls it: it gives no payment back by itself, and books one that was given back
   * when the status says so. It is here for whoever has to give one back by hand, and moves real money.
   */
  refund(request: RefundRequest): Promise<PayoutAnswer>
  lookupName(recipient: Recipient): Promise<{ name: string } | null>
}

const MSISDN = /^\d{12,14}$/
const RECEIPT = /^[0-9A-Za-z]{1,20}$/

/** Makes the functions that pay out. */
export function createPayouts(client: Client, options: PayoutsOptions): Payouts {
  // Heard again by whoever repeats a reference, unless the answer itself says that it may be sent again.
  const once = createOnce<PayoutAnswer>(({ kind }) => kind !== 'not_sent' && kind !== 'blocked')
  const heard = createMemory<PayoutAnswer>()

  const send = async (request: PayoutRequest): Promise<PayoutAnswer> => {
    const { reference, destination_identifier: msisdn } = request
    const is_reached = request.method === 'MOBILE_MONEY' && request.destination_code === 'MPESA' && MSISDN.test(msisdn)
    if (!is_reached) return { kind: 'declined', reason: 'unknown_recipient', provider_status: null }
    const fields = fieldsOf(request, options)
    // Nothing was declined: an operator finds out what is wrong with it.
    if (fields === null) return { kind: 'blocked', provider_status: null, told: UNFIT }
    const hear = (late: Parameters<typeof payoutSent>[0]) => {
      const answer = payoutSent(late, request)
      if (answer.kind === 'succeeded' || answer.kind === 'declined') heard.set(reference, answer)
    }
    const verdict = await client.act('payouts', { method: 'POST', path: '/b2cPayment/', fields, reference, hear })
    return withWords(payoutSent(verdict, request), verdict)
  }
  const ask = async (request: PayoutRequest): Promise<PayoutAnswer> => {
    const verdict = await client.ask(request.reference)
    options.unseen('payout', request.reference, verdict)
    const answer = withWords(payoutStatus(verdict, request, options.reading), verdict)
    const late = heard.get(request.reference)
    // What was said late, to the request itself, counts as long as the query knows less.
    return (answer.kind === 'unknown' || answer.kind === 'accepted') && late !== undefined ? late : answer
  }
  const giveBack = async ({ reference, provider_id, amount_minor, currency }: RefundRequest): Promise<PayoutAnswer> => {
    if (!RECEIPT.test(provider_id)) return { kind: 'declined', reason: 'unknown_recipient', provider_status: null }
    // An id of its own, made from the payment's: a second request for the same is a duplicate to the gateway too.
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
    refund: (request) => once(`R${request.reference}`, () => giveBack(request)),
    async lookupName({ method, destination_code, destination_identifier: msisdn }) {
      if (method !== 'MOBILE_MONEY' || destination_code !== 'MPESA' || !MSISDN.test(msisdn)) return null
      const name = nameOf(await client.askName(msisdn))
      return name === null ? null : { name }
    },
  }
}

const UNFIT = 'not sent: its amount is not in whole shillings'

/** The answer with what the gateway itself wrote, where something went wrong. */
function withWords(answer: PayoutAnswer, { envelope }: Verdict): PayoutAnswer {
  if (answer.kind !== 'blocked' && answer.kind !== 'declined' && answer.kind !== 'unknown') return answer
  // Of a question that was answered, the state that it tells is the word that counts.
  const words = [envelope?.state ?? envelope?.code, envelope?.state ? null : envelope?.description].filter(
    (word) => word != null && word !== '',
  )
  return words.length === 0 ? answer : { ...answer, told: words.join(': ') }
}

/** The body of a payout, or null when the gateway cannot take it. */
function fieldsOf(request: PayoutRequest, options: PayoutsOptions): WireFields | null {
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
