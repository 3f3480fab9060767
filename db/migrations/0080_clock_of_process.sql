-- A process follows the clock of the database, so that the time of its probe no longer shows a wrong clock of its machine. It therefore
-- writes the difference. An earlier program writes none.
-- oldest program: 0062

alter table readiness_probes add column clock_ahead_ms bigint;
comment on column readiness_probes.clock_ahead_ms is 'Milliseconds by which the clock of the machine of the process is ahead of the clock of the database. Negative: behind. Null: an earlier program wrote the row.';
