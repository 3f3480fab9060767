-- Reconciliation: what providers say moved, line by line, beside what our books say, and every difference as a case.
-- These tables belong to the platform: a statement is of a provider, and its lines are of no merchant until they are
-- matched. What is ours is named by the reference we gave the provider, which leads to its merchant.

create table statements (
  id               uuid        not null,
  provider         text        not null,
  source           text        not null,
  file_name        text,
  sha256           bytea,
  period_from      timestamptz not null,
  period_to        timestamptz not null,
  state            text        not null,
  lease_until      timestamptz,
  lines            integer     not null,
  matched          integer     not null,
  opened           integer     not null,
  explained        integer     not null,
  imported_by_kind text        not null,
  imported_by_id   text,
  imported_by_name text        not null,
  created_at       timestamptz not null,
  finished_at      timestamptz,
  constraint statements_pkey primary key (id),
  constraint statements_source_check check (source in ('file', 'list')),
  constraint statements_state_check check (state in ('importing', 'done', 'failed')),
  constraint statements_period_check check (period_from < period_to),
  constraint statements_lease_check check ((state = 'importing') = (lease_until is not null))
);
create unique index statements_file_key on statements (sha256) where state <> 'failed';
create unique index statements_importing_key on statements (provider) where state = 'importing';
create index statements_provider_idx on statements (provider, id);
comment on table statements is 'One statement of a provider: all that it says moved in a period.';
comment on column statements.source is 'file: an operator brought it. list: the provider was asked.';
comment on column statements.sha256 is 'Of the file, so that it is taken once. Null: there was no file, or no line in it.';
comment on column statements.period_to is 'The first moment after the period.';
comment on column statements.state is 'importing: under way, by whoever holds the lease. done. failed: it stopped in the middle; its lines count until they are stated again.';
comment on column statements.lines is 'Counted when it is done, as matched, opened and explained are.';
comment on column statements.opened is 'Cases that it opened.';
comment on column statements.explained is 'Cases that it closed.';

-- Subjects are compared byte by byte, which costs a fraction of comparing them as words of a language.
create table statement_lines (
  provider     text        not null,
  subject      text collate "C" not null,
  kind         text        not null,
  statement_id uuid        not null,
  line_number  integer     not null,
  reference    text,
  provider_id  text,
  amount_minor bigint      not null,
  currency     text        not null,
  at           timestamptz not null,
  placed       boolean     not null,
  constraint statement_lines_pkey primary key (provider, subject, kind),
  constraint statement_lines_kind_check check (kind in ('payment', 'payout', 'reversal', 'charge')),
  constraint statement_lines_amount_check check (amount_minor > 0)
) with (fillfactor = 85);
-- Without statement_id: stating a movement again then changes no index.
create index statement_lines_unplaced_idx on statement_lines (provider, subject, kind) where not placed;
comment on table statement_lines is 'One movement as the provider states it, in its newest form: a later statement of the same movement replaces it.';
comment on column statement_lines.subject is 'What it is about: the payment or payout that our reference names, or id: and the provider''s own id, or ref: and a reference that is none of ours.';
comment on column statement_lines.statement_id is 'The newest statement that has it.';
comment on column statement_lines.placed is 'True once it is known to be about something of ours.';

create table reconciliation_exceptions (
  id               uuid        not null,
  provider         text        not null,
  kind             text        not null,
  subject          text collate "C" not null,
  reference        text,
  provider_id      text,
  line_kind        text        not null,
  theirs_minor     bigint,
  ours_minor       bigint,
  currency         text        not null,
  ours_status      text,
  difference_minor bigint      not null,
  at               timestamptz,
  statement_id     uuid        not null,
  line_number      integer,
  opened_at        timestamptz not null,
  resolution       text,
  reason           text,
  resolved_at      timestamptz,
  resolved_by_id   text,
  resolved_by_name text,
  explained_by     uuid,
  constraint reconciliation_exceptions_pkey primary key (id),
  constraint reconciliation_exceptions_kind_check
    check (kind in ('unknown_to_us', 'unknown_to_them', 'amount_differs', 'outcome_differs', 'duplicate')),
  constraint reconciliation_exceptions_resolution_check
    check (resolution in ('explained', 'accepted', 'written_off', 'corrected')),
  constraint reconciliation_exceptions_resolved_check check ((resolution is null) = (resolved_at is null))
);
create unique index reconciliation_exceptions_open_key on reconciliation_exceptions (provider, subject, kind)
  where resolution is null;
create index reconciliation_exceptions_settled_idx on reconciliation_exceptions (provider, subject, kind)
  where resolution <> 'explained';
comment on table reconciliation_exceptions is 'One difference between a provider''s statements and our books: a case for operators until it is explained or resolved.';
comment on column reconciliation_exceptions.subject is 'As in statement_lines.';
comment on column reconciliation_exceptions.line_kind is 'Which movement is meant: payment, payout, reversal or charge.';
comment on column reconciliation_exceptions.theirs_minor is 'What the provider states, in cents. Null: nothing.';
comment on column reconciliation_exceptions.ours_minor is 'What our books say, in cents. Null: nothing.';
comment on column reconciliation_exceptions.difference_minor is 'What the provider has more than our books say, in cents; below zero: less.';
comment on column reconciliation_exceptions.resolution is 'Null while it is open. explained: books and statements agree now. accepted, written_off, corrected: an operator''s word.';
comment on column reconciliation_exceptions.explained_by is 'The statement that explained it. Null: a look at the books did, or an operator asked the provider.';

create table reconciliation_runs (
  provider     text        not null,
  day          date        not null,
  lease_owner  uuid,
  lease_until  timestamptz,
  finished_at  timestamptz,
  statement_id uuid,
  constraint reconciliation_runs_pkey primary key (provider, day),
  constraint reconciliation_runs_lease_check check ((finished_at is null) = (lease_until is not null))
);
comment on table reconciliation_runs is 'The reconciliation of one day of Africa/Dar_es_Salaam with one provider.';
comment on column reconciliation_runs.lease_owner is 'The process that works on it until lease_until; another may take it then.';
comment on column reconciliation_runs.statement_id is 'What the provider''s list of that day became. Null: it has no list, or none was needed.';

revoke delete, truncate on statements, reconciliation_exceptions from current_user;
