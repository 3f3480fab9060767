-- A user changes the own e-mail address: a third kind of mailed link, with the new address. The address changes when the user confirms it.
-- Earlier programs ignore the column: they have no page for such a link, and end it with the other links of the user.
-- oldest program: 0062

-- accepted: mailed_links, it has one row for each open link of a user; a sign-up or a new password waits until the check of these rows ends
alter table mailed_links
  add column new_email text,
  drop constraint mailed_links_kind_check,
  add constraint mailed_links_kind_check check (kind in ('confirm', 'reset', 'change')),
  add constraint mailed_links_new_email_check check ((new_email is not null) = (kind = 'change'));
comment on column mailed_links.kind is 'confirm: confirms the address. reset: resets the password. change: replaces the address.';
comment on column mailed_links.new_email is 'The address that replaces the address of the user, in lower case. Null for the other kinds.';
