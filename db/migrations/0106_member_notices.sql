-- Each member chooses the e-mails about a merchant, and may get a summary each day or week. The worker records what it has queued, so that
-- no member gets a summary or a warning twice. Earlier programs ignore the tables and the column: their messages have no such address.
-- oldest program: 0062

create table member_notices (
  merchant_id  uuid        not null,
  user_id      uuid        not null,
  withdrawals  boolean     not null default true,
  webhooks     boolean     not null default true,
  keys         boolean     not null default true,
  digest       text        not null default 'off',
  digest_since timestamptz,
  updated_at   timestamptz not null,
  constraint member_notices_pkey primary key (merchant_id, user_id),
  constraint member_notices_digest_check check (digest in ('off', 'daily', 'weekly')),
  constraint member_notices_since_check check ((digest = 'off') = (digest_since is null))
);
create index member_notices_digest_idx on member_notices (merchant_id, user_id) where digest <> 'off';
comment on table member_notices is 'access/merchants: Which e-mails about a merchant a member gets. Without a row, the member gets the warnings and no summary.';
comment on column member_notices.merchant_id is 'The merchant that owns the row.';
comment on column member_notices.user_id is 'The person: users.id.';
comment on column member_notices.withdrawals is 'True: e-mails about decisions on withdrawals.';
comment on column member_notices.webhooks is 'True: e-mails about failing webhooks.';
comment on column member_notices.keys is 'True: e-mails about API keys that expire soon.';
comment on column member_notices.digest is 'off, daily or weekly: how often the member gets a summary.';
comment on column member_notices.digest_since is 'When the member chose the summary. Only periods that end later have one. Null while digest is off.';
comment on column member_notices.updated_at is 'When the row last changed.';

create table notices_queued (
  merchant_id uuid        not null,
  kind        text        not null,
  subject     text        not null,
  queued_at   timestamptz not null,
  constraint notices_queued_pkey primary key (merchant_id, kind, subject),
  constraint notices_queued_kind_check check (kind in ('daily', 'weekly', 'webhooks', 'keys'))
);
comment on table notices_queued is 'access/merchants: A summary or a warning that the worker has queued, written in the transaction of its e-mails.';
comment on column notices_queued.merchant_id is 'The merchant that owns the row.';
comment on column notices_queued.kind is 'daily or weekly: a summary. webhooks, keys: a warning.';
comment on column notices_queued.subject is 'Of a summary: the first day and the person. Of a warning: the endpoint or the key.';
comment on column notices_queued.queued_at is 'When the worker queued the e-mails, for a summary also if there was nothing to report.';

alter table outbox_messages add column unsubscribe_url text;
comment on column outbox_messages.unsubscribe_url is 'The address that ends e-mails of this kind, for the header List-Unsubscribe. Null means that there is none.';
