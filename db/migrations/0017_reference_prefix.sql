-- Lists find references by their beginning, in any case. The index of exact references makes way for one that finds both, so
-- that a payment writes no more than before. Nothing else reads by reference.
-- oldest program: 0012

drop index collections_reference_idx;
create index collections_reference_idx on collections (merchant_id, environment, lower(reference) text_pattern_ops, id)
  where reference is not null;

drop index withdrawals_reference_idx;
create index withdrawals_reference_idx on withdrawals (merchant_id, environment, lower(reference) text_pattern_ops, id)
  where reference is not null;
