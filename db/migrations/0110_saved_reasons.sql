-- Operators choose the reason of an act from a list that the platform keeps. Older programs offer no reasons.
-- oldest program: 0062

create table saved_reasons (
  act        text        not null,
  reasons    text[]      not null,
  updated_at timestamptz not null,
  constraint saved_reasons_pkey primary key (act)
);
comment on table saved_reasons is 'apps/operators: The reasons that the console offers for an act. An act without a row has the reasons of the program.';
comment on column saved_reasons.act is 'The act, as the action of the audit log.';
comment on column saved_reasons.reasons is 'The reasons in their order.';
comment on column saved_reasons.updated_at is 'When an operator saved the list.';
revoke truncate on saved_reasons from current_user;
