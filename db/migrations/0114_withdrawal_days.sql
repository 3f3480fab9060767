-- Sums of the withdrawals of past days, so that the first page of the dashboard reads no old withdrawal. An earlier program neither writes
-- nor reads the tables. Its changes of old withdrawals count, because the index of 0113 finds them.
-- oldest program: 0062

create table withdrawal_days (
  merchant_id  uuid   not null,
  environment  text   not null,
  day          date   not null,
  status       text   not null,
  items        bigint not null,
  amount_minor bigint not null,
  constraint withdrawal_days_pkey primary key (merchant_id, environment, day, status),
  constraint withdrawal_days_environment_check check (environment in ('live', 'sandbox')),
  constraint withdrawal_days_items_check check (items > 0)
);
comment on table withdrawal_days is 'money/withdrawals: The withdrawals that a merchant submitted on one past day, summed by status. The worker computes the sums from withdrawals.';
comment on column withdrawal_days.merchant_id is 'The merchant that owns the row.';
comment on column withdrawal_days.environment is 'live: real money. sandbox: simulated money.';
comment on column withdrawal_days.day is 'The day in Tanzania (Africa/Dar_es_Salaam) in which the ids of these withdrawals were made.';
comment on column withdrawal_days.status is 'The status of these withdrawals when the worker summed the day.';
comment on column withdrawal_days.items is 'The number of withdrawals.';
comment on column withdrawal_days.amount_minor is 'The sum of their amounts in cents, without charges.';
revoke truncate on withdrawal_days from current_user;

create table withdrawal_days_until (
  merchant_id  uuid        not null,
  environment  text        not null,
  until_day    date        not null,
  changes_from timestamptz not null,
  constraint withdrawal_days_until_pkey primary key (merchant_id, environment),
  constraint withdrawal_days_until_environment_check check (environment in ('live', 'sandbox'))
);
comment on table withdrawal_days_until is 'money/withdrawals: The days of a merchant that withdrawal_days has. A transaction that writes sums locks this row first.';
comment on column withdrawal_days_until.merchant_id is 'The merchant that owns the row.';
comment on column withdrawal_days_until.environment is 'live: real money. sandbox: simulated money.';
comment on column withdrawal_days_until.until_day is 'All earlier days have sums; this day and later days have none.';
comment on column withdrawal_days_until.changes_from is 'The sums include every change before this time. If a withdrawal changed later, the server counts the withdrawals of its day one by one.';
revoke truncate on withdrawal_days_until from current_user;
