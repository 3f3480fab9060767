-- From FOUR_EYES_AMOUNT on, the sums of a day count and not only one amount, so that many small acts need a second operator too.
-- Corrections of operators (adjustments, clearings, resolutions) need a second operator as approvals do.
-- oldest program: 0012

create table four_eyes_sums (
  merchant_id uuid    not null,
  environment text    not null,
  kind        text    not null,
  subject     text    not null,
  day         date    not null,
  total_minor bigint  not null,
  constraint four_eyes_sums_pkey primary key (merchant_id, environment, kind, subject, day),
  constraint four_eyes_sums_environment_check check (environment in ('live', 'sandbox')),
  constraint four_eyes_sums_kind_check check (kind in ('payouts', 'destination', 'corrections')),
  constraint four_eyes_sums_total_check check (total_minor >= 0)
);
comment on table four_eyes_sums is 'access/four-eyes: The sums of the payouts and corrections that operators decided on one day, while FOUR_EYES_AMOUNT is set. A transaction that adds to a sum locks its row first.';
comment on column four_eyes_sums.merchant_id is 'The merchant that owns the row. Zeros mean a destination over all merchants.';
comment on column four_eyes_sums.environment is 'live: real money. sandbox: simulated money.';
comment on column four_eyes_sums.kind is 'payouts: approved withdrawals of the merchant. destination: approved withdrawals to the destination. corrections: adjustments, clearings and resolutions of the merchant.';
comment on column four_eyes_sums.subject is 'The phone or account of a destination. Empty for the other kinds.';
comment on column four_eyes_sums.day is 'The day in Tanzania (Africa/Dar_es_Salaam).';
comment on column four_eyes_sums.total_minor is 'The sum of the day in cents, charges included.';

create table operator_decisions (
  merchant_id   uuid        not null,
  id            uuid        not null,
  environment   text        not null,
  action        text        not null,
  target_id     uuid        not null,
  content       text        not null,
  amount_minor  bigint      not null,
  operator_id   uuid        not null,
  operator_name text        not null,
  reason        text        not null,
  created_at    timestamptz not null,
  done_at       timestamptz,
  constraint operator_decisions_pkey primary key (merchant_id, id),
  constraint operator_decisions_environment_check check (environment in ('live', 'sandbox')),
  constraint operator_decisions_action_check check (action in ('adjustment.create', 'collection.clear', 'withdrawal.resolve'))
);
create index operator_decisions_waiting_idx on operator_decisions (merchant_id, action, target_id) where done_at is null;
comment on table operator_decisions is 'access/four-eyes: A correction that one operator has decided and that waits for the same decision of a second operator.';
comment on column operator_decisions.merchant_id is 'The merchant that owns the row.';
comment on column operator_decisions.id is 'Made by the application: UUIDv8 with the time and the routing code of the merchant.';
comment on column operator_decisions.environment is 'live: real money. sandbox: simulated money.';
comment on column operator_decisions.action is 'The act as the audit log names it.';
comment on column operator_decisions.target_id is 'The collection or the withdrawal that the decision is about. An adjustment is about the merchant.';
comment on column operator_decisions.content is 'The decision that both operators have to make equally, as JSON without the reason.';
comment on column operator_decisions.amount_minor is 'The amount in cents that counts towards the sum of the day.';
comment on column operator_decisions.operator_id is 'The operator who decided first: users.id.';
comment on column operator_decisions.operator_name is 'The e-mail address of this operator at that time.';
comment on column operator_decisions.reason is 'The reason of the first operator. Merchants cannot read it.';
comment on column operator_decisions.created_at is 'When the row was created. A decision that is older than a week no longer counts.';
comment on column operator_decisions.done_at is 'When a second operator made the same decision. Null means that the decision waits or is too old.';

-- A small withdrawal can need two operators too, if it brings a sum of the day to the amount.
alter table withdrawals drop constraint withdrawals_approvals_check;
alter table withdrawals add constraint withdrawals_approvals_check check (case
  when approvals_required is null then four_eyes_minor is null
  when total_reserved_minor >= four_eyes_minor then approvals_required = 2
  else approvals_required in (1, 2) end) not valid;
comment on column withdrawals.four_eyes_minor is 'FOUR_EYES_AMOUNT in cents, fixed at the first approval. Null means that no amount needs two operators.';
