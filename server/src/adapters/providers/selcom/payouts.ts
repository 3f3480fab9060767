// Paying out: one request to the product that reaches the destination, and questions to the same product.
//
// A payout is only ever sent again when none of it was sent, or when the gateway kept us out. Whatever else leaves a doubt is
// only asked about. The gateway knows no certain "there is no such payout", so `not_found` is never answered.

import { CURRENCY, type Random, randomBase62 } from '../../../kernel/lib/index.ts'
import type { Recipient } from '../extras.ts'
import { createOnce } from '../memory.ts'
import type { PayoutAnswer, PayoutRequest } from '../port.ts'
import { shillingsOf } from '../shillings.ts'
import type { Client } from './client.ts'
import { RAILS, type Rail, type Route, routeTo, SELCOM_PESA_CODE } from './destinations.ts'
import type { Verdict } from './envelope.ts'
import { wordOf } from './mapping.ts'
import { balanceOf, nameOf, type PayoutReading, payoutSent, payoutStatus } from './mapping-payouts.ts'
import type { SignedFields } from './sign.ts'

/** Settings of paying out. */
export type PayoutsOptions = {
  /** The account that payouts are paid from: apart from the till, and filled by its owner. Null: nothing is paid out. */
  float: { vendor: string; pin: string } | null
  /** Who sends bank payouts. */
  sender: { account: string; name: string; phone: string; purpose: string }
  /** True: a payout to a Selcom Pesa wallet carries its product code too. The gateway's manual says both. */
  selcom_pesa_code: boolean
  /** How answers are read. */
  reading: PayoutReading
  timeout_ms: number
  random: Random
}

/** The port's functions that pay out, and what else can be asked about payouts. */
export type Payouts = {
  payout(request: PayoutRequest): Promise<PayoutAnswer>
  payoutStatus(requests: readonly PayoutRequest[]): Promise<PayoutAnswer[]>
  lookupName(recipient: Recipient): Promise<{ name: string } | null>
  floatBalance(): Promise<{ amount_minor: bigint; currency: string } | null>
}

type Float = { vendor: string; pin: string }

const SEND_PATHS: Record<Rail, string> = {
  walletcashin: '/walletcashin/process',
  selcompesa: '/selcompesa/cashin',
  qwiksend: '/qwiksend/process',
}
const QUERY_PATHS: Record<Rail, string> = {
  walletcashin: '/walletcashin/query',
  selcompesa: '/selcompesa/query',
  qwiksend: '/qwiksend/query',
}
const NAME_PATHS: Record<Rail, string> = {
  walletcashin: '/walletcashin/namelookup',
  selcompesa: '/selcompesa/namelookup',
  qwiksend: '/qwiksend/lookup/',
}

/** Makes the functions that pay out. */
export function createPayouts(client: Client, options: PayoutsOptions): Payouts {
  const { float, timeout_ms, reading } = options
  // Heard again by whoever repeats a reference, unless the answer itself says that it may be sent again.
  const once = createOnce<PayoutAnswer>(({ kind }) => kind !== 'not_sent' && kind !== 'blocked')
  const newTransactionId = (prefix: string) => prefix + randomBase62(options.random, 24).toUpperCase()

  const send = async (request: PayoutRequest): Promise<PayoutAnswer> => {
    // Without an account to pay from nothing is sent; it waits for the day on which there is one.
    if (float === null) return { kind: 'not_sent', provider_status: null }
    const route = routeTo(request.method, request.destination_code)
    if (route === null) return { kind: 'declined', reason: 'unknown_recipient', provider_status: null }
    const fields = fieldsOf(request, route, float, options)
    // Nothing was declined: an operator finds out what is wrong with it.
    if (fields === null) return { kind: 'blocked', provider_status: null, told: UNFIT }
    const { reference } = request
    const verdict = await client.act('payouts', { path: SEND_PATHS[route.rail], fields, reference, timeout_ms })
    return withWords(payoutSent(verdict, request, reading), verdict)
  }

  const ask = async (request: PayoutRequest): Promise<PayoutAnswer> => {
    const { reference, method } = request
    const fields: SignedFields = [['transid', reference]]
    const verdict = await client.ask({ path: QUERY_PATHS[RAILS[method]], fields, reference, timeout_ms })
    return withWords(payoutStatus(verdict, request, reading), verdict)
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

const UNFIT = 'not sent: its amount is not in whole shillings, or the name on the account is missing'

/** The answer with what the gateway itself wrote, where something went wrong. */
function withWords(answer: PayoutAnswer, { envelope, ...verdict }: Verdict): PayoutAnswer {
  if (answer.kind !== 'blocked' && answer.kind !== 'declined' && answer.kind !== 'unknown') return answer
  if (envelope !== null) return { ...answer, told: `${wordOf(envelope)}: ${envelope.message}` }
  return 'status' in verdict && verdict.status !== null ? { ...answer, told: `HTTP ${verdict.status}` } : answer
}

function nameFields({ rail, code }: Route, account: string, transid: string): SignedFields {
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

/** The body of a payout, or null when the gateway cannot take it. */
function fieldsOf(
  request: PayoutRequest,
  { rail, code }: Route,
  { vendor, pin }: Float,
  { sender, selcom_pesa_code }: PayoutsOptions,
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
      // A bank compares the name with its own: one that nobody gave is not made up.
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

/** A text on one line, without what JSON and signature could spell differently. */
function lineOf(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
}
