-- What the payer sees: payment links and hosted pages, invoices, and the messages that carry them.

-- Payment links --------------------------------------------------------------------------------------------------------

create table payment_links (
  merchant_id        uuid        not null,
  id                 uuid        not null,
  environment        text        not null,
  origin_environment text        not null,
  slug               text        not null,
  status             text        not null,
  amount_minor       bigint      not null,
  currency           text        not null,
  customer_name      text,
  customer_phone     text,
  customer_email     text,
  reference          text,
  description        text,
  redirect_url       text,
  cancel_url         text,
  expires_at         timestamptz,
  collection_id      uuid,
  invoice_id         uuid,
  paid_collection_id uuid,
  paid_at            timestamptz,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  constraint payment_links_pkey primary key (merchant_id, id),
  constraint payment_links_slug_key unique (merchant_id, slug),
  constraint payment_links_environment_check check (environment in ('live', 'sandbox')
    and origin_environment in ('live', 'sandbox')),
  constraint payment_links_status_check check (status in ('ACTIVE', 'PAID', 'CANCELLED')),
  constraint payment_links_amount_check check (amount_minor > 0),
  constraint payment_links_paid_check check ((status = 'PAID') = (paid_collection_id is not null)
    and (status = 'PAID') = (paid_at is not null))
);
create index payment_links_list_idx on payment_links (merchant_id, environment, id) where collection_id is null;
create index payment_links_invoice_idx on payment_links (merchant_id, invoice_id) where invoice_id is not null;
comment on table payment_links is 'A page on which one amount can be paid once: a payment link, or the hosted page of one collection.';
comment on column payment_links.environment is 'Whose money it is. With a real provider always live.';
comment on column payment_links.origin_environment is 'The environment of the key or session that made it.';
comment on column payment_links.slug is 'What makes its public address: the routing code of the merchant and 128 random bits.';
comment on column payment_links.status is 'EXPIRED is not stored: a link that is ACTIVE after expires_at reads as EXPIRED.';
comment on column payment_links.collection_id is 'The one collection that a hosted page pays. Null: a payment link, where each try of a payer is a collection.';
comment on column payment_links.paid_collection_id is 'The payment that paid it. Whatever succeeds later is held for an operator.';

alter table collections add column payment_link_id uuid;
alter table collections add column attempts smallint not null default 1;
alter table collections add column settled_attempt smallint;
create index collections_link_idx on collections (merchant_id, payment_link_id, id) where payment_link_id is not null;
comment on column collections.payment_link_id is 'The page on which it is paid. Null: it was pushed through the API.';
comment on column collections.attempts is 'How often a payer tried: the number of the newest attempt.';
comment on column collections.settled_attempt is 'Number of the attempt whose money is booked. Null: none, or the first.';

alter table collection_attempts add column on_page boolean not null default false;
alter table collection_attempts add column extra_collection_id uuid;
alter table collection_attempts add column fee_minor bigint;
create index collection_attempts_extra_idx on collection_attempts (merchant_id, extra_collection_id)
  where extra_collection_id is not null;
comment on column collection_attempts.on_page is 'True: the payer waits on a page. A provider that only rehearses then makes no pause.';
comment on column collection_attempts.fee_minor is 'Our fee if this attempt pays, frozen when it began. Null: that of the collection.';
comment on column collection_attempts.extra_collection_id is 'The collection that holds what this attempt took after another attempt had paid. Null: none.';

-- How often payers tried -----------------------------------------------------------------------------------------------

create table payer_tries (
  kind              text        not null,
  subject           bytea       not null,
  window_started_at timestamptz not null,
  tries             integer     not null,
  constraint payer_tries_pkey primary key (kind, subject),
  constraint payer_tries_kind_check check (kind in ('phone', 'link', 'address'))
);
comment on table payer_tries is 'How many prompts a phone, a link or an address has caused in the present window. Old rows are deleted.';
comment on column payer_tries.subject is 'A keyed hash: nobody reads phones or addresses here.';

-- Invoices -------------------------------------------------------------------------------------------------------------

create table invoice_numbers (
  merchant_id uuid    not null,
  environment text    not null,
  last_number integer not null,
  constraint invoice_numbers_pkey primary key (merchant_id, environment)
);
comment on table invoice_numbers is 'The newest invoice number of each merchant.';

create table invoices (
  merchant_id        uuid        not null,
  id                 uuid        not null,
  environment        text        not null,
  number             integer     not null,
  status             text        not null,
  customer_name      text        not null,
  customer_phone     text,
  customer_email     text,
  language           text        not null,
  due_date           date        not null,
  currency           text        not null,
  total_minor        bigint      not null,
  items              json        not null,
  note               text,
  payment_link_id    uuid,
  sent_at            timestamptz,
  sends_today        smallint    not null,
  cancelled_at       timestamptz,
  reminders          smallint    not null,
  due_at             timestamptz,
  lease_owner        uuid,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  constraint invoices_pkey primary key (merchant_id, id),
  constraint invoices_number_key unique (merchant_id, environment, number),
  constraint invoices_environment_check check (environment in ('live', 'sandbox')),
  constraint invoices_status_check check (status in ('DRAFT', 'SENT', 'CANCELLED')),
  constraint invoices_language_check check (language in ('sw', 'en')),
  constraint invoices_total_check check (total_minor > 0),
  constraint invoices_due_check check (status = 'SENT' or due_at is null)
);
create index invoices_list_idx on invoices (merchant_id, environment, id);
create index invoices_due_idx on invoices (merchant_id, due_at) where due_at is not null;
comment on table invoices is 'What a merchant asks a customer to pay by a date, with its items.';
comment on column invoices.status is 'PAID and OVERDUE are not stored: an invoice whose link is paid reads as PAID, one that is SENT after its due date as OVERDUE.';
comment on column invoices.number is 'Shown as INV-000123: counts from 1 for each merchant and environment.';
comment on column invoices.items is 'Descriptions, quantities as decimal text, unit prices and amounts in cents as text.';
comment on column invoices.sent_at is 'When it was last sent. Null: never.';
comment on column invoices.sends_today is 'How often it was sent on the day of sent_at, in Tanzania.';
comment on column invoices.reminders is 'How many reminders were queued.';
comment on column invoices.due_at is 'When the next reminder is due; for a leased row, when the lease ends. Null: none.';
comment on column invoices.lease_owner is 'The process that works on the row until due_at. Null: nobody.';

-- Messages -------------------------------------------------------------------------------------------------------------

alter table outbox_messages add column environment text not null default 'live';
alter table outbox_messages add column channel text not null default 'email';
alter table outbox_messages add column status text not null default 'kept';
alter table outbox_messages add column tries smallint not null default 0;
alter table outbox_messages add column due_at timestamptz;
alter table outbox_messages add column lease_owner uuid;
alter table outbox_messages add column sent_at timestamptz;
alter table outbox_messages add column error text;
alter table outbox_messages add column gateway_id text;
alter table outbox_messages add column invoice_id uuid;
alter table outbox_messages add constraint outbox_messages_channel_check check (channel in ('email', 'sms'));
alter table outbox_messages add constraint outbox_messages_status_check check (status in ('kept', 'waiting', 'sent', 'failed'));
alter table outbox_messages add constraint outbox_messages_due_check check (status = 'waiting' or due_at is null);
create index outbox_messages_due_idx on outbox_messages (merchant_id, due_at) where due_at is not null;
create index outbox_messages_trouble_idx on outbox_messages (merchant_id, id) where status in ('waiting', 'failed');
create index outbox_messages_invoice_idx on outbox_messages (merchant_id, invoice_id, id) where invoice_id is not null;
comment on table outbox_messages is 'One e-mail or SMS that is to be sent.';
comment on column outbox_messages.status is 'kept: read in the product, nobody sends it. waiting: to be sent at due_at. sent: the gateway took it. failed: given up.';
comment on column outbox_messages.error is 'Why the last try failed: a stable word, a colon, and what the gateway said.';
comment on column outbox_messages.gateway_id is 'The id that the gateway gave it.';
comment on column outbox_messages.invoice_id is 'The invoice that it is about: its merchant may read it. Null: nobody but the operator may.';
comment on column outbox_messages.due_at is 'When the next try is due; for a leased row, when the lease ends. Null: nothing waits.';
comment on column outbox_messages.lease_owner is 'The process that works on the row until due_at. Null: nobody.';

-- Help for payers ------------------------------------------------------------------------------------------------------

create table network_help (
  code       text        not null,
  position   smallint    not null,
  name       text        not null,
  menu_code  text,
  help_sw    text        not null,
  help_en    text        not null,
  updated_at timestamptz not null,
  constraint network_help_pkey primary key (code)
);
comment on table network_help is 'What a payer of each mobile network reads when no prompt came. Edited by operators; without rows, the built-in texts hold.';
comment on column network_help.menu_code is 'What to dial for the menu of the network, such as *150*00#.';

revoke delete, truncate on payment_links, invoices, invoice_numbers from current_user;
