-- The sweep of queued summaries and warnings finds the old rows of a merchant by their time. Earlier programs ignore the index.
-- oldest program: 0062
-- outside a transaction

create index concurrently notices_queued_time_idx on notices_queued (merchant_id, queued_at);
