// Defines the invariants of the sums of finished days, which the database stores.

import { dateOfIdSql } from '../../kernel/lib/index.ts'
import { CHANGED_LATE } from '../../money/withdrawals/index.ts'
import type { Invariant } from './verify-people.ts'

const DAY = dateOfIdSql('c.id')
const DAY_OF_WITHDRAWAL = dateOfIdSql('w.id')

/**
 * The checks of verify about day sums. The network of a payment may change later, so the checks compare sums of all networks.
 */
export const DAYS: readonly Invariant[] = [
  {
    name: 'The stored sums of every finished day equal the sums of its payments',
    broken: `select coalesce(c.merchant_id, d.merchant_id) || ' ' || coalesce(c.environment, d.environment) || ' ' ||
        coalesce(c.day, d.day) || ' ' || coalesce(c.status, d.status) || ' has ' || coalesce(c.items, 0) ||
        ', stored as ' || coalesce(d.items, 0) as finding
      from (
        select c.merchant_id, c.environment, ${DAY} as day, c.status, coalesce(c.method, '') as method, count(*) as items,
          sum(c.amount_minor) as amount, sum(coalesce(c.amount_received_minor, 0)) as received,
          sum(case when c.fee_minor < coalesce(c.amount_received_minor, c.amount_minor) then c.fee_minor else 0 end) as fee
        from collections c
        join collection_days_until u on u.merchant_id = c.merchant_id and u.environment = c.environment
        where ${DAY} < u.until_day group by 1, 2, 3, 4, 5) c
      full join (
        select merchant_id, environment, day, status, method, sum(items) as items, sum(amount_minor) as amount,
          sum(amount_received_minor) as received, sum(fee_minor) as fee
        from collection_days group by 1, 2, 3, 4, 5) d using (merchant_id, environment, day, status, method)
      where (c.items is distinct from d.items or c.amount is distinct from d.amount
          or c.received is distinct from d.received or c.fee is distinct from d.fee)
        and not exists (
          select 1 from collection_days_stale s
          where s.merchant_id = coalesce(c.merchant_id, d.merchant_id)
            and s.environment = coalesce(c.environment, d.environment) and s.day = coalesce(c.day, d.day))`,
  },
  {
    name: 'The payment ids stored for a day are the payments that the day counts',
    broken: `select d.merchant_id || ' ' || d.environment || ' ' || d.day || ' ' || d.status as finding from collection_days d
      where d.ids is not null and (cardinality(d.ids) <> d.items or not exists (
          select 1 from collection_days_stale s
          where s.merchant_id = d.merchant_id and s.environment = d.environment and s.day = d.day)
        and exists (
          select 1 from unnest(d.ids) i(id)
          left join collections c on c.merchant_id = d.merchant_id and c.id = i.id
          where c.environment is distinct from d.environment or c.status is distinct from d.status
            or coalesce(c.method, '') <> d.method or ${DAY} <> d.day))`,
  },
  {
    name: 'The stored sums of withdrawals of every finished day equal its withdrawals',
    broken: `select coalesce(w.merchant_id, d.merchant_id) || ' ' || coalesce(w.environment, d.environment) || ' ' ||
        coalesce(w.day, d.day) || ' ' || coalesce(w.status, d.status) || ' has ' || coalesce(w.items, 0) ||
        ', stored as ' || coalesce(d.items, 0) as finding
      from (
        select w.merchant_id, w.environment, ${DAY_OF_WITHDRAWAL} as day, w.status, count(*) as items,
          sum(w.amount_minor) as amount
        from withdrawals w
        join withdrawal_days_until u on u.merchant_id = w.merchant_id and u.environment = w.environment
        where ${DAY_OF_WITHDRAWAL} < u.until_day group by 1, 2, 3, 4) w
      full join (
        select merchant_id, environment, day, status, items, amount_minor as amount from withdrawal_days) d
        using (merchant_id, environment, day, status)
      where (w.items is distinct from d.items or w.amount is distinct from d.amount)
        and (coalesce(w.merchant_id, d.merchant_id), coalesce(w.environment, d.environment), coalesce(w.day, d.day)) not in (
          select w.merchant_id, w.environment, ${DAY_OF_WITHDRAWAL} from withdrawals w
          join withdrawal_days_until u on u.merchant_id = w.merchant_id and u.environment = w.environment
          where ${CHANGED_LATE} and w.updated_at >= u.changes_from)`,
  },
]
