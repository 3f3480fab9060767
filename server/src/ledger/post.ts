// Postings: the named business facts that move money, and the one statement that writes a set of them.

import { type Deps, inputRows, sql, type Tx } from '../db/index.ts'
import { assertInvariant, CURRENCY, newId } from '../lib/index.ts'
import type { AccountCode } from './book.ts'

/** What each fact moves. Leg 0 is the amount, leg 1 our fee. Nothing else moves money. */
const FACTS = {
  // A payer's money arrived: the provider owes it to us, we owe it to the merchant, less our fee.
  collection_settled: { amount: ['provider_float', 'available'], fee: ['available', 'fee_income'] },
  // It arrived, but someone must look at it first.
  collection_held: { amount: ['provider_float', 'held'], fee: null },
  // The provider took it back from us after it was settled. Only this may leave available below zero.
  collection_reversed: { amount: ['available', 'provider_float'], fee: ['fee_income', 'available'] },
  // The provider took it back while it was still under review.
  collection_held_reversed: { amount: ['held', 'provider_float'], fee: null },
} as const satisfies Record<
  string,
  { amount: readonly [AccountCode, AccountCode]; fee: readonly [AccountCode, AccountCode] | null }
>

/** The name of a business fact that moves money. */
export type Fact = keyof typeof FACTS

/** One business fact about one source, with its amounts in cents. `fee_minor` is zero where the fact takes none. */
export type Posting = {
  merchant_id: string
  routing_code: number
  environment: string
  fact: Fact
  source_type: 'collection'
  source_id: string
  amount_minor: bigint
  fee_minor: bigint
}

/** Makes a posting, checking that its amounts can be. */
export function postingOf(posting: Posting): Posting {
  assertInvariant(posting.amount_minor > 0n, `${posting.fact} moves ${posting.amount_minor}`)
  assertInvariant(posting.fee_minor >= 0n && posting.fee_minor < posting.amount_minor, `fee of ${posting.fact}`)
  assertInvariant(posting.fee_minor === 0n || FACTS[posting.fact].fee !== null, `${posting.fact} takes no fee`)
  return posting
}

type Leg = {
  posting: Posting
  leg: number
  debit: AccountCode
  credit: AccountCode
  amount: bigint
}

/** What this set does to one account: the sum, the number of movements, and the running values after each of them. */
type Change = {
  place: number
  merchant_id: string
  environment: string
  code: AccountCode
  delta: bigint
  moves: number
}

// The accounts are locked in one order (merchant, environment, code), so that two sets never deadlock. What an account
// held right after a movement = what it held before the set (base) + the set's running sum up to that movement.
const POST = sql(
  'ledger_post',
  `with change as materialized (
     select * from ${inputRows('$1', 'merchant_id', 'place int, merchant_id uuid, environment text, code text, delta bigint, moves int')} x
   ), locked as materialized (
     select a.code from change c
     join ledger_accounts a on a.merchant_id = c.merchant_id and a.environment = c.environment
       and a.currency = $3 and a.code = c.code
     order by a.merchant_id, a.environment, a.code
     for update of a
   ), account as (
     update ledger_accounts a set balance_minor = a.balance_minor + c.delta, version = a.version + c.moves
     from change c
     where (select count(*) from locked) > 0
       and a.merchant_id = c.merchant_id and a.environment = c.environment and a.currency = $3 and a.code = c.code
     returning c.place, a.balance_minor - c.delta as base, a.version - c.moves as base_version
   ), before as materialized (
     select count(*)::int as accounts, array_agg(base order by place) as base,
       array_agg(base_version order by place) as base_version
     from account
   ), written as (
     insert into ledger_transfers (merchant_id, id, environment, currency, debit_code, credit_code, amount_minor, posting,
       leg, source_type, source_id, debit_balance_minor, debit_version, credit_balance_minor, credit_version, created_at)
     select l.merchant_id, l.id, l.environment, $3, l.debit, l.credit, l.amount, l.posting, l.leg, l.source_type, l.source_id,
       b.base[l.debit_place] + l.debit_sum, b.base_version[l.debit_place] + l.debit_move,
       b.base[l.credit_place] + l.credit_sum, b.base_version[l.credit_place] + l.credit_move, l.at
     from before b, json_to_recordset($2::json) as l(
       merchant_id uuid, id uuid, environment text, debit text, credit text, amount bigint, posting text, leg smallint,
       source_type text, source_id uuid, debit_place int, debit_sum bigint, debit_move int,
       credit_place int, credit_sum bigint, credit_move int, at timestamptz)
     returning 1
   )
   select (select accounts from before) as accounts, (select count(*)::int from written) as written`,
)

/**
 * Writes a set of postings: the transfers and the balances they make, in one statement. A fact that was already
 * posted for its source breaks the unique key, and the whole set with it: money moves once. Throws as well when a
 * book is missing, or when held or reserved would go below zero.
 */
export async function postTransfers(deps: Deps, tx: Tx, postings: readonly Posting[]): Promise<void> {
  if (postings.length === 0) return
  const legs = postings.flatMap(legsOf)
  const changes = new Map<string, Change>()
  const at = deps.clock.now()
  const rows = legs.map(({ posting, leg, debit, credit, amount }) => {
    const debited = move(changes, posting, debit, -amount)
    const credited = move(changes, posting, credit, amount)
    return {
      merchant_id: posting.merchant_id,
      id: newId(deps, posting.routing_code),
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
      at,
    }
  })
  const change = [...changes.values()].map((entry) => ({ ...entry, delta: entry.delta.toString() }))
  const [result] = await tx.query<{ accounts: number; written: number }>(POST, [
    JSON.stringify(change),
    JSON.stringify(rows),
    CURRENCY,
  ])
  assertInvariant(result?.accounts === change.length, `${change.length} accounts were due, ${result?.accounts} exist`)
  assertInvariant(result.written === rows.length, `${rows.length} transfers were due, ${result.written} were written`)
}

function legsOf(posting: Posting): Leg[] {
  const fact = FACTS[posting.fact]
  const legs: Leg[] = [{ posting, leg: 0, debit: fact.amount[0], credit: fact.amount[1], amount: posting.amount_minor }]
  if (posting.fee_minor > 0n && fact.fee) {
    legs.push({ posting, leg: 1, debit: fact.fee[0], credit: fact.fee[1], amount: posting.fee_minor })
  }
  return legs
}

function move(changes: Map<string, Change>, posting: Posting, code: AccountCode, delta: bigint) {
  const key = `${posting.merchant_id} ${posting.environment} ${code}`
  let change = changes.get(key)
  if (!change) {
    const place = changes.size + 1
    change = { place, merchant_id: posting.merchant_id, environment: posting.environment, code, delta: 0n, moves: 0 }
    changes.set(key, change)
  }
  change.delta += delta
  change.moves += 1
  return { place: change.place, sum: change.delta.toString(), move: change.moves }
}
