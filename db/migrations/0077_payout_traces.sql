-- The payouts of traced approvals have the context of their trace. An earlier program leaves the column empty, so the later spans of its
-- payouts are missing.
-- oldest program: 0062

alter table payouts add column trace text;
comment on column payouts.trace is 'The trace id and span id of the request that approved the payout, with a hyphen between them. Null: not traced.';
comment on column webhook_deliveries.trace is 'The trace of the payment or payout that the event reports: see collection_attempts.trace and payouts.trace. Null: not traced.';
