-- Passkeys (WebAuthn) beside the authenticator app. A user with passkeys always has an authenticator app and recovery codes. Older
-- programs ask for a code; where they delete the second step of a user, the database deletes the passkeys too.
-- oldest program: 0062

create table passkeys (
  id            uuid        not null,
  user_id       uuid        not null,
  domain        text        not null,
  credential_id bytea       not null,
  public_key    bytea       not null,
  sign_count    bigint      not null,
  transports    text[]      not null,
  name          text        not null,
  created_at    timestamptz not null,
  used_at       timestamptz,
  constraint passkeys_pkey primary key (id),
  constraint passkeys_credential_key unique (credential_id),
  constraint passkeys_second_step_fkey foreign key (user_id) references second_steps (user_id) on delete cascade
);
create index passkeys_user_idx on passkeys (user_id);
comment on table passkeys is 'access/identity: One passkey of a user: a second factor after the password, beside the authenticator app.';
comment on column passkeys.id is 'The id in the API.';
comment on column passkeys.user_id is 'The user: second_steps.user_id.';
comment on column passkeys.domain is 'The relying party id (RP ID): the domain to which the browser binds the passkey.';
comment on column passkeys.credential_id is 'The id that the authenticator chose.';
comment on column passkeys.public_key is 'The public key (COSE), which verifies the answers of the authenticator.';
comment on column passkeys.sign_count is 'The counter of the last answer. 0 means that the authenticator does not count.';
comment on column passkeys.transports is 'How the browser reaches the authenticator, such as internal, usb or hybrid.';
comment on column passkeys.name is 'The name that the user chose.';
comment on column passkeys.created_at is 'When the user added the passkey.';
comment on column passkeys.used_at is 'When the user last used the passkey. Null means never.';

create table passkey_challenges (
  purpose    text        not null,
  binding    text        not null,
  user_id    uuid        not null,
  challenge  bytea       not null,
  expires_at timestamptz not null,
  constraint passkey_challenges_pkey primary key (purpose, binding),
  constraint passkey_challenges_user_fkey foreign key (user_id) references users (id),
  constraint passkey_challenges_purpose_check check (purpose in ('add', 'sign_in', 'confirm'))
);
create index passkey_challenges_expires_idx on passkey_challenges (expires_at);
comment on table passkey_challenges is 'access/identity: The open challenge of a sign-in or a session, which a passkey signs. The first answer deletes the row.';
comment on column passkey_challenges.purpose is 'add, sign_in or confirm: what the answer of the passkey does.';
comment on column passkey_challenges.binding is 'The id of the open sign-in, or of the session (console_sessions.id) for confirm.';
comment on column passkey_challenges.user_id is 'The user for whom the server made the challenge.';
comment on column passkey_challenges.challenge is 'Random bytes.';
comment on column passkey_challenges.expires_at is 'When the challenge ends, and the worker may delete the row.';
