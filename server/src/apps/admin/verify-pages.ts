// Defines the invariants of payment links, hosted pages and their payments.

import type { Invariant } from './verify-people.ts'

/** The checks of `verify` about payment pages. */
export const PAGES: readonly Invariant[] = [
  {
    name: 'A payment page is paid once, by one of its own payments',
    broken: `select l.merchant_id || ' ' || l.id || ' ' || l.status as finding from payment_links l
      left join collections c on c.merchant_id = l.merchant_id and c.id = l.paid_collection_id
      where l.status = 'PAID' and (c.payment_link_id is distinct from l.id or c.status not in ('successful', 'reversed')
          or c.environment <> l.environment or c.amount_minor <> l.amount_minor)
        or (l.collection_id is not null and l.paid_collection_id <> l.collection_id and not exists (
          select 1 from collection_history h where h.merchant_id = l.merchant_id and h.collection_id = l.paid_collection_id
            and h.from_status = 'pending_clearance'))
      union all select c.merchant_id || ' ' || c.id || ' succeeded, and its page is not paid' from collections c
      join payment_links l on l.merchant_id = c.merchant_id and l.id = c.payment_link_id
      where l.status = 'ACTIVE' and exists (
        select 1 from collection_history h where h.merchant_id = c.merchant_id and h.collection_id = c.id
          and h.to_status = 'successful')
      union all select c.merchant_id || ' ' || c.payment_link_id || ' was paid ' || count(*) || ' times without a review' from collections c
      where c.payment_link_id is not null and c.status in ('successful', 'reversed') and not exists (
        select 1 from collection_history h where h.merchant_id = c.merchant_id and h.collection_id = c.id
          and h.from_status = 'pending_clearance')
      group by c.merchant_id, c.payment_link_id having count(*) > 1`,
  },
  {
    name: 'Every duplicate payment is held in a collection of its own',
    broken: `select a.merchant_id || ' ' || a.collection_id || ' ' || a.number as finding from collection_attempts a
      left join collections c on c.merchant_id = a.merchant_id and c.id = a.extra_collection_id
      where a.extra_collection_id is not null and (c.id is null or c.attempts <> 0 or c.amount_received_minor is null and c.foreign_currency is null)`,
  },
]
