-- A merchant keeps the recipients of its withdrawals, so that people choose one instead of typing its number again. A saved recipient
-- changes nothing about approvals and limits. Earlier programs ignore the tables.
-- oldest program: 0062

create table saved_recipients (
  merchant_id            uuid        not null,
  id                     uuid        not null,
  environment            text        not null,
  label                  text        not null,
  method                 text        not null,
  destination_code       text        not null,
  destination_identifier text        not null,
  destination_name       text        not null,
  name_check             text,
  name_checked_at        timestamptz,
  created_by             text        not null,
  created_at             timestamptz not null,
  constraint saved_recipients_pkey primary key (merchant_id, id),
  constraint saved_recipients_destination_key unique (merchant_id, environment, destination_code, destination_identifier),
  constraint saved_recipients_environment_check check (environment in ('live', 'sandbox')),
  constraint saved_recipients_method_check check (method in ('MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA')),
  constraint saved_recipients_name_check check (name_check in ('same', 'different', 'unknown')),
  constraint saved_recipients_checked_check check ((name_check is null) = (name_checked_at is null))
);
comment on table saved_recipients is 'money/withdrawals: A recipient that a merchant saved for later withdrawals. Saving approves nothing.';
comment on column saved_recipients.merchant_id is 'The merchant that owns the row.';
comment on column saved_recipients.id is 'Made by the application: UUIDv8 with the time and the routing code of the merchant.';
comment on column saved_recipients.environment is 'live: real money. sandbox: simulated money.';
comment on column saved_recipients.label is 'The name by which the members of the merchant find the recipient.';
comment on column saved_recipients.method is 'MOBILE_MONEY, BANK_ACCOUNT or PROVIDER_PESA.';
comment on column saved_recipients.destination_code is 'Network or bank, as GET /v1/destinations names it.';
comment on column saved_recipients.destination_identifier is 'Canonical phone 255XXXXXXXXX, or a bank account number exactly as it was sent.';
comment on column saved_recipients.destination_name is 'Name of the recipient, as the merchant gave it.';
comment on column saved_recipients.name_check is 'Whether the provider has the same name for the account: same, different, or unknown. Null means never checked.';
comment on column saved_recipients.name_checked_at is 'When the provider was asked for the name. Null means never.';
comment on column saved_recipients.created_by is 'Name of the member that saved the recipient, at that time.';
comment on column saved_recipients.created_at is 'When the row was created.';

create table recipient_name_checks (
  merchant_id uuid    not null,
  day         date    not null,
  count       integer not null,
  constraint recipient_name_checks_pkey primary key (merchant_id)
);
comment on table recipient_name_checks is 'money/withdrawals: How often a merchant asked for names on its latest day, so that no merchant searches for the owners of numbers.';
comment on column recipient_name_checks.merchant_id is 'The merchant that owns the row.';
comment on column recipient_name_checks.day is 'The day in Tanzania of the latest check.';
comment on column recipient_name_checks.count is 'The number of checks on that day.';
