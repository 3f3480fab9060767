-- The worker deletes callers' addresses from beside the audit log. Entries of earlier programs hold the address itself, and their
-- hashes cover it, so these addresses stay. An earlier program shows the hash of a newer entry instead of the address.
-- oldest program: 0062

create table audit_addresses (
  merchant_id uuid        not null,
  seq         bigint      not null,
  at          timestamptz not null,
  address     text        not null,
  salt        bytea       not null,
  constraint audit_addresses_pkey primary key (merchant_id, seq)
);
comment on table audit_addresses is 'books/audit: The IP address of the caller of one entry of the audit log. The entry holds a hash of the salt and the address. Deleted after RETENTION_AUDIT_ADDRESSES_DAYS.';
comment on column audit_addresses.merchant_id is 'The merchant of the entry; zeros if it concerns the platform.';
comment on column audit_addresses.seq is 'Number of the entry.';
comment on column audit_addresses.at is 'Time of the entry.';
comment on column audit_addresses.address is 'The caller''s address.';
comment on column audit_addresses.salt is 'Random bytes. After their deletion, a reader cannot find the address by hashing all addresses.';
comment on column audit_log.address is 'Hash of the caller''s address: see audit_addresses. Entries of programs before migration 0069 hold the address itself. Null for a command.';
revoke update, truncate on audit_addresses from current_user;
