-- A superuser with SECRET_KEY could write the whole audit log again, and any superuser could delete the newest entries. So the worker
-- signs the ends of all chains each hour, and writes them to a file outside of the database. Older programs make no anchors.
-- oldest program: 0057

create table audit_anchors (
  number integer     not null,
  at     timestamptz not null,
  line   text        not null,
  constraint audit_anchors_pkey primary key (number),
  constraint audit_anchors_number_check check (number > 0)
);
comment on table audit_anchors is 'books/audit: The anchors of the audit log: signed records of the ends of its chains, one each hour. The file of AUDIT_ANCHOR_FILE has the same lines.';
comment on column audit_anchors.number is 'Counts the anchors from 1 without gaps.';
comment on column audit_anchors.at is 'When a worker made the anchor.';
comment on column audit_anchors.line is 'The JSON line of the file, without the line break (books/audit/anchor.ts describes it). The signature covers its bytes.';
revoke update, delete, truncate on audit_anchors from current_user;

create table audit_anchored_chains (
  merchant_id uuid   not null,
  seq         bigint not null,
  constraint audit_anchored_chains_pkey primary key (merchant_id)
);
comment on table audit_anchored_chains is 'books/audit: The last entry of each chain that an anchor contains, so that the next anchor contains only the chains that grew.';
comment on column audit_anchored_chains.merchant_id is 'The merchant of the chain. Zeros mean the chain of the platform.';
comment on column audit_anchored_chains.seq is 'Number of that entry.';

create table audit_anchor_state (
  id             smallint    not null,
  lease_owner    uuid,
  lease_until    timestamptz,
  written_number integer     not null,
  file_error     text,
  sent_number    integer     not null,
  send_failures  integer     not null,
  send_due_at    timestamptz,
  send_error     text,
  constraint audit_anchor_state_pkey primary key (id),
  constraint audit_anchor_state_id_check check (id = 1)
);
comment on table audit_anchor_state is 'books/audit: How far the anchors are written to the file and sent. One process at a time does both, by lease.';
comment on column audit_anchor_state.id is 'Always 1: there is one row.';
comment on column audit_anchor_state.lease_owner is 'The process that writes and sends anchors until lease_until.';
comment on column audit_anchor_state.lease_until is 'Afterwards another process may take the lease. Null means that no process has the lease.';
comment on column audit_anchor_state.written_number is 'The last anchor in the file. 0 means that no process has written the file yet.';
comment on column audit_anchor_state.file_error is 'Why the last attempt to write the file failed. Null means that the attempt did not fail.';
comment on column audit_anchor_state.sent_number is 'The last anchor that AUDIT_ANCHOR_URL accepted. 0 means none yet.';
comment on column audit_anchor_state.send_failures is 'Failed requests to AUDIT_ANCHOR_URL since the last accepted one.';
comment on column audit_anchor_state.send_due_at is 'When the next request may be sent after a failure. Null means at once.';
comment on column audit_anchor_state.send_error is 'Why the last request failed. Null means that the request did not fail.';
insert into audit_anchor_state (id, written_number, sent_number, send_failures) values (1, 0, 0, 0);
revoke delete, truncate on audit_anchored_chains, audit_anchor_state from current_user;
