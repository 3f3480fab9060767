// Implements payouts. Three rails with separate transids pay from one prepaid float. Payments of customers do not fill the
// float.

import type { Payout } from './book.ts'
import { digits, share } from './chance.ts'
import { duplicate } from './checkout.ts'
import { PAYEE_FATES, type PayeeFate, type Truth } from './fates.ts'
import { magicPayee } from './magic.ts'
import { type Reply, referenceOf, refusal, replyOfKind, success } from './reply.ts'
import type { Run, Twin } from './twin.ts'

/** The rails of payouts, by their names in the paths of the gateway. Each rail has separate transids. */
export const RAILS = ['walletcashin', 'selcompesa', 'qwiksend'] as const
/** `walletcashin` pays to mobile wallets, `selcompesa` to Selcom Pesa, and `qwiksend` to bank accounts. */
export type Rail = (typeof RAILS)[number]

const WALLETS = ['VMCASHIN', 'AMCASHIN', 'TPCASHIN', 'EZCASHIN', 'HPCASHIN', 'TTCASHIN', 'CASHIN']
const BANKS = new Set(
  `ABSA SPSCASHIN AKIBA AMANABANK AZANIA BANCABC BOA BANKOFBARODA BANKOFINDIA CHINADASHENG CITIBANK CRDBBANK DCBBANK DTB
  ECOBANK EQUITYBANK EXIMBANK FINCA GTBANK HABIBBANK IMBANK ICB KCB KILIMANJARO LETSHEGO MAENDELEO MKOMBOZI MWALIMU MWANGA
  NMB NBC NCBA PBZ STANBIC TCB UCHUMI UBA`.split(/\s+/),
)
const WALLET_NUMBER = /^\d{10,12}$/
const PESA_NUMBER = /^\d{5,20}$/
const NAMES = ['ASHA JUMA', 'BARAKA MUSHI', 'NEEMA JOHN', 'HAMISI OMARI']

/** Returns the account of a payout request, from the field that its rail uses. */
export function accountOf(fields: Record<string, string>): string {
  return fields.utilityref ?? fields.recipientAccount ?? fields.account ?? ''
}

/**
 * Makes the function that accepts a payout, or refuses the payout before any money moves. A caller can use a refused transid
 * again.
 */
export function processOn(rail: Rail): Run {
  return (twin, fields) => {
    const { transid = '', amount = '' } = fields
    const known = twin.book.payouts.get(`${rail} ${transid}`)
    if (known) known.requests++
    const wrong = wrongVendor(twin, fields)
    if (wrong) return wrong
    if (known) {
      return duplicate(twin, twin.settings.duplicate_transid, transid, known.said, () => execute(twin, known))
    }
    const refused = wrongDestination(rail, codeOf(rail, fields), accountOf(fields)) ?? wrongAmount(twin, BigInt(amount))
    if (refused) return refused
    const payout: Payout = {
      rail,
      transid,
      code: codeOf(rail, fields),
      account: accountOf(fields),
      name: fields.recipientName ?? null,
      amount: BigInt(amount),
      fate: twin.faults.payee(transid, accountOf(fields)),
      truth: 'pending',
      says: 'pending',
      executions: 0,
      returns: 0,
      held: 0,
      by_hand: false,
      requests: 1,
      queries: 0,
      at: twin.clock.now(),
      said: null,
    }
    twin.book.payouts.set(`${rail} ${transid}`, payout)
    payout.said = execute(twin, payout)
    return payout.said
  }
}

/** Starts to move the money of a payout. Each call moves the amount again. */
function execute(twin: Twin, payout: Payout): Reply {
  const { float } = twin.book
  const fate: PayeeFate = PAYEE_FATES[payout.fate]
  // The state of the money of this execution. If a repeated request pays again, the second execution has a separate state.
  let mine: Truth | null = null
  const move = (truth: Truth): void => {
    const was_out = mine === 'pending' || mine === 'paid'
    const is_out = truth === 'pending' || truth === 'paid'
    if (is_out !== was_out) float.now += is_out ? -payout.amount : payout.amount
    if (mine === 'pending') payout.held--
    if (truth === 'pending') payout.held++
    if (truth === 'paid' && mine !== 'paid') payout.executions++
    if (truth === 'returned') payout.returns++
    mine = truth
  }
  const enter = (index: number): void => {
    const moment = fate.moments[index]
    if (moment === undefined || payout.by_hand) return
    move(moment.truth)
    payout.truth = moment.truth
    payout.says = moment.query
    if (index + 1 < fate.moments.length) twin.clock.after(twin.settings.settle_after_ms, () => enter(index + 1))
  }
  enter(0)
  const reply = replyOfKind(twin.settings, fate.process, payout.transid, payout.rail)
  return { ...reply, envelope: { transid: payout.transid, ...reply.envelope } }
}

/** Decides a pending payout, as the staff of the gateway would. If the payout is not pending, returns false. */
export function settleByHand(twin: Twin, payout: Payout, paid: boolean): boolean {
  if (payout.truth !== 'pending' || payout.by_hand) return false
  payout.by_hand = true
  if (paid) payout.executions += payout.held
  else twin.book.float.now += payout.amount * BigInt(payout.held)
  payout.held = 0
  payout.truth = paid ? 'paid' : 'failed'
  payout.says = paid ? 'success' : 'fail'
  return true
}

/** Makes the function that answers a query of a payout of this rail. */
export function queryOn(rail: Rail): Run {
  return (twin, { transid = '' }) => {
    const payout = twin.book.payouts.get(`${rail} ${transid}`)
    if (!payout) return unknownTransid(twin, transid)
    payout.queries++
    const { http, envelope } = replyOfKind(twin.settings, payout.says, transid, rail)
    const data = payout.says === 'success' ? [{ receipt: digits(10, 'receipt', rail, transid) }] : []
    return { http, envelope: { messageId: transid, ...envelope, data } }
  }
}

/** The answers that a gateway may give about an unknown transid, or about a query that the gateway could not process. */
const UNKNOWN_TRANSID: readonly (readonly [resultcode: string, message: string])[] = [
  ['400', 'Transaction does not exist'],
  ['400', 'No record'],
  ['400', 'Transaction failed to load'],
  ['400', ''],
  ['401', 'Signature verification failed'],
  ['403', 'Invalid timestamp'],
  ['404', 'Transaction not found'],
  ['429', 'Too many requests'],
  ['500', 'System error, try again later'],
  ['651', 'Invalid transid'],
  ['777', 'Transaction timed out'],
  ['999', 'Unknown transaction'],
]

function unknownTransid(twin: Twin, transid: string): Reply {
  const { unknown_transid } = twin.settings
  if (unknown_transid === 'mixed') {
    const [resultcode, message] = UNKNOWN_TRANSID[Math.floor(share('unknown', transid) * UNKNOWN_TRANSID.length)] ?? [
      '',
      '',
    ]
    const { envelope, ...reply } = refusal('unknown_transid', 200, resultcode, message)
    // Some answers repeat the ids of the query.
    return { ...reply, envelope: share('echo', transid) < 0.5 ? { messageId: transid, ...envelope } : envelope }
  }
  if (unknown_transid === 'fail') return refusal('unknown_transid', 200, '404', 'Transaction not found')
  const reply = replyOfKind(twin.settings, 'ambiguous', transid, 'unknown')
  return { ...reply, envelope: { messageId: transid, ...reply.envelope } }
}

/**
 * Makes the function that returns the name of an account. Afterwards, the caller can use the transid of the look-up for the
 * payout.
 */
export function lookupOn(rail: Rail): Run {
  return (twin, fields) => {
    const { transid = '' } = fields
    const account = accountOf(fields)
    const wrong = wrongDestination(rail, fields.utilitycode ?? fields.bank ?? 'SPSCASHIN', account)
    if (wrong) return wrong
    if (magicPayee(account)?.payee === 'unknown_recipient')
      return replyOfKind(twin.settings, 'recipient', transid, rail)
    const name = NAMES[Math.floor(share('name', account) * NAMES.length)] ?? ''
    return success(referenceOf('lookup', rail, transid), 'Name fetch successful', [{ name }])
  }
}

/** Answers with the amount of the float. */
export const floatBalance: Run = (twin, fields) => {
  const balance = String(twin.book.float.now)
  return (
    wrongVendor(twin, fields) ??
    success(referenceOf('balance', fields.transid ?? ''), 'Balance fetch successful', [{ balance }])
  )
}

function codeOf(rail: Rail, fields: Record<string, string>): string {
  if (rail === 'selcompesa') return 'SPSCASHIN'
  return (rail === 'qwiksend' ? fields.recipientFiCode : fields.utilitycode) ?? ''
}

/**
 * Refuses a wrong vendor and a wrong PIN with the same answer, so that a caller cannot guess a PIN. If both are right, returns
 * null.
 */
function wrongVendor(twin: Twin, fields: Record<string, string>): Reply | null {
  const { float_vendor, pin } = twin.account
  if (fields.vendor === float_vendor && fields.pin === pin) return null
  return refusal('vendor', 200, '651', 'Invalid vendor or PIN')
}

function wrongDestination(rail: Rail, code: string, account: string): Reply | null {
  const is_known = rail === 'walletcashin' ? WALLETS.includes(code) : rail === 'selcompesa' || BANKS.has(code)
  if (!is_known) return refusal('destination', 200, '612', 'Destination FI not found')
  const number = rail === 'walletcashin' ? WALLET_NUMBER : rail === 'selcompesa' ? PESA_NUMBER : null
  if (number === null || number.test(account)) return null
  return refusal('destination', 200, '010', 'Invalid mobile number or operator not supported')
}

function wrongAmount(twin: Twin, amount: bigint): Reply | null {
  const { minimum_payout } = twin.settings
  if (amount < BigInt(minimum_payout)) {
    const least = minimum_payout.toLocaleString('en')
    return refusal('minimum', 200, '013', `Payment amount must be greater than or equal to TZS ${least}.`)
  }
  if (amount <= twin.book.float.now) return null
  return refusal('float', 200, '990', 'Insufficient account balance to complete transaction')
}
