-- A worker restores the newest backup of the embedded database into a scratch folder once a day, and stores each result. Older programs store
-- none.
-- oldest program: 0062

create table backup_checks (
  period_start    timestamptz not null,
  process_id      uuid        not null,
  lease_until     timestamptz not null,
  started_at      timestamptz not null,
  finished_at     timestamptz,
  ok              boolean,
  backup          text,
  backup_ended_at timestamptz,
  last_change     timestamptz,
  duration_ms     integer,
  error           text,
  constraint backup_checks_pkey primary key (period_start)
);
comment on table backup_checks is 'apps/operators: Checks of the newest backup by a restore into a scratch folder. The worker keeps the newest 1,000.';
comment on column backup_checks.period_start is 'Start of the period of four hours. The primary key is the lock: one process inserts the row and runs the check.';
comment on column backup_checks.process_id is 'The process that runs the check.';
comment on column backup_checks.lease_until is 'If the check has not finished then, its process died.';
comment on column backup_checks.started_at is 'When the check began.';
comment on column backup_checks.finished_at is 'When the check ended. Null means that it still runs, or that its process died.';
comment on column backup_checks.ok is 'True means that the restored database passed every check of verify. Null means that the check has not ended.';
comment on column backup_checks.backup is 'The name of the restored backup. Null means that no backup was restored.';
comment on column backup_checks.backup_ended_at is 'When the restored backup ended. Null means that no backup was restored.';
comment on column backup_checks.last_change is 'Time of the last restored commit. Null means that no backup was restored.';
comment on column backup_checks.duration_ms is 'Time from start to end. Null means that the check has not ended.';
comment on column backup_checks.error is 'Why the check failed. Null means that it did not fail, or has not ended.';
revoke truncate on backup_checks from current_user;
