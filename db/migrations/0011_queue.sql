-- What operators look at: what waits for them, whose webhooks fail, what a destination was paid before, and the audit log by
-- who did something and to what.
--
-- None of these is written by a payment on its way: each holds rows in a rare state, or rows that people write. The one of paid
-- withdrawals gets its entry when a payout ends, beside the two that its status is in anyway.

create index webhook_deliveries_failing_idx on webhook_deliveries (merchant_id, updated_at) where status = 'failed';
create index withdrawals_paid_idx on withdrawals (merchant_id, destination_identifier, id) where status = 'SUCCESS';
create index merchants_unchecked_idx on merchants (created_at)
  where status = 'PENDING' or (status = 'ACTIVE' and not verified);
create index audit_log_target_idx on audit_log (merchant_id, target_id, seq);
create index audit_log_actor_idx on audit_log (merchant_id, actor_id, seq) where actor_id is not null;
