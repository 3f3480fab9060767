-- Operators pause all payouts, or the payouts of one merchant, provider or destination. The statement that takes a send token reads
-- only pauses in force, so the index holds only these. A payout that waits keeps its token and the reason. So the history gets one
-- entry for each reason, and not one for each attempt.
-- oldest program: 0012

alter table payouts add column held_by text;

create table payout_pauses (
  id              uuid        not null,
  scope           text        not null,
  target          text        not null,
  reason          text        not null,
  started_by_id   text,
  started_by_name text        not null,
  started_at      timestamptz not null,
  ended_by_id     text,
  ended_by_name   text,
  ended_reason    text,
  ended_at        timestamptz,
  constraint payout_pauses_pkey primary key (id),
  constraint payout_pauses_scope_check check (scope in ('platform', 'merchant', 'provider', 'destination')
    and (scope = 'platform') = (target = '')),
  constraint payout_pauses_ended_check check ((ended_at is null) = (ended_by_name is null)
    and (ended_at is null) = (ended_reason is null) and ended_at >= started_at)
);
create unique index payout_pauses_active_key on payout_pauses (scope, target) where ended_at is null;
comment on table payout_pauses is 'money/withdrawals: One pause of live payouts. While the pause is in force, no process takes the send token of a payout in its scope.';
comment on column payout_pauses.id is 'Made by the application.';
comment on column payout_pauses.scope is 'platform: all payouts. merchant, provider, destination: the payouts of the target.';
comment on column payout_pauses.target is 'Id of the merchant, name of the provider, or code of the destination. Empty for the whole platform.';
comment on column payout_pauses.reason is 'The operator''s reason for the pause.';
comment on column payout_pauses.started_by_id is 'Id of the operator that started the pause. Null means that the actor has no id.';
comment on column payout_pauses.started_by_name is 'Name of that operator at that time.';
comment on column payout_pauses.started_at is 'When the pause began.';
comment on column payout_pauses.ended_by_id is 'Id of the operator that ended the pause. Null means that the pause is in force, or that the actor has no id.';
comment on column payout_pauses.ended_by_name is 'Name of that operator at that time. Null means that the pause is in force.';
comment on column payout_pauses.ended_reason is 'The operator''s reason for the end. Null means that the pause is in force.';
comment on column payout_pauses.ended_at is 'When the pause ended. Null means that it is in force.';
comment on column payouts.held_by is 'The recorded reason why the payout waits: the id of a pause, or suspended for a suspended merchant. Null means that no reason is recorded.';

revoke delete, truncate on payout_pauses from current_user;
