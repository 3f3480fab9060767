-- From an amount on, two operators have to say yes before money leaves. Each yes is a row that nobody can change or take away, and
-- what was asked for is kept beside the withdrawal, so that another setting tomorrow does not rewrite what counted today.

create table withdrawal_approvals (
  merchant_id   uuid        not null,
  withdrawal_id uuid        not null,
  version       integer     not null,
  operator_id   uuid        not null,
  operator_name text        not null,
  at            timestamptz not null,
  constraint withdrawal_approvals_pkey primary key (merchant_id, withdrawal_id, version, operator_id)
);
comment on table withdrawal_approvals is 'One operator''s yes to a withdrawal. Append-only.';
comment on column withdrawal_approvals.version is 'The version of the withdrawal that was looked at. What was given before the merchant was last asked something counts no more.';

alter table withdrawals
  add column approvals_required smallint,
  add column four_eyes_minor bigint,
  add constraint withdrawals_approvals_check check (case
    when approvals_required is null then four_eyes_minor is null
    when total_reserved_minor >= four_eyes_minor then approvals_required = 2
    else approvals_required = 1 end);
comment on column withdrawals.approvals_required is 'How many operators it takes, as it was when the first of them approved. Null: none has.';
comment on column withdrawals.four_eyes_minor is 'From which total on it took two, when the first of them approved. Null: two were never needed then.';

-- One was enough for everything that was approved so far.
update withdrawals set approvals_required = 1 where funds <> 'none';
insert into withdrawal_approvals (merchant_id, withdrawal_id, version, operator_id, operator_name, at)
  select merchant_id, withdrawal_id, seq - 1, actor_id::uuid, actor_name, at from withdrawal_history
  where to_status = 'PROCESSING' and from_status in ('PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED')
    and actor_kind = 'operator' and actor_id is not null;

revoke update, delete, truncate on withdrawal_approvals from current_user;
