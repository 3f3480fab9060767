-- A person without SECRET_KEY who can write to the audit log, such as a superuser, could compute all hashes of a chain again. So each
-- new entry has a seal, which needs the key. Older programs write entries without a seal, and "admin verify" names these entries.
-- oldest program: 0013

alter table audit_log add column seal bytea;
comment on column audit_log.seal is 'Keyed hash over merchant, seq and hash of the entry (sealOf in books/audit/chain.ts). Null means that a program before this migration wrote the entry.';
