-- Merchants store pairs of texts with their records and find records by a pair. A record without pairs has no row in the tables of pairs,
-- so the index of a search contains only searchable rows. An earlier program stores no pairs: its records have none.
-- oldest program: 0062

alter table collections add column metadata jsonb;
alter table payment_links add column metadata jsonb;
alter table invoices add column metadata jsonb;
alter table withdrawals add column metadata jsonb;
comment on column collections.metadata is 'The merchant''s pairs of texts. Payers never see them. Null: none.';
comment on column payment_links.metadata is 'The merchant''s pairs of texts. Payers never see them. Null: none.';
comment on column invoices.metadata is 'The merchant''s pairs of texts. Payers never see them. Null: none.';
comment on column withdrawals.metadata is 'The merchant''s pairs of texts. Null: none.';

create table collection_metadata (
  merchant_id uuid not null,
  pair        uuid not null,
  id          uuid not null,
  constraint collection_metadata_pkey primary key (merchant_id, pair, id)
);
create table payment_link_metadata (
  merchant_id uuid not null,
  pair        uuid not null,
  id          uuid not null,
  constraint payment_link_metadata_pkey primary key (merchant_id, pair, id)
);
create table invoice_metadata (
  merchant_id uuid not null,
  pair        uuid not null,
  id          uuid not null,
  constraint invoice_metadata_pkey primary key (merchant_id, pair, id)
);
create table withdrawal_metadata (
  merchant_id uuid not null,
  pair        uuid not null,
  id          uuid not null,
  constraint withdrawal_metadata_pkey primary key (merchant_id, pair, id)
);
comment on table collection_metadata is 'money/collections: The searchable pairs of collections.metadata.';
comment on table payment_link_metadata is 'money/payment-links: The searchable pairs of payment_links.metadata.';
comment on table invoice_metadata is 'money/invoices: The searchable pairs of invoices.metadata.';
comment on table withdrawal_metadata is 'money/withdrawals: The searchable pairs of withdrawals.metadata.';
comment on column collection_metadata.merchant_id is 'The merchant that owns the row.';
comment on column collection_metadata.pair is 'The first 16 bytes of the SHA-256 of environment, name and value.';
comment on column collection_metadata.id is 'The collection: collections.id. Ids begin with the time, so a search lists the newest first.';
comment on column payment_link_metadata.merchant_id is 'The merchant that owns the row.';
comment on column payment_link_metadata.pair is 'The first 16 bytes of the SHA-256 of environment, name and value.';
comment on column payment_link_metadata.id is 'The payment link: payment_links.id.';
comment on column invoice_metadata.merchant_id is 'The merchant that owns the row.';
comment on column invoice_metadata.pair is 'The first 16 bytes of the SHA-256 of environment, name and value.';
comment on column invoice_metadata.id is 'The invoice: invoices.id.';
comment on column withdrawal_metadata.merchant_id is 'The merchant that owns the row.';
comment on column withdrawal_metadata.pair is 'The first 16 bytes of the SHA-256 of environment, name and value.';
comment on column withdrawal_metadata.id is 'The withdrawal: withdrawals.id.';
