-- Merchants list all events of 30 days, also events that no endpoint receives. An event with several endpoints has several deliveries: its
-- first delivery stands for the event in the list. An earlier program stores no unsent events, and each of its deliveries stands for an
-- event.
-- oldest program: 0062

alter table webhook_deliveries add column is_copy boolean not null default false;
comment on column webhook_deliveries.is_copy is 'True: another delivery of the same event stands for the event in the list of events.';

create table unsent_events (
  merchant_id uuid        not null,
  environment text        not null,
  id          uuid        not null,
  event       text        not null,
  source_type text        not null,
  source_id   uuid        not null,
  source_seq  integer     not null,
  body        text        not null,
  created_at  timestamptz not null,
  constraint unsent_events_pkey primary key (merchant_id, environment, id),
  constraint unsent_events_environment_check check (environment in ('live', 'sandbox'))
);
create index unsent_events_rare_idx on unsent_events (merchant_id, environment, event, id) where event <> 'collection.success';
revoke truncate on unsent_events from current_user;
comment on table unsent_events is 'adapters/webhooks: An event that no endpoint receives. The worker deletes it after 30 days.';
comment on column unsent_events.merchant_id is 'The merchant that owns the row.';
comment on column unsent_events.environment is 'live: real money. sandbox: simulated money.';
comment on column unsent_events.id is 'Made by the application: UUIDv8 with the time and the routing code of the merchant.';
comment on column unsent_events.event is 'Name of the event.';
comment on column unsent_events.source_type is 'Type of the record that the event reports.';
comment on column unsent_events.source_id is 'Id of that record.';
comment on column unsent_events.source_seq is 'The status move that the event reports: seq of the history.';
comment on column unsent_events.body is 'The body that an endpoint would have received.';
comment on column unsent_events.created_at is 'When the row was created.';

-- The worker reports each overdue invoice once.
alter table invoices add column overdue_at timestamptz;
comment on column invoices.overdue_at is 'When the worker reported that the invoice is overdue. Null: not reported.';
