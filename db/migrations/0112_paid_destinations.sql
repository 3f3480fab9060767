-- The list of withdrawals marks a destination that another merchant has paid, with one index lookup for each row. A payout writes
-- the entry when it ends. Earlier programs ignore the index.
-- outside a transaction
-- oldest program: 0062

create index concurrently withdrawals_paid_destination_idx
  on withdrawals (destination_identifier, destination_code, environment, merchant_id) where status = 'SUCCESS';
