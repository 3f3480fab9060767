-- One row for each session of a console, so that the server can end a session at once and bound the sessions of operators.
-- oldest program: 0012

create table console_sessions (
  id           uuid        not null,
  user_id      uuid        not null,
  provider_uid text        not null,
  console      text        not null,
  device       text        not null,
  address      text        not null,
  signed_in_at timestamptz not null,
  confirmed_at timestamptz,
  seen_at      timestamptz not null,
  expires_at   timestamptz not null,
  constraint console_sessions_pkey primary key (id),
  constraint console_sessions_browser_key unique (provider_uid, console),
  constraint console_sessions_user_fkey foreign key (user_id) references users (id),
  constraint console_sessions_console_check check (console in ('dashboard', 'operator'))
);
create index console_sessions_user_idx on console_sessions (user_id);
create index console_sessions_expires_idx on console_sessions (expires_at);
comment on table console_sessions is 'access/identity: One session of a user at one console in one browser. If the row is gone, the server refuses the tokens of the session.';
comment on column console_sessions.id is 'The claim sid of the access tokens of the session.';
comment on column console_sessions.user_id is 'The user who signed in.';
comment on column console_sessions.provider_uid is 'The uid of the browser session in identity_records.';
comment on column console_sessions.console is 'dashboard or operator.';
comment on column console_sessions.device is 'Browser and system, by the User-Agent of the sign-in. Empty means unknown.';
comment on column console_sessions.address is 'IP address of the last recorded request.';
comment on column console_sessions.signed_in_at is 'When the user entered the credentials.';
comment on column console_sessions.confirmed_at is 'When the user last entered a code or the password again within the session. Null means never.';
comment on column console_sessions.seen_at is 'When the user last used the session, to the minute.';
comment on column console_sessions.expires_at is 'When the worker may delete the row.';
