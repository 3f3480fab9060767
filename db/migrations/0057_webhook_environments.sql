-- Each environment has its own webhook configuration, so that a key of the sandbox cannot redirect the events of live payments. The
-- migration copies a merchant's configuration, so both environments keep their address, events and secret. Older programs read one
-- configuration for both environments: they could send live events to the address of the sandbox.
-- oldest program: 0057

alter table webhook_configs add column environment text;
update webhook_configs set environment = 'live';
alter table webhook_configs
  alter column environment set not null,
  add constraint webhook_configs_environment_check check (environment in ('live', 'sandbox')),
  drop constraint webhook_configs_pkey,
  add constraint webhook_configs_pkey primary key (merchant_id, environment);
insert into webhook_configs (merchant_id, environment, webhook_url, events, secret, secret_last4, previous_secret,
    previous_secret_until, created_at, updated_at)
  select merchant_id, 'sandbox', webhook_url, events, secret, secret_last4, previous_secret, previous_secret_until,
    created_at, updated_at
  from webhook_configs;

comment on table webhook_configs is 'adapters/webhooks: The address that receives the events of a merchant in an environment. Without a row, the merchant receives no events of that environment.';
comment on column webhook_configs.environment is 'live: real money. sandbox: simulated money.';
