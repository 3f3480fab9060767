-- oldest program: 0013
-- Each book numbers its bookings, the postings that change what is available, from 1 and without gaps, and dates none before
-- the one that it follows. Lists, exports and statements read by that number. An older program would write no number, which the
-- database refuses. See docs/decisions/0013-booking-order.md.

-- Millions of rows are sorted, joined and indexed once.
set local work_mem = '128MB';
set local maintenance_work_mem = '256MB';

-- In the order in which postings lock them.
lock table ledger_accounts, ledger_transfers in access exclusive mode;

-- All rows are written once more: without indexes meanwhile that is one pass, and the indexes are built afterwards.
alter table ledger_transfers
  add column sequence bigint,
  drop constraint ledger_transfers_pkey,
  drop constraint ledger_transfers_once_key;
drop index ledger_transfers_available_idx;
drop index ledger_transfers_rare_idx;

-- The versions of `available` tell the order in which a book was written. The other legs of a booking keep its date.
grant update on ledger_transfers to current_user;
update ledger_transfers t set sequence = case when t.leg = 0 then b.sequence end, created_at = b.booked_at
from (
  select merchant_id, source_id, source_type, posting, row_number() over book as sequence,
    max(created_at) over book as booked_at
  from ledger_transfers
  where leg = 0 and (debit_code = 'available' or credit_code = 'available')
  window book as (partition by merchant_id, environment
    order by case when credit_code = 'available' then credit_version else debit_version end rows unbounded preceding)
) b
where t.merchant_id = b.merchant_id and t.source_id = b.source_id and t.source_type = b.source_type
  and t.posting = b.posting;
revoke update on ledger_transfers from current_user;

alter table ledger_transfers
  add constraint ledger_transfers_pkey primary key (merchant_id, id),
  add constraint ledger_transfers_once_key unique (merchant_id, source_id, source_type, posting, leg),
  add constraint ledger_transfers_sequence_check check ((sequence is not null)
    = (leg = 0 and (debit_code = 'available' or credit_code = 'available')));
create unique index ledger_transfers_sequence_key on ledger_transfers (merchant_id, environment, sequence)
  where sequence is not null;
-- Finds the few among many payments; payments do not write to it.
create index ledger_transfers_rare_idx on ledger_transfers (merchant_id, environment, sequence)
  where sequence is not null and posting <> 'collection_settled';

alter table ledger_accounts add column sequence bigint not null default 0, add column booked_at timestamptz;
update ledger_accounts a set sequence = b.sequence, booked_at = b.booked_at
from (
  select merchant_id, environment, currency, max(sequence) as sequence, max(created_at) as booked_at
  from ledger_transfers where sequence is not null group by merchant_id, environment, currency
) b
where a.merchant_id = b.merchant_id and a.environment = b.environment and a.currency = b.currency and a.code = 'available';
alter table ledger_accounts add constraint ledger_accounts_sequence_check check (
  (code = 'available' or sequence = 0) and (sequence = 0) = (booked_at is null));

comment on column ledger_transfers.sequence is 'The place of a booking in its book, from 1 without gaps, in the order of writing. On leg 0 of what changes available; null on all other rows.';
comment on column ledger_transfers.created_at is 'When the posting was made. Along the sequence of a book it never goes back.';
comment on column ledger_accounts.sequence is 'How many bookings the book has, which is the number of the last one. Counted on available, 0 on the other accounts.';
comment on column ledger_accounts.booked_at is 'The date of the last booking: the next one gets no earlier date. Null means that the book has none, or that this is not available.';

-- The numbers of a book say how many transactions it has.
delete from list_counts where list = 'transactions';
