-- /readyz proves that the database takes writes: each process that serves writes its own row, about once a second while it is asked.
-- oldest program: 0012

create table readiness_probes (
  process_id uuid        not null,
  probed_at  timestamptz not null,
  constraint readiness_probes_pkey primary key (process_id)
);
comment on table readiness_probes is 'The last write by which each process found that the database takes writes. Holds nothing to keep.';
comment on column readiness_probes.process_id is 'The process that serves /readyz; each start makes a new one.';
comment on column readiness_probes.probed_at is 'When it wrote. Rows older than an hour are deleted by the next write.';
