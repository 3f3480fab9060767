// Defines the settings of retention: for how long the server keeps data about people that the books do not need.

import { number, setting } from './setting.ts'

const days = number(0, 3650)

/**
 * The audit log keeps the IP address of a caller for at least this number of days, so that an operator can examine an attack.
 */
export const ADDRESS_DAYS_MIN = 30

/**
 * The shortest retention of the data of payers in days. A payment may be open for a year (COLLECTION_DEADLINE_H), and an open
 * payment needs the phone of its payer.
 */
const PAYERS_DAYS_MIN = 400
const payerDays = (value: string): number => {
  if (value === '0') return 0
  const parsed = number(0, 36_500)(value)
  if (parsed < PAYERS_DAYS_MIN) throw new Error(`must be 0, or at least ${PAYERS_DAYS_MIN}`)
  return parsed
}

const addressDays = (value: string): number => {
  const parsed = days(value)
  if (parsed !== 0 && parsed < ADDRESS_DAYS_MIN) throw new Error(`must be 0, or at least ${ADDRESS_DAYS_MIN}`)
  return parsed
}

/** The settings of retention, in days. 0 means that the server deletes nothing. */
export const retentionSettings = {
  retention_payers_days: setting(
    'RETENTION_PAYERS_DAYS',
    '0',
    payerDays,
    'Days after which the worker removes names and e-mail addresses of payers from payments, payment links and invoices, and shortens their phones. At least 400. 0: never.',
  ),
  retention_outbox_days: setting(
    'RETENTION_OUTBOX_DAYS',
    '180',
    days,
    'Days after which the server deletes e-mails and SMS from the outbox, except messages that wait for a gateway. 0: never.',
  ),
  retention_callbacks_days: setting(
    'RETENTION_CALLBACKS_DAYS',
    '90',
    days,
    'Days after the last receipt of a callback, after which the server deletes the callback. Forged callbacks: 7 days. 0: never.',
  ),
  retention_idempotency_days: setting(
    'RETENTION_IDEMPOTENCY_DAYS',
    '30',
    days,
    'Days after which the worker erases the stored answers of Idempotency-Keys, but not before IDEMPOTENCY_REPLAY_DAYS. The keys stay. 0: never.',
  ),
  retention_audit_addresses_days: setting(
    'RETENTION_AUDIT_ADDRESSES_DAYS',
    '730',
    addressDays,
    "Days after which the worker deletes callers' IP addresses of the audit log. At least 30. 0: never.",
  ),
} as const
