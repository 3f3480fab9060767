-- Finds the withdrawals that changed more than 24 hours after their creation, whichever program changed them: the stored sums of their days
-- may be old. The index has no other withdrawals.
-- outside a transaction
-- oldest program: 0062

create index concurrently withdrawals_changed_late_idx on withdrawals (merchant_id, environment, updated_at)
  where updated_at - created_at > interval '24 hours';
