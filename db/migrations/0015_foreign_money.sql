-- Money that a provider took in another currency is worth nothing in shillings until an operator states its worth. What was
-- taken is kept here, and the books hold nothing of it before it is cleared.
-- oldest program: 0012

alter table collections
  add column foreign_amount_minor bigint,
  add column foreign_currency     text,
  add constraint collections_foreign_check
    check ((foreign_amount_minor is null) = (foreign_currency is null) and foreign_amount_minor > 0) not valid;
comment on column collections.foreign_amount_minor is 'What the provider took in foreign_currency, in hundredths. Null: nothing in another currency.';
comment on column collections.foreign_currency is 'The other currency that the provider took. amount_received_minor is null until an operator states its worth.';
