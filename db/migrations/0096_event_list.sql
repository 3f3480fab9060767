-- The list of events reads the first delivery of each event, newest first.
-- outside a transaction
-- oldest program: 0062

create index concurrently webhook_deliveries_events_idx on webhook_deliveries (merchant_id, environment, id)
  where not is_copy and source_type <> 'test';
