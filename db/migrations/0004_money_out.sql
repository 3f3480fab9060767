-- Money out: withdrawals with frozen charges, their payouts at a provider, held collections and what operators adjust.

-- Withdrawals --------------------------------------------------------------------------------------------------------

create table withdrawals (
  merchant_id            uuid        not null,
  id                     uuid        not null,
  environment            text        not null,
  status                 text        not null,
  version                integer     not null,
  funds                  text        not null,
  method                 text        not null,
  amount_minor           bigint      not null,
  currency               text        not null,
  destination_code       text        not null,
  destination_identifier text        not null,
  destination_name       text,
  bank_name              text,
  reference              text,
  percentage_fee_minor   bigint      not null,
  flat_fee_minor         bigint      not null,
  processor_charge_minor bigint      not null,
  processor_fee_pass_through boolean not null,
  total_charges_minor    bigint      not null,
  total_reserved_minor   bigint      not null,
  pricing_rule_id        uuid,
  pricing_rule_label     text,
  requested_by_kind      text        not null,
  requested_by_id        text,
  requested_by_name      text        not null,
  status_reason          text,
  failure_reason_code    text,
  provider_reference     text,
  transfer_id            uuid,
  created_at             timestamptz not null,
  updated_at             timestamptz not null,
  completed_at           timestamptz,
  constraint withdrawals_pkey primary key (merchant_id, id),
  constraint withdrawals_environment_check check (environment in ('live', 'sandbox')),
  constraint withdrawals_method_check check (method in ('MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA')),
  constraint withdrawals_amount_check check (amount_minor > 0),
  constraint withdrawals_charges_check check (
    percentage_fee_minor >= 0 and flat_fee_minor >= 0 and processor_charge_minor >= 0
    and total_charges_minor = percentage_fee_minor + flat_fee_minor
      + case when processor_fee_pass_through then processor_charge_minor else 0 end
    and total_reserved_minor = amount_minor + total_charges_minor),
  constraint withdrawals_failure_check check ((status = 'FAILED') <= (failure_reason_code is not null)),
  constraint withdrawals_approved_check check ((funds = 'none') = (provider_reference is null)
    and (funds = 'none') = (transfer_id is null)),
  constraint withdrawals_funds_check check (case
    when status in ('PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED', 'REJECTED') then funds = 'none'
    when status in ('PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST') then funds = 'reserved'
    when status = 'SUCCESS' then funds = 'paid'
    when status = 'FAILED' then funds in ('released', 'returned')
    when status = 'REVERSED' then funds = 'returned'
    when status = 'NEEDS_ADMIN_ATTENTION' then funds in ('reserved', 'paid', 'released')
    else false end)
) with (fillfactor = 85);
create index withdrawals_list_idx on withdrawals (merchant_id, environment, id);
create index withdrawals_reference_idx on withdrawals (merchant_id, reference, id) where reference is not null;
create index withdrawals_status_idx on withdrawals (merchant_id, environment, status, id);
create index withdrawals_open_idx on withdrawals (merchant_id, id) where status in ('PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED',
  'PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'NEEDS_ADMIN_ATTENTION');
comment on table withdrawals is 'Money that a merchant sends out. Nothing leaves before an operator approved it.';
comment on column withdrawals.version is 'Number of history rows so far, and the seq of the last row in withdrawal_history.';
comment on column withdrawals.funds is 'Where total_reserved_minor lies. none: nothing is set aside. reserved. paid: it left. released: the reservation went back. returned: it left and came back.';
comment on column withdrawals.destination_code is 'Network or bank, as GET /v1/destinations names it.';
comment on column withdrawals.destination_identifier is 'Canonical phone 255XXXXXXXXX, or a bank account number exactly as it was sent.';
comment on column withdrawals.percentage_fee_minor is 'Charges in cents, frozen when it was submitted; a later price list changes none of them.';
comment on column withdrawals.pricing_rule_id is 'The line of the price list that counted. Null: sandbox without a price list.';
comment on column withdrawals.status_reason is 'What the operator told the merchant: why it was rejected, what is asked, how it was resolved.';
comment on column withdrawals.provider_reference is 'The reference we give the provider, stored with the approval and never replaced. Null until approved.';
comment on column withdrawals.transfer_id is 'The movement that set the money aside: the withdrawal''s transaction. Null until approved.';

create table withdrawal_history (
  merchant_id   uuid        not null,
  withdrawal_id uuid        not null,
  seq           integer     not null,
  from_status   text        not null,
  to_status     text        not null,
  actor_kind    text        not null,
  actor_id      text,
  actor_name    text        not null,
  reason        text,
  event         text,
  at            timestamptz not null,
  constraint withdrawal_history_pkey primary key (merchant_id, withdrawal_id, seq)
);
comment on table withdrawal_history is 'One status move of a withdrawal, or a word of the provider that denies where it stands. Append-only.';
comment on column withdrawal_history.event is 'The webhook event that was queued with this move. Null: none was promised, or the merchant does not subscribe to it.';

create table payouts (
  merchant_id            uuid        not null,
  withdrawal_id          uuid        not null,
  environment            text        not null,
  provider               text        not null,
  provider_reference     text        not null,
  method                 text        not null,
  destination_code       text        not null,
  destination_identifier text        not null,
  destination_name       text,
  bank_name              text,
  amount_minor           bigint      not null,
  currency               text        not null,
  state                  text        not null,
  send_token             uuid,
  asks                   smallint    not null,
  deadline_at            timestamptz not null,
  due_at                 timestamptz,
  lease_owner            uuid,
  sent_at                timestamptz,
  provider_status        text,
  provider_id            text,
  created_at             timestamptz not null,
  updated_at             timestamptz not null,
  constraint payouts_pkey primary key (merchant_id, withdrawal_id),
  constraint payouts_state_check check (state in ('to_send', 'sending', 'asked', 'blocked', 'final')),
  constraint payouts_token_check check ((state = 'to_send') = (send_token is not null))
) with (fillfactor = 85);
create index payouts_due_idx on payouts (merchant_id, due_at) where due_at is not null;
comment on table payouts is 'What a provider is asked to pay out for one approved withdrawal. A row with due_at is waiting for the worker.';
comment on column payouts.state is 'to_send: approved and not sent. sending: the token was taken, and no answer is known. asked: the provider has it, or may have it; it is only asked from then on. blocked: the provider refused our address. final: it gave its answer.';
comment on column payouts.send_token is 'The approval: whoever takes it may send, once. Null: taken.';
comment on column payouts.deadline_at is 'From then on nothing is sent any more, and what is open is left to operators: NEEDS_RECONCILIATION.';
comment on column payouts.due_at is 'When the next step is due; for a leased row, when the lease ends. Null: nothing waits.';
comment on column payouts.lease_owner is 'The process that works on the row until due_at. Null: nobody.';
comment on column payouts.sent_at is 'When the provider took the request. Null: not known to have been sent.';
comment on column payouts.provider_status is 'The provider''s own word of its last answer.';
comment on column payouts.provider_id is 'The provider''s own id of the payout.';

-- Adjustments and held collections -----------------------------------------------------------------------------------

create table adjustments (
  merchant_id    uuid        not null,
  id             uuid        not null,
  environment    text        not null,
  direction      text        not null,
  against        text        not null,
  amount_minor   bigint      not null,
  currency       text        not null,
  reason         text        not null,
  created_by_id  text,
  created_by_name text       not null,
  created_at     timestamptz not null,
  constraint adjustments_pkey primary key (merchant_id, id),
  constraint adjustments_environment_check check (environment in ('live', 'sandbox')),
  constraint adjustments_direction_check check (direction in ('credit', 'debit')),
  constraint adjustments_against_check check (against in ('provider_float', 'fee_income', 'processor_cost')),
  constraint adjustments_amount_check check (amount_minor > 0)
);
create index adjustments_list_idx on adjustments (merchant_id, environment, id);
comment on table adjustments is 'A correction of a merchant''s balance by an operator, with its reason. Append-only.';
comment on column adjustments.direction is 'credit: the merchant gets it. debit: the merchant gives it.';
comment on column adjustments.against is 'The other account of the movement: what really lies at the provider, our fees, or what the provider charges us.';

create table held_collections (
  merchant_id   uuid        not null,
  collection_id uuid        not null,
  environment   text        not null,
  held_at       timestamptz not null,
  decided_at    timestamptz,
  constraint held_collections_pkey primary key (merchant_id, collection_id)
);
create index held_collections_open_idx on held_collections (merchant_id, collection_id) where decided_at is null;
comment on table held_collections is 'A collection that was held for review: the operators'' queue. Apart from collections, so that no payment pays for it.';
comment on column held_collections.decided_at is 'When it left pending_clearance, by an operator or because the provider took the money back.';
insert into held_collections (merchant_id, collection_id, environment, held_at, decided_at)
  select c.merchant_id, c.id, c.environment, h.at, (
    select o.at from collection_history o where o.merchant_id = c.merchant_id and o.collection_id = c.id
      and o.from_status = 'pending_clearance' and o.to_status <> 'pending_clearance')
  from collection_history h join collections c on c.merchant_id = h.merchant_id and c.id = h.collection_id
  where h.from_status <> 'pending_clearance' and h.to_status = 'pending_clearance';

-- The merchant's view of the ledger ----------------------------------------------------------------------------------

-- A transaction is a posting that touches what is available; it always does so with leg 0. The second index finds the
-- few among many payments, and payments do not write to it.
create index ledger_transfers_available_idx on ledger_transfers (merchant_id, environment, id)
  where leg = 0 and (debit_code = 'available' or credit_code = 'available');
create index ledger_transfers_rare_idx on ledger_transfers (merchant_id, environment, id)
  where leg = 0 and (debit_code = 'available' or credit_code = 'available') and posting <> 'collection_settled';
comment on column ledger_transfers.leg is '0: the amount itself. 1: our fee. 2: what the provider charges.';

create table list_counts (
  merchant_id uuid   not null,
  environment text   not null,
  list        text   not null,
  before_id   uuid   not null,
  items       bigint not null,
  constraint list_counts_pkey primary key (merchant_id, environment, list),
  constraint list_counts_merchant_fkey foreign key (merchant_id) references merchants (id)
);
comment on table list_counts is 'How many rows a merchant''s list had before some moment, so that its total never counts them all again.';
comment on column list_counts.before_id is 'Ids begin with their time: rows with a smaller id are counted here.';

insert into list_counts (merchant_id, environment, list, before_id, items)
  select merchant_id, environment, 'collections', before_id, collections from collection_counts;
drop table collection_counts;

revoke update, delete, truncate on withdrawal_history, adjustments from current_user;
revoke delete, truncate on withdrawals, payouts, held_collections from current_user;
