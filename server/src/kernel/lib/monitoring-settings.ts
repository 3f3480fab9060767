// Defines the settings with which operators monitor a server.

import { number, setting } from './setting.ts'

/** The settings of the scheduled check of the books. */
export const monitoringSettings = {
  verify_every_h: setting(
    'VERIFY_EVERY_H',
    '24',
    number(0, 720),
    'Hours between two runs of the checks of "admin verify" by a worker, once among all processes. 24: at 03:00 in Tanzania. 0: never.',
  ),
} as const
