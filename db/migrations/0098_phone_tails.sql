-- A search finds a payment by the last four digits of a phone, newest first: a payer reads them aloud, and receipts show them.
-- Other searches use the indexes of lists. A payment writes one more index entry.
-- outside a transaction
-- oldest program: 0062

create index concurrently collections_phone_tail_idx on collections (merchant_id, environment, right(customer_phone, 4), id)
  where customer_phone is not null;
