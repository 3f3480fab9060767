// Defines the invariants of withdrawals: reservations, payouts, reversals, approvals and their audit entries.

import { withdrawalMoves } from '../../money/withdrawals/index.ts'
import type { Invariant } from './verify-people.ts'

/** Every permitted move, as SQL values: from, to, whether a provider makes the move, and the event. */
const EDGES = Object.values(withdrawalMoves)
  .flatMap(({ from, to, by, event }) =>
    from.map((start) => `('${start}', '${to}', ${by === 'provider'}, ${event === null ? 'null' : `'${event}'`})`),
  )
  .join(', ')

/** The moves that only operators may make in the live environment, as SQL values. */
const BY_OPERATORS = Object.values(withdrawalMoves)
  .filter(({ by }) => by === 'operator')
  .flatMap(({ from, to }) => from.map((start) => `('${start}', '${to}')`))
  .join(', ')

/**
 * The transfers that a withdrawal must have, by the state of its money. `late` means that the provider paid after the server
 * had released the reservation.
 */
const EXPECTED = `select w.merchant_id, w.id, w.environment, w.currency, e.*
  from (
    select *, percentage_fee_minor + flat_fee_minor as fee, processor_charge_minor as charge,
      funds in ('paid', 'returned') as left_us, exists (
        select 1 from ledger_transfers t where t.merchant_id = w.merchant_id and t.source_id = w.id
          and t.source_type = 'withdrawal' and t.posting = 'withdrawal_released') as late,
      case when processor_fee_pass_through then null else 'processor_cost' end as bearer
    from withdrawals w
  ) w cross join lateral (values
    ('withdrawal_reserved', 0, 'available', 'reserved', total_reserved_minor, funds <> 'none', false),
    ('withdrawal_released', 0, 'reserved', 'available', total_reserved_minor, funds = 'released' or (left_us and late), false),
    ('withdrawal_paid', 0, 'reserved', 'provider_float', amount_minor, left_us and not late, false),
    ('withdrawal_paid', 1, 'reserved', 'fee_income', fee, left_us and not late, false),
    ('withdrawal_paid', 2, coalesce(bearer, 'reserved'), 'provider_float', charge, left_us and not late, false),
    ('withdrawal_paid_late', 0, 'available', 'provider_float', amount_minor, left_us and late, false),
    ('withdrawal_paid_late', 1, 'available', 'fee_income', fee, left_us and late, false),
    ('withdrawal_paid_late', 2, coalesce(bearer, 'available'), 'provider_float', charge, left_us and late, false),
    ('withdrawal_reversed', 0, 'provider_float', 'available', amount_minor, funds = 'returned', false),
    ('withdrawal_reversed', 1, 'fee_income', 'available', fee, funds = 'returned', false),
    -- The provider does not always give its charge back.
    ('withdrawal_reversed', 2, 'provider_float', coalesce(bearer, 'available'), charge, funds = 'returned', true)
  ) e(posting, leg, debit_code, credit_code, amount_minor, due, optional)
  where e.due and e.amount_minor > 0`

/** The SQL expression of the audit action for each move of an operator or a merchant. */
const ACTION = `case when to_status = 'REJECTED' then 'withdrawal.reject'
    when to_status = 'CANCELLED' and from_status = 'PROCESSING' then 'withdrawal.recall'
    when to_status = 'CANCELLED' then 'withdrawal.cancel'
    when to_status = 'INFO_REQUESTED' then 'withdrawal.request_info'
    when to_status = 'PENDING_ADMIN_APPROVAL' then 'withdrawal.respond'
    when to_status in ('SUCCESS', 'FAILED') then 'withdrawal.resolve'
    when from_status = 'BLOCKED_IP_WHITELIST' then 'withdrawal.retry' else 'withdrawal.approve' end`

/** The audit actions that do not change the status of a withdrawal. */
const ACTIONS_WITHOUT_MOVE = `('withdrawal.submit', 'withdrawal.name_check', 'withdrawal.first_approve', 'decision.first_approve')`

/**
 * Valid approvals come after the last question to the merchant. If a withdrawal needs two approvals, an approval by its
 * submitter is not valid.
 */
const OPERATORS_WHO_APPROVED = `select a.merchant_id, a.withdrawal_id, count(distinct a.operator_id) as operators
  from withdrawal_approvals a join withdrawals w on w.merchant_id = a.merchant_id and w.id = a.withdrawal_id
  left join (
    select merchant_id, withdrawal_id, max(seq) as seq from withdrawal_history where to_status = 'INFO_REQUESTED'
    group by merchant_id, withdrawal_id) q on q.merchant_id = a.merchant_id and q.withdrawal_id = a.withdrawal_id
  where a.version >= coalesce(q.seq, 0) and not (w.approvals_required = 2
    and w.requested_by_kind = 'user' and w.requested_by_id is not distinct from a.operator_id::text)
  group by a.merchant_id, a.withdrawal_id`

/** The checks of `verify` about withdrawals and payouts. */
export const WITHDRAWALS: Invariant[] = [
  {
    name: 'The reserved balance equals the sum of the withdrawals whose funds are reserved',
    broken: `select a.merchant_id || ' ' || a.environment || ' reserves ' || a.balance_minor || ', withdrawals hold ' || coalesce(w.held, 0) as finding
      from ledger_accounts a left join (
        select merchant_id, environment, currency, sum(total_reserved_minor) as held from withdrawals
        where funds = 'reserved' group by merchant_id, environment, currency) w using (merchant_id, environment, currency)
      where a.code = 'reserved' and a.balance_minor <> coalesce(w.held, 0)`,
  },
  {
    name: 'The transfers of every withdrawal match its record, each exactly once, and none exists before its approval',
    broken: `select coalesce(e.merchant_id, t.merchant_id) || ' ' || coalesce(e.id, t.source_id) || ' '
        || coalesce(e.posting, t.posting) || ' part ' || coalesce(e.leg, t.leg) || case
          when t.id is null then ' is missing' when e.id is null then ' is not due' when t.place > 1 then ' moved twice'
          else ' moved ' || t.amount_minor || ', due ' || e.amount_minor end as finding
      from (${EXPECTED}) e full join (
        select *, row_number() over (partition by merchant_id, source_id, posting, leg order by id) as place
        from ledger_transfers where source_type = 'withdrawal') t
        on t.merchant_id = e.merchant_id and t.source_id = e.id and t.posting = e.posting and t.leg = e.leg
      where (t.id is null and not e.optional) or (t.id is not null and (e.id is null or t.place > 1
        or (t.environment, t.currency, t.debit_code, t.credit_code, t.amount_minor)
          <> (e.environment, e.currency, e.debit_code, e.credit_code, e.amount_minor)))`,
  },
  {
    name: 'The transaction of a withdrawal is the transfer that reserved its money',
    broken: `select w.merchant_id || ' ' || w.id as finding from withdrawals w
      left join ledger_transfers t on t.merchant_id = w.merchant_id and t.id = w.transfer_id and t.source_id = w.id
        and t.posting = 'withdrawal_reserved' and t.leg = 0
      where (w.funds <> 'none') <> (t.id is not null) or (w.transfer_id is not null) <> (t.id is not null)`,
  },
  {
    name: 'The frozen charges of every withdrawal equal the sum of their parts',
    broken: `select merchant_id || ' ' || id as finding from withdrawals
      where least(amount_minor - 1, percentage_fee_minor, flat_fee_minor, processor_charge_minor) < 0
        or total_charges_minor <> percentage_fee_minor + flat_fee_minor
          + case when processor_fee_pass_through then processor_charge_minor else 0 end
        or total_reserved_minor <> amount_minor + total_charges_minor`,
  },
  {
    name: 'The status of every withdrawal agrees with its funds, failure reason and completion time',
    broken: `select merchant_id || ' ' || id || ' ' || status || ' ' || funds as finding from withdrawals
      where (status = 'FAILED') <> (failure_reason_code is not null)
        or (status in ('SUCCESS', 'REVERSED') and completed_at is null)
        or (status not in ('SUCCESS', 'REVERSED', 'NEEDS_ADMIN_ATTENTION') and completed_at is not null)
        or not case when status in ('PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED', 'REJECTED') then funds = 'none'
          when status = 'CANCELLED' then funds in ('none', 'released')
          when status in ('PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST') then funds = 'reserved'
          when status = 'SUCCESS' then funds = 'paid' when status = 'REVERSED' then funds = 'returned'
          when status = 'FAILED' then funds in ('released', 'returned')
          else funds in ('reserved', 'paid', 'released') end`,
  },
  {
    name: 'A provider reference belongs to one payment or one payout',
    broken: `select provider_reference || ' belongs to ' || count(*) as finding from (
        select provider_reference from payouts union all select provider_reference from collection_attempts) taken
      group by provider_reference having count(*) > 1`,
  },
  {
    name: 'Every approved withdrawal has its payout with the same amount, destination and reference',
    broken: `select coalesce(w.merchant_id, p.merchant_id) || ' ' || coalesce(w.id, p.withdrawal_id) || case
          when p.withdrawal_id is null then ' has no payout' when w.id is null then ' has a payout and no approval'
          else ' and its payout differ' end as finding
      from (select * from withdrawals where funds <> 'none') w
      full join payouts p on p.merchant_id = w.merchant_id and p.withdrawal_id = w.id
      where p.withdrawal_id is null or w.id is null
        or (p.environment, p.amount_minor, p.currency, p.method, p.destination_code, p.destination_identifier, p.provider_reference)
          <> (w.environment, w.amount_minor, w.currency, w.method, w.destination_code, w.destination_identifier, w.provider_reference)
        or p.destination_name is distinct from w.destination_name or p.bank_name is distinct from w.bank_name`,
  },
  {
    name: 'No sandbox payout was sent to a live provider',
    broken: `select merchant_id || ' ' || withdrawal_id as finding from payouts
      where environment = 'sandbox' and provider <> 'sandbox'`,
  },
  {
    name: 'The payout of every open withdrawal is due or blocked, and a payout in doubt is never sent again',
    broken: `select w.merchant_id || ' ' || w.id || ' ' || w.status || ' with a payout that is ' || p.state || case
          when p.due_at is null then '' else ' and due' end as finding
      from withdrawals w join payouts p on p.merchant_id = w.merchant_id and p.withdrawal_id = w.id
      where not case when w.status = 'PROCESSING' then p.state in ('to_send', 'sending', 'asked') and p.due_at is not null
        when w.status = 'NEEDS_RECONCILIATION' then p.state = 'asked' and p.due_at is not null
        when w.status = 'BLOCKED_IP_WHITELIST' then p.state = 'blocked' and p.due_at is null
        else (p.state = 'final' and p.due_at is null) or (p.state = 'asked' and p.due_at is not null) end`,
  },
  {
    name: 'Every withdrawal belongs to a merchant, and every history row belongs to a withdrawal',
    broken: `select 'history ' || h.merchant_id || ' ' || h.withdrawal_id as finding from withdrawal_history h
      left join withdrawals w on w.merchant_id = h.merchant_id and w.id = h.withdrawal_id where w.id is null
      union all select 'withdrawal ' || w.merchant_id || ' ' || w.id from withdrawals w
      left join merchants m on m.id = w.merchant_id where m.id is null`,
  },
  {
    name: 'Every status move of a withdrawal is allowed for its actor, and the history ends at its status',
    broken: `select h.merchant_id || ' ' || h.withdrawal_id || ' ' || h.from_status || ' to ' || h.to_status || ' by ' || h.actor_kind as finding
      from withdrawal_history h join withdrawals w on w.merchant_id = h.merchant_id and w.id = h.withdrawal_id
      where case when h.from_status = h.to_status then h.reason is null or h.event is not null
          or h.actor_kind not in ('provider', 'system')
        else not exists (select 1 from (values ${EDGES}) e(source, target, by_provider, event)
            where (h.from_status, h.to_status, h.actor_kind = 'provider') = (e.source, e.target, e.by_provider)
              and (h.event is null or h.event = e.event))
          or (w.environment = 'live' and h.actor_kind not in ('operator', 'provider')
            and (h.from_status, h.to_status) in (values ${BY_OPERATORS})) end
      union all select merchant_id || ' ' || withdrawal_id || ' breaks at ' || seq from (
        select merchant_id, withdrawal_id, seq, from_status, row_number() over w as place,
          coalesce(lag(to_status) over w, 'PENDING_ADMIN_APPROVAL') as before
        from withdrawal_history window w as (partition by merchant_id, withdrawal_id order by seq)) q
      where place <> seq or before <> from_status
      union all select w.merchant_id || ' ' || w.id || ' is ' || w.status || ', its history ends at ' || coalesce(h.to_status, 'no status')
      from withdrawals w left join withdrawal_history h
        on h.merchant_id = w.merchant_id and h.withdrawal_id = w.id and h.seq = w.version
      where w.status <> case when w.version = 0 then 'PENDING_ADMIN_APPROVAL' else coalesce(h.to_status, '') end`,
  },
  {
    name: 'Every recorded event of a withdrawal has its delivery, and every delivery has its event',
    broken: `select h.merchant_id || ' ' || h.withdrawal_id || ' owes ' || h.event as finding from withdrawal_history h
      left join webhook_deliveries d on d.merchant_id = h.merchant_id and d.source_id = h.withdrawal_id
        and d.source_type = 'withdrawal' and d.source_seq = h.seq and d.event = h.event
      where h.event is not null and d.id is null
      union all select d.merchant_id || ' ' || d.id || ' has no event in the history' from webhook_deliveries d
      left join withdrawal_history h on h.merchant_id = d.merchant_id and h.withdrawal_id = d.source_id
        and h.seq = d.source_seq and h.event = d.event
      where d.source_type = 'withdrawal' and h.seq is null`,
  },
  {
    name: 'Every decision about a withdrawal has exactly one audit entry, with its actor and reason',
    broken: `select merchant_id || ' ' || id || ' ' || action || ' by ' || actor_name || ': ' || coalesce(h.times, 0)
        || ' in the history, ' || coalesce(l.times, 0) || ' in the audit log' as finding
      from (
        select merchant_id, withdrawal_id::text as id, ${ACTION} as action, actor_kind, coalesce(actor_id, '') as actor_id,
          actor_name, coalesce(reason, '') as reason, to_status, count(*) as times
        from withdrawal_history where actor_kind <> 'provider' and from_status <> to_status group by 1, 2, 3, 4, 5, 6, 7, 8) h
      full join (
        select merchant_id, target_id as id, action, actor_kind, coalesce(actor_id, '') as actor_id, actor_name,
          coalesce(reason, '') as reason, after ->> 'status' as to_status, count(*) as times
        from audit_log where target_type = 'withdrawal' and action not in ${ACTIONS_WITHOUT_MOVE} group by 1, 2, 3, 4, 5, 6, 7, 8) l
      using (merchant_id, id, action, actor_kind, actor_id, actor_name, reason, to_status)
      where h.times is distinct from l.times`,
  },
  {
    name: 'Every payout has the approvals that its amount requires, and neither of two approvals is by the submitter',
    // In the sandbox, the merchant may approve a withdrawal without an operator.
    broken: `select w.merchant_id || ' ' || w.id || ' requires ' || coalesce(w.approvals_required::text, 'an unknown number of')
        || ' approvals, has ' || coalesce(a.operators, 0) as finding
      from withdrawals w left join (${OPERATORS_WHO_APPROVED}) a on a.merchant_id = w.merchant_id and a.withdrawal_id = w.id
      where w.funds <> 'none' and (w.approvals_required is null
        or w.approvals_required < case when w.total_reserved_minor >= w.four_eyes_minor then 2 else 1 end
        or (coalesce(a.operators, 0) < w.approvals_required and (w.environment = 'live' or exists (
          select 1 from withdrawal_history h where h.merchant_id = w.merchant_id and h.withdrawal_id = w.id
            and h.from_status in ('PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED') and h.to_status = 'PROCESSING'
            and h.actor_kind = 'operator'))))`,
  },
  {
    name: 'Every approval of a withdrawal is in the audit log with its reason, and no approval is only there',
    // If an operator loses the rights, gets them back and approves again, the audit log has two entries, and the table has one
    // row. One entry has the reason of the row.
    broken: `select merchant_id || ' ' || id || ' by ' || actor_id || case when stored is null then ' is only in the audit log'
        else ' is not in the audit log' end as finding
      from (
        select distinct merchant_id, withdrawal_id::text as id, operator_id::text as actor_id, true as stored
        from withdrawal_approvals) a
      full join (
        select distinct merchant_id, target_id as id, actor_id, true as audited from audit_log
        where target_type = 'withdrawal' and actor_kind = 'operator'
          and action in ('withdrawal.approve', 'withdrawal.first_approve')) l
      using (merchant_id, id, actor_id)
      where stored is null or audited is null
      union all
      select a.merchant_id || ' ' || a.withdrawal_id || ' by ' || a.operator_id || ' is in the audit log without its reason'
      from withdrawal_approvals a join audit_log l on l.merchant_id = a.merchant_id and l.target_type = 'withdrawal'
        and l.target_id = a.withdrawal_id::text and l.actor_kind = 'operator' and l.actor_id = a.operator_id::text
        and l.action in ('withdrawal.approve', 'withdrawal.first_approve')
      group by a.merchant_id, a.withdrawal_id, a.version, a.operator_id
      having not bool_or(l.reason is not distinct from a.reason)`,
  },
]
