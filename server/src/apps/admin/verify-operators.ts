// Defines the invariants of operators' decisions about money: held collections and adjustments.

import type { Invariant } from './verify-people.ts'

/** The SQL expression of an adjustment's posting. The posting contains the direction and the other account. */
const ADJUSTMENT_POSTING = `'adjustment_' || case when a.direction = 'credit' then 'credited_' else 'debited_' end
  || case a.against when 'provider_float' then 'float' when 'fee_income' then 'fee' else 'cost' end`

/** The checks of `verify` about operators' decisions about money. */
export const OPERATORS: Invariant[] = [
  {
    name: 'The queue of held collections contains exactly the collections that wait for clearance',
    broken: `select c.merchant_id || ' ' || c.id || ' is ' || c.status || case
          when q.collection_id is null then ' and is not in the queue'
          when q.decided_at is null then ' and waits in the queue' else ' and has left the queue' end as finding
      from collections c left join held_collections q on q.merchant_id = c.merchant_id and q.collection_id = c.id
      left join (
        select distinct merchant_id, collection_id from collection_history where to_status = 'pending_clearance') h
        on h.merchant_id = c.merchant_id and h.collection_id = c.id
      where (h.collection_id is not null) <> (q.collection_id is not null)
        or (q.collection_id is not null and (
          (c.status = 'pending_clearance') <> (q.decided_at is null) or q.environment <> c.environment))
      union all select q.merchant_id || ' ' || q.collection_id || ' is in the queue and does not exist' from held_collections q
      left join collections c on c.merchant_id = q.merchant_id and c.id = q.collection_id where c.id is null`,
  },
  {
    name: 'Held money leaves exactly once, in full, by the posting that the decision requires',
    broken: `select c.merchant_id || ' ' || c.id || ' is ' || c.status || ', held ' || coalesce(t.held, 0) || ', left ' || coalesce(t.gone, 'nothing') as finding
      from collections c left join (
        select merchant_id, source_id, sum(amount_minor) filter (where posting = 'collection_held') as held,
          count(*) filter (where posting = 'collection_held') as arrivals,
          string_agg(posting, ' and ') filter (where posting <> 'collection_held') as gone,
          coalesce(sum(amount_minor) filter (where posting <> 'collection_held'), 0) as out
        from ledger_transfers where source_type = 'collection' and leg = 0
          and posting in ('collection_held', 'collection_cleared', 'collection_declined', 'collection_held_reversed')
        group by merchant_id, source_id) t on t.merchant_id = c.merchant_id and t.source_id = c.id
      left join (
        select merchant_id, collection_id, max(to_status) as next from collection_history
        where from_status = 'pending_clearance' and to_status <> 'pending_clearance' group by merchant_id, collection_id) h
        on h.merchant_id = c.merchant_id and h.collection_id = c.id
      where (t.source_id is not null and (t.held is null or t.arrivals <> 1 or t.held is distinct from c.amount_received_minor))
        -- Foreign money has no posting until an operator states its value.
        or (c.status = 'pending_clearance' and (t.source_id is null) <> (c.foreign_currency is not null))
        or t.gone is distinct from case when c.foreign_currency is not null and c.amount_received_minor is null then null
          else case h.next when 'successful' then 'collection_cleared'
          when 'failed' then 'collection_declined' when 'reversed' then 'collection_held_reversed' end end
        or (t.gone is not null and t.out <> t.held)`,
  },
  {
    name: 'Every decision about held money has exactly one audit entry, of the operator who decided',
    broken: `select h.merchant_id || ' ' || h.collection_id || ' to ' || h.to_status || ', entries: ' || count(l.seq) as finding
      from collection_history h left join audit_log l on l.merchant_id = h.merchant_id
        and l.target_type = 'collection' and l.target_id = h.collection_id::text and l.action = 'collection.clear'
        and l.after ->> 'status' = h.to_status and h.actor = l.actor_kind || ' ' || l.actor_id
      where h.from_status = 'pending_clearance' and h.to_status in ('successful', 'failed')
      group by h.merchant_id, h.collection_id, h.seq, h.to_status having count(l.seq) <> 1
      union all select l.merchant_id || ' entry ' || l.seq || ' matches no decision' from audit_log l
      left join collection_history h on h.merchant_id = l.merchant_id and h.collection_id::text = l.target_id
        and h.from_status = 'pending_clearance' and h.to_status = l.after ->> 'status'
      where l.action = 'collection.clear' and h.seq is null`,
  },
  {
    name: 'Every adjustment has exactly one transfer, and every adjustment transfer has its record',
    broken: `select a.merchant_id || ' ' || a.id || ', transfers: ' || count(t.id) as finding
      from adjustments a left join ledger_transfers t on t.merchant_id = a.merchant_id and t.source_id = a.id
        and t.source_type = 'adjustment' and t.id = a.id and t.leg = 0 and t.environment = a.environment
        and t.currency = a.currency and t.amount_minor = a.amount_minor and t.posting = ${ADJUSTMENT_POSTING}
      group by a.merchant_id, a.id having count(t.id) <> 1
      union all select t.merchant_id || ' ' || t.id || ' has no adjustment record' from ledger_transfers t
      left join adjustments a on a.merchant_id = t.merchant_id and a.id = t.source_id and t.posting = ${ADJUSTMENT_POSTING}
      where t.source_type = 'adjustment' and a.id is null`,
  },
  {
    name: 'Every adjustment has exactly one audit entry, of the operator who made it',
    broken: `select a.merchant_id || ' ' || a.id || ', entries: ' || count(l.seq) as finding
      from adjustments a left join audit_log l on l.merchant_id = a.merchant_id and l.target_type = 'adjustment'
        and l.target_id = a.id::text and l.action = 'adjustment.create' and l.actor_id is not distinct from a.created_by_id
        and l.reason = a.reason
      group by a.merchant_id, a.id having count(l.seq) <> 1
      union all select l.merchant_id || ' entry ' || l.seq || ' matches no adjustment' from audit_log l
      left join adjustments a on a.merchant_id = l.merchant_id and a.id::text = l.target_id
      where l.target_type = 'adjustment' and a.id is null`,
  },
]
