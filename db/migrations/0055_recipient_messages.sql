-- Counters of the messages of merchants to each phone and e-mail address. The table is not logged: after a crash of PostgreSQL the
-- counters begin again.
-- oldest program: 0012

create unlogged table recipient_messages (
  subject        bytea       not null,
  day_started_at timestamptz not null,
  messages       integer     not null,
  granted        integer     not null,
  constraint recipient_messages_pkey primary key (subject)
);
comment on table recipient_messages is 'adapters/messages: The messages of all merchants to one phone or e-mail address in 24 hours. Not logged; the worker deletes old rows.';
comment on column recipient_messages.subject is 'Keyed hash of the phone or address, so that the table shows none of them.';
comment on column recipient_messages.day_started_at is 'When the first message of the current 24 hours was queued.';
comment on column recipient_messages.messages is 'Messages since day_started_at.';
comment on column recipient_messages.granted is 'The number of messages that the last statement allowed.';
