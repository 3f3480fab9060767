-- Operators have one of four roles. The column super_admin stays the mark of a SUPER_ADMIN. A program before this migration ignores
-- the new column, so that for this program an operator with another role is no operator.
-- oldest program: 0057

alter table users add column operator_role text;
alter table users add constraint users_operator_role_known
  check (operator_role in ('SUPPORT', 'FINANCE_OPERATOR', 'COMPLIANCE'));
comment on column users.super_admin is 'True means that the person is an operator with the role SUPER_ADMIN, for any value of operator_role.';
comment on column users.operator_role is 'The role of an operator who is no SUPER_ADMIN: SUPPORT, FINANCE_OPERATOR or COMPLIANCE. Null means that the user has none of these roles.';
comment on table users is 'access/merchants: One person who signs in. Rights come from memberships, super_admin and operator_role; a token cannot claim them.';
