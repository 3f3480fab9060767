-- An operator must not decide about a merchant of which the operator is or was a member, or made an API key. So the database keeps
-- past memberships and the makers of keys.
-- oldest program: 0012

create table member_history (
  merchant_id uuid        not null,
  user_id     uuid        not null,
  created_at  timestamptz not null,
  constraint member_history_pkey primary key (merchant_id, user_id)
);
comment on table member_history is 'One row for each person who is or was a member of a merchant. Append-only: a row stays when the membership ends.';
comment on column member_history.merchant_id is 'The merchant that owns the row.';
comment on column member_history.user_id is 'The person: users.id.';
comment on column member_history.created_at is 'When the row was created: at the first membership, or at the upgrade that made this table.';

insert into member_history (merchant_id, user_id, created_at)
  select merchant_id, user_id, created_at from members;
-- The audit log has the e-mail addresses of the members who left before this upgrade.
insert into member_history (merchant_id, user_id, created_at)
  select a.merchant_id, u.id, min(a.at) from audit_log a join users u on u.email = lower(a.before ->> 'email')
  where a.action = 'member.remove' group by a.merchant_id, u.id
  on conflict do nothing;
revoke update, delete, truncate on member_history from current_user;

alter table api_keys add column created_by_id uuid;
comment on column api_keys.created_by_id is 'The person who made the key, by creation or rotation: users.id. Null means that the admin command made the key, or that no record has the maker.';
update api_keys k set created_by_id = a.actor_id::uuid from audit_log a
  where a.action = 'api_key.create' and a.actor_kind = 'user' and a.merchant_id = k.merchant_id and a.target_id = k.id::text;
update api_keys k set created_by_id = a.actor_id::uuid from audit_log a
  where a.action = 'api_key.rotate' and a.actor_kind = 'user' and a.merchant_id = k.merchant_id and a.after ->> 'id' = k.id::text;
create index api_keys_created_by_idx on api_keys (merchant_id, created_by_id) where created_by_id is not null;
