-- A merchant learns once by the event balance.low that the available balance passed below the mark. Earlier programs ignore the column.
-- oldest program: 0062

alter table balance_marks add column low_since timestamptz;
comment on column balance_marks.low_since is 'When the worker found the available balance below the mark and reported it. Null means that the last check found it at the mark or above.';
