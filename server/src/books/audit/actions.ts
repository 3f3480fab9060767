// Lists all actions of the audit log: those that a merchant may read, and those that only operators read.

/**
 * The actions that a merchant may read in the audit log of the merchant. The server hides all other actions from merchants.
 */
export const MERCHANT_ACTIONS = [
  'adjustment.create',
  'api_key.create',
  'api_key.revoke',
  'api_key.rotate',
  'collection.clear',
  'demo.renew',
  'invoice.cancel',
  'invoice.send',
  'ip_address.approve',
  'ip_address.create',
  'ip_address.delete',
  'ip_address.reject',
  'member.change_role',
  'member.invite',
  'member.remove',
  'merchant.approve',
  'merchant.change_security',
  'merchant.create',
  'merchant.payout_limits',
  'merchant.price',
  'merchant.reactivate',
  'merchant.suspend',
  'merchant.verify',
  'outbox.read',
  'payment_link.cancel',
  'webhook_config.delete',
  'webhook_config.update',
  'webhook_deliveries.replay',
  'webhook_delivery.replay',
  'webhook_delivery.test',
  'withdrawal.approve',
  'withdrawal.cancel',
  'withdrawal.recall',
  'withdrawal.reject',
  'withdrawal.request_info',
  'withdrawal.resolve',
  'withdrawal.respond',
  'withdrawal.retry',
  'withdrawal.submit',
] as const

/**
 * The actions that only operators read: the deliberation of operators, and the administration of the platform and its users.
 */
export const OPERATOR_ACTIONS = [
  'decision.first_approve',
  'four_eyes.off',
  'networks.replace',
  'payer.erase',
  'payouts.pause',
  'payouts.resume',
  'reconciliation.ask',
  'reconciliation.resolve',
  'secrets.abandon',
  'secrets.rotate',
  'statement.import',
  'statement.withdraw',
  'user.bind',
  'user.change',
  'user.confirm_email',
  'user.confirm_session',
  'user.create',
  'user.disable',
  'user.drop_second_step',
  'user.enable',
  'user.end_session',
  'user.enrol_second_step',
  'user.revoke_operator',
  'user.set_password',
  'user.sign_in_new_place',
  'user.token',
  'user.use_recovery_code',
  'withdrawal.first_approve',
  'withdrawal.name_check',
] as const

/** An action, named noun.verb. If neither list names a new action, the program does not compile. */
export type AuditAction = (typeof MERCHANT_ACTIONS)[number] | (typeof OPERATOR_ACTIONS)[number]
