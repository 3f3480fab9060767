-- The worker erases the stored answers of old Idempotency-Keys. Rows are written in the order of their time, so that a range index of
-- few pages finds those of a time, and costs a new row almost nothing.
-- oldest program: 0062

create index idempotency_keys_time_idx on idempotency_keys using brin (merchant_id, created_at) with (autosummarize = on);
comment on column idempotency_keys.response_body is 'Body of the stored response. Null means that the first request still runs. Empty means that the worker has erased it.';

-- One mark holds for the keys of all merchants.
alter table retention_marks drop constraint retention_marks_merchant_fkey;
comment on table retention_marks is 'kernel/work: How far the worker has erased people from a table (RETENTION_PAYERS_DAYS), or answers of Idempotency-Keys.';
comment on column retention_marks.merchant_id is 'The merchant that owns the row; zeros for the keys of all merchants.';
