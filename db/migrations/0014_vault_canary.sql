-- A server with another SECRET_KEY than the one before it would run and read nothing that is encrypted: webhooks would not be
-- signed, second steps not be checked. One encrypted row tells it at the start.
-- oldest program: 0012

create table vault_canary (
  id         smallint    not null,
  sealed     text        not null,
  written_at timestamptz not null,
  constraint vault_canary_pkey primary key (id),
  constraint vault_canary_id_check check (id = 1)
);
comment on table vault_canary is 'One known text, encrypted with SECRET_KEY. A process whose key cannot read it does not start.';
comment on column vault_canary.id is 'Always 1: there is one row.';
comment on column vault_canary.sealed is 'Encrypted with SECRET_KEY.';

revoke delete, truncate on vault_canary from current_user;
