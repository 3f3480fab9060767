-- Once a minute the worker finds the invoices that are overdue and not yet reported.
-- outside a transaction
-- oldest program: 0062

create index concurrently invoices_overdue_idx on invoices (merchant_id, due_date)
  where status = 'SENT' and not paid and overdue_at is null;
