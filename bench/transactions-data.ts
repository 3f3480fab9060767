// Fills a merchant with any number of transactions by SQL, for the benchmark. The rows are the same as those that the ledger
// writes.

import { newId, systemRandom } from '../server/src/kernel/lib/index.ts'
import { type BenchMerchant, query } from './world.ts'

/** The number of newest payments with a record, for the first pages. A sample of the older payments has records too. */
const NEWEST = 1_000
const SAMPLE = 1_000
const CHUNK = 500_000

const AMOUNT = 100_000
/** The fee of every tenth payment, in cents. */
const FEE = 2_500

// Payment i makes one movement, and each tenth payment also a movement for the fee. So balances and versions follow from i.
// Parameters: merchant, first and last payment of the chunk, time of payment 0, ms between two payments, and two parts of an
// id.
const ONE = `
  select i, i / 10 as fees, (i - 1) / 10 as fees_before, to_timestamp(ms / 1000.0) as at,
    head || '-8000-' || tail as id, head || '-8001-' || tail as fee_id, head || '-8002-' || tail as source_id
  from (
    select i, ms, left(hex, 8) || '-' || right(hex, 4) as head, $6 || '-' || $7 || lpad(to_hex(i), 7, '0') as tail
    from (
      select i, ms, lpad(to_hex(ms), 12, '0') as hex
      from (select i, ($4::float8 + i * $5::float8)::bigint as ms from generate_series($2::bigint, $3::bigint) i) a
    ) b
  ) c`

const TRANSFERS = `
  with one as (${ONE})
  insert into ledger_transfers (merchant_id, id, environment, currency, debit_code, credit_code, amount_minor, posting, leg,
    source_type, source_id, debit_balance_minor, debit_version, credit_balance_minor, credit_version, sequence,
    created_at)
  select $1, l.id::uuid, 'live', 'TZS', l.debit, l.credit, l.amount, 'collection_settled', l.leg, 'collection',
    one.source_id::uuid, l.debit_balance, l.debit_version, l.credit_balance, l.credit_version,
    case when l.leg = 0 then i end, one.at
  from one cross join lateral (
    values (0, one.id, 'provider_float', 'available', ${AMOUNT}, -${AMOUNT} * i, i,
        ${AMOUNT} * i - ${FEE} * fees_before, i + fees_before),
      (1, one.fee_id, 'available', 'fee_income', ${FEE}, ${AMOUNT} * i - ${FEE} * fees, i + fees, ${FEE} * fees, fees)
  ) l(leg, id, debit, credit, amount, debit_balance, debit_version, credit_balance, credit_version)
  where l.leg = 0 or i % 10 = 0
  order by i, l.leg`

const COLLECTIONS = `
  with one as (${ONE})
  insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor, currency,
    fee_minor, amount_received_minor, customer_phone, reference, description, created_at, updated_at)
  select $1, source_id::uuid, 'live', 'live', 'successful', 1, 'wallet_push', ${AMOUNT}, 'TZS',
    case when i % 10 = 0 then ${FEE} else 0 end, ${AMOUNT}, '255754123400', 'ORDER-' || i,
    case when i % $9 = 0 then 'sample' end, at, at
  from one where i > $8 or i % $9 = 0`

const BALANCES = `
  update ledger_accounts a set balance_minor = b.balance, version = b.version,
    sequence = case when a.code = 'available' then $2 else 0 end, booked_at = case when a.code = 'available' then $3::timestamptz end
  from (values ('provider_float', -${AMOUNT} * $2::bigint, $2), ('fee_income', ${FEE} * ($2 / 10), $2 / 10),
    ('available', ${AMOUNT} * $2 - ${FEE} * ($2 / 10), $2 + $2 / 10)) b(code, balance, version)
  where a.merchant_id = $1 and a.environment = 'live' and a.code = b.code`

/** Writes `count` payments. Their times start at `begin` and cover `length`, both in milliseconds. */
export async function fillTransactions(
  url: string,
  merchant: BenchMerchant,
  count: number,
  time: { begin: number; length: number },
): Promise<void> {
  const clock = { now: () => new Date(time.begin), after: () => () => {} }
  const id = newId({ clock, random: systemRandom() }, merchant.routing_code)
  const routing = [id.slice(19, 23), id.slice(24, 29)]
  for (let from = 1; from <= count; from += CHUNK) {
    const to = Math.min(from + CHUNK - 1, count)
    const chunk = [merchant.id, from, to, time.begin, time.length / count, ...routing]
    await query(url, TRANSFERS, chunk)
    await query(url, COLLECTIONS, [...chunk, count - NEWEST, Math.max(1, Math.floor(count / SAMPLE))])
  }
  await query(url, BALANCES, [merchant.id, count, new Date(time.begin + time.length)])
  // After an import, autovacuum would run this command some time later.
  for (const table of ['ledger_transfers', 'collections']) await query(url, `vacuum (analyze) ${table}`)
}

/** Returns ids of transactions over the whole period, in random order. Their payments have a record. */
export async function sampleOf(url: string, merchant: BenchMerchant): Promise<string[]> {
  const rows = await query<{ id: string }>(
    url,
    `select t.id from collections c
     join ledger_transfers t on t.merchant_id = c.merchant_id and t.source_id = c.id and t.leg = 0
     where c.merchant_id = $1 and c.description = 'sample' order by md5(c.id::text)`,
    [merchant.id],
  )
  return rows.map(({ id }) => id)
}
