// Fills lists of a merchant by SQL, with any number of rows, for the benchmark of lists: collections, payment links, invoices,
// withdrawals and deliveries.

import { newId, systemRandom } from '../server/src/kernel/lib/index.ts'
import { type BenchMerchant, query } from './world.ts'

const CHUNK = 100_000

// The SQL of row i of each list. Parameters: merchant, first and last row of the chunk, time of row 0 in ms, ms between two
// rows, and two parts of an id. `hash` distributes statuses over all rows.
const ONE = `
  select i, to_timestamp(ms / 1000.0) as at, (i * 7919) % 100003 as hash, head || '-8000-' || tail as id,
    head || '-8001-' || tail as link_id
  from (
    select i, ms, left(hex, 8) || '-' || right(hex, 4) as head, $6 || '-' || $7 || lpad(to_hex(i), 7, '0') as tail
    from (
      select i, ms, lpad(to_hex(ms), 12, '0') as hex
      from (select i, ($4::float8 + i * $5::float8)::bigint as ms from generate_series($2::bigint, $3::bigint) i) a
    ) b
  ) c`

// Of two thousand payments, 1,800 are successful, 197 are failed, two are reversed, and one is created: its page has no
// attempt.
const COLLECTIONS = `
  insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor, currency,
    fee_minor, amount_received_minor, customer_phone, reference, failure_reason_code, created_at, updated_at)
  select $1, id::uuid, 'live', 'live', s.status, 1, case when s.status = 'created' then null when hash % 500 = 3 then 'qr' else 'wallet_push' end,
    100000, 'TZS', 2500, case when s.status in ('successful', 'reversed') then 100000 end,
    '2557' || (hash % 4 + 4) || lpad((hash % 90000)::text, 7, '0'), 'ORDER-' || i,
    case when s.status = 'failed' then 'wrong_pin' end, at, at
  from (${ONE}) one cross join lateral (
    select case when hash % 1000 < 900 then 'successful' when hash % 1000 = 999 then 'reversed'
      when hash % 2000 = 998 then 'created' else 'failed' end as status) s order by i`

const LINKS = `
  insert into payment_links (merchant_id, id, environment, origin_environment, slug, status, amount_minor, currency, reference,
    expires_at, invoice_id, noted, paid_collection_id, paid_at, created_at, updated_at)
  select $1, link_id::uuid, 'live', 'live', link_id, s.status, 100000, 'TZS', 'ORDER-' || i,
    case when hash % 5000 = 1 then to_timestamp(($4 + 4e10) / 1000) when s.status = 'ACTIVE' then at + interval '1 hour' end,
    case when i % 2 = 0 then id::uuid end, i % 2 = 0 and s.status = 'PAID',
    case when s.status = 'PAID' then id::uuid end, case when s.status = 'PAID' then at end, at, at
  from (${ONE}) one cross join lateral (
    select case when hash % 1000 < 900 then 'PAID' when hash % 1000 = 999 then 'CANCELLED' else 'ACTIVE' end as status) s
  order by i`

const INVOICES = `
  insert into invoices (merchant_id, id, environment, number, status, customer_name, language, due_date, currency,
    total_minor, items, payment_link_id, paid, sent_at, sends_today, reminders, created_at, updated_at)
  select $1, id::uuid, 'live', i, case when hash % 5000 = 7 then 'DRAFT' when hash % 1000 = 999 then 'CANCELLED' else 'SENT' end,
    'Asha', 'sw', (at + interval '7 days')::date, 'TZS', 100000, '[]', case when i % 2 = 0 then link_id::uuid end,
    i % 2 = 0 and hash % 1000 < 900, at, 1, 0, at, at
  from (${ONE}) one order by i`

const WITHDRAWALS = `
  insert into withdrawals (merchant_id, id, environment, status, version, funds, method, amount_minor, currency,
    destination_code, destination_identifier, percentage_fee_minor, flat_fee_minor, processor_charge_minor,
    processor_fee_pass_through, total_charges_minor, total_reserved_minor, requested_by_kind, requested_by_name, created_at, updated_at)
  select $1, id::uuid, 'live', case when hash % 5000 = 7 then 'PENDING_ADMIN_APPROVAL' else 'REJECTED' end, 0, 'none',
    case when hash % 5000 = 9 then 'BANK_ACCOUNT' else 'MOBILE_MONEY' end, 100000, 'TZS', 'MPESA', '255754123001', 0, 0, 0, false, 0,
    100000, 'user', 'Asha', at, at
  from (${ONE}) one order by i`

const DELIVERIES = `
  insert into webhook_deliveries (merchant_id, id, environment, event, source_type, source_id, source_seq, body, status,
    attempts, due_at, created_at, updated_at)
  select $1, id::uuid, 'live', case when hash % 5000 = 3 then 'collection.reversed' when hash % 10 = 9 then 'collection.failed'
      else 'collection.success' end, 'collection', id::uuid, 1, '{"event":"collection.success","amount":"1000.00"}',
    case when hash % 5000 = 5 then 'failed' when hash % 5000 = 6 then 'pending' else 'delivered' end, 1,
    case when hash % 5000 = 6 then to_timestamp(4e9) end, at, at
  from (${ONE}) one order by i`

/** Writes `count` rows of each list, with times from `begin` over `length` milliseconds. */
export async function fillLists(
  url: string,
  merchant: BenchMerchant,
  count: number,
  time: { begin: number; length: number },
): Promise<void> {
  const clock = { now: () => new Date(time.begin), after: () => () => {} }
  const id = newId({ clock, random: systemRandom() }, merchant.routing_code)
  const routing = [id.slice(19, 23), id.slice(24, 29)]
  for (let from = 1; from <= count; from += CHUNK) {
    const chunk = [merchant.id, from, Math.min(from + CHUNK - 1, count), time.begin, time.length / count, ...routing]
    for (const table of [COLLECTIONS, LINKS, INVOICES, WITHDRAWALS, DELIVERIES]) await query(url, table, chunk)
  }
  // After an import, autovacuum would run this command some time later.
  for (const table of ['collections', 'payment_links', 'invoices', 'withdrawals', 'webhook_deliveries'])
    await query(url, `vacuum (analyze) ${table}`)
}
