// Declares the metrics of the audit log: the anchors, and the anchors that the file or the receiver lacks.

import { type DatabaseGauges, type Deps, SAME_IN_EACH_PROCESS } from '../../kernel/db/index.ts'
import { findLastAnchor, readAnchorState } from './anchor-store.ts'
import { anchorFileOf } from './anchor-task.ts'

/** Makes the gauges of the anchors. If the database has no anchor, the gauge of the time has no value. */
export function auditGauges({ metrics, config }: Pick<Deps, 'metrics' | 'config'>): DatabaseGauges {
  const last = metrics.gauge({
    name: 'malipo_audit_anchor_timestamp_seconds',
    help: `Time of the last anchor of the audit log, in seconds since 1970. ${SAME_IN_EACH_PROCESS}`,
  })
  const count = metrics.gauge({
    name: 'malipo_audit_anchors',
    help: `Number of anchors of the audit log. ${SAME_IN_EACH_PROCESS}`,
  })
  const waiting = metrics.gauge({
    name: 'malipo_audit_anchors_waiting',
    help: 'Number of anchors of the audit log that are not in AUDIT_ANCHOR_FILE (file) or that AUDIT_ANCHOR_URL has not accepted (url). A process without the setting has no value.',
    labels: ['to'],
  })
  return {
    async read(reader) {
      const [anchor, state] = await Promise.all([findLastAnchor(reader), readAnchorState(reader)])
      return () => {
        const number = anchor?.number ?? 0
        if (anchor !== null) last().set(anchor.at.getTime() / 1_000)
        count().set(number)
        if (anchorFileOf(config) !== null) waiting('file').set(number - (state?.written_number ?? 0))
        if (config.audit_anchor_url !== '') waiting('url').set(number - (state?.sent_number ?? 0))
      }
    },
    reset() {
      for (const gauge of [last, count, waiting]) gauge.reset()
    },
  }
}
