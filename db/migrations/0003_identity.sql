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
