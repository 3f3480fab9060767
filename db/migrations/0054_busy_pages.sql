-- A payer who leaves two prompts of a page unapproved no longer keeps the page busy for other payers.
-- oldest program: 0012

alter table collections add column busy_for bytea;
comment on column collections.busy_for is 'For a payment on a page: keyed hash of page and address of a payer who left two prompts unapproved, so that only this address has to wait. Null means that the prompt keeps the page busy for every payer.';

alter table payer_tries drop constraint payer_tries_kind_check;
alter table payer_tries add constraint payer_tries_kind_check check (kind in ('phone', 'link', 'address', 'page_address'));
comment on table payer_tries is 'money/collections: The number of prompts that a phone, a link or an address caused in the current window, and an address on one page. The worker deletes old rows.';
comment on column payer_tries.kind is 'phone, link, address, or page_address: one address on one page.';
comment on column payer_tries.subject is 'Keyed hash of the phone, link or address, or of page and address, so that the table shows none of them.';
