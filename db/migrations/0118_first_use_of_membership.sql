-- The server records when a member first used an invited membership, so that lists tell invited people from members who have signed in.
-- Earlier programs ignore the column: members whom they add have no value until the first request to a later program.
-- oldest program: 0062

alter table members add column first_seen_at timestamptz;
comment on column members.first_seen_at is 'When the member first used the membership. A membership without an invitation, or used before this column, counts from its creation. Null: invited, and not used yet.';

-- The database has no time of the first use. A user with a proven address and an account has signed in, unless the first password of a
-- command is unchanged. If a command bound the subject of a foreign issuer, the user counts too, because no row tells the difference.
-- accepted: members, it has one row for each person of a business; until this short update ends, requests of the consoles wait
update members s set first_seen_at = s.created_at
from users u
where u.id = s.user_id and (
  s.name is null
  or u.email_verified and u.issuer is not null and not exists (
    select from credentials c where c.user_id = u.id and c.is_first)
);
