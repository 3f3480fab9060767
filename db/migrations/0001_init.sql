-- The first schema: merchants, keys, collections, the ledger, webhooks and the provider's callbacks.
--
-- Rules every table keeps (checked against the catalogue by a test):
--   * merchant_id leads every key and index of a merchant-owned table, so that a merchant's rows can live on any machine;
--   * no triggers, no sequences, no SQL clock: ids and times are made by the application;
--   * tables that every payment writes to have no foreign keys: the statements that write them write both ends, and
--     "admin verify" looks for orphans (why: docs/decisions/0003);
--   * what must never change is protected by privilege (see the end of this file), not by convention.

-- Reference tables: small, rarely written ------------------------------------------------------------------------------

create table merchants (
  id            uuid        not null,
  routing_code  bigint      not null,
  merchant_code text        not null,
  name          text        not null,
  email         text,
  status        text        not null,
  verified      boolean     not null,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  constraint merchants_pkey primary key (id),
  constraint merchants_routing_code_key unique (routing_code),
  constraint merchants_merchant_code_key unique (merchant_code),
  constraint merchants_status_check check (status in ('PENDING', 'ACTIVE', 'SUSPENDED')),
  constraint merchants_routing_code_check check (routing_code between 0 and 4294967295)
);
comment on table merchants is 'One business that collects money. Written by operators and the admin command.';
comment on column merchants.routing_code is 'Random 32-bit number inside every id of this merchant: leads from any id to its merchant without a search.';
comment on column merchants.merchant_code is 'Short public name of the merchant in webhooks, derived from routing_code.';
comment on column merchants.verified is 'True once the identity of the business has been checked.';

create table api_keys (
  merchant_id  uuid        not null,
  id           uuid        not null,
  name         text        not null,
  environment  text        not null,
  key_hash     bytea       not null,
  key_prefix   text        not null,
  key_last4    text        not null,
  scopes       text[]      not null,
  ip_whitelist_enabled          boolean not null,
  continue_without_ip_whitelist boolean not null,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  created_at   timestamptz not null,
  constraint api_keys_pkey primary key (merchant_id, id),
  constraint api_keys_key_hash_key unique (key_hash),
  constraint api_keys_merchant_fkey foreign key (merchant_id) references merchants (id),
  constraint api_keys_environment_check check (environment in ('live', 'sandbox'))
);
comment on table api_keys is 'One API key. The plaintext is never stored: a lost key is rotated.';
comment on column api_keys.key_hash is 'SHA-256 of the whole plaintext key.';
comment on column api_keys.expires_at is 'Null: the key does not expire by itself.';
comment on column api_keys.revoked_at is 'Null while the key is active.';

-- Merchant-owned tables ---------------------------------------------------------------------------------------------

create table api_key_usage (
  merchant_id  uuid        not null,
  key_id       uuid        not null,
  last_used_at timestamptz not null,
  constraint api_key_usage_pkey primary key (merchant_id, key_id)
);
comment on table api_key_usage is 'When a key was last used, to the minute. Apart from api_keys so that use never writes to a key row.';

create table pricing_rules (
  merchant_id         uuid        not null,
  id                  uuid        not null,
  flow                text        not null,
  method              text,
  destination_code    text,
  percentage_hundredths integer   not null,
  flat_fee_minor      bigint      not null,
  processor_charge_minor bigint   not null,
  processor_fee_pass_through boolean not null,
  label               text        not null,
  valid_from          timestamptz not null,
  valid_until         timestamptz,
  constraint pricing_rules_pkey primary key (merchant_id, id),
  constraint pricing_rules_merchant_fkey foreign key (merchant_id) references merchants (id),
  constraint pricing_rules_flow_check check (flow in ('collection', 'withdrawal')),
  constraint pricing_rules_fees_check check (percentage_hundredths >= 0 and flat_fee_minor >= 0 and processor_charge_minor >= 0)
);
comment on table pricing_rules is 'One line of a merchant''s price list. A new list closes the old lines (valid_until); nothing is deleted.';
comment on column pricing_rules.percentage_hundredths is 'Hundredths of a percent: 150 means 1.50 %.';
comment on column pricing_rules.method is 'Null: every method.';
comment on column pricing_rules.destination_code is 'Null: every destination.';
comment on column pricing_rules.valid_until is 'Null while the line is in force.';

create table idempotency_keys (
  merchant_id   uuid        not null,
  environment   text        not null,
  scope         text        not null,
  key           text        not null,
  fingerprint   bytea       not null,
  resource_id   uuid,
  status_code   smallint,
  response_body text,
  locked_until  timestamptz,
  created_at    timestamptz not null,
  constraint idempotency_keys_pkey primary key (merchant_id, environment, scope, key),
  constraint idempotency_keys_answer_check check ((status_code is null) = (response_body is null))
);
comment on table idempotency_keys is 'One Idempotency-Key that a merchant has used. Kept for ever, so that an old key never makes a second payment.';
comment on column idempotency_keys.scope is 'What the key is unique within: api, or the id of a payment link.';
comment on column idempotency_keys.fingerprint is 'SHA-256 of method, path, query and the canonical body of the first request.';
comment on column idempotency_keys.resource_id is 'What the first request made. Null: nothing yet, or nothing to point to.';
comment on column idempotency_keys.status_code is 'Null while the first request is still running.';
comment on column idempotency_keys.locked_until is 'While the first request runs: when it counts as dead and the key is free again.';

create table collections (
  merchant_id           uuid        not null,
  id                    uuid        not null,
  environment           text        not null,
  origin_environment    text        not null,
  status                text        not null,
  version               integer     not null,
  method                text,
  amount_minor          bigint      not null,
  currency              text        not null,
  fee_minor             bigint      not null,
  amount_received_minor bigint,
  customer_name         text,
  customer_phone        text,
  customer_email        text,
  reference             text,
  description           text,
  failure_reason_code   text,
  created_at            timestamptz not null,
  updated_at            timestamptz not null,
  constraint collections_pkey primary key (merchant_id, id),
  constraint collections_amount_check check (amount_minor > 0),
  constraint collections_fee_check check (fee_minor >= 0 and fee_minor < amount_minor),
  constraint collections_environment_check check (environment in ('live', 'sandbox') and origin_environment in ('live', 'sandbox')),
  constraint collections_status_check
    check (status in ('created', 'processing', 'successful', 'failed', 'pending_clearance', 'reversed')),
  constraint collections_method_check check (method in ('wallet_push', 'provider_pesa', 'qr')),
  constraint collections_failure_check check ((status = 'failed') <= (failure_reason_code is not null))
) with (fillfactor = 85);
create index collections_list_idx on collections (merchant_id, environment, id);
create index collections_reference_idx on collections (merchant_id, reference, id) where reference is not null;
create index collections_phone_idx on collections (merchant_id, customer_phone, id) where customer_phone is not null;
comment on table collections is 'One payment that a merchant asks of a customer.';
comment on column collections.environment is 'Whose money it is: live, or sandbox (no real money).';
comment on column collections.origin_environment is 'The environment of the key that made it; differs from environment only on a hosted page.';
comment on column collections.version is 'Number of status moves so far, and the seq of the last row in collection_history.';
comment on column collections.method is 'Null until the payer has chosen.';
comment on column collections.fee_minor is 'Our fee in cents, frozen when the collection was made.';
comment on column collections.amount_received_minor is 'What the provider says was taken, in cents. Null until it said so.';
comment on column collections.customer_phone is 'Canonical 255XXXXXXXXX.';

create table collection_counts (
  merchant_id uuid   not null,
  environment text   not null,
  before_id   uuid   not null,
  collections bigint not null,
  constraint collection_counts_pkey primary key (merchant_id, environment),
  constraint collection_counts_merchant_fkey foreign key (merchant_id) references merchants (id)
);
comment on table collection_counts is 'How many collections a merchant had made before some moment, so that a list''s total never counts them all again.';
comment on column collection_counts.before_id is 'Ids begin with their time: collections with a smaller id are counted here.';

create table collection_attempts (
  merchant_id        uuid        not null,
  collection_id      uuid        not null,
  number             smallint    not null,
  environment        text        not null,
  provider           text        not null,
  provider_reference text        not null,
  method             text        not null,
  phone              text,
  amount_minor       bigint      not null,
  currency           text        not null,
  simulate_status    text,
  state              text        not null,
  asks               smallint    not null,
  due_at             timestamptz,
  lease_owner        uuid,
  deadline_at        timestamptz not null,
  sent_at            timestamptz,
  provider_status    text,
  provider_id        text,
  payment_token      text,
  qr_payload         text,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  constraint collection_attempts_pkey primary key (merchant_id, collection_id, number),
  constraint collection_attempts_state_check check (state in ('to_send', 'asked', 'final', 'given_up'))
) with (fillfactor = 85);
create index collection_attempts_due_idx on collection_attempts (merchant_id, due_at) where due_at is not null;
comment on table collection_attempts is 'One try to take a payment at a provider. A row with due_at is waiting for the worker.';
comment on column collection_attempts.provider_reference is 'The reference we give the provider, made from collection_id and number before the first byte is sent; never replaced.';
comment on column collection_attempts.simulate_status is 'Sandbox only: the outcome the merchant asked for.';
comment on column collection_attempts.state is 'to_send: the provider may not have it yet. asked: it has it, the answer is open. final: it gave its answer. given_up: the deadline passed.';
comment on column collection_attempts.asks is 'How often the provider was asked for the outcome.';
comment on column collection_attempts.due_at is 'When the next step is due; for a leased row, when the lease ends. Null: nothing waits.';
comment on column collection_attempts.lease_owner is 'The process that works on the row until due_at. Null: nobody.';
comment on column collection_attempts.deadline_at is 'When an open outcome becomes failed with timeout.';
comment on column collection_attempts.sent_at is 'When the provider took the request. Null: not known to have been sent.';
comment on column collection_attempts.provider_status is 'The provider''s own word of its last answer.';
comment on column collection_attempts.provider_id is 'The provider''s own id of the payment.';

create table collection_history (
  merchant_id   uuid        not null,
  collection_id uuid        not null,
  seq           integer     not null,
  from_status   text        not null,
  to_status     text        not null,
  actor         text        not null,
  reason        text,
  event         text,
  at            timestamptz not null,
  constraint collection_history_pkey primary key (merchant_id, collection_id, seq)
);
comment on table collection_history is 'One status move of a collection. Append-only.';
comment on column collection_history.actor is 'Who moved it: provider, deadline, payer or an operator.';
comment on column collection_history.event is 'The webhook event that was queued with this move. Null: none was promised, or the merchant does not subscribe to it.';

-- The ledger ---------------------------------------------------------------------------------------------------------

create table ledger_accounts (
  merchant_id   uuid    not null,
  environment   text    not null,
  currency      text    not null,
  code          text    not null,
  balance_minor bigint  not null,
  version       bigint  not null,
  constraint ledger_accounts_pkey primary key (merchant_id, environment, currency, code),
  constraint ledger_accounts_merchant_fkey foreign key (merchant_id) references merchants (id),
  constraint ledger_accounts_environment_check check (environment in ('live', 'sandbox')),
  constraint ledger_accounts_code_check
    check (code in ('available', 'reserved', 'held', 'provider_float', 'fee_income', 'processor_cost')),
  constraint ledger_accounts_no_overdraft check (code not in ('reserved', 'held') or balance_minor >= 0)
) with (fillfactor = 50);
comment on table ledger_accounts is 'The book of one merchant in one environment: six accounts. The balances of a book sum to zero.';
comment on column ledger_accounts.balance_minor is 'Credits minus debits in cents. What the merchant owns is positive; provider_float, where the money lies, is negative.';
comment on column ledger_accounts.version is 'Number of movements that touched the account.';

create table ledger_transfers (
  merchant_id          uuid        not null,
  id                   uuid        not null,
  environment          text        not null,
  currency             text        not null,
  debit_code           text        not null,
  credit_code          text        not null,
  amount_minor         bigint      not null,
  posting              text        not null,
  leg                  smallint    not null,
  source_type          text        not null,
  source_id            uuid        not null,
  debit_balance_minor  bigint      not null,
  debit_version        bigint      not null,
  credit_balance_minor bigint      not null,
  credit_version       bigint      not null,
  created_at           timestamptz not null,
  constraint ledger_transfers_pkey primary key (merchant_id, id),
  constraint ledger_transfers_once_key unique (merchant_id, source_id, source_type, posting, leg),
  constraint ledger_transfers_amount_check check (amount_minor > 0),
  constraint ledger_transfers_accounts_check check (debit_code <> credit_code)
);
comment on table ledger_transfers is 'One balanced movement of money inside one book. Append-only; a mistake is corrected by another movement.';
comment on column ledger_transfers.id is 'Also the transaction''s id: TXN- plus this id in Crockford base32.';
comment on column ledger_transfers.posting is 'The business fact, such as collection_settled. Unique per source and leg: money moves once per fact.';
comment on column ledger_transfers.leg is '0: the amount itself. 1: our fee.';
comment on column ledger_transfers.debit_balance_minor is 'Balance of the debited account right after this movement.';
comment on column ledger_transfers.credit_balance_minor is 'Balance of the credited account right after this movement.';

-- Webhooks: us to the merchant --------------------------------------------------------------------------------------

create table webhook_configs (
  merchant_id           uuid        not null,
  webhook_url           text        not null,
  events                text[]      not null,
  secret                text        not null,
  secret_last4          text        not null,
  previous_secret       text,
  previous_secret_until timestamptz,
  created_at            timestamptz not null,
  updated_at            timestamptz not null,
  constraint webhook_configs_pkey primary key (merchant_id),
  constraint webhook_configs_merchant_fkey foreign key (merchant_id) references merchants (id)
);
comment on table webhook_configs is 'Where a merchant''s events go. No row: the merchant receives none.';
comment on column webhook_configs.secret is 'Signing secret, encrypted with SECRET_KEY.';
comment on column webhook_configs.previous_secret is 'The secret before the last rotation, encrypted; it signs too until previous_secret_until.';

create table webhook_deliveries (
  merchant_id  uuid        not null,
  id           uuid        not null,
  environment  text        not null,
  event        text        not null,
  source_type  text        not null,
  source_id    uuid        not null,
  source_seq   integer     not null,
  body         text        not null,
  status       text        not null,
  attempts     smallint    not null,
  due_at       timestamptz,
  lease_owner  uuid,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint webhook_deliveries_pkey primary key (merchant_id, id),
  constraint webhook_deliveries_once_key unique (merchant_id, source_id, source_type, source_seq, event),
  constraint webhook_deliveries_status_check check (status in ('pending', 'delivered', 'failed')),
  constraint webhook_deliveries_due_check check ((status = 'pending') = (due_at is not null))
) with (fillfactor = 85);
create index webhook_deliveries_due_idx on webhook_deliveries (merchant_id, due_at) where due_at is not null;
comment on table webhook_deliveries is 'One event on its way to a merchant. Written in the transaction of the fact that it tells.';
comment on column webhook_deliveries.id is 'X-Service-Delivery: the same over all attempts and replays.';
comment on column webhook_deliveries.source_seq is 'The status move that the event tells: seq of collection_history.';
comment on column webhook_deliveries.body is 'The exact bytes that are signed and sent.';
comment on column webhook_deliveries.attempts is 'Finished attempts of the series of five; a replay adds one attempt, whose failure is final.';
comment on column webhook_deliveries.due_at is 'When the next attempt is due; for a leased row, when the lease ends. Null: nothing waits.';

create table webhook_attempts (
  merchant_id   uuid        not null,
  delivery_id   uuid        not null,
  number        smallint    not null,
  at            timestamptz not null,
  duration_ms   integer     not null,
  status_code   smallint,
  error         text,
  response_body text,
  constraint webhook_attempts_pkey primary key (merchant_id, delivery_id, number)
);
comment on table webhook_attempts is 'One finished try to deliver an event. Append-only.';
comment on column webhook_attempts.number is 'Counts from 1 over all attempts of the delivery, replays included.';
comment on column webhook_attempts.status_code is 'Null when no answer came.';
comment on column webhook_attempts.error is 'Null when the answer was 2xx.';
comment on column webhook_attempts.response_body is 'The first part of the answer, as text.';

-- Callbacks: the provider to us -------------------------------------------------------------------------------------

create table provider_callbacks (
  dedupe_key         bytea       not null,
  provider           text        not null,
  verdict            text        not null,
  provider_reference text,
  body               text        not null,
  times              integer     not null,
  received_at        timestamptz not null,
  last_received_at   timestamptz not null,
  constraint provider_callbacks_pkey primary key (dedupe_key),
  constraint provider_callbacks_verdict_check check (verdict in ('hint', 'unknown_reference', 'forged'))
);
comment on table provider_callbacks is 'What came in at our callback addresses, as it came. A callback is a hint to ask the provider; it is never proof.';
comment on column provider_callbacks.dedupe_key is 'SHA-256 of provider, verdict and body: the same callback sent again counts in times.';
comment on column provider_callbacks.verdict is 'hint: signed and about an attempt of ours. unknown_reference: signed, but not ours. forged: the signature is wrong.';

-- Append-only by privilege. The owner of the tables is bound too (a superuser is not: do not run as one).
revoke update, delete, truncate on ledger_transfers, collection_history, webhook_attempts from current_user;
revoke delete, truncate on ledger_accounts, collections, collection_attempts, idempotency_keys, webhook_deliveries from current_user;
