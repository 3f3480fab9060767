-- A merchant can require a second factor of all its members.
-- oldest program: 0012

alter table merchants add column second_factor_required boolean not null default false;
comment on column merchants.second_factor_required is 'The server refuses members who signed in without a second factor.';
