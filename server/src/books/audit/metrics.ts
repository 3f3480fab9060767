// Declares the metrics of the audit log: the time of its last anchor.

import { type DatabaseGauges, type Deps, SAME_IN_EACH_PROCESS, sql } from '../../kernel/db/index.ts'

const LAST = sql('metrics_audit_anchor', 'select at from audit_anchors order by number desc limit 1')

/** Returns the gauge of the last anchor. Without an anchor, the gauge has no value. */
export function auditGauges({ metrics }: Pick<Deps, 'metrics'>): DatabaseGauges {
  const last = metrics.gauge({
    name: 'malipo_audit_anchor_timestamp_seconds',
    help: `Time of the last anchor of the audit log, in seconds since 1970. ${SAME_IN_EACH_PROCESS}`,
  })
  return {
    async read(reader) {
      const [row] = await reader.query<{ at: Date }>(LAST)
      return () => {
        if (row !== undefined) last().set(row.at.getTime() / 1_000)
      }
    },
    reset: () => last.reset(),
  }
}
