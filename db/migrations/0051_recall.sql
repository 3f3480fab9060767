-- An operator recalls an approved payout that was not sent: the status CANCELLED, with the reservation released.
-- oldest program: 0012

-- The new condition only permits more, so that no existing row needs a check.
alter table withdrawals
  drop constraint withdrawals_funds_check,
  add constraint withdrawals_funds_check check (case
    when status in ('PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED', 'REJECTED') then funds = 'none'
    when status = 'CANCELLED' then funds in ('none', 'released')
    when status in ('PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST') then funds = 'reserved'
    when status = 'SUCCESS' then funds = 'paid'
    when status = 'FAILED' then funds in ('released', 'returned')
    when status = 'REVERSED' then funds = 'returned'
    when status = 'NEEDS_ADMIN_ATTENTION' then funds in ('reserved', 'paid', 'released')
    else false end) not valid;
