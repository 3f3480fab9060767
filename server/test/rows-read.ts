// Counts the rows that queries read from tables and indexes. PostgreSQL counts the rows, so the result depends neither on
// statistics nor on time.

import type { Deps, Statement } from '../src/kernel/db/index.ts'
import type { World } from './harness.ts'

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

/**
 * Runs `work` with dependencies that record the queries. Returns the result of `work` and the number of rows that the queries
 * read.
 */
export async function rowsRead<Result>(
  { deps, rows }: Pick<World, 'deps' | 'rows'>,
  work: (deps: Deps) => Promise<Result>,
): Promise<{ result: Result; read: number }> {
  const asked: { statement: Statement; values: readonly unknown[] }[] = []
  const query: Deps['db']['query'] = (statement, values = []) => {
    asked.push({ statement, values })
    return deps.db.query(statement, values)
  }
  const result = await work({ ...deps, db: { ...deps.db, query } })
  let read = 0
  for (const { statement, values } of asked) {
    const [answer] = await rows<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `explain (analyze, timing off, format json) ${statement.text}`,
      [...values],
    )
    read += readBy((answer as { 'QUERY PLAN': { Plan: Plan }[] })['QUERY PLAN'][0]?.Plan as Plan)
  }
  return { result, read }
}

function readBy(plan: Plan): number {
  const reads = plan['Relation Name'] !== undefined || plan['Node Type'] === 'Bitmap Index Scan'
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  const own = reads ? (plan['Actual Rows'] + removed) * plan['Actual Loops'] : 0
  return (plan.Plans ?? []).reduce((sum, child) => sum + readBy(child), own)
}
