-- Totals of days that are over: how many payments each had, and how much money, so that no list or overview counts millions.
-- And indexes for the filters of lists whose rows are rare among a million others.

create table collection_days (
  merchant_id           uuid   not null,
  environment           text   not null,
  status                text   not null,
  day                   date   not null,
  method                text   not null,
  network               text   not null,
  items                 bigint not null,
  amount_minor          bigint not null,
  amount_received_minor bigint not null,
  fee_minor             bigint not null,
  ids                   uuid[],
  constraint collection_days_pkey primary key (merchant_id, environment, status, day, method, network),
  constraint collection_days_environment_check check (environment in ('live', 'sandbox')),
  constraint collection_days_items_check check (items > 0)
);
comment on table collection_days is 'The payments of one merchant that were made on one day in the past, summed by where they stand. Computed from collections, and computed again whenever one of them changes later.';
comment on column collection_days.day is 'The day of Tanzania on which the ids of these collections were made.';
comment on column collection_days.method is 'Empty: the payer never chose.';
comment on column collection_days.network is 'Guessed from the phone. Empty: unknown, or paid without a phone.';
comment on column collection_days.amount_minor is 'What was asked for, in cents.';
comment on column collection_days.amount_received_minor is 'What the providers say was taken, in cents.';
comment on column collection_days.fee_minor is 'Our fees in cents, as they are taken if the payments succeed.';
comment on column collection_days.ids is 'The collections themselves, where they are few: so that a list of what is rare reads none of the others. Null: more.';

create table collection_days_until (
  merchant_id uuid not null,
  environment text not null,
  until_day   date not null,
  constraint collection_days_until_pkey primary key (merchant_id, environment),
  constraint collection_days_until_merchant_fkey foreign key (merchant_id) references merchants (id)
);
comment on table collection_days_until is 'How far collection_days is filled. Whoever writes there has this row under lock.';
comment on column collection_days_until.until_day is 'All days before it are summed; this one and later ones are not.';

create table collection_days_stale (
  merchant_id uuid not null,
  id          uuid not null,
  environment text not null,
  day         date not null,
  constraint collection_days_stale_pkey primary key (merchant_id, id)
);
comment on table collection_days_stale is 'A payment of an old day has changed: written with the change itself. While there is a row, the payments of that day are counted one by one.';

-- Payment links, withdrawals and deliveries of a kind that is rare. A delivery that succeeds at once writes to neither of its two.
create index payment_links_status_idx on payment_links (merchant_id, environment, status, id) where collection_id is null;
create index payment_links_end_idx on payment_links (merchant_id, environment, coalesce(expires_at, 'infinity'::timestamptz))
  where status = 'ACTIVE' and collection_id is null;
create index withdrawals_method_idx on withdrawals (merchant_id, environment, method, id);
create index webhook_deliveries_failed_idx on webhook_deliveries (merchant_id, environment, id) where status = 'failed';
create index webhook_deliveries_rare_idx on webhook_deliveries (merchant_id, environment, event, id)
  where event <> 'collection.success';

-- PAID is not stored with an invoice: whoever pays locks links, and no invoice. Lists of what is open would look at each that
-- was paid long ago, so a mark is written afterwards.
alter table invoices add column paid boolean not null default false;
comment on column invoices.paid is 'True: one of its links is paid, and lists of open invoices need not look. Written some seconds after the payment: false says nothing.';
alter table payment_links add column noted boolean not null default false;
comment on column payment_links.noted is 'True: the invoice of this paid link is marked as paid.';
create index payment_links_paid_idx on payment_links (merchant_id, invoice_id) where status = 'PAID' and invoice_id is not null;
create index payment_links_unnoted_idx on payment_links (merchant_id, id)
  where status = 'PAID' and invoice_id is not null and not noted;
create index invoices_open_idx on invoices (merchant_id, environment, status, id) where not paid;
create index invoices_open_due_idx on invoices (merchant_id, environment, status, due_date) where not paid;
