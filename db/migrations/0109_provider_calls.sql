-- Each process writes the calls that it made to providers and its circuits, so that operators see all processes. Older programs write none.
-- oldest program: 0062

create table provider_calls (
  process_id     uuid        not null,
  provider       text        not null,
  method         text        not null,
  process        text        not null,
  calls          bigint      not null,
  faults         bigint      not null,
  last_call_at   timestamptz not null,
  last_fault_at  timestamptz,
  circuit        text,
  window_calls   integer     not null,
  window_faults  integer     not null,
  median_ms      float8,
  circuit_since  timestamptz,
  retry_at       timestamptz,
  written_at     timestamptz not null,
  constraint provider_calls_pkey primary key (process_id, provider, method)
);
comment on table provider_calls is 'adapters/providers: The calls of each running process to providers, and its circuits. The rows need no backup.';
comment on column provider_calls.process_id is 'The process that made the calls; each start makes a new one.';
comment on column provider_calls.provider is 'The name of the provider.';
comment on column provider_calls.method is 'A method, or the query status, payout_status or name.';
comment on column provider_calls.process is 'The role of the process: all, api or worker.';
comment on column provider_calls.calls is 'Calls since the start of the process.';
comment on column provider_calls.faults is 'The calls among them that the provider failed.';
comment on column provider_calls.last_call_at is 'When the last call ended.';
comment on column provider_calls.last_fault_at is 'When the last call with a fault ended. Null means no fault.';
comment on column provider_calls.circuit is 'The circuit: closed, open or half_open. Null means that the provider has no circuits.';
comment on column provider_calls.window_calls is 'The newest calls that decide the circuit, at most 20.';
comment on column provider_calls.window_faults is 'The faults among these calls.';
comment on column provider_calls.median_ms is 'The median duration of these calls. Null means no call.';
comment on column provider_calls.circuit_since is 'When the circuit took its state. Null means no circuit.';
comment on column provider_calls.retry_at is 'When an open circuit permits the next call. Null means that the circuit is not open.';
comment on column provider_calls.written_at is 'When the process wrote the row. The next write of any process deletes rows older than an hour.';
revoke truncate on provider_calls from current_user;
