// Defines the settings with which operators monitor a server.

import { number, setting } from './setting.ts'

const metricsHost = (value: string): string => {
  if (value === '' || /\s/.test(value)) throw new Error('must be an address or a host name, without spaces')
  return value
}

/** The settings of /metrics and of the scheduled check of the books. */
export const monitoringSettings = {
  metrics_port: setting(
    'METRICS_PORT',
    '',
    (value) => (value === '' ? null : number(0, 65535)(value)),
    'Port of /metrics for Prometheus, such as 9464. Each process of a machine needs a port of its own. 0: any free port. Empty: no /metrics.',
  ),
  metrics_host: setting(
    'METRICS_HOST',
    '127.0.0.1',
    metricsHost,
    'Address on which the server serves /metrics, without authentication. Choose an address that only your monitoring reaches.',
  ),
  verify_every_h: setting(
    'VERIFY_EVERY_H',
    '24',
    number(0, 720),
    'Hours between two runs of the checks of "admin verify" by a worker, once among all processes. 24: at 03:00 in Tanzania. 0: never.',
  ),
} as const
