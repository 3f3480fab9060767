// Reads the two sets of books that the storm compares: the executions of the provider's twin, and the records of the platform.
// Amounts are in cents.

import { type Verification, verify } from '../../src/apps/admin/verify.ts'
import { type Statement, sql } from '../../src/kernel/db/index.ts'
import type { OrderStatus, PayeeFateName, PayerFateName, Truth } from '../../twins/selcom/fates.ts'
import type { Order, Payment, Payout, Push, Simulator, Totals } from '../../twins/selcom/index.ts'
import type { Arrival } from '../crash/rig.ts'
import type { StatedRow } from '../statements.ts'
import type { RequestResult } from './clients.ts'
import type { StormRig } from './rig.ts'

/** A payment in the provider's book. */
export type TheirPayment = {
  reference: string
  amount_minor: bigint
  word: OrderStatus
  orders: number
  prompts: number
  /** The amounts that payers paid, one for each execution. */
  paid_minor: bigint[]
  /** The amounts that the provider returned to payers. */
  returned_minor: bigint[]
  fate: PayerFateName | null
}

/** A payout in the provider's book. */
export type TheirPayout = {
  reference: string
  amount_minor: bigint
  truth: Truth
  executions: number
  returns: number
  requests: number
  fate: PayeeFateName
}

/** A payment of the platform, with its attempt and its ledger transfers. */
export type OurPayment = {
  merchant_id: string
  id: string
  client_reference: string
  status: string
  failure: string | null
  amount_minor: bigint
  received_minor: bigint | null
  fee_minor: bigint
  reference: string
  attempts: number
  /**
   * The provider's last status, or the reason for which the platform sent no request. Null means that there is neither.
   */
  word: string | null
  waits: boolean
  /** The amount that reached the provider, by the ledger. */
  float_minor: bigint
  /** The part of the amount that the merchant got, by the ledger. */
  merchant_minor: bigint
  /** The number of times that the ledger credited the merchant. */
  credits: number
}

/** A withdrawal of the platform with the payout. */
export type OurPayout = {
  merchant_id: string
  id: string
  client_reference: string
  status: string
  amount_minor: bigint
  reserved_minor: bigint
  reference: string | null
  waits: boolean
  float_minor: bigint
  merchant_minor: bigint
}

/** A status change of a payment or payout, with the event that reports it. Null means that no event reports it. */
export type Move = {
  merchant_id: string
  source: string
  id: string
  seq: number
  to_status: string
  event: string | null
}

/** A stored webhook delivery of an event. */
export type Delivery = {
  merchant_id: string
  id: string
  event: string
  source_id: string
  source_seq: number
  body: string
  status: string
}

/** The records of provider, platform and merchants. */
export type Books = {
  results: readonly RequestResult[]
  funded: ReadonlyMap<string, bigint>
  their_payments: Map<string, TheirPayment>
  their_payouts: Map<string, TheirPayout>
  totals: Totals
  our_payments: OurPayment[]
  our_payouts: OurPayout[]
  /** The balances in the ledger of each merchant's money at the provider: of the float, and of the other accounts. */
  accounts: { merchant_id: string; code: string; balance_minor: bigint }[]
  adjusted: { merchant_id: string; float_minor: bigint }[]
  moves: Move[]
  deliveries: Delivery[]
  arrivals: readonly Arrival[]
  checks: Verification['checks']
}

// Sums the ledger's transfers by source. The money at the provider is the balance of the float, which debits increase.
const moved = (source: string) => `left join (
     select merchant_id, source_id, count(*) filter (where leg = 0 and posting in ('collection_settled', 'collection_held')) as credits,
       sum(case when credit_code = 'provider_float' then -amount_minor else 0 end
         + case when debit_code = 'provider_float' then amount_minor else 0 end) as float_minor,
       sum(case when credit_code in ('available', 'held', 'reserved') then amount_minor else 0 end
         - case when debit_code in ('available', 'held', 'reserved') then amount_minor else 0 end) as merchant_minor
     from ledger_transfers where source_type = '${source}' group by merchant_id, source_id
   ) t on t.merchant_id = w.merchant_id and t.source_id = w.id`

const OUR_PAYMENTS = sql(
  'storm_payments',
  `select w.merchant_id, w.id, w.reference as client_reference, w.status, w.failure_reason_code as failure, w.amount_minor,
     w.amount_received_minor as received_minor, w.fee_minor, a.reference, a.attempts, a.word, a.waits,
     coalesce(t.float_minor, 0)::bigint as float_minor, coalesce(t.merchant_minor, 0)::bigint as merchant_minor,
     coalesce(t.credits, 0)::int as credits
   from collections w
   left join lateral (
     select min(provider_reference) as reference, count(*)::int as attempts,
       max(provider_status) as word, bool_or(due_at is not null) as waits
     from collection_attempts where merchant_id = w.merchant_id and collection_id = w.id
   ) a on true
   ${moved('collection')}`,
)
const OUR_PAYOUTS = sql(
  'storm_payouts',
  `select w.merchant_id, w.id, w.reference as client_reference, w.status, w.amount_minor,
     w.total_reserved_minor as reserved_minor, w.provider_reference as reference,
     coalesce(p.due_at is not null, false) as waits,
     coalesce(t.float_minor, 0)::bigint as float_minor, coalesce(t.merchant_minor, 0)::bigint as merchant_minor
   from withdrawals w left join payouts p on p.merchant_id = w.merchant_id and p.withdrawal_id = w.id
   ${moved('withdrawal')}`,
)
const ACCOUNTS = sql(
  'storm_accounts',
  `select merchant_id, code, sum(balance_minor)::bigint as balance_minor from ledger_accounts
   where environment = 'live' group by merchant_id, code`,
)
const ADJUSTED = sql(
  'storm_adjusted',
  `select merchant_id, sum(case when debit_code = 'provider_float' then amount_minor else -amount_minor end)::bigint as float_minor
   from ledger_transfers
   where environment = 'live' and source_type not in ('collection', 'withdrawal') and 'provider_float' in (debit_code, credit_code)
   group by merchant_id`,
)
const MOVES = sql(
  'storm_moves',
  `select merchant_id, 'collection' as source, collection_id as id, seq, to_status, event from collection_history
   where from_status <> to_status
   union all select merchant_id, 'withdrawal', withdrawal_id, seq, to_status, event from withdrawal_history
   where from_status <> to_status`,
)
const DELIVERIES = sql(
  'storm_deliveries',
  'select merchant_id, id, event, source_id, source_seq, body, status from webhook_deliveries',
)

/** Reads the records of provider, platform and merchants. */
export async function readBooks(
  rig: StormRig,
  known: {
    results: readonly RequestResult[]
    funded: ReadonlyMap<string, bigint>
    fates: ReadonlyMap<string, PayerFateName>
  },
): Promise<Books> {
  const { simulator } = rig
  const ask = <T>(statement: Statement) => rig.db.query<T>(statement)
  return {
    results: known.results,
    funded: known.funded,
    ...theirBooks(simulator, known.fates),
    totals: simulator.totals(),
    our_payments: await ask<OurPayment>(OUR_PAYMENTS),
    our_payouts: await ask<OurPayout>(OUR_PAYOUTS),
    accounts: await ask<Books['accounts'][number]>(ACCOUNTS),
    adjusted: await ask<Books['adjusted'][number]>(ADJUSTED),
    moves: await ask<Move>(MOVES),
    deliveries: await ask<Delivery>(DELIVERIES),
    arrivals: [...rig.hooks.arrivals],
    checks: (await verify(rig.url)).checks,
  }
}

/** Returns all entries of a list of the twin. */
function all<T>(simulator: Simulator, name: Parameters<Simulator['list']>[0]): T[] {
  return simulator.list(name, 1, Number.MAX_SAFE_INTEGER).items as T[]
}

const cents = (shillings: bigint) => shillings * 100n

function theirBooks(simulator: Simulator, scans: ReadonlyMap<string, PayerFateName>) {
  const their_payments = new Map<string, TheirPayment>()
  for (const { order_id, amount, word, requests, prompts } of all<Order>(simulator, 'orders')) {
    their_payments.set(order_id, {
      reference: order_id,
      amount_minor: cents(amount),
      word,
      orders: requests,
      prompts,
      paid_minor: [],
      returned_minor: [],
      fate: scans.get(order_id) ?? null,
    })
  }
  for (const { order_id, fate } of all<Push>(simulator, 'pushes')) {
    const known = their_payments.get(order_id)
    if (known) known.fate = fate
  }
  for (const { order_id, amount, returned_at } of all<Payment>(simulator, 'payments')) {
    const known = their_payments.get(order_id)
    known?.paid_minor.push(cents(amount))
    if (returned_at !== null) known?.returned_minor.push(cents(amount))
  }
  const their_payouts = new Map<string, TheirPayout>()
  for (const { transid, amount, truth, executions, returns, requests, fate } of all<Payout>(simulator, 'payouts')) {
    // If the provider executed one reference by two methods of payout, both executions count.
    const other = their_payouts.get(transid)
    their_payouts.set(transid, {
      reference: transid,
      amount_minor: cents(amount),
      truth,
      executions: executions + (other?.executions ?? 0),
      returns: returns + (other?.returns ?? 0),
      requests: requests + (other?.requests ?? 0),
      fate,
    })
  }
  return { their_payments, their_payouts }
}

/** Returns the provider's statement of all its movements. */
export function statementOf(simulator: Simulator): StatedRow[] {
  const rows: StatedRow[] = []
  for (const { order_id, reference: provider_id, amount, at, returned_at } of all<Payment>(simulator, 'payments')) {
    const line = { reference: order_id, provider_id, amount_minor: cents(amount) }
    rows.push({ ...line, kind: 'payment', at })
    if (returned_at !== null) rows.push({ ...line, provider_id: `R${provider_id}`, kind: 'reversal', at: returned_at })
  }
  for (const { transid, amount, truth, at } of all<Payout>(simulator, 'payouts')) {
    const line = { reference: transid, amount_minor: cents(amount), at }
    if (truth === 'paid' || truth === 'returned') rows.push({ ...line, provider_id: `P${transid}`, kind: 'payout' })
    if (truth === 'returned') rows.push({ ...line, provider_id: `R${transid}`, kind: 'reversal' })
  }
  return rows
}

/** Returns the amount of a payment that remains at the provider. */
export function leftOf({ paid_minor, returned_minor }: TheirPayment): bigint {
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
  return sum(paid_minor) - sum(returned_minor)
}

/**
 * Returns the provider's decision about a payment. If an amount remains at the provider, the payment is paid, whatever its
 * status.
 */
export function decidedPayment(their: TheirPayment): 'paid' | 'unpaid' | 'undecided' {
  if (leftOf(their) > 0n) return 'paid'
  return their.word === 'PENDING' || their.word === 'INPROGRESS' ? 'undecided' : 'unpaid'
}

/** Returns the provider's decision about a payout. */
export function decidedPayout(their: TheirPayout): 'paid' | 'unpaid' | 'undecided' {
  if (their.truth === 'pending') return 'undecided'
  return their.truth === 'paid' ? 'paid' : 'unpaid'
}
