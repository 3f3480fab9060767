// Sends a payout as one request to the product of the destination, and queries the same product. If the answer is `not_sent` or
// `blocked`, the platform may send the payout again. Otherwise the platform sends no second request, and no answer is
// `not_found`.

import { CURRENCY, type Random, randomBase62 } from '../../../kernel/lib/index.ts'
import type { PayoutRecipient } from '../extras.ts'
import { createOnce } from '../memory.ts'
import type { PayoutAnswer, PayoutRequest } from '../port.ts'
import { shillingsOf } from '../shillings.ts'
import type { SelcomClient } from './client.ts'
import { RAILS, routeTo, SELCOM_PESA_CODE, type SelcomRail, type SelcomRoute } from './destinations.ts'
import type { SelcomVerdict } from './envelope.ts'
import { codeAndResultOf } from './mapping.ts'
import { balanceOf, nameOf, payoutSent, payoutStatus, type SelcomPayoutReading } from './mapping-payouts.ts'
import type { SignedFields } from './sign.ts'

/** The accounts and settings for sending payouts. */
export type SelcomPayoutsOptions = {
  /**
   * The prepaid account that pays the payouts. An operator fills this account, which is separate from the till, by hand. Null
   * means that the provider pays out nothing.
   */
  float: { vendor: string; pin: string } | null
  /** The sender that the gateway requires for bank payouts. */
  sender: { account: string; name: string; phone: string; purpose: string }
  /**
   * If true, a payout to a Selcom Pesa wallet contains the product code of Selcom Pesa. The gateway's manual shows both forms.
   */
  selcom_pesa_code: boolean
  /** The settings for mapping answers about payouts. */
  reading: SelcomPayoutReading
  timeout_ms: number
  random: Random
}

/** The functions of the port for payouts, with the look-ups of names and balance. */
export type SelcomPayouts = {
  payout(request: PayoutRequest): Promise<PayoutAnswer>
  payoutStatus(requests: readonly PayoutRequest[]): Promise<PayoutAnswer[]>
  lookupName(recipient: PayoutRecipient): Promise<{ name: string } | null>
  floatBalance(): Promise<{ amount_minor: bigint; currency: string } | null>
}

type SelcomFloat = { vendor: string; pin: string }

const SEND_PATHS: Record<SelcomRail, string> = {
  walletcashin: '/walletcashin/process',
  selcompesa: '/selcompesa/cashin',
  qwiksend: '/qwiksend/process',
}
const QUERY_PATHS: Record<SelcomRail, string> = {
  walletcashin: '/walletcashin/query',
  selcompesa: '/selcompesa/query',
  qwiksend: '/qwiksend/query',
}
const NAME_PATHS: Record<SelcomRail, string> = {
  walletcashin: '/walletcashin/namelookup',
  selcompesa: '/selcompesa/namelookup',
  qwiksend: '/qwiksend/lookup/',
}

/** Makes the functions of the port that pay out through Selcom. */
export function createSelcomPayouts(client: SelcomClient, options: SelcomPayoutsOptions): SelcomPayouts {
  const { float, timeout_ms, reading } = options
  // A repeated reference gets the first answer. If that answer allows the platform to send the payout again, the adapter
  // sends the request again.
  const once = createOnce<PayoutAnswer>(({ kind }) => kind !== 'not_sent' && kind !== 'blocked')
  const newTransactionId = (prefix: string) => prefix + randomBase62(options.random, 24).toUpperCase()

  const send = async (request: PayoutRequest): Promise<PayoutAnswer> => {
    // Without a payout account, the payout waits until an operator configures the account.
    if (float === null) return { kind: 'not_sent', provider_status: null }
    const route = routeTo(request.method, request.destination_code)
    if (route === null) return { kind: 'declined', reason: 'unknown_recipient', provider_status: null }
    const fields = fieldsOf(request, route, float, options)
    // The adapter sent nothing, so the gateway did not decline the payout. An operator must check the payout.
    if (fields === null) return { kind: 'blocked', provider_status: null, provider_message: UNFIT }
    const { reference } = request
    const verdict = await client.act('payouts', { path: SEND_PATHS[route.rail], fields, reference, timeout_ms })
    return withProviderMessage(payoutSent(verdict, request, reading), verdict)
  }

  const ask = async (request: PayoutRequest): Promise<PayoutAnswer> => {
    const { reference, method } = request
    const fields: SignedFields = [['transid', reference]]
    const verdict = await client.ask({ path: QUERY_PATHS[RAILS[method]], fields, reference, timeout_ms })
    return withProviderMessage(payoutStatus(verdict, request, reading), verdict)
  }

  return {
    payout: (request) => once(request.reference, () => send(request)),
    payoutStatus: (requests) => Promise.all(requests.map(ask)),

    async lookupName({ method, destination_code, destination_identifier: account }) {
      const route = routeTo(method, destination_code)
      if (route === null) return null
      const transid = newTransactionId('NAME')
      const path = NAME_PATHS[route.rail]
      const fields = nameFields(route, account, transid)
      const name = nameOf(await client.ask({ path, fields, reference: transid, timeout_ms }))
      return name === null ? null : { name }
    },

    async floatBalance() {
      if (float === null) return null
      const transid = newTransactionId('BAL')
      const fields: SignedFields = [
        ['vendor', float.vendor],
        ['pin', float.pin],
        ['transid', transid],
      ]
      const balance = balanceOf(
        await client.askByPost({ path: '/vendor/balance', fields, reference: transid, timeout_ms }),
      )
      return balance === null ? null : { amount_minor: balance, currency: CURRENCY }
    },
  }
}

const UNFIT = 'not sent: the amount is not in whole shillings, or the name on the account is missing'

/**
 * If the answer is `blocked`, `declined` or `unknown`, adds the gateway's code, result and message. If the response has no
 * envelope, adds the HTTP status, if there is one.
 */
function withProviderMessage(answer: PayoutAnswer, { envelope, ...verdict }: SelcomVerdict): PayoutAnswer {
  if (answer.kind !== 'blocked' && answer.kind !== 'declined' && answer.kind !== 'unknown') return answer
  if (envelope !== null) return { ...answer, provider_message: `${codeAndResultOf(envelope)}: ${envelope.message}` }
  return 'status' in verdict && verdict.status !== null
    ? { ...answer, provider_message: `HTTP ${verdict.status}` }
    : answer
}

function nameFields({ rail, code }: SelcomRoute, account: string, transid: string): SignedFields {
  switch (rail) {
    case 'walletcashin':
      return [
        ['utilitycode', code],
        ['utilityref', account],
        ['transid', transid],
      ]
    case 'selcompesa':
      return [
        ['utilityref', account],
        ['transid', transid],
      ]
    case 'qwiksend':
      return [
        ['bank', code],
        ['account', account],
        ['transid', transid],
      ]
  }
}

/** Returns the fields of a payout. If the gateway cannot take the payout, returns null. */
function fieldsOf(
  request: PayoutRequest,
  { rail, code }: SelcomRoute,
  { vendor, pin }: SelcomFloat,
  { sender, selcom_pesa_code }: SelcomPayoutsOptions,
): SignedFields | null {
  const { reference, destination_identifier: account } = request
  const amount = shillingsOf(request.amount_minor, request.currency)
  if (amount === null) return null
  switch (rail) {
    case 'walletcashin':
      return [
        ['transid', reference],
        ['utilitycode', code],
        ['utilityref', account],
        ['amount', amount],
        ['vendor', vendor],
        ['pin', pin],
      ]
    case 'selcompesa':
      return [
        ['transid', reference],
        ...(selcom_pesa_code ? [['utilitycode', SELCOM_PESA_CODE] as const] : []),
        ['utilityref', account],
        ['amount', amount],
        ['vendor', vendor],
        ['pin', pin],
      ]
    case 'qwiksend': {
      // A bank compares the name with the name on the account, so the adapter never invents a name.
      const name = lineOf(request.destination_name ?? '')
      if (name === '') return null
      return [
        ['transid', reference],
        ['recipientFiCode', code],
        ['recipientAccount', account],
        ['recipientName', name],
        ['senderAccount', sender.account],
        ['senderName', sender.name],
        ['amount', amount],
        ['vendor', vendor],
        ['pin', pin],
        ['msisdn', sender.phone],
        ['purpose', sender.purpose],
      ]
    }
  }
}

/** Reduces a text to one line, without characters that JSON and the signature could encode differently. */
function lineOf(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
}
