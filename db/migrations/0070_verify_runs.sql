-- Workers run the checks of "admin verify" by a schedule, once among all processes, and store each result. Older programs store none.
-- oldest program: 0062

create table verify_runs (
  period_start timestamptz not null,
  process_id   uuid        not null,
  lease_until  timestamptz not null,
  started_at   timestamptz not null,
  finished_at  timestamptz,
  ok           boolean,
  checks       integer,
  problems     integer,
  duration_ms  integer,
  broken       jsonb,
  error        text,
  constraint verify_runs_pkey primary key (period_start)
);
comment on table verify_runs is 'apps/operators: Scheduled runs of verify, one for each period of VERIFY_EVERY_H. The worker keeps the newest 1,000.';
comment on column verify_runs.period_start is 'Start of the period. The primary key is the lock: one process inserts the row and runs the checks.';
comment on column verify_runs.process_id is 'The process that runs the checks.';
comment on column verify_runs.lease_until is 'If the run has not finished then, another process may take it.';
comment on column verify_runs.started_at is 'When the run began.';
comment on column verify_runs.finished_at is 'When the run ended. Null means that it still runs, or that its process died.';
comment on column verify_runs.ok is 'True means that every check holds. Null means that the run has no result: see error.';
comment on column verify_runs.checks is 'Number of checks that ran. Null means no result.';
comment on column verify_runs.problems is 'Number of checks that found a contradiction. Null means no result.';
comment on column verify_runs.duration_ms is 'Time from start to end. Null means that the run has not ended.';
comment on column verify_runs.broken is 'The failed checks with their details: [{name, detail}]. Null means no result.';
comment on column verify_runs.error is 'Why the run ended without a result, such as a statement that took too long. Null means that it has a result, or still runs.';
revoke truncate on verify_runs from current_user;
