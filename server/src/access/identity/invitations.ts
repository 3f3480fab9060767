// Defines which invitations are valid.

/**
 * The SQL condition that the invitation of the user `u` is valid: the user is an operator, or a member of a merchant. If no
 * merchant has the user as a member any more, the invitation is withdrawn.
 */
export const INVITATION_HOLDS =
  '(u.super_admin or u.operator_role is not null or exists (select from members s where s.user_id = u.id))'
