// Defines for how long the server keeps data about people that no book needs.

import { number, setting } from './setting.ts'

const days = number(0, 3650)

/** The settings of retention, in days. 0 means that the server deletes nothing. */
export const retentionSettings = {
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
} as const
