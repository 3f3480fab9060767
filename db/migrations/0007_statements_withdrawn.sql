-- A statement that was brought by mistake can be taken back: its lines give way to what they replaced, and its cases are closed.
-- Callbacks are kept for a while and not for ever, so what is old has to be found without reading all of them.

alter table statements
  add column withdrawn_at timestamptz,
  add column withdrawn_by_id text,
  add column withdrawn_by_name text,
  add column withdrawn_reason text,
  drop constraint statements_state_check,
  add constraint statements_state_check check (state in ('importing', 'done', 'failed', 'withdrawn')),
  add constraint statements_withdrawn_check check ((state = 'withdrawn') = (withdrawn_at is not null));
-- A file that was withdrawn may be brought again, as another provider's or of another period.
drop index statements_file_key;
create unique index statements_file_key on statements (sha256) where state in ('importing', 'done');
comment on column statements.state is 'importing: under way, by whoever holds the lease. done. failed: it stopped in the middle; its lines count until they are stated again. withdrawn: an operator took it back, and it counts for nothing.';

alter table statement_lines add column replaced jsonb;
comment on column statement_lines.replaced is 'The form in which another statement had it before: it counts again when this one is withdrawn. Null: none had it.';

alter table reconciliation_exceptions
  add column theirs_currency text,
  drop constraint reconciliation_exceptions_resolution_check,
  add constraint reconciliation_exceptions_resolution_check
    check (resolution in ('explained', 'accepted', 'written_off', 'corrected', 'withdrawn'));
comment on column reconciliation_exceptions.theirs_currency is 'Of theirs_minor. Null: that of currency.';
comment on column reconciliation_exceptions.currency is 'Of ours_minor and difference_minor.';
comment on column reconciliation_exceptions.resolution is 'Null while it is open. explained: books and statements agree now. withdrawn: the statement that opened it was taken back. accepted, written_off, corrected: an operator''s word.';
drop index reconciliation_exceptions_settled_idx;
create index reconciliation_exceptions_settled_idx on reconciliation_exceptions (provider, subject, kind)
  where resolution in ('accepted', 'written_off', 'corrected');
create index reconciliation_exceptions_statement_idx on reconciliation_exceptions (provider, statement_id)
  where resolution is null;
create index reconciliation_exceptions_explained_idx on reconciliation_exceptions (explained_by)
  where explained_by is not null;

create index provider_callbacks_age_idx on provider_callbacks (verdict, received_at);
