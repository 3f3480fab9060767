-- A merchant can have several webhook endpoints in each environment, each with its own events and secret. The row with the id of zeros is
-- the default endpoint, which the webhook configuration of older programs becomes. An event makes one delivery for each endpoint.
-- Older programs would send the events of every endpoint to one address.
-- oldest program: 0062

alter table webhook_configs
  add column id uuid not null default '00000000-0000-0000-0000-000000000000',
  add column description text,
  drop constraint webhook_configs_pkey,
  add constraint webhook_configs_pkey primary key (merchant_id, environment, id);

-- The new condition on the status only permits more, so that no existing row needs a check.
alter table webhook_deliveries
  add column endpoint_id uuid not null default '00000000-0000-0000-0000-000000000000',
  drop constraint webhook_deliveries_once_key,
  add constraint webhook_deliveries_once_key unique (merchant_id, source_id, source_type, source_seq, event, endpoint_id),
  drop constraint webhook_deliveries_status_check,
  add constraint webhook_deliveries_status_check check (status in ('pending', 'delivered', 'failed', 'cancelled')) not valid;

-- The worker claims the due rows of each endpoint, so that an endpoint with many due rows delays no other endpoint.
drop index webhook_deliveries_due_idx;
create index webhook_deliveries_due_idx on webhook_deliveries (merchant_id, environment, endpoint_id, due_at)
  where due_at is not null;
create index webhook_deliveries_endpoint_idx on webhook_deliveries (merchant_id, environment, endpoint_id, id)
  where endpoint_id <> '00000000-0000-0000-0000-000000000000';

comment on table webhook_configs is 'adapters/webhooks: A webhook endpoint: the address that receives events of a merchant in an environment. An environment without a row receives no events.';
comment on column webhook_configs.id is 'The endpoint. The id of zeros is the default endpoint of the environment.';
comment on column webhook_configs.description is 'The merchant''s text about the endpoint. Null means that there is none.';
comment on column webhook_deliveries.endpoint_id is 'The endpoint that receives the event. The id of zeros is the default endpoint of the environment.';
comment on column webhook_deliveries.status is 'pending, delivered, failed or cancelled. cancelled: the merchant deleted the endpoint before the delivery.';
