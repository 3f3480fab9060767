-- The built-in identity provider: what it needs to know people by. Unused with a foreign OIDC_ISSUER.

create table signing_keys (
  kid         text        not null,
  issuer      text        not null,
  public_jwk  json        not null,
  private_jwk text        not null,
  created_at  timestamptz not null,
  retired_at  timestamptz,
  constraint signing_keys_pkey primary key (kid)
);
create unique index signing_keys_current_idx on signing_keys (issuer) where retired_at is null;
comment on table signing_keys is 'One key pair that signs tokens of the built-in identity provider.';
comment on column signing_keys.issuer is 'The address under which people reach the provider: the iss of its tokens.';
comment on column signing_keys.private_jwk is 'Encrypted with SECRET_KEY.';
comment on column signing_keys.retired_at is 'Null while the key signs. A retired key still verifies the tokens that it signed before.';

create table credentials (
  user_id       uuid        not null,
  password_hash text        not null,
  changed_at    timestamptz not null,
  constraint credentials_pkey primary key (user_id),
  constraint credentials_user_fkey foreign key (user_id) references users (id)
);
comment on table credentials is 'One person''s password for the built-in identity provider.';
comment on column credentials.password_hash is 'Argon2id with its parameters, in the PHC form.';

create table second_steps (
  user_id      uuid        not null,
  secret       text        not null,
  last_counter bigint      not null,
  created_at   timestamptz not null,
  constraint second_steps_pkey primary key (user_id),
  constraint second_steps_user_fkey foreign key (user_id) references users (id)
);
comment on table second_steps is 'One person''s authenticator app (TOTP): after the password, a code of it is asked for.';
comment on column second_steps.secret is 'Encrypted with SECRET_KEY.';
comment on column second_steps.last_counter is 'The half minute of the newest code that was used: neither it nor an older one is good again.';

create table recovery_codes (
  user_id    uuid        not null,
  code_hash  bytea       not null,
  created_at timestamptz not null,
  constraint recovery_codes_pkey primary key (user_id, code_hash),
  constraint recovery_codes_user_fkey foreign key (user_id) references users (id)
);
comment on table recovery_codes is 'One code on paper that replaces the authenticator app once. A used one is gone.';
comment on column recovery_codes.code_hash is 'SHA-256.';

create table mailed_links (
  token_hash bytea       not null,
  kind       text        not null,
  user_id    uuid        not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint mailed_links_pkey primary key (token_hash),
  constraint mailed_links_user_fkey foreign key (user_id) references users (id),
  constraint mailed_links_kind_check check (kind in ('confirm', 'reset'))
);
create index mailed_links_user_idx on mailed_links (user_id);
create index mailed_links_expires_idx on mailed_links (expires_at);
comment on table mailed_links is 'One link that was mailed to a person and proves, once, that they read this mailbox. A used one is gone.';
comment on column mailed_links.token_hash is 'SHA-256 of the secret in the link.';

create table sign_in_attempts (
  key_hash      bytea       not null,
  failures      int         not null,
  last_at       timestamptz not null,
  blocked_until timestamptz not null,
  constraint sign_in_attempts_pkey primary key (key_hash)
);
create index sign_in_attempts_last_idx on sign_in_attempts (last_at);
comment on table sign_in_attempts is 'How often a secret was tried in vain for one account, from one address, or both, and until when the next try has to wait.';
comment on column sign_in_attempts.key_hash is 'SHA-256 of what is counted: this table knows neither addresses of people nor of machines.';

create table identity_records (
  model       text        not null,
  id_hash     bytea       not null,
  payload     text        not null,
  grant_id    text,
  account_id  text,
  uid         text,
  consumed_at timestamptz,
  expires_at  timestamptz not null,
  constraint identity_records_pkey primary key (model, id_hash)
);
create index identity_records_grant_idx on identity_records (grant_id) where grant_id is not null;
create index identity_records_account_idx on identity_records (account_id) where account_id is not null;
create index identity_records_uid_idx on identity_records (uid) where uid is not null;
create index identity_records_expires_idx on identity_records (expires_at);
comment on table identity_records is 'One thing the identity provider remembers for a while: a sign-in under way, a browser''s session, a grant, a code or a refresh token.';
comment on column identity_records.model is 'What kind of thing it is, as oidc-provider calls it.';
comment on column identity_records.id_hash is 'SHA-256 of its id. The id is the cookie or token itself, so it is not stored.';
comment on column identity_records.payload is 'JSON, encrypted with SECRET_KEY.';
comment on column identity_records.account_id is 'The subject of the person it belongs to: all of a person''s things end together.';
comment on column identity_records.consumed_at is 'Null until a code or a refresh token was used. Used again, it ends its whole grant.';

-- Mail ----------------------------------------------------------------------------------------------------------------

create table outbox_messages (
  merchant_id uuid        not null,
  id          uuid        not null,
  kind        text        not null,
  recipient   text        not null,
  subject     text        not null,
  body        text        not null,
  created_at  timestamptz not null,
  constraint outbox_messages_pkey primary key (merchant_id, id)
);
comment on table outbox_messages is 'One e-mail that is to be sent.';
comment on column outbox_messages.merchant_id is 'Whom it concerns; zeros when it concerns no merchant.';
comment on column outbox_messages.body is 'Plain text, encrypted with SECRET_KEY: it may hold a link that opens an account.';
