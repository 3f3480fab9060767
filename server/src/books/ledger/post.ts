// Writes postings, the business facts that move money, in batches of one statement.

import { type Deps, inputRows, sql, type Tx } from '../../kernel/db/index.ts'
import { assertInvariant, CURRENCY, newId } from '../../kernel/lib/index.ts'
import type { AccountCode } from './book.ts'

type AccountPair = readonly [debit: AccountCode, credit: AccountCode]

/**
 * The debit and credit accounts of each fact. Leg 0 is the amount, leg 1 the fee, leg 2 the charge of the provider. The
 * merchant or the platform bears the charge. The database stores these leg numbers, so no version may change them.
 */
export const FACTS = {
  // The payer paid. The provider owes the amount to the platform, and the platform owes the amount less the fee to the
  // merchant.
  collection_settled: { amount: ['provider_float', 'available'], fee: ['available', 'fee_income'] },
  // The payer paid, but an operator must review the payment first.
  collection_held: { amount: ['provider_float', 'held'] },
  // An operator cleared the held payment, so the merchant gets the amount less the fee.
  collection_cleared: { amount: ['held', 'available'], fee: ['available', 'fee_income'] },
  // An operator declined the held payment, so the money goes back to the payer.
  collection_declined: { amount: ['held', 'provider_float'] },
  // The provider reversed a settled payment. Only this fact may take `available` below zero.
  collection_reversed: { amount: ['available', 'provider_float'], fee: ['fee_income', 'available'] },
  // The provider reversed a payment that was still under review.
  collection_held_reversed: { amount: ['held', 'provider_float'] },
  // An operator approved a withdrawal, so the ledger reserves the amount with fee and charge.
  withdrawal_reserved: { amount: ['available', 'reserved'] },
  // The provider paid the withdrawal.
  withdrawal_paid: {
    amount: ['reserved', 'provider_float'],
    fee: ['reserved', 'fee_income'],
    charge: { merchant: ['reserved', 'provider_float'], platform: ['processor_cost', 'provider_float'] },
  },
  // The provider did not pay the withdrawal, or an operator recalled it. The reserved amount becomes available again.
  withdrawal_released: { amount: ['reserved', 'available'] },
  // The provider paid the withdrawal after the ledger had released the reservation.
  withdrawal_paid_late: {
    amount: ['available', 'provider_float'],
    fee: ['available', 'fee_income'],
    charge: { merchant: ['available', 'provider_float'], platform: ['processor_cost', 'provider_float'] },
  },
  // The money of a paid withdrawal came back.
  withdrawal_reversed: {
    amount: ['provider_float', 'available'],
    fee: ['fee_income', 'available'],
    charge: { merchant: ['provider_float', 'available'], platform: ['provider_float', 'processor_cost'] },
  },
  // An operator corrected the available balance. The last word of the fact names the other account: provider_float, fee_income
  // or processor_cost.
  adjustment_credited_float: { amount: ['provider_float', 'available'] },
  adjustment_credited_fee: { amount: ['fee_income', 'available'] },
  adjustment_credited_cost: { amount: ['processor_cost', 'available'] },
  adjustment_debited_float: { amount: ['available', 'provider_float'] },
  adjustment_debited_fee: { amount: ['available', 'fee_income'] },
  adjustment_debited_cost: { amount: ['available', 'processor_cost'] },
} as const satisfies Record<
  string,
  { amount: AccountPair; fee?: AccountPair; charge?: { merchant: AccountPair; platform: AccountPair } }
>

/** The name of a business fact that moves money. */
export type Fact = keyof typeof FACTS

type FactAccounts = {
  amount: AccountPair
  fee?: AccountPair
  charge?: { merchant: AccountPair; platform: AccountPair }
}

/** The kind of record whose money a posting moves. */
export type SourceType = 'collection' | 'withdrawal' | 'adjustment'

/**
 * A business fact about one record, with its amounts in cents. If the fact has no fee or charge, `fee_minor` or `charge_minor`
 * is zero. `transfer_id` sets the id of leg 0, so that another row can refer to this leg.
 */
export type Posting = {
  merchant_id: string
  routing_code: number
  environment: string
  fact: Fact
  source_type: SourceType
  source_id: string
  amount_minor: bigint
  fee_minor: bigint
  charge_minor?: bigint
  charge_borne_by?: 'merchant' | 'platform'
  transfer_id?: string
}

/** Returns the same posting after a check of its amounts. If the fact does not allow these amounts, throws. */
export function postingOf(posting: Posting): Posting {
  const { fact, source_type, amount_minor, fee_minor, charge_minor = 0n } = posting
  const moves: FactAccounts = FACTS[fact]
  assertInvariant(fact.startsWith(source_type), `${fact} of a ${source_type}`)
  assertInvariant(amount_minor > 0n, `${fact} moves ${amount_minor}`)
  assertInvariant(fee_minor >= 0n && charge_minor >= 0n, `fee and charge of ${fact}`)
  assertInvariant(source_type !== 'collection' || fee_minor < amount_minor, `fee of ${fact}`)
  assertInvariant(fee_minor === 0n || moves.fee !== undefined, `${fact} takes no fee`)
  assertInvariant(charge_minor === 0n || moves.charge !== undefined, `${fact} takes no charge`)
  return posting
}

type Leg = {
  posting: Posting
  leg: number
  debit: AccountCode
  credit: AccountCode
  amount: bigint
}

/**
 * The change of one account by a batch: the sum in cents and the number of legs. For `available`, also the number of bookings.
 */
type AccountChange = {
  place: number
  merchant_id: string
  environment: string
  code: AccountCode
  delta: bigint
  moves: number
  bookings: number
}

// The statement locks accounts in one order (merchant, environment, code), so two batches never deadlock. The balance after a
// leg is the old balance plus the running sum. Because of the locks, sequences have no gap and dates never decrease.
const POST = sql(
  'ledger_post',
  `with change as materialized (
     select * from ${inputRows('$1', 'merchant_id', 'place int, merchant_id uuid, environment text, code text, delta bigint, moves int, bookings int')} x
   ), locked as materialized (
     select a.code from change c
     join ledger_accounts a on a.merchant_id = c.merchant_id and a.environment = c.environment
       and a.currency = $3 and a.code = c.code
     order by a.merchant_id, a.environment, a.code
     for update of a
   ), account as (
     update ledger_accounts a set balance_minor = a.balance_minor + c.delta, version = a.version + c.moves,
       sequence = a.sequence + c.bookings,
       booked_at = case when c.bookings > 0 then greatest(a.booked_at, $4::timestamptz) else a.booked_at end
     from change c
     where (select count(*) from locked) > 0
       and a.merchant_id = c.merchant_id and a.environment = c.environment and a.currency = $3 and a.code = c.code
     returning c.place, a.balance_minor - c.delta as base, a.version - c.moves as base_version,
       a.sequence - c.bookings as base_sequence, a.booked_at
   ), before as materialized (
     select count(*)::int as accounts, array_agg(base order by place) as base,
       array_agg(base_version order by place) as base_version,
       array_agg(base_sequence order by place) as base_sequence, array_agg(booked_at order by place) as booked_at
     from account
   ), written as (
     insert into ledger_transfers (merchant_id, id, environment, currency, debit_code, credit_code, amount_minor, posting,
       leg, source_type, source_id, debit_balance_minor, debit_version, credit_balance_minor, credit_version, sequence,
       created_at)
     select l.merchant_id, l.id, l.environment, $3, l.debit, l.credit, l.amount, l.posting, l.leg, l.source_type, l.source_id,
       b.base[l.debit_place] + l.debit_sum, b.base_version[l.debit_place] + l.debit_move,
       b.base[l.credit_place] + l.credit_sum, b.base_version[l.credit_place] + l.credit_move,
       b.base_sequence[l.book_place] + l.booking, coalesce(b.booked_at[l.book_place], $4::timestamptz)
     from before b, json_to_recordset($2::json) as l(
       merchant_id uuid, id uuid, environment text, debit text, credit text, amount bigint, posting text, leg smallint,
       source_type text, source_id uuid, debit_place int, debit_sum bigint, debit_move int,
       credit_place int, credit_sum bigint, credit_move int, book_place int, booking int)
     returning posting, debit_code, debit_balance_minor, created_at
   )
   select (select accounts from before) as accounts, count(*)::int as written, max(created_at) as booked_at,
     count(*) filter (where debit_code = 'available' and debit_balance_minor < 0
       and (posting like 'withdrawal%' or posting like 'adjustment%'))::int as overdrawn
   from written`,
)

type PostingResult = { accounts: number; written: number; overdrawn: number; booked_at: Date }

/**
 * Writes a batch of postings in one statement. If a fact already has a posting, the unique key refuses the whole batch. If a
 * book is missing, a withdrawal or adjustment exceeds the available balance, or the held or reserved balance would be negative,
 * throws.
 */
export async function postTransfers(deps: Deps, tx: Tx, postings: readonly Posting[]): Promise<void> {
  if (postings.length === 0) return
  const legs = postings.flatMap(legsOf)
  const changes = new Map<string, AccountChange>()
  // If the posting is a booking, the place of its change of `available`. Null means that the posting is no booking. All legs of
  // a booking get the same date.
  let book_place: number | null = null
  const rows = legs.map(({ posting, leg, debit, credit, amount }) => {
    const debited = addToAccount(changes, posting, debit, -amount)
    const credited = addToAccount(changes, posting, credit, amount)
    let booking: number | null = null
    if (leg === 0) {
      const booked = debit === 'available' ? debited : credit === 'available' ? credited : null
      book_place = booked?.place ?? null
      booking = booked ? ++booked.change.bookings : null
    }
    return {
      merchant_id: posting.merchant_id,
      id: (leg === 0 && posting.transfer_id) || newId(deps, posting.routing_code),
      environment: posting.environment,
      debit,
      credit,
      amount: amount.toString(),
      posting: posting.fact,
      leg,
      source_type: posting.source_type,
      source_id: posting.source_id,
      debit_place: debited.place,
      debit_sum: debited.sum,
      debit_move: debited.move,
      credit_place: credited.place,
      credit_sum: credited.sum,
      credit_move: credited.move,
      book_place,
      booking,
    }
  })
  const at = deps.clock.now()
  const change = [...changes.values()].map((entry) => ({ ...entry, delta: entry.delta.toString() }))
  const [result] = await tx.query<PostingResult>(POST, [JSON.stringify(change), JSON.stringify(rows), CURRENCY, at])
  assertInvariant(
    result?.accounts === change.length,
    `the batch needs ${change.length} accounts, but only ${result?.accounts} of them exist`,
  )
  assertInvariant(
    result.written === rows.length,
    `the batch has ${rows.length} transfers, but the database wrote ${result.written}`,
  )
  assertInvariant(result.overdrawn === 0, `${result.overdrawn} withdrawals or adjustments exceed the available balance`)
  warnOfClock(deps, result.booked_at.getTime() - at.getTime())
}

/** If the clock is behind the last booking by more than this time in milliseconds, the process logs a warning. */
const BEHIND_WARNING_MS = 30_000
/** The shortest time between two such warnings, in milliseconds. */
const WARN_EVERY_MS = 60_000
const warned_at = new WeakMap<Deps, number>()

// If the last booking is much later than the clock, logs a warning: a clock of another process is ahead, or this clock is
// behind. New bookings get the date of the last booking until the clock reaches that date.
function warnOfClock(deps: Deps, behind_ms: number): void {
  const now = deps.clock.now().getTime()
  if (behind_ms < BEHIND_WARNING_MS || now - (warned_at.get(deps) ?? Number.NEGATIVE_INFINITY) < WARN_EVERY_MS) return
  warned_at.set(deps, now)
  deps.log.warn(
    { component: 'ledger', behind_ms },
    'the clock of this process is behind the last booking of a book: check the clocks of all machines',
  )
}

function legsOf(posting: Posting): Leg[] {
  const { amount_minor, fee_minor, charge_minor = 0n, charge_borne_by = 'platform' } = posting
  const moves: FactAccounts = FACTS[posting.fact]
  const charge = moves.charge?.[charge_borne_by]
  const legs = [legOf(posting, 0, moves.amount, amount_minor)]
  if (fee_minor > 0n && moves.fee) legs.push(legOf(posting, 1, moves.fee, fee_minor))
  if (charge_minor > 0n && charge) legs.push(legOf(posting, 2, charge, charge_minor))
  return legs
}

function legOf(posting: Posting, leg: number, [debit, credit]: AccountPair, amount: bigint): Leg {
  return { posting, leg, debit, credit, amount }
}

function addToAccount(changes: Map<string, AccountChange>, posting: Posting, code: AccountCode, delta: bigint) {
  const key = `${posting.merchant_id} ${posting.environment} ${code}`
  let change = changes.get(key)
  if (!change) {
    const place = changes.size + 1
    change = {
      place,
      merchant_id: posting.merchant_id,
      environment: posting.environment,
      code,
      delta: 0n,
      moves: 0,
      bookings: 0,
    }
    changes.set(key, change)
  }
  change.delta += delta
  change.moves += 1
  return { change, place: change.place, sum: change.delta.toString(), move: change.moves }
}
