// Declares the metrics of reconciliation: the open cases by provider and kind, and the age of the oldest open case.

import { type DatabaseGauges, type Deps, SAME_IN_EACH_PROCESS, sql } from '../../kernel/db/index.ts'

const ROWS_MAX = 10_000
const OPEN = sql(
  'metrics_open_cases',
  `select provider, kind, count(*)::int as open, min(opened_at) as oldest from (
     select provider, kind, opened_at from reconciliation_exceptions where resolution is null limit ${ROWS_MAX}) c
   group by provider, kind`,
)

/** Returns the gauges of open cases: their number by provider and kind, and the age of the oldest. */
export function reconciliationGauges({ metrics }: Pick<Deps, 'metrics'>): DatabaseGauges {
  const open = metrics.gauge({
    name: 'malipo_reconciliation_cases_open',
    help: `Open cases of reconciliation, at most 10,000 counted. ${SAME_IN_EACH_PROCESS}`,
    labels: ['provider', 'kind'],
    series_max: 40,
  })
  const oldest = metrics.gauge({
    name: 'malipo_reconciliation_cases_oldest_seconds',
    help: `Age of the oldest open case of reconciliation in seconds. 0: no case is open. ${SAME_IN_EACH_PROCESS}`,
  })
  return {
    async read(reader, now) {
      const rows = await reader.query<{ provider: string; kind: string; open: number; oldest: Date }>(OPEN)
      return () => {
        for (const row of rows) open(row.provider, row.kind).set(row.open)
        const ages = rows.map((row) => (now.getTime() - row.oldest.getTime()) / 1_000)
        oldest().set(Math.max(0, ...ages))
      }
    },
    reset() {
      open.reset()
      oldest.reset()
    },
  }
}
