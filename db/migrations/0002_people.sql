-- People: users, their memberships, the addresses that may use live keys, and the audit log.
-- (The rules that every table keeps are at the head of 0001_init.sql.)

-- Reference tables: small, rarely written, looked up before the merchant is known ----------------------------------

create table users (
  id             uuid        not null,
  email          text        not null,
  email_verified boolean     not null,
  name           text        not null,
  language       text        not null,
  super_admin    boolean     not null,
  issuer         text,
  subject        text,
  disabled_at    timestamptz,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  constraint users_pkey primary key (id),
  constraint users_email_key unique (email),
  constraint users_subject_key unique (issuer, subject),
  constraint users_email_check check (email = lower(email)),
  constraint users_language_check check (language in ('sw', 'en')),
  constraint users_subject_check check ((issuer is null) = (subject is null))
);
comment on table users is 'One person who signs in. Rights are memberships, and super_admin for operators; no token can claim them.';
comment on column users.email is 'In lower case.';
comment on column users.issuer is 'The OpenID Connect issuer that knows this person: embedded, or the address of a foreign one. Null until the first sign-in of somebody who was invited.';
comment on column users.subject is 'The name of this person at the issuer.';
comment on column users.disabled_at is 'Null while the person may sign in.';

create table members (
  merchant_id uuid        not null,
  id          uuid        not null,
  user_id     uuid        not null,
  role        text        not null,
  name        text,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  constraint members_pkey primary key (merchant_id, user_id),
  constraint members_id_key unique (merchant_id, id),
  constraint members_merchant_fkey foreign key (merchant_id) references merchants (id),
  constraint members_user_fkey foreign key (user_id) references users (id),
  constraint members_role_check check (role in ('MERCHANT_ADMIN', 'DEVELOPER', 'FINANCE', 'VIEWER'))
);
create index members_user_idx on members (user_id);
comment on table members is 'One person''s role in one merchant. Removing the row ends the right on the next request.';
comment on column members.id is 'By what the merchant names this member. Not the person''s id, whose time would tell an inviter since when there is an account.';
comment on column members.name is 'What whoever invited the person called them. Null: nobody did, and the name of the account counts.';

-- Which merchants wait for an operator: without this, all of them would be read to find the few.
create index merchants_status_idx on merchants (status, id);

-- Merchant-owned tables ---------------------------------------------------------------------------------------------

-- One line of a price list says what no other in force says; this also finds the lines in force among all of the past.
create unique index pricing_rules_in_force_idx on pricing_rules (merchant_id, flow, method, destination_code) nulls not distinct
  where valid_until is null;

create table ip_addresses (
  merchant_id uuid        not null,
  id          uuid        not null,
  label       text        not null,
  address     text        not null,
  environment text        not null,
  status      text        not null,
  reason      text,
  created_at  timestamptz not null,
  decided_at  timestamptz,
  constraint ip_addresses_pkey primary key (merchant_id, id),
  constraint ip_addresses_address_key unique (merchant_id, environment, address),
  constraint ip_addresses_merchant_fkey foreign key (merchant_id) references merchants (id),
  constraint ip_addresses_environment_check check (environment in ('live', 'sandbox')),
  constraint ip_addresses_status_check check (status in ('PENDING', 'APPROVED', 'REJECTED')),
  constraint ip_addresses_decided_check check ((status = 'PENDING') = (decided_at is null))
);
create index ip_addresses_pending_idx on ip_addresses (merchant_id, id) where status = 'PENDING';
comment on table ip_addresses is 'One address or network from which a merchant''s live keys may be used, once an operator has approved it.';
comment on column ip_addresses.address is 'Canonical CIDR: 203.0.113.7/32, 2001:db8::/32. IPv4 addresses mapped into IPv6 are stored as IPv4.';
comment on column ip_addresses.reason is 'Why an operator rejected it.';

-- The audit log: one hash chain per merchant, and one for the platform (merchant_id of zeros) ----------------------

create table audit_chains (
  merchant_id uuid        not null,
  seq         bigint      not null,
  hash        bytea       not null,
  at          timestamptz not null,
  constraint audit_chains_pkey primary key (merchant_id)
);
comment on table audit_chains is 'The newest link of each chain: whoever appends to a chain locks its row.';
comment on column audit_chains.at is 'When the newest link was made: leads from all chains to the newest acts.';

create table audit_log (
  merchant_id uuid        not null,
  seq         bigint      not null,
  at          timestamptz not null,
  actor_kind  text        not null,
  actor_id    text,
  actor_name  text        not null,
  action      text        not null,
  target_type text        not null,
  target_id   text        not null,
  reason      text,
  before      json,
  after       json,
  request_id  text,
  address     text,
  hash        bytea       not null,
  constraint audit_log_pkey primary key (merchant_id, seq),
  constraint audit_log_actor_kind_check check (actor_kind in ('user', 'operator', 'api_key', 'command', 'system'))
);
comment on table audit_log is 'One act of a person, a key or a command: who did what to what, why, before and after. Append-only; each row''s hash covers the row and the hash before it.';
comment on column audit_log.merchant_id is 'Whom the act concerns; zeros when it concerns the platform.';
comment on column audit_log.seq is 'Counts from 1 without a gap in each chain.';
comment on column audit_log.hash is 'SHA-256 over the previous hash and this row (server/src/audit/chain.ts).';

revoke update, delete, truncate on audit_log from current_user;
revoke delete, truncate on audit_chains from current_user;
