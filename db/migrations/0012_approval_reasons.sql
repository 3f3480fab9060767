-- Whoever approves may write down why, as whoever rejects has to. Each yes keeps its own reason; approvals of before have none.

alter table withdrawal_approvals add column reason text;
comment on column withdrawal_approvals.reason is 'Why, as the operator wrote it; null: nothing. For operators only.';
