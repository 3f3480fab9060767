-- SECRET_KEY can hold several keys, so that an operator can replace a key while the server runs. The table of the known text has a row
-- for each key that has encrypted values. If a starting process cannot decrypt a row, the process lacks the key of that row. Older
-- programs read and write only the row with the id 1.
-- oldest program: 0013

alter table vault_canary
  add column key_id     text,
  add column mark_key   text,
  add column retired_at timestamptz,
  drop constraint vault_canary_id_check,
  add constraint vault_canary_id_check check (id >= 1),
  add constraint vault_canary_key_id_key unique (key_id),
  add constraint vault_canary_mark_key_check check (mark_key is null or id = 1);

comment on table vault_canary is 'kernel/db: One secret key that has encrypted values of this database, with a known text. If a process cannot decrypt the text of a key in use, the process refuses to start.';
comment on column vault_canary.id is '1 for the first key of this database. Its values from before the second key carry no key id.';
comment on column vault_canary.sealed is 'The known text, encrypted with this key. With a key id as soon as values carry key ids.';
comment on column vault_canary.key_id is 'Id of the key, derived from the key. Null means that only programs before 0021 have used this database.';
comment on column vault_canary.mark_key is 'In row 1: the key of keyed hashes, encrypted with SECRET_KEY. Null means that this key is derived from the first key.';
comment on column vault_canary.retired_at is 'When a process found that no value needs the key any more. Null means that the key is in use.';
