-- An operator can limit the payouts of a merchant for a day. The index finds the payouts that operators approved on a day.
-- oldest program: 0012

alter table merchants
  add column payout_daily_limit_minor bigint,
  add column payout_destination_limit_minor bigint,
  add constraint merchants_payout_limits_check check (payout_daily_limit_minor >= 0 and payout_destination_limit_minor >= 0);
comment on column merchants.payout_daily_limit_minor is 'Largest sum of payouts that operators may approve on a day in Tanzania, in cents. Null means that PAYOUT_DAILY_LIMIT applies.';
comment on column merchants.payout_destination_limit_minor is 'Largest sum of payouts to one phone or account that operators may approve on a day in Tanzania, in cents. Null means that PAYOUT_DAILY_LIMIT_PER_DESTINATION applies.';

create index payouts_day_idx on payouts (merchant_id, environment, created_at);
