-- Counters of the prompts that each phone got and did not approve, over all merchants, keys and pages.
-- The table is not logged: after a crash of PostgreSQL the counters begin again, and an accepted payment writes no more log.
-- oldest program: 0012

create unlogged table phone_prompts (
  subject         bytea       not null,
  hour_started_at timestamptz not null,
  hour_prompts    integer     not null,
  day_started_at  timestamptz not null,
  day_prompts     integer     not null,
  granted         integer     not null,
  constraint phone_prompts_pkey primary key (subject)
) with (fillfactor = 70);
comment on table phone_prompts is 'money/collections: The live prompts that a phone got and did not approve, in an hour and in a day. Not logged; the worker deletes old rows.';
comment on column phone_prompts.subject is 'Keyed hash of the phone, so that the table shows no phone.';
comment on column phone_prompts.hour_started_at is 'When the first prompt of the current hour was accepted.';
comment on column phone_prompts.hour_prompts is 'Prompts since hour_started_at, without approved prompts.';
comment on column phone_prompts.day_started_at is 'When the first prompt of the current day was accepted.';
comment on column phone_prompts.day_prompts is 'Prompts since day_started_at, without approved prompts.';
comment on column phone_prompts.granted is 'The number of prompts that the last statement accepted. The statement refuses the prompts beyond this number.';
