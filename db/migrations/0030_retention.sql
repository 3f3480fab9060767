-- The worker erases payers from old rows in batches. For each merchant and table, one row here records the last erased row, so that no
-- batch reads erased rows again.
-- oldest program: 0012

create table retention_marks (
  merchant_id uuid not null,
  kind        text not null,
  last_id     uuid not null,
  constraint retention_marks_pkey primary key (merchant_id, kind),
  constraint retention_marks_merchant_fkey foreign key (merchant_id) references merchants (id)
);
comment on table retention_marks is 'kernel/work: The last row of a merchant in a table from which the worker has erased the payer: see RETENTION_PAYERS_DAYS.';
comment on column retention_marks.merchant_id is 'The merchant that owns the row.';
comment on column retention_marks.kind is 'Name of the table.';
comment on column retention_marks.last_id is 'The worker has erased the payers of the rows up to this id. Ids begin with their time.';

-- The comment of migration 0024 did not name the room that writes the table.
comment on table member_history is 'access/merchants: One row for each person who is or was a member of a merchant. Append-only: a row stays when the membership ends.';
