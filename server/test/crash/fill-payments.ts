// Fills merchants with successful payments by SQL, as the server writes them, so that `verify` accepts the result. Each payment
// has its attempt, history, transfers, delivery and delivery attempt.

import pg from 'pg'
import { newId, systemRandom } from '../../src/kernel/lib/index.ts'
import type { Shop } from './rig.ts'

const AMOUNT = 100_000
const FEE = 1_500
const NET = AMOUNT - FEE
const CHUNK = 50_000

// Payment i of a merchant makes two transfers, so balances and versions follow from i. Parameters: merchant, first and last payment,
// time of payment 0 in ms, ms between two payments, two parts of an id, and the merchant's code.
const FILL = `
  with one as materialized (
    select i, to_timestamp(ms / 1000.0) as at, (head || '-8000-' || tail)::uuid as id, (head || '-8001-' || tail)::uuid as fee_id,
      (head || '-8002-' || tail)::uuid as payment_id, (head || '-8003-' || tail)::uuid as delivery_id,
      '25575' || lpad((i * 7919 % 10000000)::text, 7, '0') as phone
    from (
      select i, ms, left(hex, 8) || '-' || right(hex, 4) as head, $6 || '-' || $7 || lpad(to_hex(i), 7, '0') as tail
      from (
        select i, ms, lpad(to_hex(ms), 12, '0') as hex
        from (select i, ($4::float8 + i * $5::float8)::bigint as ms from generate_series($2::bigint, $3::bigint) i) a
      ) b
    ) c
  ), collection as (
    insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor, currency,
      fee_minor, amount_received_minor, customer_phone, reference, attempts, settled_attempt, created_at, updated_at)
    select $1, payment_id, 'live', 'live', 'successful', 1, 'wallet_push', ${AMOUNT}, 'TZS', ${FEE}, ${AMOUNT}, phone,
      'ORDER-' || i, 1, 1, at, at from one
  ), attempt as (
    insert into collection_attempts (merchant_id, collection_id, number, environment, provider, provider_reference, method, phone,
      amount_minor, currency, state, asks, deadline_at, sent_at, provider_status, provider_id, created_at, updated_at)
    select $1, payment_id, 1, 'live', 'selcom', 'F' || replace(payment_id::text, '-', ''), 'wallet_push', phone, ${AMOUNT}, 'TZS',
      'final', 1, at + interval '72 hours', at, 'COMPLETED', i::text, at, at from one
  ), history as (
    insert into collection_history (merchant_id, collection_id, seq, from_status, to_status, actor, event, at)
    select $1, payment_id, 1, 'processing', 'successful', 'provider', 'collection.success', at from one
  ), transfer as (
    insert into ledger_transfers (merchant_id, id, environment, currency, debit_code, credit_code, amount_minor, posting, leg,
      source_type, source_id, debit_balance_minor, debit_version, credit_balance_minor, credit_version, sequence, created_at)
    select $1, l.id, 'live', 'TZS', l.debit, l.credit, l.amount, 'collection_settled', l.leg, 'collection', payment_id,
      l.debit_balance, l.debit_version, l.credit_balance, l.credit_version, case when l.leg = 0 then i end, at
    from one cross join lateral (
      values (0, one.id, 'provider_float', 'available', ${AMOUNT}, -${AMOUNT} * i, i, ${NET} * (i - 1) + ${AMOUNT}, 2 * i - 1),
        (1, fee_id, 'available', 'fee_income', ${FEE}, ${NET} * i, 2 * i, ${FEE} * i, i)
    ) l(leg, id, debit, credit, amount, debit_balance, debit_version, credit_balance, credit_version)
  ), delivery as (
    insert into webhook_deliveries (merchant_id, id, environment, event, source_type, source_id, source_seq, body, status, attempts,
      created_at, updated_at)
    select $1, delivery_id, 'live', 'collection.success', 'collection', payment_id, 1, json_build_object('event',
        'collection.success', 'merchant_code', $8::text, 'collection_id', payment_id, 'reference', 'ORDER-' || i, 'amount',
        '1000.00', 'currency', 'TZS', 'status', 'successful', 'method', 'wallet_push', 'customer_phone', phone,
        'completed_at', at)::text, 'delivered', 1, at, at from one
  )
  insert into webhook_attempts (merchant_id, delivery_id, number, at, duration_ms, status_code)
  select $1, delivery_id, 1, at, 20, 200 from one`

const BALANCES = `
  update ledger_accounts a set balance_minor = b.balance, version = b.version,
    sequence = case when a.code = 'available' then $2 else 0 end,
    booked_at = case when a.code = 'available' then (
      select created_at from ledger_transfers where merchant_id = $1 and environment = 'live' and sequence = $2) end
  from (values ('provider_float', -${AMOUNT} * $2::bigint, $2), ('fee_income', ${FEE} * $2, $2),
    ('available', ${NET} * $2, 2 * $2)) b(code, balance, version)
  where a.merchant_id = $1 and a.environment = 'live' and a.code = b.code`

const TABLES = [
  'collections',
  'collection_attempts',
  'collection_history',
  'ledger_transfers',
  'webhook_deliveries',
  'webhook_attempts',
]

/** A merchant of the filled payments. `ids` are the two parts of an id that contain the merchant's routing code. */
export type FilledShop = { shop: Shop; ids: [string, string] }

/** Returns the merchants in the form that `fillPayments` needs. */
export function filledShops(shops: readonly Shop[]): FilledShop[] {
  return shops.map((shop) => {
    const clock = { now: () => new Date(), after: () => () => {} }
    const id = newId({ clock, random: systemRandom() }, shop.merchant.routing_code)
    return { shop, ids: [id.slice(19, 23), id.slice(24, 29)] }
  })
}

/**
 * Writes the payments `from` to `to` of each merchant, whose last payment so far is `from - 1`. Their times begin at `begin`, with
 * `step_ms` between two payments. No other process may book for these merchants before or meanwhile.
 */
export async function fillPayments(
  url: string,
  shops: readonly FilledShop[],
  { from, to, begin, step_ms }: { from: number; to: number; begin: number; step_ms: number },
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const { shop, ids } of shops) {
      const { id, merchant_code: code } = shop.merchant
      for (let first = from; first <= to; first += CHUNK)
        await client.query(FILL, [id, first, Math.min(first + CHUNK - 1, to), begin, step_ms, ...ids, code])
      await client.query(BALANCES, [id, to])
    }
    // Without this statement, autovacuum would do the same some time later.
    for (const table of TABLES) await client.query(`vacuum (analyze) ${table}`)
  } finally {
    await client.end()
  }
}
