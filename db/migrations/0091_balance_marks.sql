-- A merchant sets the balance below which the dashboard asks for attention. Earlier programs ignore the table.
-- oldest program: 0062

create table balance_marks (
  merchant_id uuid not null,
  environment text not null,
  mark_minor bigint not null,
  updated_at timestamptz not null,
  constraint balance_marks_pkey primary key (merchant_id, environment),
  constraint balance_marks_merchant_fkey foreign key (merchant_id) references merchants (id),
  constraint balance_marks_environment_check check (environment in ('live', 'sandbox')),
  constraint balance_marks_mark_check check (mark_minor > 0)
);
comment on table balance_marks is 'access/merchants: The available balance below which the dashboard of a merchant asks for attention. Without a row, no balance is low.';
comment on column balance_marks.merchant_id is 'The merchant that owns the row.';
comment on column balance_marks.environment is 'live: real money. sandbox: simulated money.';
comment on column balance_marks.mark_minor is 'The mark in cents.';
comment on column balance_marks.updated_at is 'When the row last changed.';
