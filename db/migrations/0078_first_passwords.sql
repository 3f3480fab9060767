-- A user replaces the password that a command printed at the first sign-in. An earlier program ignores the column: its sign-ins go on with
-- the first password, and a password that a user sets there is replaced once more.
-- oldest program: 0062

alter table credentials add column is_first boolean not null default false;
comment on column credentials.is_first is 'True: a command made the password, and the user must replace it at the next sign-in.';
