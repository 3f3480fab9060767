-- The attempts and webhook deliveries of traced payments have the context of their trace. An earlier program leaves the columns empty, so
-- the later spans of its payments are missing.
-- oldest program: 0062

alter table collection_attempts add column trace text;
comment on column collection_attempts.trace is 'The trace id and span id of the request that started the attempt, with a hyphen between them. Null: not traced.';
alter table webhook_deliveries add column trace text;
comment on column webhook_deliveries.trace is 'The trace of the payment that the event reports: see collection_attempts.trace. Null: not traced.';
