// Defines the invariants of invoices and their payment links.

import type { Invariant } from './verify-people.ts'

/** The checks of `verify` about invoices. */
export const INVOICES: readonly Invariant[] = [
  {
    name: 'Invoices are numbered from 1 without a gap',
    broken: `select n.merchant_id || ' ' || n.environment || ' has the last number ' || n.last_number || ' and this many invoices: ' || coalesce(i.many, 0) as finding
      from invoice_numbers n left join (
        select merchant_id, environment, count(*) as many, min(number) as first, max(number) as last from invoices
        group by merchant_id, environment) i using (merchant_id, environment)
      where n.last_number <> coalesce(i.many, 0) or n.last_number <> coalesce(i.last, 0) or i.first is distinct from 1
      union all select distinct i.merchant_id || ' ' || i.environment || ' has invoices and no number' from invoices i
      left join invoice_numbers n using (merchant_id, environment) where n.last_number is null`,
  },
  {
    name: 'The total of an invoice equals the sum of its items, each rounded half up to the cent',
    broken: `select i.merchant_id || ' ' || i.id as finding from invoices i left join lateral (
        select sum((x.item->>'amount_minor')::numeric) as total, bool_and((x.item->>'amount_minor')::numeric
          = floor((x.item->>'quantity')::numeric * (x.item->>'unit_price_minor')::numeric + 0.5)) as sound
        from json_array_elements(i.items) as x(item)) s on true
      where s.total is distinct from i.total_minor or s.sound is not true`,
  },
  {
    name: 'An invoice is marked as paid only if one of its payment links is paid',
    broken: `select i.merchant_id || ' ' || i.id as finding from invoices i where i.paid and not exists (
        select 1 from payment_links l where l.merchant_id = i.merchant_id and l.invoice_id = i.id and l.status = 'PAID')
      union all select l.merchant_id || ' ' || l.id from payment_links l
      join invoices i on i.merchant_id = l.merchant_id and i.id = l.invoice_id where l.noted and not i.paid`,
  },
  {
    name: 'An invoice and its payment links name each other, and only its newest link can be paid unless an older link was paid',
    // With real providers, the link of a sandbox invoice takes real money. So the check compares only the origin of the link
    // with the environment of the invoice.
    broken: `select l.merchant_id || ' ' || l.id || ' does not match its invoice' as finding from payment_links l
      left join invoices i on i.merchant_id = l.merchant_id and i.id = l.invoice_id
      where l.invoice_id is not null and (i.id is null or l.origin_environment <> i.environment or l.collection_id is not null)
      union all select i.merchant_id || ' ' || i.id || ' names a link of another invoice' from invoices i
      left join payment_links l on l.merchant_id = i.merchant_id and l.id = i.payment_link_id
      where i.payment_link_id is not null and l.invoice_id is distinct from i.id
      union all select i.merchant_id || ' ' || i.id || ' can be paid by an old link or for another amount' from invoices i
      join payment_links l on l.merchant_id = i.merchant_id and l.invoice_id = i.id
      where l.status <> 'CANCELLED' and (l.amount_minor <> i.total_minor or l.currency <> i.currency
        or (l.id is distinct from i.payment_link_id and (l.status = 'ACTIVE' or exists (select from payment_links o
          where o.merchant_id = l.merchant_id and o.invoice_id = l.invoice_id and o.id <> l.id
            and o.status <> 'CANCELLED'))))`,
  },
  {
    name: 'A cancelled invoice cannot be paid, and a sent invoice has a payment link',
    broken: `select i.merchant_id || ' ' || i.id || ' ' || i.status as finding from invoices i
      left join payment_links l on l.merchant_id = i.merchant_id and l.id = i.payment_link_id
      where (i.status = 'CANCELLED') <> (i.cancelled_at is not null)
        or (i.status = 'CANCELLED' and l.status <> 'CANCELLED')
        or (i.status = 'SENT' and (l.id is null or i.sent_at is null))`,
  },
]
