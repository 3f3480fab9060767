// Defines which invitations are valid.

/**
 * The SQL condition under which the invitation of the user `u`, who has not signed in yet, is valid: the user is an operator, or a
 * member of a merchant. If the merchant has removed the user, the invitation is withdrawn.
 */
export const INVITATION_HOLDS =
  '(u.super_admin or u.operator_role is not null or exists (select from members s where s.user_id = u.id))'
