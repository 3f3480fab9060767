-- The admin command archives a merchant with a demo history. Earlier programs ignore the column: they list the merchant as suspended.
-- oldest program: 0062

alter table merchants add column archived_at timestamptz;
comment on column merchants.archived_at is 'When the admin command archived the merchant. Its pages take no payment, and lists of all merchants leave it out. Null: not archived.';
